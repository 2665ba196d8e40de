"""A simulated perceiver: sees the robot's body and the form on the table, and nothing else.

Design overview
    It sits where a person would: it says where its head is, watches the joints of the robot, and
    answers the form that lies before it. What the robot was told to feel it does not hear; it has
    to see it (`perception.py`).

    A rating is drawn from the published means and spreads at the features that were seen
    (`sera.emotion.Perceiver`). An emotion is named in two steps: which of the four is nearest to
    the features that were seen, then what the published people answered to that one. Other forms
    are filled in before the first greeting, from the stated model of
    `sera.study.participants`.

    The answers restate what thirty people said once. They show whether the robot can be read and
    whether the study works; they support no claim about people.

Units and frames
    Metres in the scenario's space, seconds on the clock of the run.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sera import Module, on
from sera.behaviour.space import Frame
from sera.emotion import AXES, PAD, Features, Perceiver, sam_places
from sera.emotion.published import EMOTIONS
from sera.messages import (
    Envelope,
    FormOffered,
    JointFrame,
    PersonDetected,
    Position,
    QuestionnaireAnswered,
)
from sera.runtime import Role
from sera.runtime.located import nearest_name
from sera.study import PLAN_FILE, load_plan
from sera.study.form_wish import study_form
from sera.study.participants import Experience, answer_form, draw_person

from .perception import GreetingReader, SeenGreeting

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

Answer = bool | int | float | str | None
NOBODY = "visitor"
"""Pseudonym where nobody gave one."""
ANSWERS_IN_S = (1.0, 3.0)
"""How long an answer takes: fast and by intuition, as the instructions want it."""


class SimulatedPerceiver(Module):
    """Rates greetings and names emotions."""

    role = Role.PERCEPTION
    hears_everyone = True

    class Settings(Module.Settings):
        """Who sits there."""

        robot: str = "pepper"
        """The character that is watched."""
        person: str = "observer"
        """Who of the scenario's people it is; the seat is the head's place."""
        population: str | None = None
        """Seed of the population; left out: the run's."""
        number: int = 0
        """Which person of the population."""
        participant: str | None = None
        """Pseudonym, for the forms; left out: the one that they are offered to."""
        forms: list[str] = Field(default_factory=list)
        """Questionnaires of the study; those that are not about a greeting are filled in first."""
        rating: str = "pepper_sam"
        naming: str = "emotion_choice"

    async def start(self) -> None:
        from sera.animation.body import load_body

        settings, context = self.settings, self.context
        scenario = context.scenario
        assert scenario is not None
        self._head_m = _place_of(scenario, settings.person)
        stands = Frame.of(scenario.characters[settings.robot])
        body = load_body(scenario.robots[settings.robot].folder)
        self._reader = GreetingReader(body, stands.to_local(self._head_m))
        self._perceiver = Perceiver(self.random)
        self._to_answer: asyncio.Queue[tuple[FormOffered, SeenGreeting]] = asyncio.Queue()

    # -- what is seen: nothing may be added here --------------------------------------------

    @on(JointFrame)
    async def see_the_robot(self, message: JointFrame, envelope: Envelope) -> None:
        if envelope.character == self.settings.robot:
            self._reader.see(envelope.time, message.joints_rad)

    @on(FormOffered)
    async def read_the_form(self, message: FormOffered) -> None:
        settings = self.settings
        if message.questionnaire not in (settings.rating, settings.naming):
            return
        seen = self._reader.read()
        if seen is None:
            self.log.info("no greeting was seen, so that '%s' stays empty", message.questionnaire)
            return
        self._to_answer.put_nowait((message, seen))

    # -- what is done -----------------------------------------------------------------------

    async def run(self) -> None:
        x_m, y_m, z_m = self._head_m
        here = Position(x_m=x_m, y_m=y_m, z_m=z_m)
        await self.publish(PersonDetected(person=self.settings.person, position=here))
        await self._fill_in_the_others()
        while True:
            offer, seen = await self._to_answer.get()
            await self.clock.sleep(self.random.uniform(*ANSWERS_IN_S))
            await self._answer(offer, seen)

    async def _answer(self, offer: FormOffered, seen: SeenGreeting) -> None:
        assert offer.questionnaire is not None
        rates = offer.questionnaire == self.settings.rating
        await self.publish(
            QuestionnaireAnswered(
                questionnaire=offer.questionnaire,
                participant=self.settings.participant or offer.participant or NOBODY,
                session=offer.session,
                answers=self._rated(seen) if rates else self._named(seen),
                language=offer.language,
            )
        )

    def _rated(self, seen: SeenGreeting) -> dict[str, Answer]:
        felt = self._perceiver.answer(seen.features)
        return dict(zip(AXES, sam_places(felt, layout="rising"), strict=True))

    def _named(self, seen: SeenGreeting) -> dict[str, Answer]:
        return {"emotion": self._perceiver.choose(nearest_emotion(seen.features))}

    async def _fill_in_the_others(self) -> None:
        settings, folder = self.settings, self.context.folder or Path()
        others = [one for one in settings.forms if one not in (settings.rating, settings.naming)]
        if not others:
            return
        plan = load_plan(folder / PLAN_FILE)
        person = draw_person(settings.population or self.context.seed, settings.number)
        for name in others:
            form = study_form(name, folder, plan)
            answers, free = answer_form(form, person, Experience(), self.random)
            await self.publish(
                QuestionnaireAnswered(
                    questionnaire=name,
                    participant=settings.participant or NOBODY,
                    answers=answers,
                    free_answers=free,
                )
            )


def nearest_emotion(features: Features) -> str:
    """The one of the four emotions whose features are nearest to those that were seen."""
    return min(EMOTIONS, key=lambda name: _apart(PAD.named(name).features(), features))


def _place_of(scenario: Scenario, person: str) -> tuple[float, float, float]:
    """Where a person of the scenario has the head.

    Raises:
        LookupError: there is no such person, or no place for them.
    """
    sits = scenario.people.get(person)
    if sits is None:
        near = nearest_name(person, scenario.people)
        hint = f"; did you mean '{near}'?" if near else f": write [people.{person}] with a seat"
        raise LookupError(f"the scenario has no person '{person}'{hint}")
    seat = scenario.space.seats.get(sits.seat or "")
    place_m = sits.position_m if seat is None else seat.position_m
    if place_m is None:
        raise LookupError(f"nobody knows where '{person}' sits: give [people.{person}] a seat")
    return place_m


def _apart(one: Features, other: Features) -> float:
    return sum((a - b) ** 2 for a, b in zip(one.values, other.values, strict=True))
