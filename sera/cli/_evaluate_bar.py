"""How far an evaluation is: a bar with the time left, or lines where nobody watches."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sera.cli._text import note

if TYPE_CHECKING:
    from rich.progress import TaskID

    from sera.evaluation.erik import Progress

LINES_EVERY_S = 10.0


class Bar:
    """Shows progress on standard error, so that results can be piped."""

    def __init__(self) -> None:
        self._task: TaskID | None = None
        self._said_s = 0.0
        self._is_watched = sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._is_watched:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[counts]}"),
                TextColumn("[cyan]{task.fields[left]}"),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task("preparing", total=1, counts="", left="")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_watched:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        left = f"{clock(progress.left_s)} left"
        what = f"skeleton {progress.job.skeleton}, {progress.job.label}"
        counts = f"{progress.done:,} of {progress.total:,} samples"
        if progress.done == progress.total and self._is_watched:
            what = "writing the report"
        if self._task is not None:
            self._bar.update(
                self._task,
                description=what,
                completed=progress.done,
                total=progress.total,
                counts=counts,
                left=left,
            )
            return
        now_s = time.monotonic()
        if now_s - self._said_s >= LINES_EVERY_S or progress.done == progress.total:
            self._said_s = now_s
            note(f"{what}: {counts}, {left}")


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, as short as they can be told."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"
