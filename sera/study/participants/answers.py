"""How simulated participants fill in forms: from a stated model of what they experienced.

The model: an answer is the middle of the scale, moved by what the scale is about (how lively the
robot was, how well its postures were understood, how it went), by the person's leaning, and by
chance. It makes forms complete so that a whole study can be tried out. **It supports no claim**:
whatever it shows about conditions was put into it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from sera.study.participants.population import Person
from sera.study.questionnaire import Answer, Item, Questionnaire

POINTS = 6
"""Points of the scale in which leanings and spreads of persons are given."""


@dataclass(frozen=True, slots=True)
class Experience:
    """What somebody has lived through, each from 0 to 1."""

    understood: float = 0.5
    """How far the robot's behaviour was understood as help."""
    lively: float = 0.5
    """How much the robot moved in answer to what one did."""
    success: float = 0.5
    """How well it went."""


ABOUT: Mapping[str, tuple[float, float, float]] = {
    "RI": (3.0, 0.3, 0.3),
    "RM": (1.5, 0.6, 0.4),
    "TP": (0.8, 0.4, 0.5),
    "AIL": (0.8, 1.2, 0.2),
    "PMU": (1.2, 0.3, 0.4),
    "CP": (0.5, 0.6, 0.2),
    "PA": (1.4, 0.5, 0.3),
    "IOS": (0.9, 0.4, 0.4),
}
"""By scale: how many points of six understanding, liveliness and success are worth."""
ANYTHING_ELSE = (0.3, 0.3, 0.3)


def answer_form(
    form: Questionnaire, person: Person, lived: Experience, chance: random.Random
) -> tuple[dict[str, Answer], dict[str, str]]:
    """Answers and free answers to a whole form."""
    filling = _Filling(form, person, lived, chance)
    answers: dict[str, Answer] = {}
    for item in form.items:
        answers |= filling.answer(item)
    return answers, {}


class _Filling:
    """One person before one form."""

    def __init__(
        self, form: Questionnaire, person: Person, lived: Experience, chance: random.Random
    ) -> None:
        self._person, self._lived, self._chance = person, lived, chance
        self._scales = {
            item: scale.name
            for scale in reversed(form.scales)
            if not scale.parts
            for item in scale.items
        }
        # What somebody thinks of the robot as a whole moves all answers to one scale together.
        self._moods = {
            scale: chance.gauss(0.0, 0.4) for scale in sorted(set(self._scales.values()))
        }

    def answer(self, item: Item) -> dict[str, Answer]:
        chance = self._chance
        if item.kind == "multiple":
            return {f"{item.id}.{one.key}": chance.random() < 0.3 for one in item.choices}
        if item.kind in ("info", "text"):
            return {}
        return {item.id: self._one(item)}

    def _one(self, item: Item) -> Answer:
        if item.kind == "choice":
            return self._chance.choice([one.key for one in item.choices])
        if item.kind == "agreement":
            return True
        if item.kind == "number" and item.id == "age":
            return self._person.age
        if item.kind in ("number", "slider"):
            low, high = int(item.least or 0), int(item.most or 100)
            return low + 5 * self._chance.randint(0, (high - low) // 5)
        return self._on_scale(item)

    def _on_scale(self, item: Item) -> int:
        person, lived = self._person, self._lived
        scale = self._scales.get(item.id, "")
        known = (lived.understood, lived.lively, lived.success)
        weights = ABOUT.get(scale, ANYTHING_ELSE)
        moved = sum(weight * (value - 0.5) for weight, value in zip(weights, known, strict=True))
        moved += self._moods.get(scale, 0.0) + person.agreement
        moved += self._chance.gauss(0.0, person.answer_noise)
        if item.reversed:
            moved = -moved
        middle, per_point = (1 + item.points) / 2, (item.points - 1) / (POINTS - 1)
        return int(min(max(round(middle + moved * per_point), 1), item.points))
