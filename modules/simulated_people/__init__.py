"""Simulated people: they come, sit, look, speak, answer and leave, in place of real ones.

Design overview
    `sera.people.simulated` does the work; this module keeps time and carries messages. It
    publishes what a face tracker, a sound detector and a speech recogniser publish, with the time
    of capture, so that a scenario cannot tell. People hear the robot's words (`SpeechStarted`,
    `SpeechFinished`) and obey hands on the floor plan (`/static/floor_plan.html`), which come as
    `ActivityEvent`s; what that page shows is published as `FloorPlanState` and
    `SimulatedPeopleState`.

Units and frames
    Metres and degrees of the scenario's space, seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import heapq
from itertools import count

from pydantic import Field

from sera import Module, on
from sera.messages import (
    ActivityEvent,
    Envelope,
    GazeState,
    SpeechFinished,
    SpeechOutcome,
    SpeechStarted,
)
from sera.people.simulated import (
    DOOR,
    EVENTS,
    FloorPoint,
    Observed,
    SenseSettings,
    Traits,
    cast,
    obey,
)
from sera.runtime import Role

from ._messages import FloorPlanState, PlanPerson, PlanThing, SimulatedPeopleState
from ._plan import people_of, plan_of

LINGERS_S = 4.0
PLAN_HZ = 5.0


class SimulatedPeople(Module):
    """Plays people; the same for the same seed."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Who comes, what they do, and how good the senses are that report them."""

        people: dict[str, Traits] = Field(default_factory=dict)
        """By name; people of the scenario file that are not here come, stay and leave."""
        senses: SenseSettings = SenseSettings()
        cameras: list[str] | None = None
        """Cameras of the scenario that see them; left out: all. Without any, all is seen."""
        door_m: FloorPoint = DOOR
        """Where they come from and go to: x and z."""
        ends_run: bool = True
        """Whether the run is over when all have played their scripts and who left is lost; never
        where repeats are without end, or where a hand on the floor plan led somebody."""
        plan_hz: float | None = Field(default=None, ge=0, le=20)
        """How often the floor plan is told where people are; left out: 5, and 0 in virtual time,
        where there are no pages."""

    async def start(self) -> None:
        settings = self.settings
        made = cast(
            self.context.scenario,
            settings.people,
            settings.senses,
            self.random,
            door=settings.door_m,
            cameras=settings.cameras,
            began_s=self.clock.now(),
        )
        self._crowd = made.crowd
        for problem in made.problems:
            self.fault(problem)
        self._due: list[tuple[float, int, Observed]] = []
        self._order = count()
        self._led = False
        self._shown: SimulatedPeopleState | None = None

    # -- what they hear and obey ------------------------------------------------------------

    @on(SpeechStarted)
    async def hear_robot(self, message: SpeechStarted) -> None:
        self._crowd.robot_begins(message.speech, message.text)

    @on(SpeechFinished)
    async def robot_is_silent(self, message: SpeechFinished) -> None:
        complete = message.outcome is SpeechOutcome.COMPLETED
        self._crowd.robot_ends(message.speech, self.clock.now(), to_its_end=complete)

    @on(GazeState)
    async def see_robot(self, message: GazeState, envelope: Envelope) -> None:
        """They look at its face, wherever that is now."""
        place = message.position
        self._crowd.scene.move_face(envelope.character, (place.x_m, place.y_m, place.z_m))

    @on(ActivityEvent)
    async def obey(self, message: ActivityEvent, envelope: Envelope) -> None:
        """A hand on the floor plan; events of other activities mean nothing here."""
        if message.event not in EVENTS:
            return
        now_s = self.clock.now()
        problem = obey(self._crowd, message.event, message.person, message.data, now_s)
        if problem is not None:
            self.fault(problem, warning=True, about=envelope)
        else:
            self._led = True

    # -- time -------------------------------------------------------------------------------

    async def run(self) -> None:
        plan_hz = self.settings.plan_hz
        if plan_hz is None:
            plan_hz = 0.0 if self.clock.kind == "virtual" else PLAN_HZ
        if plan_hz > 0.0:
            plan = plan_of(self.context.scenario, self._crowd, self.settings.door_m)
            await self.publish(plan)
        picture_s, frame_s, plan_s = self.clock.now(), 1.0 / self.settings.senses.rate_hz, 0.0
        while not self._is_over():
            picture_s = max(picture_s + frame_s, self.clock.now())
            await self._publish_until(picture_s)
            for observed in self._crowd.advance(picture_s):
                heapq.heappush(self._due, (observed.due_s, next(self._order), observed))
            if plan_hz > 0.0 and picture_s >= plan_s:
                plan_s = picture_s + 1.0 / plan_hz
                await self._show()
        if self.settings.ends_run:
            await self.clock.sleep(LINGERS_S)
            await self.end_run("the simulated people have played their parts")

    async def _publish_until(self, time_s: float) -> None:
        """Publish what is due up to a moment, each at its time, and wait for that moment."""
        while self._due and self._due[0][0] <= time_s:
            due_s, _, observed = heapq.heappop(self._due)
            if due_s > self.clock.now():
                await self.clock.sleep(due_s - self.clock.now())
            await self.publish(observed.message, time_s=observed.captured_s)
        if time_s > self.clock.now():
            await self.clock.sleep(time_s - self.clock.now())

    def _is_over(self) -> bool:
        if self._led or not self._crowd.finished or not self.settings.ends_run:
            return False
        tracked = any(
            self._crowd.tracker.id_of(name)
            for name, person in self._crowd.people.items()
            if not person.present
        )
        waits = any(not one.message.stream for _, _, one in self._due)
        return not tracked and not waits

    async def _show(self) -> None:
        state = people_of(self._crowd)
        if state != self._shown:
            self._shown = state
            await self.publish(state)


__all__ = [
    "FloorPlanState",
    "PlanPerson",
    "PlanThing",
    "SimulatedPeople",
    "SimulatedPeopleState",
]
