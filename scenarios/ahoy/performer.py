"""What the robot does in the game: it acts words, holds postures, nods, and looks at the player.

Design overview
    It decides nothing: the game says which word, a Wizard or a policy says how near a guess is.
    That is why the autonomy dial leaves it alone. While a word is acted, gaze and idle life rest,
    so that every joint belongs to the animation; afterwards inverse kinematics aims at the player
    again and holds the posture meanwhile. Without a camera it aims at the player's seat.
    In the expressive condition a hint changes the posture; in the other one hints come in and are
    logged the same, and the robot stays neutral.

Threading
    The event loop's thread.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    AnimationFinished,
    GazeAt,
    OperatorsPresent,
    PersonDetected,
    PlayAnimation,
    SetLayer,
    SetPosture,
    StopAnimation,
)
from sera.runtime import Role

from .messages import GuessRated, Hint, Rating, RoundBegan, RoundEnded, ShowHint

_FADE_S = 0.5
_RESTS_WHILE_ACTING = ("gaze", "life")
"""Layers of the animation program that would turn the head while a word is acted."""


class Performer(Module):
    """Carries out on the body what game and Wizards say."""

    role = Role.BEHAVIOUR

    class Settings(Module.Settings):
        """How expressive it is, and with what."""

        expressive: bool = True
        """Condition C1: postures are hints. False, condition C2: neutral throughout."""
        hints_by: Literal["judge", "second", "auto"] = "auto"
        """Who changes the posture: `judge`, at once with the rating; `second`, another Wizard by
        ShowHint; `auto`: the second one as soon as somebody sits at that desk."""
        second_desk: str = "posture"
        """The desk of the second Wizard."""
        postures: dict[Hint, str] = Field(
            default_factory=lambda: {
                Hint.HOT: "engaged",
                Hint.WARM: "in_between",
                Hint.COLD: "unengaged",
                Hint.NEUTRAL: "neutral",
            }
        )
        blend_s: float = Field(default=0.9, ge=0.1, le=5)
        """How long a change of posture takes."""
        right: str = "affirm"
        """Animation when the player got it."""
        wrong: str = "shake"
        """Animation when the time is up."""
        farewell: str = "bow"
        """Animation when all words are played."""
        player_place: str = "player"
        """Where it looks as long as nobody is seen: a seat of the scenario's space."""

    async def start(self) -> None:
        self._acting: str | None = None
        """Id of the PlayAnimation under way."""
        self._word = ""
        self._second_sits = False
        self._round_on = False
        self._looks = False
        """Whether it has somebody, or a place, to look at."""

    async def run(self) -> None:
        await self._wake()  # where it died while a word was acted, gaze and life rest still

    # -- the player -------------------------------------------------------------------------

    @on(PersonDetected)
    async def look(self, message: PersonDetected) -> None:
        self._looks = True
        await self.publish(GazeAt(target=message.person))

    async def _look_ahead(self) -> None:
        """Postures say something to the player only while the gaze is on them."""
        self._looks = True
        await self.publish(GazeAt(target=self.settings.player_place))

    # -- the game ---------------------------------------------------------------------------

    @on(RoundBegan)
    async def act(self, message: RoundBegan) -> None:
        self._word, self._round_on = message.animation, True
        if not self._looks:
            await self._look_ahead()
        await self._pose(Hint.NEUTRAL)
        await self._act_word()

    @on(ActivityCommand)
    async def act_again(self, message: ActivityCommand) -> None:
        if message.command == "again" and self._round_on and self._acting is None:
            await self._act_word()

    @on(RoundEnded)
    async def answer(self, message: RoundEnded) -> None:
        self._round_on = False
        await self._cease()
        await self._pose(Hint.NEUTRAL)
        if message.outcome == "correct":
            await self.publish(PlayAnimation(animation=self.settings.right))
        elif message.outcome == "time_up":
            await self.publish(PlayAnimation(animation=self.settings.wrong))

    @on(ActivityEvent)
    async def say_goodbye(self, message: ActivityEvent) -> None:
        if message.event == "game_finished":
            await self.publish(PlayAnimation(animation=self.settings.farewell))

    # -- hints ------------------------------------------------------------------------------

    @on(OperatorsPresent)
    async def who_sits(self, message: OperatorsPresent) -> None:
        desk = self.settings.second_desk
        self._second_sits = any(
            seat.desk == desk and seat.role == "wizard" for seat in message.operators
        )

    @on(GuessRated)
    async def rated(self, message: GuessRated) -> None:
        by = self.settings.hints_by
        is_seconds = by == "second" or (by == "auto" and self._second_sits)
        if message.rating is not Rating.CORRECT and not is_seconds:
            await self._hint(Hint(message.rating))

    @on(ShowHint)
    async def hint(self, message: ShowHint) -> None:
        await self._hint(message.hint)

    async def _hint(self, hint: Hint) -> None:
        if self.settings.expressive and self._round_on:
            await self._pose(hint)

    # -- the body ---------------------------------------------------------------------------

    async def _pose(self, hint: Hint) -> None:
        posture = self.settings.postures.get(hint, str(hint))
        await self.publish(SetPosture(posture=posture, blend_s=self.settings.blend_s))

    async def _act_word(self) -> None:
        for layer in _RESTS_WHILE_ACTING:
            await self.publish(SetLayer(layer=layer, active=False, fade_s=_FADE_S))
        self._acting = await self.publish(PlayAnimation(animation=self._word))

    @on(AnimationFinished)
    async def acted(self, message: AnimationFinished) -> None:
        if message.action == self._acting:
            await self._wake()

    async def _cease(self) -> None:
        if self._acting is not None:
            await self.publish(StopAnimation(animation=self._word, fade_s=_FADE_S))
            await self._wake()

    async def _wake(self) -> None:
        self._acting = None
        for layer in reversed(_RESTS_WHILE_ACTING):
            await self.publish(SetLayer(layer=layer, active=True, fade_s=_FADE_S))
