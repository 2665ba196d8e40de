"""Sums and histograms of errors: what is kept of millions of samples.

A tally takes arrays of one chunk; tallies of chunks are merged in the order of the chunks, so that
an interrupted and an uninterrupted run add the same numbers in the same order and agree to the
last bit.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray

COLUMNS = ("combined", "orientation", "weighted_posture")
"""The posture error is weighted by 0.2 here, as in the document's tables and figures."""
BIN_WIDTH = 0.002
THRESHOLD = 0.04


@dataclass
class Column:
    """Moments, extremes and histogram of one error."""

    samples: int = 0
    total: float = 0.0
    squares: float = 0.0
    least: float = math.inf
    most: float = -math.inf
    above_threshold: int = 0
    bins: Counter[int] = field(default_factory=Counter)

    def add(self, errors: FloatArray) -> None:
        if len(errors) == 0:
            return
        self.samples += len(errors)
        self.total += float(errors.sum())
        self.squares += float((errors * errors).sum())
        self.least = min(self.least, float(errors.min()))
        self.most = max(self.most, float(errors.max()))
        self.above_threshold += int(np.count_nonzero(errors > THRESHOLD))
        counts = np.bincount((errors / BIN_WIDTH).astype(np.int64))
        self.bins.update({int(place): int(counts[place]) for place in np.flatnonzero(counts)})

    def merge(self, other: Column) -> None:
        self.samples += other.samples
        self.total += other.total
        self.squares += other.squares
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)
        self.above_threshold += other.above_threshold
        self.bins.update(other.bins)

    @property
    def mean(self) -> float:
        return self.total / self.samples if self.samples else math.nan

    @property
    def deviation(self) -> float:
        if not self.samples:
            return math.nan
        return math.sqrt(max(0.0, self.squares / self.samples - self.mean**2))

    def histogram(self) -> FloatArray:
        """Counts of the bins from nought to the last that holds anything."""
        counts = np.zeros(max(self.bins, default=0) + 1)
        for place, count in self.bins.items():
            counts[place] = count
        return counts

    def as_dict(self) -> dict[str, Any]:
        if not self.samples:
            return {"samples": 0}
        bins = {str(place): self.bins[place] for place in sorted(self.bins)}
        return {**vars(self), "bins": bins}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        if not values["samples"]:
            return cls()
        bins = Counter({int(place): int(count) for place, count in values["bins"].items()})
        return cls(**{**values, "bins": bins})


@dataclass
class Tally:
    """All that is kept of a chunk, or of a whole job."""

    columns: dict[str, Column] = field(default_factory=lambda: {name: Column() for name in COLUMNS})
    iterations: Counter[int] = field(default_factory=Counter)
    left_out: int = 0
    """Samples that were solved but do not count (the document's filter of the baseline)."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    quickest_s: float = math.inf
    slowest_s: float = 0.0
    """Processor time of a sample in the quickest and the slowest chunk."""

    @property
    def samples(self) -> int:
        return self.columns["combined"].samples

    @property
    def solved(self) -> int:
        return self.samples + self.left_out

    @property
    def cpu_a_sample_s(self) -> float:
        return self.cpu_s / self.solved if self.solved else math.nan

    @property
    def wall_a_sample_s(self) -> float:
        return self.wall_s / self.solved if self.solved else math.nan

    def add(
        self, orientation: FloatArray, weighted_posture: FloatArray, iterations: IntArray
    ) -> None:
        self.columns["combined"].add(orientation + weighted_posture)
        self.columns["orientation"].add(orientation)
        self.columns["weighted_posture"].add(weighted_posture)
        counts = np.bincount(iterations)
        self.iterations.update({int(n): int(counts[n]) for n in np.flatnonzero(counts)})

    def took(self, wall_s: float, cpu_s: float) -> None:
        """Set the times of a chunk whose samples have all been added."""
        self.wall_s, self.cpu_s = wall_s, cpu_s
        self.quickest_s = self.slowest_s = cpu_s / self.solved

    def merge(self, other: Tally) -> None:
        for name, column in other.columns.items():
            self.columns[name].merge(column)
        self.iterations.update(other.iterations)
        self.left_out += other.left_out
        self.wall_s += other.wall_s
        self.cpu_s += other.cpu_s
        self.quickest_s = min(self.quickest_s, other.quickest_s)
        self.slowest_s = max(self.slowest_s, other.slowest_s)

    def iteration_moments(self) -> tuple[int, int, float, float]:
        """Least, most, mean and standard deviation of the iterations."""
        if not self.iterations:
            return 0, 0, math.nan, math.nan
        counts = np.array(sorted(self.iterations.items()), dtype=np.float64)
        number, weight = counts[:, 0], counts[:, 1] / counts[:, 1].sum()
        mean = float((number * weight).sum())
        spread = math.sqrt(float(((number - mean) ** 2 * weight).sum()))
        return int(number[0]), int(number[-1]), mean, spread

    def as_dict(self) -> dict[str, Any]:
        iterations = {str(number): self.iterations[number] for number in sorted(self.iterations)}
        columns = {name: column.as_dict() for name, column in self.columns.items()}
        return {**vars(self), "iterations": iterations, "columns": columns}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        iterations = Counter({int(n): int(count) for n, count in values["iterations"].items()})
        columns = {name: Column.from_dict(values["columns"][name]) for name in COLUMNS}
        return cls(**{**values, "iterations": iterations, "columns": columns})
