"""How long one `solve` takes when it is called by itself, as an animation engine calls it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sera.evaluation.erik.jobs import Job
from sera.evaluation.erik.run import AnySolver, solver_of, spread_samples
from sera.kinematics._arrays import FloatArray

SINGLE_SOLVES = 1_000
SINGLE_BASELINE_SOLVES = 100
_WARM_UP = 20


@dataclass(frozen=True)
class SolveTimes:
    """Microseconds of single calls."""

    solves: int
    least_us: float
    median_us: float
    mean_us: float
    deviation_us: float
    p99_us: float
    most_us: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def time_job(job: Job) -> SolveTimes:
    """Time single solves on samples from all over a job."""
    most = SINGLE_BASELINE_SOLVES if job.kind == "dls" else SINGLE_SOLVES
    return time_solves(solver_of(job), *spread_samples(job, min(job.samples, most)))


def time_solves(solver: AnySolver, postures: FloatArray, targets: FloatArray) -> SolveTimes:
    """Time one `solve` for each row."""
    for row in range(min(_WARM_UP, len(postures))):
        solver.solve(postures[row], targets[row])
    took_ns = np.empty(len(postures))
    for row in range(len(postures)):
        started_ns = time.perf_counter_ns()
        solver.solve(postures[row], targets[row])
        took_ns[row] = time.perf_counter_ns() - started_ns
    took_us = took_ns / 1e3
    return SolveTimes(
        len(took_us),
        float(took_us.min()),
        float(np.median(took_us)),
        float(took_us.mean()),
        float(took_us.std()),
        float(np.percentile(took_us, 99)),
        float(took_us.max()),
    )
