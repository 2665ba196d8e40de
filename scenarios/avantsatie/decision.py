"""What Adelino does in the game: look, affirm, point, and say hot or cold with its posture.

Whether a guess changes its posture is what the conditions of the study differ in; how the posture
is held while the tip follows the player is the engine's (ERIK, or example postures).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.messages import (
    AnimationFinished,
    GazeAt,
    PersonDetected,
    PlayAnimation,
    SetPosture,
)

from .messages import CueDone, GuessJudged, Judgement, RobotCue


class AvantSatieDecision(Module):
    """The robot's part in the game."""

    class Settings(Module.Settings):
        """How it shows what."""

        expressive: bool = True
        """Whether a wrong guess changes its posture; otherwise it stays neutral."""
        hints: Literal["judged", "random", "swapped"] = "judged"
        """`judged`: as the guess was; `random` and `swapped` are controls for simulations."""
        hot: str = "hot"
        cold: str = "cold"
        neutral: str = "neutral"
        affirm: str = "affirm"
        celebrate: str = "celebrate"
        blend_s: float = Field(default=0.6, ge=0)
        """How long a change of posture takes."""
        player: str = "person"
        """Whom it looks at."""
        screen: str = "screen"
        """Where the game is projected."""

    async def start(self) -> None:
        self._cues: dict[str, RobotCue] = {}
        """Cue by the id of the animation that performs it."""

    @on(PersonDetected)
    async def look(self, _message: PersonDetected) -> None:
        await self.publish(GazeAt(target=self.settings.player))

    @on(GuessJudged)
    async def react(self, message: GuessJudged) -> None:
        if message.result is Judgement.CORRECT:
            await self._take(self.settings.neutral)
        elif self.settings.expressive:
            hot = self._shows_hot(message.result)
            await self._take(self.settings.hot if hot else self.settings.cold)

    def _shows_hot(self, result: Judgement) -> bool:
        if self.settings.hints == "random":
            return self.random.random() < 0.5
        swapped: bool = self.settings.hints == "swapped"
        return (result is Judgement.HOT) != swapped

    async def _take(self, posture: str) -> None:
        await self.publish(SetPosture(posture=posture, blend_s=self.settings.blend_s))

    @on(RobotCue)
    async def play_its_part(self, message: RobotCue) -> None:
        match message.cue:
            case "look_at_screen":
                await self._take(self.settings.neutral)
                await self.publish(GazeAt(target=self.settings.screen))
            case "look_at_player":
                await self.publish(GazeAt(target=self.settings.player))
            case "point":
                await self.publish(GazeAt(target=f"key_{message.key}"))
            case "affirm" | "celebrate":
                await self.publish(GazeAt(target=self.settings.player))
                await self._perform(message)

    async def _perform(self, cue: RobotCue) -> None:
        animation = getattr(self.settings, cue.cue)
        action = await self.publish(PlayAnimation(animation=animation))
        if action is None:  # the dial left it to a Wizard
            await self._answer(cue)
        else:
            self._cues[action] = cue

    @on(AnimationFinished)
    async def done(self, message: AnimationFinished) -> None:
        cue = self._cues.pop(message.action, None)
        if cue is not None:
            await self._answer(cue)

    async def _answer(self, cue: RobotCue) -> None:
        await self.publish(CueDone(cue=cue.cue, number=cue.number))
