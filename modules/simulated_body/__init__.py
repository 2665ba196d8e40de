"""A simulated body: turns its gaze within its limits and reports what it does.

Design overview
    The gaze moves towards the last order at no more than the given speed, in steps; joints named
    by the robot's body file carry it (base for left and right, the next one that bends for up
    and down).

Units and frames
    Orders are in degrees (right and up positive); the report is in radians, as joints turn.

Threading
    The event loop's thread.

Safety
    Never beyond the joints' limits. An EmergencyStop holds the pose within one step, until it is
    released.
"""

from __future__ import annotations

import asyncio
import math

from sera import Module, on
from sera.messages import (
    BodyHealth,
    BodyState,
    EmergencyRelease,
    EmergencyStop,
    Gaze,
)
from sera.runtime import Role

STEP_S = 0.05


class SimulatedBody(Module):
    """Looks where it is told, as fast as it may."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """How fast it is and how often it reports."""

        speed_deg_s: float = 90.0
        heartbeat_s: float = 0.5

    async def start(self) -> None:
        self._pose_deg = [0.0, 0.0]
        self._goal_deg = [0.0, 0.0]
        self._speed = 1.0
        self._stopped = False
        self._wake = asyncio.Event()
        names = self.context.robot.joint_names if self.context.robot is not None else ()
        self._joints = (*names[:2], "pan", "tilt")[:2] if len(names) >= 2 else ("pan", "tilt")
        self._limits_deg = [self._limit(name) for name in self._joints]

    def _limit(self, name: str) -> tuple[float, float]:
        robot = self.context.robot
        if robot is not None and name in robot.joint_names:
            return robot.joint(name).limits or (-90.0, 90.0)
        return (-90.0, 90.0)

    async def run(self) -> None:
        next_report_s = self.clock.now()
        while True:
            now_s = self.clock.now()
            if now_s >= next_report_s:
                next_report_s += self.settings.heartbeat_s
                await self._report()
            if self._pose_deg == self._goal_deg or self._stopped:
                try:
                    async with asyncio.timeout(max(0.0, next_report_s - now_s)):
                        await self._wake.wait()
                except TimeoutError:
                    continue
                self._wake.clear()
            else:
                await self.clock.sleep(STEP_S)
                self._step()

    @on(Gaze)
    async def look(self, message: Gaze) -> None:
        # The base turns to the left for positive angles about +Y; gaze counts to the right.
        wanted = (-message.direction.horizontal_deg, -message.direction.vertical_deg)
        self._goal_deg = [
            min(max(angle, lower), upper)
            for angle, (lower, upper) in zip(wanted, self._limits_deg, strict=True)
        ]
        self._speed = message.speed
        self._wake.set()

    @on(EmergencyStop)
    async def hold(self, message: EmergencyStop) -> None:
        self._stopped = True
        self._goal_deg = list(self._pose_deg)
        await self._report(message.reason)

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease) -> None:
        self._stopped = False
        await self._report()

    def _step(self) -> None:
        if self._stopped:
            return
        reach_deg = self.settings.speed_deg_s * min(self._speed, 1.0) * STEP_S
        for index, goal in enumerate(self._goal_deg):
            change = goal - self._pose_deg[index]
            self._pose_deg[index] += math.copysign(min(abs(change), reach_deg), change)

    async def _report(self, problem: str | None = None) -> None:
        health = BodyHealth.STOPPED if self._stopped else BodyHealth.OK
        await self.publish(
            BodyState(
                health=health,
                problem=(problem or "emergency stop") if self._stopped else None,
                joints_rad={
                    name: math.radians(angle)
                    for name, angle in zip(self._joints, self._pose_deg, strict=True)
                },
            )
        )
