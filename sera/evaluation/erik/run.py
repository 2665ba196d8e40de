"""Solves jobs chunk by chunk; what is done stays done, whatever happens next.

Design overview: a chunk's samples are drawn anew from its number, solved on all cores by the
solver's own `solve_batch`, and reduced to a tally, which goes to the job's journal. Memory is
bounded by one chunk. A run that is started again skips the chunks in the journals.

Units and frames: seconds; errors as in the document, the posture's weighted by 0.2.
Threading: one thread drives; the solvers share a chunk among threads.
Safety: results of other settings, or of other sources of the solver, are never mixed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from sera.evaluation.erik.floor import FloorSearch
from sera.evaluation.erik.jobs import BASELINES, WITHOUT_POSTURE, Job, journal_path
from sera.evaluation.erik.journal import Journal
from sera.evaluation.erik.samples import draw, orientations_wxyz, pairs
from sera.evaluation.erik.skeletons import ORIENTATIONS, SKELETONS
from sera.evaluation.erik.tally import THRESHOLD, Tally
from sera.kinematics._arrays import BoolArray, FloatArray, IntArray
from sera.kinematics._compile import _digest_of
from sera.kinematics.baselines.priority_dls import PriorityDls
from sera.kinematics.erik import BatchSolution, Method, Solution, Solver

POSTURE_WEIGHT = 0.2
FILTER_FACTOR = 3.0
"""The document leaves out targets on which DLS100_nopost is off by more: thresholds."""
_TRIAL_ROWS = 64
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)


class AnySolver(Protocol):
    """What ERIK and its baseline have in common."""

    def solve(self, posture_rad: FloatArray, target_wxyz: FloatArray) -> Solution: ...

    def solve_batch(self, postures_rad: FloatArray, targets_wxyz: FloatArray) -> BatchSolution: ...


@dataclass
class FloorTally:
    """Sums over the samples of a floor job: the floor's error and the solver's, side by side."""

    samples: int = 0
    floor_total: float = 0.0
    solver_total: float = 0.0
    largest_gap: float = 0.0
    solver_better: int = 0
    """Samples on which the solver found a better pose than the search."""

    def merge(self, other: FloorTally) -> None:
        self.samples += other.samples
        self.floor_total += other.floor_total
        self.solver_total += other.solver_total
        self.largest_gap = max(self.largest_gap, other.largest_gap)
        self.solver_better += other.solver_better


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    job: Job
    done: int
    """Samples of all jobs that are done."""
    total: int
    left_s: float


def run(
    jobs: Sequence[Job], folder: Path, watch: Callable[[Progress], None] = lambda _progress: None
) -> None:
    """Do whatever of `jobs` is not yet done in `folder`.

    Raises:
        OtherSettings: the folder holds results of other settings.
    """
    journals = [open_journal(folder, job) for job in jobs]
    todo = {
        job: [chunk for chunk in _scattered(job.chunks) if chunk not in journal.chunks]
        for job, journal in zip(jobs, journals, strict=True)
    }
    pace = _Pace(todo)
    for job, journal in zip(jobs, journals, strict=True):
        for chunk in todo[job]:
            watch(pace.progress(job))
            started_s = time.perf_counter()
            result = _solve_floor(job, chunk) if job.kind == "floor" else _solve(job, chunk)
            journal.add(chunk, result)
            pace.did(job, chunk, time.perf_counter() - started_s)
    if jobs:
        watch(pace.progress(jobs[-1]))


def _scattered(chunks: int) -> list[int]:
    """All chunks in an order that jumps about, always the same.

    Neighbouring chunks have like postures, some of which are hard: in turn they would mislead
    about the time that is left.
    """
    return sorted(range(chunks), key=lambda chunk: chunk * _GOLDEN % 1.0)


def open_journal(folder: Path, job: Job) -> Journal:
    """The chunks of a job that are done; begins the file where there is none."""
    settings = {**job.as_dict(), "solver_sources": sources_digest()}
    return Journal(journal_path(folder, job), settings)


@lru_cache(maxsize=1)
def sources_digest() -> str:
    """A digest of the sources that decide about results."""
    room = Path(__file__).resolve().parents[2] / "kinematics"
    files = ("erik/_solver.py", "erik/_floor_kernels.py", "baselines/priority_dls.py")
    return "-".join(_digest_of(room / file)[:8] for file in files)


@lru_cache(maxsize=32)
def solver_of(job: Job) -> AnySolver:
    """The solver that a job is about; for a floor the one that is judged by it."""
    chain = job.of.chain()
    if job.kind == "dls":
        has_posture = job.label != WITHOUT_POSTURE
        return PriorityDls(
            chain, job.max_iterations, posture_task=has_posture, flip_correction=True
        )
    method = "optimal" if job.kind == "floor" else job.label
    return Solver(chain, symmetric_endpoint=True, method=cast("Method", method))


def samples_of(job: Job, start: int, stop: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Postures, targets and numbers of some of the job's samples."""
    seed = (job.seed, list(SKELETONS).index(job.skeleton))
    numbers = draw(job.population, job.samples, start, stop, seed)
    if job.label == WITHOUT_POSTURE:
        return np.zeros((len(numbers), job.of.dof)), orientations_wxyz()[numbers], numbers
    postures, targets = pairs(job.of, numbers)
    return postures, targets, numbers


def spread_samples(job: Job, count: int) -> tuple[FloatArray, FloatArray]:
    """Postures and targets of a few samples at even distances all over a job."""
    places = [place * job.samples // count for place in range(count)]
    parts = [samples_of(job, place, place + 1) for place in places]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _solve(job: Job, chunk: int) -> dict[str, Any]:
    counted = _counted(job) if job.kind == "dls" else None
    # Drawing and adding up count as well: a projection to all samples should not flatter.
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    postures, targets, numbers = samples_of(job, *job.bounds(chunk))
    batch = solver_of(job).solve_batch(postures, targets)
    chosen = slice(None) if counted is None else counted[numbers % ORIENTATIONS]
    tally = Tally()
    tally.add(
        batch.orientation_error[chosen],
        POSTURE_WEIGHT * batch.posture_error[chosen],
        batch.iterations[chosen],
    )
    tally.left_out = len(numbers) - tally.samples
    tally.took(time.perf_counter() - wall_s, time.process_time() - cpu_s)
    return tally.as_dict()


def _solve_floor(job: Job, chunk: int) -> dict[str, Any]:
    postures, targets, _ = samples_of(job, *job.bounds(chunk))
    found, _ = _search_of(job).search(postures, targets)
    solved = solver_of(job).solve_batch(postures, targets).error
    floor = np.minimum(found, solved)
    return vars(
        FloorTally(
            samples=len(floor),
            floor_total=float(floor.sum()),
            solver_total=float(solved.sum()),
            largest_gap=float((solved - floor).max()),
            solver_better=int(np.count_nonzero(solved < found - 1e-6)),
        )
    )


@lru_cache(maxsize=8)
def _search_of(job: Job) -> FloorSearch:
    return FloorSearch(job.of.chain(), seed=job.seed)


@lru_cache(maxsize=2)
def _counted(job: Job) -> BoolArray:
    """Which of the 7609 targets count for the baseline, by the document's filter."""
    plain = PriorityDls(job.of.chain(), BASELINES[0], posture_task=False, flip_correction=True)
    batch = plain.solve_batch(np.zeros((1, job.of.dof)), orientations_wxyz())
    return np.asarray(batch.orientation_error <= FILTER_FACTOR * THRESHOLD)


class _Pace:
    """How long the rest will take: skeletons and methods differ by a factor of a hundred."""

    def __init__(self, todo: dict[Job, list[int]]) -> None:
        self._left = {
            job: sum(stop - start for start, stop in map(job.bounds, chunks))
            for job, chunks in todo.items()
        }
        self._total = sum(job.samples for job in todo)
        self._spent: dict[Job, tuple[int, float]] = {}
        # Compiling, where it is still to be done, must not count.
        self._a_sample_s = {job: self._try(job) for job, chunks in todo.items() if chunks}

    @staticmethod
    def _try(job: Job) -> float:
        postures, targets = spread_samples(job, min(job.samples, _TRIAL_ROWS))
        solve: Callable[[FloatArray, FloatArray], object] = solver_of(job).solve_batch
        if job.kind == "floor":
            solve = _search_of(job).search
        solve(postures[:1], targets[:1])
        started_s = time.perf_counter()
        solve(postures, targets)
        return (time.perf_counter() - started_s) / len(postures)

    def did(self, job: Job, chunk: int, took_s: float) -> None:
        start, stop = job.bounds(chunk)
        self._left[job] -= stop - start
        done, spent_s = self._spent.get(job, (0, 0.0))
        self._spent[job] = done + stop - start, spent_s + took_s
        self._a_sample_s[job] = self._spent[job][1] / self._spent[job][0]

    def progress(self, job: Job) -> Progress:
        left_s = sum(self._a_sample_s.get(each, 0.0) * left for each, left in self._left.items())
        return Progress(job, self._total - sum(self._left.values()), self._total, left_s)
