"""From answers to scores: the scales of questionnaires, and what a participant has on them.

A score is the mean of the items that were answered, after those that are reversed were turned
round, on the scale's own range: 1 to 6 for items of six points. A scale made of parts is the mean
of all items of its parts (not of the parts' means), as the published figures of the Ahoy study
are. Where more than half of a scale's items have no answer there is no score.

`negative` scales (lower is better) stay as they were answered; an analysis that compares scales
turns their scores round with `Scale.inverted`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sera.study._questionnaire_tables import Answer
from sera.study.questionnaire import Questionnaire

LEAST_ANSWERED_SHARE = 0.5
"""A score needs at least this share of the scale's items."""

Answers = Mapping[str, Mapping[str, Answer]]
"""Answers of a participant by questionnaire and item, as they were given."""


@dataclass(frozen=True, slots=True)
class ScaleItem:
    """An item of a scale."""

    item: str
    """Its id in the questionnaire."""
    reversed: bool
    """Whether a high answer means little of what the scale measures."""
    points: int
    """How many answers there are to choose from."""
    lowest: float
    highest: float

    def value(self, answer: Answer) -> float | None:
        """The answer as a number in the direction of the scale; None where there is none."""
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            return None
        if not (math.isfinite(answer) and self.lowest <= answer <= self.highest):
            return None
        return self.turned(answer) if self.reversed else float(answer)

    def turned(self, value: float) -> float:
        """The value counted from the other end."""
        return self.lowest + self.highest - value


@dataclass(frozen=True, slots=True)
class Scale:
    """Items of a questionnaire that measure one thing together."""

    name: str
    """Name in the data, such as `RC`."""
    title: str
    """What reports call it."""
    questionnaire: str
    """Name of the form that its items are in."""
    items: tuple[ScaleItem, ...]
    negative: bool
    """Whether lower is better."""
    lowest: float
    highest: float
    parts: tuple[str, ...] = ()
    """Names of the scales that it is made of."""

    @property
    def middle(self) -> float:
        """What is neither high nor low."""
        return (self.lowest + self.highest) / 2

    def inverted(self, value: float) -> float:
        """The score counted from the other end."""
        return self.lowest + self.highest - value

    def values(self, answers: Answers) -> list[float | None]:
        """The answer to each item, in the direction of the scale; None where there is none."""
        given = answers.get(self.questionnaire, {})
        return [item.value(given.get(item.item)) for item in self.items]


def scales_of(forms: Mapping[str, Questionnaire], language: str | None = None) -> list[Scale]:
    """All scales of questionnaires, in the order of their files.

    Args:
        forms: questionnaires by name, as the study uses them (`forms_of_plan`).
        language: of the titles.

    Raises:
        ValueError: two questionnaires have a scale of the same name.
    """
    scales: list[Scale] = []
    owner: dict[str, str] = {}
    for name, form in forms.items():
        for table in form.scales:
            if table.name in owner:
                raise ValueError(
                    f"the questionnaires '{owner[table.name]}' and '{name}' both have a scale "
                    f"'{table.name}': rename one of the two in a copy beside the scenario"
                )
            owner[table.name] = name
            items = tuple(_scale_item(form, item) for item in form.items_of(table.name))
            scales.append(
                Scale(
                    name=table.name,
                    title=table.title[form.language(language)],
                    questionnaire=name,
                    items=items,
                    negative=table.negative,
                    lowest=min(item.lowest for item in items),
                    highest=max(item.highest for item in items),
                    parts=tuple(table.parts),
                )
            )
    return scales


def _scale_item(form: Questionnaire, name: str) -> ScaleItem:
    item = form.item(name)
    lowest, highest = item.bounds
    assert lowest is not None  # a scale has rated items only, which the file's check sees to
    assert highest is not None
    points = item.points
    if item.kind == "slider":
        points = 1 + round((highest - lowest) / item.slider_step)
    return ScaleItem(item.id, item.reversed, points, lowest, highest)


def score(scale: Scale, answers: Answers) -> float | None:
    """The mean of the items that were answered; None where more than half were not.

    Args:
        scale: the scale.
        answers: of one participant, by questionnaire and item (`Participation.answers`).
    """
    given = [value for value in scale.values(answers) if value is not None]
    if not given or len(given) < LEAST_ANSWERED_SHARE * len(scale.items):
        return None
    # The sum of many floats may come out a hair beyond the ends.
    return min(max(math.fsum(given) / len(given), scale.lowest), scale.highest)


def item_matrix(scale: Scale, rows: Iterable[Answers]) -> list[list[float | None]]:
    """A row a participant and a column an item, in the direction of the scale; for reliability.

    Args:
        scale: the scale.
        rows: answers of each participant.
    """
    return [scale.values(answers) for answers in rows]
