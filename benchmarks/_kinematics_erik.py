"""ERIK's part of `make bench-kinematics`: errors, the floor, single solves, the whole evaluation.

Errors and the time of the whole evaluation come from a drawn part of the document's samples (see
`sera evaluate erik`), the floor from a long search on fewer of them. Single solves are timed in
rounds, all chains and methods in turn, so that a machine that is busy for a while slows all alike;
p50 and p99 are the medians of the rounds'. The last chain has no twister at its root.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sera.evaluation.erik.floor import FloorSearch, bar_of
from sera.evaluation.erik.jobs import Wish
from sera.evaluation.erik.report import as_data, gather
from sera.evaluation.erik.run import POSTURE_WEIGHT, Progress, run
from sera.evaluation.erik.samples import draw, pairs
from sera.evaluation.erik.skeletons import ORIENTATIONS, PUBLISHED_ERRORS, SKELETONS, Skeleton
from sera.evaluation.erik.timing import time_solves
from sera.kinematics.erik import METHODS, Solver

NO_ROOT_TWISTER = Skeleton("-", "XZXZY", math.pi / 2, 7, 8305, None)
ROUNDS = 5
SOLVES_A_ROUND = 400
SEED = 3
ERROR_BAR_OF_C = 0.0233
ORIENTATION_BAR = 0.002
HOURS_BAR, CORES_OF_BAR = 4.0, 2
# p50 and p99 in µs by the number of joints.
TIME_BARS = {5: (60.0, 200.0), 8: (100.0, 750.0)}
NO_ROOT_TWISTER_BAR_US = 100.0
DOCUMENT_DLS400_MS = 678


@dataclass(frozen=True)
class ErikRow:
    """One chain with one method."""

    skeleton: Skeleton
    method: str
    error: float
    orientation: float
    weighted_posture: float
    p50_us: float
    p99_us: float


def measure_erik(fraction: float, floor: int) -> list[str]:
    """Lines of Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        data = _evaluate(fraction, floor, Path(folder))
    rows, own_floor = _rows(data, floor)
    lines = _main_table(rows)
    lines += ["", *_bars(rows, data, own_floor, fraction)]
    return lines


def _evaluate(fraction: float, floor: int, folder: Path) -> dict[str, Any]:
    wish = Wish(methods=METHODS, fraction=fraction, floor=floor, seed=SEED, baselines=True)
    jobs = wish.jobs()
    run(jobs, folder, _tell)
    return as_data(gather(jobs, folder, {}), "make bench-kinematics")


def _tell(progress: Progress) -> None:
    share = 100.0 * progress.done / progress.total
    text = f"\rERIK {progress.job.name}: {share:.0f} %, {progress.left_s:.0f} s left   "
    print(text, end="" if progress.left_s else "\n", file=sys.stderr, flush=True)


def _rows(data: dict[str, Any], floor: int) -> tuple[list[ErikRow], tuple[float, float]]:
    """Errors as the evaluation found them, and times of single solves."""
    chains = [*SKELETONS.values(), NO_ROOT_TWISTER]
    solvers = {
        (chain, method): Solver(chain.chain(), symmetric_endpoint=True, method=method)
        for chain in chains
        for method in METHODS
    }
    samples = {chain: _samples(chain, ROUNDS * SOLVES_A_ROUND) for chain in chains}
    times: dict[tuple[Skeleton, str], list[tuple[float, float]]] = {key: [] for key in solvers}
    for number in range(ROUNDS):
        part = slice(number, None, ROUNDS)
        for key, solver in solvers.items():
            postures, targets = samples[key[0]]
            took = time_solves(solver, postures[part], targets[part])
            times[key].append((took.median_us, took.p99_us))
    errors = {
        (row["skeleton"], row["method"]): [row["errors"][name]["mean"] for name in row["errors"]]
        for row in data["results"]
    }
    for method in METHODS:
        batch = solvers[NO_ROOT_TWISTER, method].solve_batch(*samples[NO_ROOT_TWISTER])
        posture = POSTURE_WEIGHT * float(batch.posture_error.mean())
        found = [float(batch.error.mean()), float(batch.orientation_error.mean()), posture]
        errors[NO_ROOT_TWISTER.name, method] = found
    rows = [
        ErikRow(chain, method, *errors[chain.name, method], *np.median(took, axis=0).tolist())
        for (chain, method), took in times.items()
    ]
    rows += [
        _baseline_row(row, errors[row["skeleton"], row["method"]])
        for row in data["results"]
        if row["method"] == "DLS400"
    ]
    own = slice(0, max(floor, 1))
    postures, targets = (array[own] for array in samples[NO_ROOT_TWISTER])
    solved = solvers[NO_ROOT_TWISTER, "optimal"].solve_batch(postures, targets).error
    best = np.minimum(solved, FloorSearch(NO_ROOT_TWISTER.chain()).search(postures, targets)[0])
    return rows, (float(best.mean()), float(solved.mean()))


def _baseline_row(row: dict[str, Any], errors: list[float]) -> ErikRow:
    from sera.kinematics.baselines import PriorityDls

    chain = SKELETONS[row["skeleton"]]
    solver = PriorityDls(chain.chain(), 400, flip_correction=True)
    took = time_solves(solver, *_samples(chain, SOLVES_A_ROUND))
    return ErikRow(chain, "DLS400", *errors, took.median_us, took.p99_us)


def _samples(chain: Skeleton, count: int) -> tuple[np.ndarray, np.ndarray]:
    whole = chain.postures * ORIENTATIONS
    return pairs(chain, draw(whole, count, 0, count, (SEED, len(chain.axes))))


def _main_table(rows: list[ErikRow]) -> list[str]:
    heads = (
        *("chain", "method", "combined error", "orientation", "0.2 · posture"),
        *("document's combined", "p50", "p99", "document's mean"),
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        published = PUBLISHED_ERRORS.get("DLS400" if row.method == "DLS400" else "ERIK")
        theirs = f"{published.combined[0]:.4f}" if published and row.skeleton.name == "C" else "-"
        took = row.skeleton.published
        their_time = f"{took.time_mean_ms:g} ms" if took else "-"
        if row.method == "DLS400":
            their_time = f"{DOCUMENT_DLS400_MS} ms"
        lines.append(
            f"| {row.skeleton.name} {row.skeleton.axes} | {row.method} | {row.error:.5f} "
            f"| {row.orientation:.5f} | {row.weighted_posture:.5f} | {theirs} "
            f"| {row.p50_us:.0f} µs | {row.p99_us:.0f} µs | {their_time} |"
        )
    return lines


def _bars(
    rows: list[ErikRow], data: dict[str, Any], own_floor: tuple[float, float], fraction: float
) -> list[str]:
    best = {row.skeleton.name: row for row in rows if row.method == "optimal"}
    lines = [
        "| bar for `optimal` | found | |",
        "|---|---|---|",
        _bar("combined error of C", best["C"].error, ERROR_BAR_OF_C, "{:.5f}"),
    ]
    worst = max(best[name].orientation for name in "CDEFG")
    lines.append(_bar("orientation error of C to G, the worst", worst, ORIENTATION_BAR, "{:.6f}"))
    floors = [(row["skeleton"], row["floor"], row["optimal"]) for row in data["floors"]]
    lines += [_floor_bar(*row) for row in [*floors, (NO_ROOT_TWISTER.axes, *own_floor)]]
    for name, row in best.items():
        if row.skeleton is NO_ROOT_TWISTER:
            bars = (NO_ROOT_TWISTER_BAR_US, TIME_BARS[5][1])
        elif row.skeleton.dof in TIME_BARS:
            bars = TIME_BARS[row.skeleton.dof]
        else:
            continue
        what = row.skeleton.axes if name == "-" else name
        lines.append(_bar(f"p50 of {what}, µs", row.p50_us, bars[0], "{:.0f}"))
        lines.append(_bar(f"p99 of {what}, µs", row.p99_us, bars[1], "{:.0f}"))
    for each in data["projections"]:
        if each["method"] == "optimal":
            what = (
                f"all 302,374,051 samples, hours on {CORES_OF_BAR} cores, projected from "
                f"{100 * fraction:g} % ({each['wall_h'] * each['cores'] / CORES_OF_BAR:.2f} h at "
                f"the pace of this run, beside whatever else ran)"
            )
            hours = each["cpu_h"] * each["cores"] / CORES_OF_BAR
            lines.append(_bar(what, hours, HOURS_BAR, "{:.2f}"))
    return lines


def _floor_bar(name: str, floor: float, solved: float) -> str:
    what = f"{name}: mean error on the floor's samples ({solved / floor:.4f} of the floor)"
    return _bar(what, solved, bar_of(floor), "{:.5f}")


def _bar(what: str, found: float, bar: float, form: str) -> str:
    verdict = "met" if found <= bar else "MISSED"
    return f"| {what} | {form.format(found)} | ≤ {form.format(bar)}: {verdict} |"
