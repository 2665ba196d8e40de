"""Two simulated learners at a touch table: they play, talk, look around, and leave.

Design overview
    `_pair.py` decides what they do from what people there would see and hear: what the table
    shows (`ActivityEvent`) and what the robot says aloud (`SpeechStarted`, `SpeechFinished`).
    This module publishes it as a camera, two microphones and the table would: `PersonDetected`,
    `PersonMoved`, `HeadDirection`, `SpeechActivity`, `SpeechHeard`, `Clicked`, `PersonLost`.

Units and frames
    Metres and degrees of the scenario's space, pixels of the table, seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import math

from pydantic import Field

from sera import Module, on
from sera.messages import (
    ActivityEvent,
    Clicked,
    Envelope,
    GazeState,
    HeadDirection,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
    ScreenPoint,
    Side,
    SpeechActivity,
    SpeechFinished,
    SpeechHeard,
    SpeechOutcome,
    SpeechStarted,
)
from sera.runtime import Role

from ._deeds import AWAY, ROBOT, TABLE, Deed, Hush, Leave, Look, Speak, Touch, Traits
from ._heads import Heads
from ._pair import Pair
from ._reading import read_map

STEP_S = 0.2
WALK_S = 2.5
LOUDNESS_DBFS = -22.0


class SimulatedLearners(Module):
    """Plays the learners; the same for the same seed."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Who they are, and what a table and a tracker report of them."""

        learners: dict[str, Traits] = Field(
            default_factory=lambda: {"learner_1": Traits(), "learner_2": Traits()},
            min_length=1,
            max_length=2,
        )
        """By the ids that a tracker gives them."""
        language: str = "en"
        robot: str = "nao"
        """The character they listen to and look at."""
        screen: str = "table"
        rate_hz: float = Field(default=5.0, gt=0, le=30)
        """How often the tracker reports heads."""
        touch_error_px: float = Field(default=22.0, ge=0)
        """How far from the middle of a place they touch, usually."""
        knows_who_touches: bool = False
        """Whether the table can tell the hands apart, as few tables can."""
        comes_after_s: float = Field(default=1.0, ge=0)
        """How long each lets the others wait."""
        leaves_after_s: float = Field(default=5.0, ge=0)
        """How long after the game and the robot's last word they stay."""
        ends_run: bool = True
        """Whether the run is over when they have left."""

    async def start(self) -> None:
        settings = self.settings
        people = {} if self.context.scenario is None else self.context.scenario.people
        seats = {}
        for name, traits in settings.learners.items():
            expected = people.get(name)
            seats[name] = traits.seat or (expected.seat if expected is not None else None) or ""
        self._heads = Heads(self.context.scenario, seats, settings.screen, settings.robot)
        self._pair = Pair(
            settings.learners, self.random, settings.language, settings.leaves_after_s
        )
        self._pixels: dict[str, tuple[float, float]] = {}
        self._looks: dict[str, str] = dict.fromkeys(settings.learners, TABLE)
        self._here: dict[str, float] = {}
        self._spoken: dict[str, str] = {}
        self._left = False

    # -- what they see and hear -------------------------------------------------------------

    @on(ActivityEvent)
    async def see_table(self, message: ActivityEvent) -> None:
        """The table shows something."""
        board = message.data.get("board")
        if isinstance(board, dict):
            self._pixels = {
                str(name): (float(str(place["x_px"])), float(str(place["y_px"])))
                for name, place in board.items()
                if isinstance(place, dict)
            }
            self._heads.learn_places(self._pixels)
        self._pair.see(message.event, message.data, self.clock.now())

    @on(GazeState)
    async def see_robot(self, message: GazeState, envelope: Envelope) -> None:
        if envelope.character == self.settings.robot:
            place = message.position
            self._heads.see_robot((place.x_m, place.y_m, place.z_m))

    @on(SpeechStarted)
    async def hear_robot(self, message: SpeechStarted) -> None:
        self._spoken[message.speech] = message.text
        self._pair.hear_robot(self.clock.now())

    @on(SpeechFinished)
    async def robot_is_silent(self, message: SpeechFinished) -> None:
        text = self._spoken.pop(message.speech, "")
        to_its_end = message.outcome is SpeechOutcome.COMPLETED
        self._pair.robot_is_silent(text, self.clock.now(), to_its_end=to_its_end)

    # -- what they do -----------------------------------------------------------------------

    async def run(self) -> None:
        began_s = self.clock.now()
        every = max(1, round(1.0 / (self.settings.rate_hz * STEP_S)))
        step = 0
        while not self._left:
            await self.clock.sleep(STEP_S)
            step += 1
            now_s = self.clock.now()
            await self._arrive(now_s - began_s)
            if len(self._here) == len(self.settings.learners):
                for deed in self._pair.step(now_s):
                    await self._show(deed)
            if step % every == 0:
                await self._track(now_s)
        if self.settings.ends_run:
            await self.clock.sleep(2.0)
            await self.end_run("the learners have left")

    async def _arrive(self, since_s: float) -> None:
        for number, name in enumerate(self.settings.learners):
            came_s = self.settings.comes_after_s * (1 + 2 * number)
            if name not in self._here and since_s >= came_s:
                self._here[name] = self.clock.now()
                await self.publish(
                    PersonDetected(person=name, position=self._heads.on_the_way(name, 0.0))
                )

    async def _track(self, now_s: float) -> None:
        for name, came_s in self._here.items():
            position = self._position(name, now_s - came_s)
            await self.publish(PersonMoved(person=name, position=position))
            await self._point_head(name)

    def _position(self, name: str, here_s: float) -> Position:
        """On the way to the seat, later seated and never quite still."""
        if here_s < WALK_S:
            return self._heads.on_the_way(name, here_s / WALK_S)
        seat = self._heads.seat(name)
        phase = len(name) + ord(name[-1])
        sway_m = 0.012 * math.sin(0.7 * here_s + phase)
        nearer_m = 0.01 * math.sin(0.31 * here_s + 2.0 * phase)
        return Position(x_m=seat.x_m + sway_m, y_m=seat.y_m, z_m=seat.z_m + nearer_m)

    async def _point_head(self, name: str) -> None:
        target = self._looks[name]
        await self.publish(
            HeadDirection(
                person=name,
                direction=self._heads.direction(name, target),
                looks_at=self._heads.looks_at(target),
                eye_contact=target == ROBOT,
            )
        )

    async def _show(self, deed: Deed) -> None:
        if isinstance(deed, Look):
            self._looks[deed.learner] = deed.target
            await self._point_head(deed.learner)
        elif isinstance(deed, Speak):
            await self.publish(
                SpeechActivity(
                    speaking=True,
                    person=deed.learner,
                    side=self._side(deed.learner),
                    loudness_dbfs=LOUDNESS_DBFS,
                )
            )
        elif isinstance(deed, Hush):
            side = self._side(deed.learner)
            await self.publish(SpeechActivity(speaking=False, person=deed.learner, side=side))
            heard = SpeechHeard(
                text=deed.text, person=deed.learner, language=self.settings.language
            )
            await self.publish(heard)
        elif isinstance(deed, Touch):
            await self._touch(deed)
        elif isinstance(deed, Leave):
            for name in list(self._here):
                await self.publish(PersonLost(person=name))
            self._left = True

    def _side(self, name: str) -> Side:
        return Side.LEFT if self._heads.seat(name).x_m > 0 else Side.RIGHT

    async def _touch(self, deed: Touch) -> None:
        """A finger comes down near the middle of the place."""
        error_px = self.settings.touch_error_px
        x_px, y_px = self._pixels[deed.place]
        point = ScreenPoint(
            screen=self.settings.screen,
            x_px=round(max(0.0, x_px + self._error_px(error_px)), 1),
            y_px=round(max(0.0, y_px + self._error_px(error_px)), 1),
        )
        who = deed.learner if self.settings.knows_who_touches else None
        await self.publish(Clicked(element=deed.place, point=point, person=who))

    def _error_px(self, usual_px: float) -> float:
        return max(-2.5 * usual_px, min(2.5 * usual_px, self.random.gauss(0.0, usual_px)))


__all__ = [
    "AWAY",
    "ROBOT",
    "TABLE",
    "Hush",
    "Leave",
    "Look",
    "Pair",
    "SimulatedLearners",
    "Speak",
    "Touch",
    "Traits",
    "read_map",
]
