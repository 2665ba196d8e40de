"""The continuous inverse in long transitions: runs of a platform with an arm, as the null-space
document has them, with its enhancements one after the other.

Three levels: ends of joints; place and orientation of the hand; where the platform is, seen from
the hand. The paths are our own (`platform_arm.demanding_path`): the document's is lost.

    a    the raw continuous inverse
    b    bounded: what a level leaves never grows above 1
    c    b, and the third level gives way to an error of the hand's place
    d    b, and it gives way to the larger of the errors of place and orientation
    e    the third level is left out
    f    ours: d with the projected recursion and damped inverses

Units and frames: metres, radians, seconds; y up; the error of an orientation is the sine of half
its angle, as in the document.
Threading: `run_all` takes a process for each core.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from sera.evaluation.emotion.platform_arm import (
    PLATFORM,
    START_RAD,
    HandPath,
    demanding_path,
    platform_arm,
)
from sera.kinematics._arrays import FloatArray
from sera.kinematics._quaternions import conjugate, multiply
from sera.kinematics.continuous import (
    ContinuousHierarchy,
    Gate,
    JointLimits,
    Level,
    Recursion,
    Watch,
    clamp_error,
)
from sera.kinematics.continuous.inverse import TRUNCATED
from sera.kinematics.priority import Damping

SEEDS = tuple(range(1, 9))
ENOUGH_M = 0.02
"""The bar for the mean error of the hand's place with both enhancements."""

_LOST_M = 2.0
_LOST_HALF_RANGES = 5.0
_EVERY = 10
"""How often the greatest singular value is measured: that takes as long as a step."""
_FARTHEST_M = 0.5


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to solve the three levels."""

    key: str
    bounded: bool = True
    gate: Gate | None = None
    third_level: bool = True
    recursion: Recursion = Recursion.DOCUMENT
    damping: Damping = TRUNCATED


VARIANTS = (
    Variant("a", bounded=False),
    Variant("b"),
    Variant("c", gate=Gate(watch=Watch.FIRST)),
    Variant("d", gate=Gate(watch=Watch.LARGEST)),
    Variant("e", third_level=False),
    Variant(
        "f",
        gate=Gate(watch=Watch.LARGEST),
        recursion=Recursion.PROJECTED,
        damping=Damping(damping=0.05, near=0.05),
    ),
)


class Run(NamedTuple):
    """What came of one variant on one path; means over the run, up to where it diverged."""

    key: str
    seed: int
    place_error_m: float
    turn_error: float
    separation_error_m: float
    most_joint: float
    """The farthest that a joint was from the middle of its range; its ends are at 1."""
    most_speed: float
    """The fastest that a joint with ends was asked to move, half ranges a second."""
    most_singular: float
    """Of what the second level leaves."""
    partial_inverses: tuple[float, ...]
    """At the second level and, where there is one, the third."""
    snapped: int
    diverged: bool


def run_variant(variant: Variant, path: HandPath, seed: int = 0) -> Run:
    """Follow one path from `START_RAD` on."""
    tree = platform_arm()
    limits = JointLimits(tree, free=PLATFORM, gain=2.0, band=0.1)
    hierarchy = ContinuousHierarchy(
        tree.dof,
        bounded=variant.bounded,
        gate=variant.gate,
        recursion=variant.recursion,
        damping=variant.damping,
    )
    angles, platform = START_RAD.copy(), np.eye(2, tree.dof)
    errors: list[tuple[float, float, float, float]] = []
    counts: list[tuple[int, ...]] = []
    greatest, fastest, snapped, diverged = 0.0, 0.0, 0, False
    for step in range(len(path.places_m)):
        (place_m, turn_wxyz), jacobian = tree.pose_and_jacobian(angles, "hand")
        away_m, turn = path.places_m[step] - place_m, _turn(path.turns_wxyz[step], turn_wxyz)
        wanted = np.concatenate(
            [
                path.speeds_m_s[step] + clamp_error(away_m, _FARTHEST_M),
                path.spins_rad_s[step] + turn,
            ]
        )
        apart = path.separations_m[step] - (angles[:2] - place_m[::2])
        distance_m, size = math.hypot(*away_m), math.hypot(*turn)
        joint = float(np.abs(limits.ends(angles)).max())
        errors.append((distance_m, size, math.hypot(*apart), joint))
        if distance_m > _LOST_M or joint > _LOST_HALF_RANGES:
            diverged = True
            break
        levels = [
            limits.level(angles),
            Level(limits.scaled(jacobian), wanted, errors=(distance_m, size)),
        ]
        if variant.third_level:
            levels.append(Level(limits.scaled(platform - jacobian[:3:2]), apart))
        velocity = hierarchy.solve(levels)
        fastest = max(fastest, float(np.abs(velocity[len(PLATFORM) :]).max()))
        angles = angles + path.dt_s * limits.unscaled(velocity)
        report = hierarchy.report
        counts.append(tuple(level.partial_inverses for level in report[1:]))
        snapped += sum(level.snapped for level in report)
        if step % _EVERY == 0:
            hierarchy.solve(levels[:2])
            greatest = max(greatest, float(np.linalg.norm(hierarchy.null, 2)))
    table = np.array(errors)
    place_error_m, turn_error, separation_error_m, _ = table.mean(axis=0).tolist()
    return Run(
        key=variant.key,
        seed=seed,
        place_error_m=place_error_m,
        turn_error=turn_error,
        separation_error_m=separation_error_m,
        most_joint=float(table[:, 3].max()),
        most_speed=fastest,
        most_singular=greatest,
        partial_inverses=tuple(np.mean(counts, axis=0).tolist()),
        snapped=snapped,
        diverged=diverged,
    )


def _turn(wanted_wxyz: FloatArray, turn_wxyz: FloatArray) -> FloatArray:
    """The shorter turn to an orientation: its axis times the sine of half its angle."""
    w, x, y, z = multiply(tuple(wanted_wxyz.tolist()), conjugate(tuple(turn_wxyz.tolist())))
    return np.array((x, y, z) if w >= 0.0 else (-x, -y, -z))


def run_all(
    seeds: Sequence[int] = SEEDS,
    variants: Iterable[Variant] = VARIANTS,
    duration_s: float = 20.0,
    dt_s: float = 0.005,
    processes: int = 1,
) -> list[Run]:
    """All variants on the paths of all seeds."""
    jobs = [(variant, seed, duration_s, dt_s) for seed in seeds for variant in variants]
    if processes == 1:
        return [_job(*job) for job in jobs]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_job, *zip(*jobs, strict=True)))


def _job(variant: Variant, seed: int, duration_s: float, dt_s: float) -> Run:
    return run_variant(variant, demanding_path(seed, duration_s, dt_s), seed)


class Summary(NamedTuple):
    """One variant over all seeds; pairs are the least and the most where it did not diverge."""

    key: str
    place_error_m: tuple[float, float]
    turn_error: tuple[float, float]
    separation_error_m: tuple[float, float]
    most_joint: tuple[float, float]
    most_speed: float
    most_singular: float
    partial_inverses: tuple[float, ...]
    diverged: int


def summaries(runs: Sequence[Run]) -> list[Summary]:
    """Rows of a table, one a variant."""
    rows = []
    for key in dict.fromkeys(run.key for run in runs):
        every = [run for run in runs if run.key == key]
        own = [run for run in every if not run.diverged] or every
        rows.append(
            Summary(
                key,
                _range(run.place_error_m for run in own),
                _range(run.turn_error for run in own),
                _range(run.separation_error_m for run in own),
                _range(run.most_joint for run in own),
                max(run.most_speed for run in own),
                max(run.most_singular for run in own),
                tuple(np.mean([run.partial_inverses for run in own], axis=0).tolist()),
                sum(run.diverged for run in every),
            )
        )
    return rows


def _range(values: Iterable[float]) -> tuple[float, float]:
    found = list(values)
    return min(found), max(found)


class Verdict(NamedTuple):
    """Whether a variant with both enhancements holds the bars."""

    key: str
    worse_seeds: tuple[int, ...]
    """Where it is no better than `b` in the error of place; has to be empty."""
    worst_error_m: float
    most_singular: float

    @property
    def holds(self) -> bool:
        return (
            not self.worse_seeds
            and self.worst_error_m <= ENOUGH_M
            and self.most_singular <= 1.0 + 1e-9
        )


def verdict(runs: Sequence[Run], key: str) -> Verdict:
    """Compare one variant with `b`, seed by seed."""
    bounded = {run.seed: run.place_error_m for run in runs if run.key == "b"}
    own = [run for run in runs if run.key == key]
    return Verdict(
        key,
        tuple(run.seed for run in own if not run.place_error_m < bounded[run.seed]),
        max(run.place_error_m for run in own),
        max(run.most_singular for run in own),
    )
