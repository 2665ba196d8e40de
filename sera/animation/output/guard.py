"""Safety around any bridge: limits, stop, silence, lost cables, hot motors.

Design overview: `GuardedBridge` is itself a bridge and stands between everything and the body. At
any moment there is one *goal*, found from the facts: stopped? told to rest, or too hot? no frame
for too long? else follow the frames. Whenever the facts change the goal is worked out anew and the
bridge is told, so that no order of events leads into a corner: a stop while the cable is out is
carried out when it is back. Whoever runs the guard calls `tick` at the frame rate, also when no
frame comes: silence, reconnecting and the way to the rest pose need it.

Whenever the body begins to follow (after connecting, a stop, rest or silence) it is measured first,
and motion goes on from there within the velocity limits: no jump, even if somebody has moved it.

Units and frames: the channels' own units; seconds of the injected clock.
Threading: one event loop. `stop` takes effect at its first line, before anything is awaited; a
frame that is under way at that moment is the last one.
Safety: depends on no engine and no bus. Only `release` ends a stop.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping

from sera.animation.channels import ChannelSpec
from sera.animation.output._limiter import GuardCounts, Limiter
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    Clock,
    OutputFrame,
    StopMeans,
)
from sera.animation.output.guard_report import (
    GuardReport,
    GuardState,
    back_off_s,
    bad_value_sentence,
)
from sera.animation.output.health import HealthLevel, HealthMonitor, HealthThresholds

CALM_PACE = 0.4
"""Factor on velocities while a body has to be calm, and on the way to rest."""

FIRST_FRAME_S = 10.0
"""How long a body may wait for its first frame: whoever sends them has to be loaded first."""

_LONGEST_SETTLING_S = 2.0


class GuardedBridge(Bridge):
    """A bridge that keeps its body safe.

    Args:
        bridge: the way to the body.
        specs: its own channels.
        clock: seconds.
        stop_means: what the body does when it is stopped or frames stop coming.
        frame_timeout_s: how long without a frame counts as silence.
        rest: value by channel in the rest pose; left out: neutral.
        thresholds: where health warns, calms and rests.
        report: told of state changes and problems.
    """

    def __init__(
        self,
        bridge: Bridge,
        specs: Iterable[ChannelSpec],
        clock: Clock,
        *,
        stop_means: StopMeans | str = StopMeans.HOLD,
        frame_timeout_s: float = 0.5,
        rest: Mapping[str, float] | None = None,
        thresholds: HealthThresholds | None = None,
        report: Callable[[GuardReport], None] | None = None,
    ) -> None:
        self.bridge = bridge
        self._clock = clock
        self._means = StopMeans(stop_means)
        self._frame_timeout_s = frame_timeout_s
        self._limiter = Limiter(specs, rest or {})
        self._health = HealthMonitor(thresholds)
        self._report = report or (lambda _report: None)
        self._open = False
        self._linked = False
        self._connecting = False
        self._stop_reason: str | None = None
        self._stop_means = self._means
        self._rest_asked = False
        self._last_frame_s = -math.inf
        self._opened_s = -math.inf
        # What the bridge has last been told: None is to follow, asleep is after `bridge.rest`.
        self._told: StopMeans | None = None
        self._asleep = False
        self._arrived_s = -math.inf
        self._attempts = 0
        self._next_attempt_s = -math.inf
        self._reported = GuardState.CLOSED
        self._reported_level = HealthLevel.OK
        self._reported_bad: set[str] = set()

    @property
    def state(self) -> GuardState:
        if not self._open:
            return GuardState.CLOSED
        if self._stop_reason is not None:
            return GuardState.STOPPED
        if not self._linked:
            return GuardState.UNREACHABLE
        if self._must_rest:
            return GuardState.RESTING
        return GuardState.SAFE if self._is_silent else GuardState.FOLLOWING

    @property
    def counts(self) -> GuardCounts:
        return self._limiter.counts

    @property
    def health(self) -> HealthLevel:
        return self._health.level

    @property
    def problem(self) -> str | None:
        """One sentence about what keeps the body from being well; None where all is well."""
        return self._stop_reason or self._health.problem

    @property
    def stop_reason(self) -> str | None:
        """Why the body is stopped, connected or not; None where it is not stopped."""
        return self._stop_reason

    @property
    def is_waiting(self) -> bool:
        """True where no frame has ever come, and it is too early to wonder why."""
        return self.counts.frames == 0 and self._clock() - self._opened_s < FIRST_FRAME_S

    def describe(self) -> BridgeDescription:
        return self.bridge.describe()

    async def connect(self) -> None:
        """Reach the body; where it is not there yet, `tick` goes on trying.

        Raises:
            BridgeUnavailable: this machine lacks something.
        """
        self._open = True
        self._opened_s = self._last_frame_s = self._clock()  # silence is counted from here
        await self._try_to_connect()

    async def animate(self, frame: OutputFrame) -> None:
        """Follow a frame, as far as it is safe. Never raises for what stands in it."""
        self.counts.frames += 1
        self._last_frame_s = self._clock()
        await self._pursue()
        if self._goal() is not None or not self._linked:
            self.counts.ignored += 1
            return
        await self._send(frame)

    async def heartbeat(self) -> BodyReading:
        """Measure the body, and let its health decide on pace and rest.

        Raises:
            BridgeLost: the body does not answer; `tick` reconnects.
        """
        if not self._linked:
            raise BridgeLost("the body is not connected")
        try:
            reading = await self.bridge.heartbeat()
        except OSError as error:
            self._lose(error)
            raise BridgeLost(str(error)) from error
        self._take_health(reading)
        await self._pursue()
        return reading

    async def stop(self, reason: str, means: StopMeans | None = None) -> None:
        """Stop now and stay stopped until `release`, whatever else happens."""
        self._stop_reason = reason or "stopped"
        self._stop_means = means or self._means
        self._announce(f"stopped: {self._stop_reason}")
        await self._pursue()

    async def release(self) -> None:
        """End a stop or an ordered rest; the body waits where it is for the next frame."""
        self._stop_reason = None
        self._rest_asked = False
        self._last_frame_s = self._clock()
        await self._pursue()
        self._announce("released")

    async def rest(self) -> None:
        """Lead the body to its rest pose and let go; until `release`."""
        self._rest_asked = True
        self._announce("told to rest")
        await self._pursue()

    async def tick(self) -> None:
        """Look after silence, reconnecting and the way to rest. Call it at the frame rate."""
        if not self._open:
            return
        if not self._linked:
            if self._clock() >= self._next_attempt_s:
                await self._try_to_connect()
            return
        await self._pursue()

    async def close(self) -> None:
        """Leave the body in its safe state and free the bridge."""
        if self._linked and self._told is None:
            # Where it is gone already, the board's own watchdog has stopped it.
            with contextlib.suppress(OSError):
                await self.bridge.stop("the bridge closes", _still(self._means))
        self._open = False
        self._linked = False
        await self.bridge.close()
        self._announce("closed")

    @property
    def _is_silent(self) -> bool:
        return self._clock() - self._last_frame_s >= self._frame_timeout_s

    @property
    def _must_rest(self) -> bool:
        return self._rest_asked or self._health.level is HealthLevel.REST

    def _goal(self) -> StopMeans | None:
        """What the body should do now; None is to follow frames."""
        if self._stop_reason is not None:
            return self._stop_means
        if self._must_rest:
            return StopMeans.REST
        return self._means if self._is_silent else None

    async def _pursue(self) -> None:
        """Tell the bridge what the facts ask for, and go a step towards rest where that is it."""
        if not self._linked:
            return
        try:
            goal = self._goal()
            if goal in {StopMeans.HOLD, StopMeans.COMPLIANT}:
                if self._told is not goal:
                    self._told = goal
                    await self.bridge.stop(self._why(), goal)
                self._asleep = False
            elif goal is StopMeans.REST:
                await self._go_to_rest()
            elif self._told is not None:
                await self._wake()
        except OSError as error:
            self._lose(error)
            return
        self._announce(self._why())

    async def _go_to_rest(self) -> None:
        if self._asleep:
            return
        if self._told in {StopMeans.HOLD, StopMeans.COMPLIANT}:
            await self._wake()
            if self._goal() is not StopMeans.REST:
                return
        now_s = self._clock()
        if self._told is not StopMeans.REST:
            self._told = StopMeans.REST
            self._arrived_s = now_s
        values, arrived = self._limiter.towards_rest(now_s, CALM_PACE)
        await self.bridge.animate(OutputFrame(values=values, time_s=now_s))
        if not arrived:
            self._arrived_s = now_s
        elif self._told is StopMeans.REST and await self._has_settled(now_s):
            self._asleep = True
            await self.bridge.rest()

    async def _has_settled(self, now_s: float) -> bool:
        """True when the body itself, which lags behind, lies in its rest pose.

        Letting go too early drops it. One that never quite gets there is let go in the end.
        """
        if now_s - self._arrived_s >= _LONGEST_SETTLING_S:
            return True
        reading = await self.bridge.heartbeat()
        at_rest = self._limiter.is_at_rest(reading.joints)
        return at_rest and self._told is StopMeans.REST

    async def _wake(self) -> None:
        """Let the bridge follow again, from wherever the body is."""
        was_led = self._told is StopMeans.REST and not self._asleep
        self._told = None
        self._asleep = False
        if not was_led:
            await self.bridge.release()
            await self._measure()

    async def _measure(self) -> None:
        reading = await self.bridge.heartbeat()
        self._take_health(reading)
        self._limiter.start_from(reading.joints, self._clock())

    def _take_health(self, reading: BodyReading) -> None:
        level = self._health.update(reading)
        if level is not self._reported_level:
            self._reported_level = level
            sentence = self._health.problem or "the body has recovered"
            self._announce(f"{sentence} ({level.name.lower()})", always=True)

    async def _send(self, frame: OutputFrame) -> None:
        now_s = self._clock()
        pace = CALM_PACE if self._health.level >= HealthLevel.CALM else 1.0
        values, bad = self._limiter.limit(frame.values, frame.speeds, now_s, pace)
        self._report_bad(bad)
        speeds = {name: frame.speeds[name] for name in values if name in frame.speeds}
        try:
            await self.bridge.animate(
                OutputFrame(
                    values=values, speeds=speeds, time_s=frame.time_s, sequence=frame.sequence
                )
            )
        except OSError as error:
            self._lose(error)

    async def _try_to_connect(self) -> None:
        if self._connecting:
            return
        self._connecting = True
        try:
            await self.bridge.connect()
            # The body may still be stopped or limp from before the cable was out.
            goal = self._goal()
            if goal is None or goal is StopMeans.REST:
                told = None
                await self.bridge.release()
            else:
                told = goal
                await self.bridge.stop(self._why(), goal)
            await self._measure()
        except OSError as error:
            self._lose(error)
            return
        finally:
            self._connecting = False
        if not self._open:  # closed in the meantime
            await self.bridge.close()
            return
        self._linked = True
        self._told = told
        self._asleep = False
        self.counts.reconnects += bool(self._attempts)
        self._attempts = 0
        self._announce("connected")
        await self._pursue()

    def _lose(self, error: OSError) -> None:
        self._linked = False
        self._next_attempt_s = self._clock() + back_off_s(self._attempts)
        self._attempts += 1
        self._announce(f"the body is unreachable: {error}")

    def _why(self) -> str:
        if self._stop_reason is not None:
            return f"stopped: {self._stop_reason}"
        if self._must_rest:
            return self._health.problem or "told to rest"
        if self._is_silent and self.counts.frames == 0:
            return "no frame has come yet"
        if self._is_silent:
            return f"no frame for {self._frame_timeout_s:g} s"
        return "following frames"

    def _report_bad(self, bad: list[str]) -> None:
        for name in bad:
            if name in self._reported_bad:
                continue
            self._reported_bad.add(name)
            sentence = bad_value_sentence(name, self._limiter.names)
            self._announce(sentence, always=True)

    def _announce(self, sentence: str, *, always: bool = False) -> None:
        state = self.state
        changed = state is not self._reported
        if changed or always:
            self._reported = state
            self._report(GuardReport(state, sentence, self._clock(), changed))


def _still(means: StopMeans) -> StopMeans:
    """What a bridge alone can do at once; rest is a way that somebody has to lead."""
    return StopMeans.HOLD if means is StopMeans.REST else means
