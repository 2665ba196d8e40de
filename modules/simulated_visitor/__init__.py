"""A simulated visitor: comes, speaks, looks away, comes back to the robot, and leaves.

It stands where a camera and microphones would, and publishes exactly what their modules would.
"""

from __future__ import annotations

import math

from sera import Module, on
from sera.behaviour.space import angles_of
from sera.messages import (
    Direction,
    Envelope,
    GazeState,
    HeadDirection,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
    SpeechActivity,
    SpeechHeard,
)
from sera.people import Scene
from sera.runtime import Role

STEP_S = 0.2
NEAR = (0.2, 1.6, 1.2)
"""Where a visitor's head is who stands before the robot."""


class SimulatedVisitor(Module):
    """Plays visits, each a little different; the same for the same seed."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """How many visits, and what is said."""

        person: str = "visitor"
        """Id that the tracker gives to the visitor; a number follows it."""
        visits: int = 1
        """How many; 0: without end."""
        pause_s: float = 4.0
        """Mean time between two visits."""
        sentences: tuple[str, ...] = ("Hello robot.", "What can you do?", "Nice to meet you.")
        """One of these is said at every visit."""

    async def start(self) -> None:
        self._scene = Scene.from_scenario(self.context.scenario)

    @on(GazeState)
    async def see_robot(self, message: GazeState, envelope: Envelope) -> None:
        """The face that is looked at is there now."""
        place = message.position
        self._scene.move_face(envelope.character, (place.x_m, place.y_m, place.z_m))

    async def run(self) -> None:
        visit = 0
        while self.settings.visits == 0 or visit < self.settings.visits:
            visit += 1
            await self.clock.sleep(0.2 if visit == 1 else self._about(self.settings.pause_s))
            await self._visit(f"{self.settings.person}_{visit}")
        await self.clock.sleep(4.0)
        await self.end_run("the visitor has left")

    async def _visit(self, person: str) -> None:
        away = Position(x_m=-1.5, y_m=1.6, z_m=3.0)
        near = Position(x_m=NEAR[0], y_m=NEAR[1], z_m=NEAR[2])
        await self.publish(PersonDetected(person=person, position=away))
        await self._walk(person, away, near, self._about(2.0))
        await self._look(person, self._about(1.5), at_robot=True)
        await self._speak(person)
        await self._look(person, self._about(3.0), at_robot=True)
        await self._look(person, self._about(2.5), at_robot=False)
        await self._look(person, self._about(3.0), at_robot=True)
        await self._walk(person, near, away, self._about(2.0))
        await self.publish(PersonLost(person=person))

    async def _walk(self, person: str, start: Position, end: Position, duration_s: float) -> None:
        steps = max(1, round(duration_s / STEP_S))
        for step in range(1, steps + 1):
            part = 0.5 - 0.5 * math.cos(math.pi * step / steps)  # slow in, slow out
            await self.clock.sleep(STEP_S)
            place = Position(
                x_m=start.x_m + part * (end.x_m - start.x_m),
                y_m=start.y_m,
                z_m=start.z_m + part * (end.z_m - start.z_m),
            )
            await self.publish(PersonMoved(person=person, position=place))

    async def _look(self, person: str, duration_s: float, *, at_robot: bool) -> None:
        for _ in range(max(1, round(duration_s / STEP_S))):
            await self.clock.sleep(STEP_S)
            aim = self._at_robot() if at_robot else Direction(horizontal_deg=100.0)
            await self.publish(HeadDirection(person=person, direction=aim, eye_contact=at_robot))

    def _at_robot(self) -> Direction:
        """From the place beside the robot to its face."""
        robot = self._scene.first_robot
        face_m = (0.0, NEAR[1], 0.0) if robot is None else self._scene.robots[robot]
        x, y, z = (there - here for there, here in zip(face_m, NEAR, strict=True))
        angles = angles_of((x, y, z))
        return Direction(
            horizontal_deg=round(angles.horizontal_deg, 1),
            vertical_deg=round(angles.vertical_deg, 1),
        )

    async def _speak(self, person: str) -> None:
        sentence = self.random.choice(self.settings.sentences)
        await self.publish(SpeechActivity(speaking=True, person=person, loudness_dbfs=-20.0))
        await self.clock.sleep(0.35 * len(sentence.split()))
        await self.publish(SpeechActivity(speaking=False, person=person))
        await self.publish(SpeechHeard(text=sentence, person=person))

    def _about(self, seconds: float) -> float:
        return seconds * self.random.uniform(0.8, 1.2)
