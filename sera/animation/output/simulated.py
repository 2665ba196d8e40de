"""A body that is not there: joints with servo lag and limits, on the injected clock.

Design overview: each joint follows its set-point like a first-order servo (it closes the distance
with a time constant) within the velocity and acceleration of its channel, and it brakes early
enough to stop at the set-point. The state is advanced in fixed steps up to the time at which
somebody looks, so that a run depends on the frames and their times alone, not on how often the body
was measured. A joint that has arrived costs nothing until it is sent elsewhere. With a `HeatModel`
motors warm up with their speed and cool down at rest, to rehearse what a hot robot does.

Units and frames: values in the channels' own units; seconds; degrees Celsius.
Threading: one event loop; nothing waits.
Safety: hard stops at the ends of the range, as a real joint has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sera.animation.channels import ChannelSpec, Kind
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    Clock,
    OutputFrame,
    StopMeans,
)

_STEP_S = 0.002
_LONGEST_STORY_S = 30.0
"""Every joint has arrived after this; a clock that was far away is not made up for step by step."""
_ARRIVED_SHARE = 1e-9
"""Part of the range within which a joint has arrived; servo lag alone would never quite end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatModel:
    """How motors warm up: towards `ambient_c` + `rise_c` at full speed, with a time constant."""

    rise_c: float = 60.0
    time_constant_s: float = 120.0
    ambient_c: float = 25.0

    def __post_init__(self) -> None:
        if not (self.time_constant_s > 0.0 and self.rise_c >= 0.0):
            raise ValueError(
                f"heat with a rise of {self.rise_c} and a time constant of {self.time_constant_s} "
                "s: the rise must not be negative and the time constant above zero"
            )

    def after(self, temperature_c: float, effort: float, steps: int) -> float:
        """The temperature that many steps later, at an effort from 0 to 1."""
        goal_c = self.ambient_c + self.rise_c * effort
        stays = math.exp(-steps * _STEP_S / self.time_constant_s)
        return goal_c + (temperature_c - goal_c) * stays


@dataclass(slots=True)
class _Joint:
    """One moving channel."""

    spec: ChannelSpec
    time_constant_s: float
    value: float
    target: float
    velocity: float = 0.0
    speed: float = math.inf
    temperature_c: float = 0.0

    def advance(self, steps: int, *, driven: bool, heat: HeatModel | None) -> None:
        for step in range(steps):
            if self.velocity == 0.0 and (not driven or self.value == self.target):
                if heat is not None:
                    self.temperature_c = heat.after(self.temperature_c, 0.0, steps - step)
                return
            self.step(driven=driven)
            if heat is not None:
                effort = min(1.0, abs(self.velocity) / self.spec.max_velocity)
                self.temperature_c = heat.after(self.temperature_c, effort, 1)

    def step(self, *, driven: bool) -> None:
        # Comparisons in place of min and max: it is done 500 times a second for every joint.
        spec = self.spec
        acceleration = spec.max_acceleration
        wanted = 0.0
        if driven:
            distance = self.target - self.value
            away = abs(distance)
            # One step of braking is taken off, because velocity only changes between steps.
            fastest = _braking_velocity(away, acceleration)
            if fastest > spec.max_velocity:  # noqa: PLR1730
                fastest = spec.max_velocity
            if fastest > self.speed:  # noqa: PLR1730
                fastest = self.speed
            lag_s = self.time_constant_s
            wanted = away / (lag_s if lag_s > _STEP_S else _STEP_S)  # noqa: FURB136
            wanted = wanted if wanted < fastest else fastest  # noqa: FURB136
            wanted = math.copysign(wanted, distance)
        most = acceleration * _STEP_S
        change = wanted - self.velocity
        if change > most:
            change = most
        elif change < -most:
            change = -most
        self.velocity += change
        moved = self.value + self.velocity * _STEP_S
        self.value = moved
        if not spec.lower <= moved <= spec.upper:
            self.value, self.velocity = spec.clamp(moved), 0.0
        near = _ARRIVED_SHARE * (spec.upper - spec.lower)
        # Slow enough to stop within this step, too: nobody can tell it from having arrived.
        if driven and abs(self.target - self.value) <= near and abs(self.velocity) <= most:
            self.value, self.velocity = self.target, 0.0


class SimulatedBridge(Bridge):
    """A simulated body.

    Args:
        specs: the body's own channels.
        clock: seconds.
        start: value by channel at the beginning; left out: neutral.
        time_constants_s: servo lag, for all joints or by channel (0.05 s where left out).
        rigid: True: values are taken over at once, as a figure on a screen does.
        heat: how motors warm up; None: the body has no temperatures.
    """

    def __init__(
        self,
        specs: Iterable[ChannelSpec],
        clock: Clock,
        *,
        start: Mapping[str, float] | None = None,
        time_constants_s: float | Mapping[str, float] = 0.05,
        rigid: bool = False,
        heat: HeatModel | None = None,
    ) -> None:
        self._clock = clock
        self._heat = heat
        self._rigid = rigid
        self._time_s = clock()
        self._joints: dict[str, _Joint] = {}
        for spec in specs:
            value = spec.clamp((start or {}).get(spec.name, spec.neutral))
            lag_s = (
                time_constants_s.get(spec.name, 0.05)
                if isinstance(time_constants_s, Mapping)
                else time_constants_s
            )
            cool_c = 0.0 if heat is None else heat.ambient_c
            self._joints[spec.name] = _Joint(spec, lag_s, value, value, temperature_c=cool_c)
        self._temperature_c: dict[str, float] = {}
        self._load: dict[str, float] = {}
        self._battery: float | None = None
        self._connected = False
        self._plugged = True
        self._stop_means: StopMeans | None = None
        self._resting = False

    def describe(self) -> BridgeDescription:
        return BridgeDescription(
            kind="simulated",
            where="in this process",
            channels=tuple(self._joints),
            measures=True,
            virtual=True,
        )

    async def connect(self) -> None:
        if not self._plugged:
            raise BridgeLost("the simulated body is unplugged")
        self._connected = True

    async def animate(self, frame: OutputFrame) -> None:
        self._advance()
        self._require_connected()
        if self._stop_means is not None or self._resting:
            return
        for name, value in frame.values.items():
            joint = self._joints.get(name)
            if joint is None or not math.isfinite(value):
                continue
            joint.target = joint.spec.clamp(value)
            joint.speed = frame.speeds.get(name, math.inf)
            if self._rigid or joint.spec.kind is Kind.DISPLAY:
                joint.value = joint.target

    async def heartbeat(self) -> BodyReading:
        self._advance()
        self._require_connected()
        stiff = 0.0 if self._is_limp else 1.0
        return BodyReading(
            time_s=self._clock(),
            joints={name: joint.value for name, joint in self._joints.items()},
            temperature_c=self._temperatures(),
            load=dict(self._load),
            stiffness={
                name: stiff
                for name, joint in self._joints.items()
                if joint.spec.kind is Kind.STATIONARY
            },
            battery=self._battery,
        )

    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        del reason  # nobody to tell in a simulation
        self._advance()
        self._require_connected()
        self._stop_means = means

    async def release(self) -> None:
        self._advance()
        self._require_connected()
        self._stop_means = None
        self._resting = False
        for joint in self._joints.values():
            joint.target = joint.value
            joint.speed = math.inf

    async def rest(self) -> None:
        self._advance()
        self._require_connected()
        self._resting = True

    async def close(self) -> None:
        self._connected = False

    def push(self, values: Mapping[str, float]) -> None:
        """Move joints by hand, as somebody does with a limp or unplugged robot."""
        self._advance()
        for name, value in values.items():
            joint = self._joints[name]
            joint.value = joint.target = joint.spec.clamp(value)
            joint.velocity = 0.0

    def pretend(
        self,
        *,
        temperature_c: Mapping[str, float] | None = None,
        load: Mapping[str, float] | None = None,
        battery: float | None = None,
    ) -> None:
        """Report these from now on, to rehearse a hot, overloaded or empty robot."""
        self._temperature_c.update(temperature_c or {})
        self._load.update(load or {})
        self._battery = self._battery if battery is None else battery

    def unplug(self) -> None:
        """Cut the connection: the body stays where it is, and every call raises `BridgeLost`."""
        self._advance()
        self._plugged = False
        self._connected = False
        self._stop_means = StopMeans.HOLD

    def plug_in(self) -> None:
        """Mend the connection; the bridge has to be connected again."""
        self._plugged = True

    def _temperatures(self) -> dict[str, float]:
        simulated = {
            name: joint.temperature_c
            for name, joint in self._joints.items()
            if self._heat is not None and joint.spec.kind is Kind.STATIONARY
        }
        return simulated | self._temperature_c

    @property
    def _is_limp(self) -> bool:
        return self._resting or self._stop_means is StopMeans.COMPLIANT

    def _require_connected(self) -> None:
        if not self._connected:
            raise BridgeLost("the simulated body is not connected")

    def _advance(self) -> None:
        now_s = self._clock()
        self._time_s = max(self._time_s, now_s - _LONGEST_STORY_S)
        # A thousandth of a step of patience: sums of floats fall a hair short of whole steps.
        steps = math.floor((now_s - self._time_s) / _STEP_S + 1e-3)
        if steps <= 0:
            return
        driven = self._stop_means is None and not self._resting
        for joint in self._joints.values():
            joint.advance(steps, driven=driven, heat=self._heat)
        self._time_s += steps * _STEP_S


def _braking_velocity(distance: float, acceleration: float) -> float:
    """The fastest velocity from which the joint still stops within the distance, in steps."""
    if math.isinf(acceleration):
        return math.inf
    half = acceleration * _STEP_S / 2.0
    return max(0.0, math.sqrt(half * half + 2.0 * acceleration * distance) - half)
