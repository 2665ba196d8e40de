"""Ctrl-C, SIGTERM, a closed terminal: the first asks for a clean end, a second one ends at once.

Plain `signal.signal` instead of the loop's `add_signal_handler`: Windows has no other, and a
handler of Python's own also runs while a module holds the event loop, so that the second Ctrl-C
always helps.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_WORDS = {
    "SIGINT": "Ctrl-C",
    "SIGTERM": "SIGTERM",
    "SIGHUP": "the end of its terminal",
    "SIGBREAK": "Ctrl-Break",  # on Windows
}
_SAME_KEYSTROKE_S = 0.3
"""Some wrappers pass the terminal's Ctrl-C on, so that it arrives twice."""


class StopSignals:
    """While it is entered, signals call `stop` in the loop.

    Args:
        stop: called in the event loop with words for why.
        last_words: called before an end by force, to give the terminal back.
        ignore_interrupt: leave Ctrl-C to the parent process.
    """

    def __init__(
        self,
        stop: Callable[[str], None],
        *,
        last_words: Callable[[], None] | None = None,
        ignore_interrupt: bool = False,
    ) -> None:
        self.received: int | None = None
        """The first signal that came."""
        self._stop = stop
        self._last_words = last_words
        self._ignore_interrupt = ignore_interrupt
        self._loop = asyncio.get_running_loop()
        self._first_s = 0.0
        self._previous: dict[int, Any] = {}

    @property
    def exit_code(self) -> int | None:
        """What a shell expects after that signal; None where none came."""
        return None if self.received is None else 128 + self.received

    def __enter__(self) -> Self:
        for name in _WORDS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            if name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN:  # nohup
                continue
            ignored = self._ignore_interrupt and name != "SIGTERM"  # the parent decides
            with contextlib.suppress(ValueError):  # not in the main thread
                handler = signal.SIG_IGN if ignored else self._handle
                self._previous[number] = signal.signal(number, handler)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        now_s = time.monotonic()
        if self.received is None:
            self.received, self._first_s = number, now_s
            why = _WORDS[signal.Signals(number).name]
            with contextlib.suppress(RuntimeError):  # the loop is closed: we are on our way out
                self._loop.call_soon_threadsafe(self._stop, why)
        elif now_s - self._first_s > _SAME_KEYSTROKE_S:
            if self._last_words is not None:
                self._last_words()
            sys.stdout.flush()
            os._exit(128 + number)
