"""The bridge to a robot: frames from the bus to the body, the body's health to the bus.

Design overview
    JointFrames are handed to a `GuardedBridge` around the body's own bridge as they come; where the
    body is slower than they are, the newest values count. Beside that the guard ticks at the body's
    frame rate, whether frames come or not, and the body is measured some times a second. Whenever
    the guard's state changes, a BodyState says so at once, without waiting for a measurement.

Units and frames
    Radians and the channels' own units, as on the bus; seconds on the clock of the run.

Threading
    The event loop's thread: one task hands frames over, one ticks, one measures. A thread writes
    down what the next life has to know.

Safety
    Needs no engine and no decision module. An EmergencyStop takes effect before anything is
    awaited, and only an EmergencyRelease ends it, even where the bridge was killed in between. No
    frame for half a second, for whatever reason (the sender died, the broker is gone), leads to the
    body's safe state. Motion begins where the body is measured.
"""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

from sera import Module, on
from sera.animation.body import Body, load_body
from sera.animation.channels import OWN_SET
from sera.animation.output import (
    BodyReading,
    BridgeLost,
    GuardedBridge,
    GuardReport,
    GuardState,
    HealthLevel,
    LastLife,
    OutputFrame,
    bridge_for,
    last_life_file,
    own_specs,
    rest_pose,
    sweep_old_lives,
    thresholds_of,
)
from sera.messages import BodyHealth, EmergencyRelease, EmergencyStop, Envelope, JointFrame
from sera.runtime import Role
from sera.runtime.located import nearest_name

from ._notes import Notes
from ._settings import BridgeSettings
from ._state import body_state, health_of

_NEEDS_REAL_TIME = ("tcp", "serial")


class RobotBridge(Module):
    """Moves one body, keeps it safe and says how it is."""

    role = Role.REALISATION

    Settings = BridgeSettings

    guard: GuardedBridge | None = None
    """None before `start`."""
    body: Body

    async def start(self) -> None:
        robot = self.context.robot
        if robot is None:
            raise RuntimeError(
                f'{self.source} has no robot: say which under its character, robot = "adelino"'
            )
        if self.clock.kind == "virtual" and self.settings.output in _NEEDS_REAL_TIME:
            raise RuntimeError(
                f"output '{self.settings.output}' needs real time; virtual time has no devices"
            )
        self.body = load_body(robot.folder)
        self._reading: BodyReading | None = None
        self._sentence = "the body is not connected yet"
        self._level = HealthLevel.OK
        self._because: str | None = None
        self._wanted: dict[str, float] = {}
        self._frame = 0
        self._frame_came = asyncio.Event()
        self._reported_unknown: set[tuple[str, str]] = set()
        self._counts = {"unknown": 0, "missed": 0, "late": 0}
        self._notes = Notes(self._notes_file(), self.blocking, self.fault)
        last = self._notes.life
        self.guard = self._make_guard(last)
        if last.stopped is not None:
            await self.guard.stop(last.stopped)

    def _notes_file(self) -> Path | None:
        if self.clock.kind == "virtual":  # where nothing is killed and all runs have one name
            return None
        sweep_old_lives()
        return last_life_file(self._host.identity.run, self.source)

    def _make_guard(self, last: LastLife) -> GuardedBridge:
        choice = self.settings.choice(last.pose)
        return GuardedBridge(
            bridge_for(self.body, choice, self.clock.now),
            own_specs(self.body),
            self.clock.now,
            stop_means=self.body.stop,
            frame_timeout_s=self.settings.frame_timeout_s,
            rest=rest_pose(self.body),
            thresholds=thresholds_of(self.body),
            report=self._guard_says,
        )

    async def run(self) -> None:
        assert self.guard is not None, "start comes first"
        guard = self.guard
        work = (
            *(self._tick_on(guard), self._follow_on(guard), self._beat_on(guard)),
            self._notes.write_on(),
        )
        tasks = [asyncio.ensure_future(each) for each in work]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def stop(self) -> None:
        if self.guard is None:
            return
        await self.guard.close()
        self._remember()
        await self._notes.write()

    # -- what comes from the bus ------------------------------------------------------------

    @on(EmergencyStop)
    async def stop_for_safety(self, message: EmergencyStop, envelope: Envelope) -> None:
        assert self.guard is not None
        self._because = envelope.id
        by = f" by {message.by}" if message.by else ""
        why = f": {message.reason}" if message.reason else ""
        await self.guard.stop(f"emergency stop{by}{why}")
        self._because = None
        self._wanted.clear()
        self._remember()

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease, envelope: Envelope) -> None:
        assert self.guard is not None
        # A stop during the way is the newer order; the guard then stays stopped.
        self._because = envelope.id
        self._wanted.clear()
        await self.guard.release()
        self._because = None
        self._remember()

    @on(JointFrame)
    async def take(self, message: JointFrame, envelope: Envelope) -> None:
        own = self.body.own
        for name, value in (message.joints_rad | message.channels).items():
            if name in own:
                self._wanted[f"{OWN_SET}.{name}"] = value
            else:
                self._counts["unknown"] += 1
                self._report_unknown(name, envelope)
        if message.frame > self._frame + 1 and self._frame:
            self._counts["missed"] += message.frame - self._frame - 1
        self._frame = message.frame
        self._frame_came.set()

    def _report_unknown(self, name: str, envelope: Envelope) -> None:
        key = (envelope.source, name)
        if key in self._reported_unknown:
            return
        self._reported_unknown.add(key)
        near = nearest_name(name, self.body.own)
        hint = f"; did you mean '{near}'?" if near else ""
        self._host.report(
            f"the body of '{self.body.name}' has no joint or channel '{name}'{hint}",
            warning=True,
            about=envelope.id,
            sender=envelope.source,
        )

    # -- what goes on beside it -------------------------------------------------------------

    async def _follow_on(self, guard: GuardedBridge) -> None:
        """Hand over the newest values, as fast as the body takes them."""
        while True:
            await self._frame_came.wait()
            self._frame_came.clear()
            values, self._wanted = self._wanted, {}
            now_s = self.clock.now()
            await guard.animate(OutputFrame(values=values, time_s=now_s, sequence=self._frame))

    async def _tick_on(self, guard: GuardedBridge) -> None:
        await guard.connect()
        period_s = 1.0 / (self.settings.rate_hz or self.body.rate_hz)
        start_s, ticks = self.clock.now(), 0
        while True:
            ticks += 1
            await self.clock.sleep_until(start_s + ticks * period_s)
            was_there = guard.state is not GuardState.UNREACHABLE
            await guard.tick()
            late = int((self.clock.now() - start_s) / period_s) - ticks
            if late > 0:  # never made up for; waiting for a body that is away does not count
                ticks += late
                self._counts["late"] += late if was_there else 0

    async def _beat_on(self, guard: GuardedBridge) -> None:
        period_s = 1.0 / self.settings.heartbeat_hz
        next_s = self.clock.now()
        while True:
            try:
                self._reading = await guard.heartbeat()
            except BridgeLost:
                self._reading = None
            self._publish_state()
            self._remember()
            next_s = max(next_s + period_s, self.clock.now())
            await self.clock.sleep_until(next_s)

    # -- what is said of it -----------------------------------------------------------------

    def _guard_says(self, report: GuardReport) -> None:
        self._sentence = report.sentence
        level = HealthLevel.OK if self.guard is None else self.guard.health
        is_lost = report.state is GuardState.UNREACHABLE
        if is_lost:
            self._reading = None  # what was measured is no longer the case
        if is_lost or level not in {self._level, HealthLevel.OK}:
            self.fault(report.sentence, warning=True)
        else:
            self.log.info("%s", report.sentence)
        self._level = level
        self._publish_state()

    def _publish_state(self) -> None:
        guard = self.guard
        if guard is None or guard.state is GuardState.CLOSED or not self.bus.counters.connections:
            return
        health = health_of(guard.state, guard.health, waiting=guard.is_waiting)
        # Where the body cannot be reached, that is what people must know first.
        problem = None if health is BodyHealth.UNREACHABLE else guard.problem
        counts = dataclasses.asdict(guard.counts)
        counts["unknown"] += self._counts["unknown"]
        counts |= {name: count for name, count in self._counts.items() if name != "unknown"}
        joints = self.body.joints
        state = body_state(health, problem or self._sentence, self._reading, joints, counts)
        self.bus.publish(state, cause=self._because)

    def _remember(self) -> None:
        """Note what the next life has to know, in case this one is killed."""
        assert self.guard is not None
        pose = self._notes.life.pose
        if self._reading is not None and self.guard.describe().virtual:
            pose = {**pose, **self._reading.joints}
        self._notes.take(LastLife(self.guard.stop_reason, pose))
