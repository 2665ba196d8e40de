"""Real, scaled and virtual time.

Design overview: the clock is the event loop. A scaled or virtual clock is a loop whose time runs
differently, so `asyncio.sleep`, `asyncio.timeout` and queues obey it unchanged, and modules need
no special calls. `Clock` reads the time of the loop it belongs to and adds what messages need: a
time that other machines understand (seconds since 1970), except in virtual time, which begins at
0.0 so that two runs write the same log.

Units and frames: seconds. Real time is seconds since 1970 taken once at the start and carried on
by a steady counter, so that it never jumps, not even when the machine's clock is set.

Threading: `Clock.now` may be called from any thread; everything else belongs to the loop's thread.

Safety: virtual time refuses threads, sockets and subprocesses, see `_virtual_loop`.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeVar

from sera.runtime._virtual_loop import StalledError, VirtualLoop, VirtualTimeError

__all__ = [
    "Clock",
    "ClockChoice",
    "ClockKind",
    "ScaledLoop",
    "StalledError",
    "VirtualLoop",
    "VirtualTimeError",
    "loop_factory",
    "real_loop",
    "run",
]

ClockKind = Literal["real", "scaled", "virtual"]
ClockChoice = Literal["real", "virtual"] | float
"""`real`, `virtual`, or a factor: 20.0 runs twenty times as fast as real time."""

LoopFactory = Callable[[], asyncio.AbstractEventLoop]
_Result = TypeVar("_Result")

# Taken once for the whole process, so that all its clocks agree.
_EPOCH_AT_COUNTER_ZERO_S = time.time() - time.perf_counter()

if sys.platform == "win32":  # only this loop can start subprocesses there
    _PlatformLoop = asyncio.ProactorEventLoop
else:
    _PlatformLoop = asyncio.SelectorEventLoop


class _ScalingSelector:
    """The loop's own selector with waits that are shorter (or longer) by the factor."""

    def __init__(self, real: Any, factor: float) -> None:
        self._real = real
        self._factor = factor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def select(self, timeout_s: float | None = None) -> Any:
        return self._real.select(None if timeout_s is None else timeout_s / self._factor)


class ScaledLoop(_PlatformLoop):
    """An event loop whose time runs `factor` times as fast as real time; it starts at 0.0."""

    _selector: Any

    def __init__(self, factor: float) -> None:
        super().__init__()
        if not (math.isfinite(factor) and factor > 0):
            self.close()
            raise ValueError(
                f"clock factor {factor!r}: give a number above 0, for example 20 for twenty times "
                "as fast as real time"
            )
        self.factor = float(factor)
        self.epoch_s = time.time()
        """Seconds since 1970 at the loop's time 0.0."""
        self._start_s = time.perf_counter()
        self._selector = _ScalingSelector(self._selector, self.factor)
        self._clock_resolution = time.get_clock_info("perf_counter").resolution * self.factor

    def time(self) -> float:
        return (time.perf_counter() - self._start_s) * self.factor


def real_seconds(duration_s: float) -> float:
    """What so many seconds on the wall are in the running loop's time.

    For what takes its time whatever the speed of the run: processes that end, ports that close.
    """
    loop = asyncio.get_running_loop()
    return duration_s * loop.factor if isinstance(loop, ScaledLoop) else duration_s


def real_loop() -> asyncio.AbstractEventLoop:
    """A new loop in real time: uvloop's where it is installed, otherwise asyncio's own."""
    try:
        import uvloop
    except ImportError:  # not made for Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


class Clock:
    """The time of a run, read from the event loop.

    Args:
        loop: whose time to read; the running loop where it is not given.
        skew_s: makes this clock run ahead by so much (tests of clocks that differ).
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None = None, *, skew_s: float = 0.0
    ) -> None:
        loop = self._loop = loop or asyncio.get_running_loop()
        self.kind: ClockKind = "real"
        self.skew_s = skew_s
        self._read: Callable[[], float] = time.perf_counter
        # Not the loop's time: uvloop counts whole milliseconds and only once a turn.
        offset_s = _EPOCH_AT_COUNTER_ZERO_S
        if isinstance(loop, VirtualLoop):
            self.kind, self._read, offset_s = "virtual", loop.time, 0.0
        elif isinstance(loop, ScaledLoop):
            self.kind, self._read, offset_s = "scaled", loop.time, loop.epoch_s
        self._offset_s = offset_s + skew_s

    @classmethod
    def for_running_loop(cls, *, skew_s: float = 0.0) -> Clock:
        """The clock of the loop that runs the caller."""
        return cls(asyncio.get_running_loop(), skew_s=skew_s)

    def now(self) -> float:
        """Seconds since 1970; in virtual time seconds since the start of the run."""
        return self._read() + self._offset_s

    async def sleep(self, duration_s: float) -> None:
        """Let time pass; a duration below 0 counts as 0."""
        if not duration_s > 0.0:
            await asyncio.sleep(0.0)
            return
        # As asyncio's own, which would ask the system for the loop that is known here.
        awake = self._loop.create_future()
        timer = self._loop.call_later(duration_s, _wake, awake)
        try:
            await awake
        except BaseException:
            timer.cancel()
            raise

    def sleep_until(self, when_s: float) -> Coroutine[Any, Any, None]:
        """Let time pass until `now()` is `when_s`: steady rates do not drift this way."""
        return self.sleep(when_s - self.now())

    def __repr__(self) -> str:
        return f"Clock({self.kind}, now={self.now():.3f} s)"


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)


def loop_factory(clock: ClockChoice = "real") -> LoopFactory:
    """What `asyncio.Runner(loop_factory=…)` needs for that clock.

    Raises:
        ValueError: the choice is neither `real`, `virtual` nor a factor above 0.
    """
    if clock == "real":
        return real_loop
    if clock == "virtual":
        return VirtualLoop
    if isinstance(clock, (str, bool)) or not (math.isfinite(clock) and clock > 0):
        raise ValueError(
            f"unknown clock {clock!r}: choose 'real', 'virtual', or a factor above 0 such as 20.0"
        )
    factor = float(clock)
    return lambda: ScaledLoop(factor)


def run(
    main: Coroutine[Any, Any, _Result],
    *,
    clock: ClockChoice = "real",
    debug: bool | None = None,
) -> _Result:
    """Run a coroutine in its own loop with that clock, then cancel what is left and close.

    Raises:
        StalledError: virtual time cannot go on; the message names the waiting tasks.
        VirtualTimeError: the program reached for a thread, a socket or a process.
    """
    try:
        factory = loop_factory(clock)
    except ValueError:
        main.close()  # otherwise Python warns that it was never awaited
        raise
    with asyncio.Runner(loop_factory=factory, debug=debug) as runner:
        return runner.run(main)
