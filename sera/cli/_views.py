"""How a run is shown while it runs: a live table, plain lines, or nothing.

The story goes line by line into the terminal's own history; the table stands below it and is
drawn again, so that what happened an hour ago can still be read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from typing import TYPE_CHECKING

from sera.cli._live_table import Surroundings, clock_text, live_table
from sera.cli._logs import is_sent_too
from sera.cli._text import clean

if TYPE_CHECKING:
    from sera.runtime.launcher import Run

REDRAW_EVERY_S = 0.25


class View:
    """Shows a run to somebody; as it stands here, nothing."""

    def open(self, run: Run) -> None:
        """The run is about to start."""
        self._run = run

    def say(self, sentence: str, style: str = "") -> None:
        """Tell something that happened just now."""

    async def follow(self) -> None:
        """Draw again and again, in real and scaled time; ends when it is cancelled."""

    def tick(self) -> None:
        """A message was seen: the only beat there is in virtual time."""

    def stopping(self, why: str) -> None:
        """The end was asked for from outside."""

    def close(self) -> None:
        """Give the terminal back; may be called twice."""


class QuietView(View):
    """For scripts, and for virtual time: nothing is told while it runs.

    Args:
        progress: show on standard error how far virtual time has come.
    """

    def __init__(self, *, progress: bool = False) -> None:
        self._progress = progress
        self._last_s = time.perf_counter()
        self._shown = False

    def tick(self) -> None:
        now_s = time.perf_counter()
        if self._progress and now_s - self._last_s > REDRAW_EVERY_S:
            self._last_s, self._shown = now_s, True
            print(f"\r{clock_text(self._run.elapsed_s)} …  ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            self._shown = False
            print("\r              \r", end="", file=sys.stderr, flush=True)


class PlainView(View):
    """Lines with times, for pipes, files and terminals that cannot be drawn on."""

    _nobody_reads = False

    def say(self, sentence: str, style: str = "") -> None:
        del style
        if self._nobody_reads:
            return
        try:
            print(f"{self._run.elapsed_s:8.1f} s  {sentence}", flush=True)
        except OSError:
            # `| head` has seen enough. A run with people in it goes on all the same.
            self._nobody_reads = True

    def stopping(self, why: str) -> None:
        self.say(f"{why}: stopping")


class LiveView(View):
    """The story above, the table below."""

    def __init__(self, *, speed: float = 1.0) -> None:
        from rich.console import Console
        from rich.live import Live

        self._speed = speed
        self._console = Console()
        self._stopping = False
        self._live = Live(
            console=self._console, auto_refresh=False, transient=True, redirect_stderr=True
        )

    def open(self, run: Run) -> None:
        super().open(run)
        self._live.start()

    def say(self, sentence: str, style: str = "") -> None:
        from rich.text import Text

        line = Text.assemble((f"{self._run.elapsed_s:8.1f} s  ", "dim"), (sentence, style))
        with contextlib.suppress(OSError):  # the terminal is closed
            self._console.print(line, soft_wrap=True)

    async def follow(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(REDRAW_EVERY_S * self._speed)

    def stopping(self, why: str) -> None:
        self.say(f"{why}: stopping (once more ends it at once)", "bold")
        self._stopping = True
        self._draw()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._live.stop()

    def _draw(self) -> None:
        run = self._run
        if run.board is None:
            return
        about = Surroundings(
            title=run.scenario.title,
            condition=run.scenario.condition,
            clock=run.clock.kind,
            broker=run.broker_name,
            elapsed_s=run.elapsed_s,
            log=None if run.log_path is None else str(run.log_path),
            stopping=self._stopping,
        )
        with contextlib.suppress(OSError):
            self._live.update(live_table(run.board, about, run.clock.now()), refresh=True)


class LogLines(logging.Handler):
    """Shows what is logged as lines of the story.

    Faults are left out: they are messages of the run too and are told as such.
    """

    def __init__(self, view: View, level: int) -> None:
        super().__init__(level)
        self._view = view

    def filter(self, record: logging.LogRecord) -> bool:
        return not is_sent_too(record) and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sentence = f"{record.name.removeprefix('sera.')}: {record.getMessage()}"
            if record.exc_info:
                sentence += f": {record.exc_info[1]!r}"
            self._view.say(
                clean(sentence), "yellow" if record.levelno >= logging.WARNING else "dim"
            )
        except Exception:
            self.handleError(record)
