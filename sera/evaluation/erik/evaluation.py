"""From a wish to a report: the whole evaluation in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.evaluation.erik.jobs import Wish
from sera.evaluation.erik.report import as_data, gather, write_data
from sera.evaluation.erik.run import Progress, run
from sera.evaluation.erik.tables import write_text
from sera.evaluation.erik.timing import time_job


@dataclass(frozen=True)
class Outcome:
    """What an evaluation wrote."""

    data: dict[str, Any]
    """What stands in report.json."""
    report: Path
    pictures: list[Path]
    has_figures: bool
    """False where matplotlib is not installed."""


def evaluate(
    wish: Wish,
    folder: Path,
    *,
    command: str = "sera evaluate erik",
    watch: Callable[[Progress], None] = lambda _progress: None,
    figures: bool = True,
) -> Outcome:
    """Solve what is not yet solved in `folder`, then write report.md, report.json and pictures.

    Raises:
        OtherSettings: the folder holds results of other settings.
    """
    jobs = wish.jobs()
    run(jobs, folder, watch)
    times = {job: time_job(job) for job in jobs if job.kind != "floor"}
    findings = gather(jobs, folder, times)
    data = as_data(findings, command)
    write_data(folder, data)
    pictures: list[Path] = []
    has_figures = False
    if figures:
        try:
            from sera.evaluation.erik.figures import draw_all

            pictures = draw_all(findings, folder)
            has_figures = True
        except ImportError:
            pass
    report = write_text(folder, data, pictures)
    return Outcome(data, report, pictures, has_figures)
