"""Scripted Wizards for tests and demonstrations: they press keys as people would.

Design overview
    A Wizard sees in restricted perception: what the robot perceives, no picture and no sound. It
    publishes the same orders as a page of the console, and beside each the same `OperatorDecided`
    with the ids of what stood before its eyes, so that its recordings are like a person's.
    It rates by `wizard_rule.py`. What is found in the list is found sooner than what is not.
    Two of them may share the work: the first rates, the second is told and changes the posture.

Units and frames
    Seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.messages import (
    Action,
    Envelope,
    Message,
    OperatorDecided,
    PersonDetected,
    PersonMoved,
    SpeechActivity,
    SpeechHeard,
)
from sera.runtime import Role
from sera.study.policy import Visible

from .messages import GuessRated, Hint, RateGuess, Rating, RoundEnded, ShowHint, WordSpotted
from .wizard_rule import rating_for

STEP_S = 0.05
_SLIPS = {
    Rating.HOT: Rating.WARM,
    Rating.WARM: Rating.COLD,
    Rating.COLD: Rating.WARM,
    Rating.CORRECT: Rating.HOT,
}
"""The key beside it."""


class ScriptedWizard(Module):
    """Rates guesses, or shows hints, or both."""

    role = Role.WIZARD
    hears_everyone = True

    class Settings(Module.Settings):
        """Who it is, and how fast and sure its hands are."""

        desk: Literal["wizard", "judge", "posture"] = "wizard"
        """`judge` rates, `posture` shows what the judge calls out, `wizard` sits alone."""
        robot: str = "adelino"
        """The character that it operates."""
        reaction_s: dict[Rating, tuple[float, float]] = Field(
            default_factory=lambda: {
                Rating.CORRECT: (0.9, 1.3),
                Rating.HOT: (1.0, 1.4),
                Rating.WARM: (1.2, 1.7),
                Rating.COLD: (1.5, 2.0),
            }
        )
        """Shortest and longest; a word that is in no list takes longest to look for."""
        told_s: tuple[float, float] = (0.3, 0.6)
        """The same for the second Wizard, from the first one's word."""
        slip_share: float = Field(default=0.02, ge=0, le=1)
        """How often the finger finds the key beside it."""

    async def start(self) -> None:
        self._page = Visible()
        self._due: tuple[float, Action, str] | None = None
        """When which key is pressed, and because of what."""

    async def run(self) -> None:
        while True:
            await self.clock.sleep(STEP_S)
            if self._due is not None and self.clock.now() >= self._due[0]:
                (_, action, cause), self._due = self._due, None
                await self._press(action, cause)

    # -- what it sees -----------------------------------------------------------------------

    @on(WordSpotted, SpeechHeard, SpeechActivity, PersonDetected, PersonMoved)
    async def see(self, message: Message, envelope: Envelope) -> None:
        self._page.see(envelope)
        if isinstance(message, WordSpotted) and self.settings.desk != "posture":
            self._judge(message, envelope.id)

    @on(RoundEnded)
    async def rest(self, _message: RoundEnded) -> None:
        self._due = None

    @on(GuessRated)
    async def told(self, message: GuessRated, envelope: Envelope) -> None:
        """The first Wizard calls out what it was."""
        if self.settings.desk == "posture" and message.rating is not Rating.CORRECT:
            at_s = self.clock.now() + self.random.uniform(*self.settings.told_s)
            self._due = (at_s, ShowHint(hint=Hint(message.rating)), envelope.id)

    # -- what it does -----------------------------------------------------------------------

    def _judge(self, spotted: WordSpotted, cause: str) -> None:
        rating = rating_for(spotted.listed, spotted.confidence)
        if rating is None:
            return
        at_s = self.clock.now() + self.random.uniform(*self.settings.reaction_s[rating])
        if self.random.random() < self.settings.slip_share:
            rating = _SLIPS[rating]
        self._due = (at_s, RateGuess(rating=rating), cause)

    async def _press(self, action: Action, cause: str) -> None:
        now_s, robot = self.clock.now(), self.settings.robot
        seen = self._page.at(now_s)
        order = await self.publish(action, character=robot, cause=cause)
        if order is None:
            return
        news = [one.time_s for one in seen if not one.lasts]
        decided = OperatorDecided(
            action=order,
            action_type=type(action).__name__,
            by=self.settings.desk,
            restricted=True,
            seen=[one.id for one in seen],
            reaction_s=now_s - max(news) if news else None,
        )
        await self.publish(decided, character=robot, cause=order)
