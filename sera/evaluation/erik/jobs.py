"""What is to be solved: one job for each skeleton and method, cut into chunks.

The chunks of a job depend on its size alone, not on the machine, so that results can be compared
bit by bit and a run can be continued elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sera.evaluation.erik.skeletons import ORIENTATIONS, SKELETONS, Skeleton

Kind = Literal["erik", "dls", "floor"]

QUICK_SAMPLES = 20_000
"""Samples of each skeleton where nothing else is asked for."""
LARGEST_CHUNK = 50_000
SMALLEST_CHUNK = 250
CHUNKS_AT_LEAST = 20
FLOOR_CHUNK = 128
BASELINE_CHUNK = 2_000
BASELINE_MOST = 100_000
"""Samples of each baseline: it takes a hundred times as long as ERIK."""
BASELINES = (100, 200, 400)
WITHOUT_POSTURE = "DLS100_nopost"


@dataclass(frozen=True)
class Job:
    """Samples of one skeleton for one method."""

    label: str
    """Name of the method in tables: optimal, published, floor, DLS100, ..."""
    kind: Kind
    skeleton: str
    samples: int
    seed: int
    chunk: int
    max_iterations: int = 0
    """Of the baseline."""

    @property
    def of(self) -> Skeleton:
        return SKELETONS[self.skeleton]

    @property
    def name(self) -> str:
        return f"{self.skeleton}-{self.label}"

    @property
    def chunks(self) -> int:
        return math.ceil(self.samples / self.chunk)

    @property
    def population(self) -> int:
        """How many samples there are to draw from."""
        return ORIENTATIONS if self.label == WITHOUT_POSTURE else self.of.samples

    def bounds(self, chunk: int) -> tuple[int, int]:
        """First sample of a chunk and the one after its last."""
        return chunk * self.chunk, min((chunk + 1) * self.chunk, self.samples)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Wish:
    """What the user asks for."""

    skeletons: tuple[str, ...] = tuple(SKELETONS)
    methods: tuple[str, ...] = ("optimal",)
    sample: int | None = None
    """Samples of each skeleton."""
    fraction: float | None = None
    """Share of all samples of each skeleton; 1 is the whole evaluation."""
    seed: int = 0
    baselines: bool = False
    floor: int = 0
    """Samples of each skeleton on which the best that there is is searched for."""

    def __post_init__(self) -> None:
        for name in self.skeletons:
            if name not in SKELETONS:
                known = ", ".join(SKELETONS)
                raise ValueError(f"There is no skeleton {name!r}; choose among {known}.")
        if self.sample is not None and self.fraction is not None:
            raise ValueError("--sample and --fraction both say how many: leave one of them out.")
        if self.sample is not None and self.sample < 1:
            raise ValueError(f"--sample is {self.sample}; give a number of samples above 0.")
        if self.fraction is not None and not 0.0 < self.fraction <= 1.0:
            raise ValueError(f"--fraction is {self.fraction}; give a share above 0 and up to 1.")
        if self.floor < 0:
            raise ValueError(f"--floor is {self.floor}; give a number of samples, or 0 for none.")
        if self.seed < 0:
            raise ValueError(f"--seed is {self.seed}; give a whole number from 0 on.")

    def samples_of(self, skeleton: Skeleton) -> int:
        if self.fraction is not None:
            return max(1, round(self.fraction * skeleton.samples))
        return min(self.sample or QUICK_SAMPLES, skeleton.samples)

    def jobs(self) -> list[Job]:
        jobs = []
        for name in self.skeletons:
            count = self.samples_of(SKELETONS[name])
            plain = Job("", "erik", name, count, self.seed, chunk_of(count))
            jobs += [replace(plain, label=method) for method in self.methods]
        if self.baselines and "C" in self.skeletons:
            jobs += _baseline_jobs(self.samples_of(SKELETONS["C"]), self.seed)
        if self.floor:
            for name in self.skeletons:
                count = min(self.floor, SKELETONS[name].samples)
                jobs.append(Job("floor", "floor", name, count, self.seed, FLOOR_CHUNK))
        return jobs


def chunk_of(samples: int) -> int:
    """Samples of a chunk: many chunks, and a few seconds each."""
    return min(max(samples // CHUNKS_AT_LEAST, SMALLEST_CHUNK), LARGEST_CHUNK)


def _baseline_jobs(samples: int, seed: int) -> list[Job]:
    first = Job(
        WITHOUT_POSTURE, "dls", "C", ORIENTATIONS, seed, BASELINE_CHUNK, max_iterations=BASELINES[0]
    )
    count = min(samples, BASELINE_MOST)
    others = replace(first, samples=count, chunk=min(BASELINE_CHUNK, chunk_of(count)))
    return [
        first,
        *(replace(others, label=f"DLS{most}", max_iterations=most) for most in BASELINES),
    ]


def journal_path(folder: Path, job: Job) -> Path:
    """Where the chunks of a job are kept."""
    return folder / "chunks" / f"{job.name}.jsonl"
