"""The seam between animation and a body: what every bridge can do.

Design overview: a bridge takes finished frames and turns them into what its body understands, and
it measures the body. Everything that must never fail (limits, stop, silence, a lost cable) is
done once for all bridges by `GuardedBridge`; a bridge itself only has to be quick and honest. A
bridge can be built and described before anything is connected, so that lists and checks work
without the robot.

Units and frames: values are those of the body's own channels in the channel's own unit (radians,
metres, percent 0 to 1, valence), see `sera.animation.channels`. Times are seconds of the injected
clock, which has no meaning beyond differences.
Threading: one event loop. `animate` must not wait for the body to move, only hand the frame over.
Safety: a call that cannot reach the body raises `BridgeLost` instead of pretending.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Clock = Callable[[], float]
"""Seconds that never go backwards."""


class BridgeLost(ConnectionError):
    """The body cannot be reached at present; trying again later may help."""


class BridgeUnavailable(RuntimeError):
    """The bridge cannot work on this machine at all; the message says what to install or change."""


class StopMeans(StrEnum):
    """What a body does when it is stopped."""

    HOLD = "hold"
    COMPLIANT = "compliant"
    REST = "rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFrame:
    """Where the body shall be now."""

    values: Mapping[str, float]
    """Value by own channel, such as `Body.head_yaw`; a channel that is left out stays."""
    speeds: Mapping[str, float] = field(default_factory=dict)
    """Velocity that is enough for a channel, in its unit a second; left out: as fast as allowed."""
    time_s: float = 0.0
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyReading:
    """What the body measures; what it cannot measure is left out."""

    time_s: float
    joints: Mapping[str, float] = field(default_factory=dict)
    """Measured value by own channel, in the channel's unit."""
    temperature_c: Mapping[str, float] = field(default_factory=dict)
    load: Mapping[str, float] = field(default_factory=dict)
    """0 to 1, a part of what the joint can bear."""
    stiffness: Mapping[str, float] = field(default_factory=dict)
    """0 to 1: 0 is limp."""
    battery: float | None = None
    """Charge, 0 to 1; None for a body without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeDescription:
    """What a bridge is, known before it is connected."""

    kind: str
    """Such as `simulated` or `arduino`."""
    where: str
    """Device, address or file, for people."""
    channels: tuple[str, ...]
    measures: bool
    """True where readings come from the body; False where they repeat the last frame."""
    virtual: bool = False
    """True where nothing lives outside: the body follows the injected clock alone, so that checks
    need not wait for it."""


class Bridge(ABC):
    """The way to one body."""

    @abstractmethod
    def describe(self) -> BridgeDescription:
        """What this bridge is; works before `connect`."""

    @abstractmethod
    async def connect(self) -> None:
        """Reach the body, without moving it. May be called again after `BridgeLost`.

        Raises:
            BridgeLost: the body is not there.
            BridgeUnavailable: this machine lacks something.
        """

    @abstractmethod
    async def animate(self, frame: OutputFrame) -> None:
        """Hand a frame to the body. Ignored while the body is stopped or resting.

        Raises:
            BridgeLost: the body is not there.
        """

    @abstractmethod
    async def heartbeat(self) -> BodyReading:
        """Measure the body.

        Raises:
            BridgeLost: the body does not answer.
        """

    @abstractmethod
    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        """Stop at once where the body is: hold, or go limp. Frames are ignored until `release`.

        `StopMeans.REST` is a movement, which the guard leads; a bridge treats it as hold.
        """

    @abstractmethod
    async def release(self) -> None:
        """End `stop` and `rest`: stiff again where the body is now, and frames count again."""

    @abstractmethod
    async def rest(self) -> None:
        """The body has been led to its rest pose: let go, as far as it can. Until `release`."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the body as it is and free what the bridge holds. May be called twice."""
