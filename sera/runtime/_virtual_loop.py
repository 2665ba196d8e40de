"""Virtual time: an event loop that jumps to the next timer instead of waiting for it.

Design overview: `asyncio.sleep`, `timeout`, `wait_for` and queues all ask the loop for the time
and let its selector wait. `VirtualLoop` keeps the time itself, and where the selector would wait
it sets the time to the next timer. An hour of interaction costs what its events cost.

The order of events is the same in every run: timers of equal time fire in the order in which they
were set (plain asyncio leaves that to a heap), and tasks hash by their number instead of their
address, so that the sets inside `TaskGroup`, `asyncio.wait` and `all_tasks` have a fixed order.

Units and frames: seconds; the loop starts at 0.0.

Threading: none. Threads, sockets and subprocesses live in real time, which passes for them while
virtual time stands still, so every way to them raises `VirtualTimeError`.

Safety: a program that waits for something that can no longer happen gets a `StalledError` with
the waiting tasks instead of hanging; so does one that spins without letting time pass.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import threading
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from pathlib import Path
from typing import Any, NoReturn, TypeVarTuple

_Arguments = TypeVarTuple("_Arguments")

_ASYNCIO_FOLDER = str(Path(asyncio.__file__).parent)

_USE_MEMORY_BUS = "use the in-memory bus in virtual time, or run with the real clock"
_USE_TIME_ONLY = "use the time-only form of this part in virtual time, or run with the real clock"
_CALL_DIRECTLY = "call the function directly in virtual time, or run with the real clock"

REFUSED_CALLS: dict[str, str] = {
    "run_in_executor": f"threads live in real time; {_CALL_DIRECTLY}",
    "getaddrinfo": f"looking up a host needs a thread; {_USE_MEMORY_BUS}",
    "getnameinfo": f"looking up a host needs a thread; {_USE_MEMORY_BUS}",
    **dict.fromkeys(
        (
            "create_connection",
            "create_server",
            "create_datagram_endpoint",
            "create_unix_connection",
            "create_unix_server",
            "connect_accepted_socket",
            "sendfile",
            "start_tls",
            "sock_recv",
            "sock_recv_into",
            "sock_recvfrom",
            "sock_recvfrom_into",
            "sock_sendall",
            "sock_sendto",
            "sock_connect",
            "sock_accept",
            "sock_sendfile",
            "add_reader",
            "add_writer",
        ),
        f"sockets live in real time; {_USE_MEMORY_BUS}",
    ),
    **dict.fromkeys(
        ("subprocess_exec", "subprocess_shell", "connect_read_pipe", "connect_write_pipe"),
        f"other processes live in real time; {_USE_TIME_ONLY}",
    ),
}
"""Every way out of virtual time, with the reason and what to do instead."""


class VirtualTimeError(RuntimeError):
    """Something was asked for that cannot obey virtual time: a thread, a socket, a process."""


class StalledError(RuntimeError):
    """Virtual time cannot go on; `waiting` says which tasks wait, and where."""

    def __init__(self, reason: str, waiting: list[str]) -> None:
        self.waiting = waiting
        tasks = "".join(f"\n  {line}" for line in waiting) or "\n  (no task is left)"
        super().__init__(f"{reason}; the waiting tasks are:{tasks}")


TURNS_WITHOUT_A_LOOK = 64


class _NumberedTask(asyncio.Task[Any]):
    """A task that hashes by its number, so that a set of tasks has the same order every run."""

    def __init__(self, number: int, coro: Coroutine[Any, Any, Any], **options: Any) -> None:
        self.number = number  # before the base class, which puts the task into a set
        # asyncio counts task names over the whole process; here every run begins at 1.
        options["name"] = options.get("name") or f"Task-{number}"
        super().__init__(coro, **options)

    def set_name(self, value: object) -> None:
        if value is not None:  # some versions of asyncio set the name that nobody gave
            super().set_name(value)

    def __hash__(self) -> int:
        return self.number


class _OrderedTimer(asyncio.TimerHandle):
    """A timer that comes after those set earlier for the same time."""

    __slots__ = ("order",)
    order: int
    _when: float  # of the base class; read a few hundred times a virtual second

    def __lt__(self, other: asyncio.TimerHandle) -> bool:
        if isinstance(other, _OrderedTimer):
            mine_s, its_s = self._when, other._when
            return self.order < other.order if mine_s == its_s else mine_s < its_s
        return super().__lt__(other)


class _JumpingSelector:
    """The loop's own selector, except that waiting is replaced by the loop's jump in time."""

    def __init__(self, real: Any, wait: Callable[[float | None], None]) -> None:
        self._real = real
        self._wait = wait
        self._turns = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def select(self, timeout_s: float | None = None) -> list[Any]:
        # Only asyncio's own wake-up pipe is registered here (a signal arrives through it), so that
        # it is enough to look now and then, and whenever nothing else is to be done.
        self._turns += 1
        looks = timeout_s is None or self._turns % TURNS_WITHOUT_A_LOOK == 0
        events: list[Any] = self._real.select(0) if looks else []
        if not events:
            self._wait(timeout_s)
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time. Works with `asyncio.Runner(loop_factory=VirtualLoop)`.

    Args:
        turns_without_time: after so many turns of the loop in which time did not pass, the
            program is taken to be spinning, and `StalledError` is raised.
    """

    _scheduled: list[asyncio.TimerHandle]  # asyncio's heap of timers
    _selector: Any
    _thread_id: int | None

    def __init__(self, *, turns_without_time: int = 1_000_000) -> None:
        super().__init__()
        self._selector = _JumpingSelector(self._selector, self._pass_time)
        self._timer_count = 0
        self._task_count = 0
        self._turns = 0
        self._turns_without_time = turns_without_time
        self._set_time(0.0)
        self.set_task_factory(self._number_task)

    def time(self) -> float:
        return self._now_s

    def call_at(
        self,
        when: float,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        self._check_closed()  # type: ignore[attr-defined]  # of asyncio's base class
        if math.isnan(when):
            raise ValueError("a timer was set for the time NaN; check how the delay was computed")
        timer = _OrderedTimer(when, callback, args, self, context)
        self._timer_count += 1
        timer.order = self._timer_count
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True  # type: ignore[attr-defined]  # as the base class does
        return timer

    def call_soon_threadsafe(
        self,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if self._thread_id not in (None, threading.get_ident()):
            raise VirtualTimeError(
                "loop.call_soon_threadsafe was called from another thread: threads live in real "
                f"time; {_USE_TIME_ONLY}"
            )
        return super().call_soon_threadsafe(callback, *args, context=context)

    def waiting_tasks(self) -> list[str]:
        """One line for each unfinished task: its name and where it waits."""
        tasks = sorted(asyncio.all_tasks(self), key=_number_of)
        return [describe_task(task) for task in tasks]

    def _number_task(
        self,
        _loop: asyncio.AbstractEventLoop,
        coro: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        **options: Any,
    ) -> _NumberedTask:
        self._task_count += 1
        return _NumberedTask(self._task_count, coro, loop=self, **options)  # type: ignore[arg-type]

    def _set_time(self, now_s: float) -> None:
        self._now_s = now_s
        self._turns = 0
        # asyncio fires the timers before `time() + _clock_resolution`. The smallest step above
        # `now_s` makes that "all timers up to now", at any size of the time.
        self._clock_resolution = math.ulp(now_s)

    def _pass_time(self, timeout_s: float | None) -> None:
        """What the selector does instead of waiting."""
        if timeout_s == 0:  # something is ready already
            self._turns += 1
            if self._turns > self._turns_without_time:
                self._stall(
                    f"the program ran {self._turns_without_time} turns without waiting for time "
                    "to pass (a loop around `sleep(0)`?)"
                )
            return
        next_s = self._scheduled[0].when() if self._scheduled else math.inf
        if next_s == math.inf:
            self._stall("nothing is ready and no timer is set")
        self._set_time(next_s)

    def _stall(self, reason: str) -> NoReturn:
        # The count begins anew, so that the tasks can be cancelled after this.
        self._turns = 0
        raise StalledError(
            f"virtual time stands still at {self._now_s:.3f} s: {reason}", self.waiting_tasks()
        )


def _refuse(name: str, advice: str) -> Callable[..., NoReturn]:
    def refused(_self: VirtualLoop, *_args: Any, **_options: Any) -> NoReturn:
        raise VirtualTimeError(f"loop.{name} is refused in virtual time: {advice}")

    refused.__name__ = name
    return refused


for _name, _advice in REFUSED_CALLS.items():
    setattr(VirtualLoop, _name, _refuse(_name, _advice))


def describe_task(task: asyncio.Task[Any]) -> str:
    """The task's name and the place where it waits: the last frame outside asyncio itself."""
    frames = []
    awaited: Any = task.get_coro()
    while awaited is not None:
        frame = (
            getattr(awaited, "cr_frame", None)
            or getattr(awaited, "gi_frame", None)
            or getattr(awaited, "ag_frame", None)
        )
        if frame is not None:
            frames.append(frame)
        awaited = (
            getattr(awaited, "cr_await", None)
            or getattr(awaited, "gi_yieldfrom", None)
            or getattr(awaited, "ag_await", None)
        )
    if not frames:
        return f"{task.get_name()} waits at an unknown place"
    own = [frame for frame in frames if not frame.f_code.co_filename.startswith(_ASYNCIO_FOLDER)]
    frame = (own or frames)[-1]
    innermost = frames[-1]
    inside = "" if innermost is frame else f", in {innermost.f_code.co_qualname}"
    return (
        f"{task.get_name()} waits at {frame.f_code.co_filename}:{frame.f_lineno} "
        f"in {frame.f_code.co_name}{inside}"
    )


def _number_of(task: asyncio.Task[Any]) -> int:
    return task.number if isinstance(task, _NumberedTask) else 0
