"""Virtual time: an event loop that jumps to the next timer instead of waiting for it.

Design overview: `asyncio.sleep`, `timeout`, `wait_for` and queues all ask the loop for the time
and set timers. `VirtualLoop` keeps the time and the timers itself, and where asyncio would wait it
sets the time to the next timer. An hour of interaction costs what its events cost, hence a turn
does no more than it must: it is taken some dozens of times a virtual second.

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
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import Context, copy_context
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


_FEW_TIMERS = 100
TURNS_WITHOUT_A_LOOK = 64
"""How often it is looked whether a signal has come, beside whenever nothing else is to be done."""


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


class _Handle(asyncio.Handle):
    """What is called in the next turn; without the traceback that debugging would keep."""

    __slots__ = ()

    def __init__(
        self,
        callback: Callable[..., object],
        args: Sequence[Any],
        loop: asyncio.AbstractEventLoop,
        context: Context | None = None,
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = self._source_traceback = None


class _Timer(asyncio.TimerHandle):
    """The same for later."""

    __slots__ = ()

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: Sequence[Any],
        loop: asyncio.AbstractEventLoop,
        context: Context | None = None,
    ) -> None:
        _Handle.__init__(self, callback, args, loop, context)  # type: ignore[arg-type]
        self._when = when
        self._scheduled = True


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time. Works with `asyncio.Runner(loop_factory=VirtualLoop)`.

    Args:
        turns_without_time: after so many turns of the loop in which time did not pass, the
            program is taken to be spinning, and `StalledError` is raised.
    """

    _closed: bool
    _ready: deque[asyncio.Handle]  # asyncio's own: what runs in the next turn
    _selector: Any
    _stopping: bool
    _thread_id: int | None

    def __init__(self, *, turns_without_time: int = 1_000_000) -> None:
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timer_count = self._cancelled_timers = 0
        self._task_count = 0
        self._turns = 0
        self._turns_without_a_look = 0
        self._turns_without_time = turns_without_time
        self._now_s = 0.0
        super().__init__()
        self.set_task_factory(self._number_task)

    def time(self) -> float:
        return self._now_s

    def call_soon(
        self,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if self._closed:
            self._check_closed()  # type: ignore[attr-defined]  # of asyncio's base class
        handle = _Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now_s + delay, callback, *args, context=context)

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
        timer = _Timer(when, callback, args, self, context)
        self._timer_count += 1
        heapq.heappush(self._timers, (when, self._timer_count, timer))
        return timer

    def _timer_handle_cancelled(self, timer: asyncio.TimerHandle) -> None:
        """Do not let them pile up where waits are long and cut short."""
        if not timer._scheduled:  # type: ignore[attr-defined]  # it has fired already
            return
        self._cancelled_timers += 1
        if self._cancelled_timers > max(_FEW_TIMERS, len(self._timers) // 2):
            self._timers[:] = [each for each in self._timers if not each[2]._cancelled]
            heapq.heapify(self._timers)
            self._cancelled_timers = 0

    def close(self) -> None:
        super().close()
        self._timers.clear()

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

    def _run_once(self) -> None:
        """One turn, in place of asyncio's: what is ready runs, and else time passes."""
        ready, timers = self._ready, self._timers
        while timers and timers[0][2]._cancelled:
            heapq.heappop(timers)
            self._cancelled_timers -= 1
        self._turns_without_a_look += 1
        if not (ready or timers) or self._turns_without_a_look >= TURNS_WITHOUT_A_LOOK:
            self._look_for_signals()
        if not (ready or self._stopping or (timers and timers[0][0] <= self._now_s)):
            if not timers or timers[0][0] == math.inf:
                self._stall("nothing is ready and no timer is set")
            self._now_s = timers[0][0]
            self._turns = 0
        self._turns += 1
        if self._turns > self._turns_without_time:
            self._stall(
                f"the program ran {self._turns_without_time} turns without waiting for time to "
                "pass (a loop around `sleep(0)`?)"
            )
        while timers and timers[0][0] <= self._now_s:
            timer = heapq.heappop(timers)[2]
            timer._scheduled = False  # type: ignore[attr-defined]
            ready.append(timer)
        for _ in range(len(ready)):  # what these make ready has its turn after this one
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _look_for_signals(self) -> None:
        """Only asyncio's own wake-up pipe is registered, through which a signal arrives."""
        self._turns_without_a_look = 0
        self._process_events(self._selector.select(0))  # type: ignore[attr-defined]

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
