"""From journals to figures: everything that the report, its tables and its pictures show.

Units: errors as in the document (the posture's weighted by 0.2); seconds and microseconds.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sera import __version__
from sera.evaluation.erik.floor import bar_of
from sera.evaluation.erik.jobs import Job
from sera.evaluation.erik.run import FloorTally, open_journal
from sera.evaluation.erik.skeletons import PUBLISHED_ERRORS, SKELETONS, TOTAL_SAMPLES
from sera.evaluation.erik.tally import Tally
from sera.evaluation.erik.timing import SolveTimes

REPORT_TEXT = "report.md"
REPORT_DATA = "report.json"


@dataclass
class Findings:
    """What a run found, by job."""

    tallies: dict[Job, Tally] = field(default_factory=dict)
    floors: dict[Job, FloorTally] = field(default_factory=dict)
    times: dict[Job, SolveTimes] = field(default_factory=dict)

    def tally(self, skeleton: str, label: str) -> Tally | None:
        for job, tally in self.tallies.items():
            if (job.skeleton, job.label) == (skeleton, label):
                return tally
        return None

    def methods(self) -> list[str]:
        """Methods of ERIK in the order in which they were asked for."""
        return list(dict.fromkeys(job.label for job in self.tallies if job.kind == "erik"))


@dataclass(frozen=True)
class Projection:
    """What all samples of all skeletons would take on this machine with one method."""

    method: str
    cores: int
    wall_h: float
    """At the pace that was measured, with whatever else the machine was doing."""
    cpu_h: float
    """Processor time, divided by the cores: the pace of a machine that does nothing else."""


def gather(jobs: Sequence[Job], folder: Path, times: Mapping[Job, SolveTimes]) -> Findings:
    """Merge the chunks of all jobs, in their order."""
    findings = Findings(times=dict(times))
    for job in jobs:
        journal = open_journal(folder, job)
        if job.kind == "floor":
            floor = findings.floors[job] = FloorTally()
            for number in sorted(journal.chunks):
                floor.merge(FloorTally(**journal.chunks[number]))
        else:
            tally = findings.tallies[job] = Tally()
            for number in sorted(journal.chunks):
                tally.merge(Tally.from_dict(journal.chunks[number]))
    return findings


def core_count() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def projections(findings: Findings) -> list[Projection]:
    """One for each method that was run on all seven skeletons."""
    projected = []
    for method in findings.methods():
        tallies = {name: findings.tally(name, method) for name in SKELETONS}
        if any(tally is None or not tally.solved for tally in tallies.values()):
            continue
        wall_s = cpu_s = 0.0
        for name, tally in tallies.items():
            assert tally is not None
            wall_s += tally.wall_a_sample_s * SKELETONS[name].samples
            cpu_s += tally.cpu_a_sample_s * SKELETONS[name].samples / core_count()
        projected.append(Projection(method, core_count(), wall_s / 3600, cpu_s / 3600))
    return projected


def as_data(findings: Findings, command: str) -> dict[str, Any]:
    """Everything as plain values, for report.json."""
    return {
        "command": command,
        "sera": __version__,
        "machine": machine(),
        "all_samples": TOTAL_SAMPLES,
        "results": [_row(job, tally, findings) for job, tally in findings.tallies.items()],
        "floors": [_floor_row(job, floor) for job, floor in findings.floors.items()],
        "projections": [vars(each) for each in projections(findings)],
        "published_errors_of_skeleton_C": {
            name: vars(moments) for name, moments in PUBLISHED_ERRORS.items()
        },
    }


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cores": core_count(),
        "processor": _processor(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
    }


def _processor() -> str:
    """The name that the processor gives itself, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def write_data(folder: Path, data: Mapping[str, Any]) -> Path:
    """Write report.json."""
    path = folder / REPORT_DATA
    path.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path


def _row(job: Job, tally: Tally, findings: Findings) -> dict[str, Any]:
    least, most, mean, deviation = tally.iteration_moments()
    times = findings.times.get(job)
    errors = {
        name: {
            "mean": column.mean,
            "deviation": column.deviation,
            "most": column.most,
            "above_threshold": column.above_threshold,
        }
        for name, column in tally.columns.items()
    }
    return {
        "skeleton": job.skeleton,
        "axes": job.of.axes,
        "limit_rad": job.of.limit_rad,
        "method": job.label,
        "postures": job.of.postures,
        "all_samples": job.population,
        "samples_solved": tally.solved,
        "samples_counted": tally.samples,
        "seed": job.seed,
        "iterations": {"least": least, "most": most, "mean": mean, "deviation": deviation},
        "errors": errors,
        "batch": {
            "wall_s": tally.wall_s,
            "cpu_s": tally.cpu_s,
            "cpu_us_a_sample": 1e6 * tally.cpu_a_sample_s,
            "cpu_us_a_sample_in_the_quickest_chunk": 1e6 * tally.quickest_s,
            "cpu_us_a_sample_in_the_slowest_chunk": 1e6 * tally.slowest_s,
        },
        "single_solves": times.as_dict() if times else None,
        "published": vars(job.of.published) if job.kind == "erik" and job.of.published else None,
    }


def _floor_row(job: Job, floor: FloorTally) -> dict[str, Any]:
    mean = floor.floor_total / floor.samples
    solver = floor.solver_total / floor.samples
    return {
        "skeleton": job.skeleton,
        "samples": floor.samples,
        "floor": mean,
        "optimal": solver,
        "ratio": solver / mean if mean > 0.0 else 1.0,
        "bar": bar_of(mean),
        "met": solver <= bar_of(mean),
        "largest_gap": floor.largest_gap,
        "solver_better": floor.solver_better,
    }
