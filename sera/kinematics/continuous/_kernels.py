"""The sum of partial inverses, compiled: rows that are switched on in part.

Design overview: rows B (r, c) with activations h are inverted once for every subset P of the rows
in transition, together with the rows that are fully on:

    B^{⊕H} = Σ_P k_P · (B_P)⁺        k_P = Π_{i∈P} h_i · Π_{i∉P} (1 - h_i)

Written with Cholesky's factor, (B_P)⁺ = B_Pᵀ · Σ_{i∈P} w_i·w_iᵀ, where w_i is a row of L⁻¹ and
depends on the rows of P up to i alone. Subsets that begin alike share it, and the k_P of all that
begin alike add up to the product over the beginning. So one walk through the tree of beginnings
makes one rank-one update for each, and nothing is inverted twice. All of it happens on G = B·Bᵀ.

A subset that is too near a singularity for that (or for being left undamped), or has more rows
than columns, leaves the walk with everything that begins like it, and each of these is inverted on
its own (`_apart`); its share is taken from the updates above it. Adding rows never makes the
smallest singular value of independent rows larger, so that nothing well-conditioned is lost.

A row at right angles to all others is inverted by itself: its partial inverses are all the same.

Units and frames: none. Threading: no state; arrays come from the caller.
Safety: at most 2^`most` subsets: beyond it the rows nearest to 0 or 1 are taken as such.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.continuous._apart import Apart, Inversion, invert_apart, make_apart
from sera.kinematics.priority._singular import inverted

SETTLED = 1e-10
"""Activations nearer to 0 or 1 than this are 0 or 1: singular values have rounding errors."""
SQUARE = 1e-12
"""Rows whose cosine is smaller are at right angles."""
RELIABLE = 1e-3
"""Smallest to greatest singular value down to which G, which squares it, is exact enough."""


class Workspace(NamedTuple):
    """Where the walk happens; see `make_workspace`."""

    gram: FloatArray  # (r, r) G
    sums: FloatArray  # (r, r) Σ k·w·wᵀ
    shares: FloatArray  # (r,) activations, once they are looked through
    order: IntArray  # (r,) rows that take part: those fully on, then those in transition
    kept: FloatArray  # (r,) their activations in this order
    path: IntArray  # (r,) the beginning that is looked at, as rows
    steps: IntArray  # (r,) the same, as places in `order`
    factors: FloatArray  # (c + 1, c) rows of L⁻¹ along the path
    across: FloatArray  # (c,)
    earned: FloatArray  # (r,) what each node of the path stands for
    others: FloatArray  # (r,) weight with which to go on without it
    squares: FloatArray  # (r + 1,) Σ of squares of L⁻¹ up to there
    apart: Apart


def make_workspace(rows: int, columns: int) -> Workspace:
    """Room for matrices (rows, columns), or smaller ones."""
    return Workspace(
        gram=np.zeros((rows, rows)),
        sums=np.zeros((rows, rows)),
        shares=np.zeros(rows),
        order=np.zeros(rows, dtype=np.int64),
        kept=np.zeros(rows),
        path=np.zeros(rows, dtype=np.int64),
        steps=np.zeros(rows, dtype=np.int64),
        factors=np.zeros((columns + 1, columns)),
        across=np.zeros(columns),
        earned=np.zeros(rows),
        others=np.zeros(rows),
        squares=np.zeros(rows + 1),
        apart=make_apart(rows, columns),
    )


@kernel
def sum_inverses(
    rows: FloatArray,
    activations: FloatArray,
    how: Inversion,
    most: int,
    work: Workspace,
    out: FloatArray,
) -> tuple[int, int]:
    """Write the transpose (r, c) of the continuous inverse of `rows` (r, c).

    `how` says what is done with small singular values, as `inverted` takes it.

    Returns how many partial inverses it is the sum of, and how many rows in transition were taken
    as on or off because there were too many.
    """
    count, width = rows.shape
    gram, sums, shares = work.gram, work.sums, work.shares
    order, kept = work.order, work.kept
    for i in range(count):
        shares[i] = activations[i]
        if abs(shares[i]) <= SETTLED:
            shares[i] = 0.0
        elif abs(1.0 - shares[i]) <= SETTLED:
            shares[i] = 1.0
        for j in range(i + 1):
            total = 0.0
            for k in range(width):
                total += rows[i, k] * rows[j, k]
            gram[i, j] = gram[j, i] = total
            sums[i, j] = sums[j, i] = 0.0
        for k in range(width):
            out[i, k] = 0.0
    alone = _invert_alone(rows, gram, how, shares, out)
    snapped = _snap(shares, most)
    always, taken = _put_in_order(shares, order, kept)
    if taken == 0:
        return min(alone, 1), snapped
    greatest = 0.0
    for place in range(taken):
        greatest = max(greatest, gram[order[place], order[place]])
    least = max(how[0], how[2] if how[1] > 0.0 else 0.0, RELIABLE * math.sqrt(greatest))
    _walk(rows, work, always, taken, how, least, out)
    for i in range(count):
        for j in range(count):
            factor = sums[i, j]
            if factor != 0.0:
                for k in range(width):
                    out[i, k] += factor * rows[j, k]
    subsets = 1 << (taken - always)
    return subsets if always > 0 else subsets - 1, snapped


@kernel
def _invert_alone(
    rows: FloatArray, gram: FloatArray, how: Inversion, shares: FloatArray, out: FloatArray
) -> int:
    """Invert rows at right angles to all others, which are done then; how many there were."""
    count, width = rows.shape
    alone = 0
    for i in range(count):
        if shares[i] == 0.0:
            continue
        square = True
        for j in range(count):
            if j != i and shares[j] != 0.0:
                # A row that is done already stands at right angles to this one.
                square = square and abs(gram[i, j]) <= SQUARE * math.sqrt(gram[i, i] * gram[j, j])
        if not square:
            continue
        size = math.sqrt(gram[i, i])
        factor = inverted(size, how[0], how[1], how[2])
        if factor > 0.0:
            factor *= shares[i] / size
            for k in range(width):
                out[i, k] = factor * rows[i, k]
        shares[i] = 0.0
        alone += 1
    return alone


@kernel
def _snap(shares: FloatArray, most: int) -> int:
    """Take the activations nearest to 0 or 1 as such until `most` are in transition."""
    between = 0
    for i in range(len(shares)):
        if shares[i] != 0.0 and shares[i] != 1.0:
            between += 1
    snapped = 0
    while between > most:
        nearest, chosen = math.inf, -1
        for i in range(len(shares)):
            distance = min(abs(shares[i]), abs(1.0 - shares[i]))
            if 0.0 < distance < nearest:
                nearest, chosen = distance, i
        shares[chosen] = 1.0 if shares[chosen] >= 0.5 else 0.0
        between -= 1
        snapped += 1
    return snapped


@kernel
def _put_in_order(shares: FloatArray, order: IntArray, kept: FloatArray) -> tuple[int, int]:
    """Rows fully on first, then rows in transition; how many of the first, and of both."""
    taken = 0
    for i in range(len(shares)):
        if shares[i] == 1.0:
            order[taken], kept[taken] = i, 1.0
            taken += 1
    always = taken
    for i in range(len(shares)):
        if shares[i] != 0.0 and shares[i] != 1.0:
            order[taken], kept[taken] = i, shares[i]
            taken += 1
    return always, taken


@kernel
def _walk(
    rows: FloatArray,
    work: Workspace,
    always: int,
    taken: int,
    how: Inversion,
    least: float,
    out: FloatArray,
) -> None:
    """Go through all beginnings of subsets, depth first."""
    gram, sums, order, kept = work.gram, work.sums, work.order, work.kept
    path, steps, factors, across = work.path, work.steps, work.factors, work.across
    earned, others, squares = work.earned, work.others, work.squares
    width = rows.shape[1]
    depth, place, weight = 0, 0, 1.0
    squares[0] = 0.0
    while True:
        if place == taken:  # nothing left to add: go back to the last row and leave it out
            if depth == 0:
                return
            depth -= 1
            for a in range(depth + 1):
                for b in range(depth + 1):
                    sums[path[a], path[b]] += earned[depth] * factors[depth, a] * factors[depth, b]
            place, weight = steps[depth] + 1, others[depth]
            if weight == 0.0:  # a row that is fully on is never left out
                place = taken
            continue
        with_it = weight * kept[place]
        without = weight * (1.0 - kept[place]) if place >= always else 0.0
        fits = depth < width and _extend(
            gram, path, depth, order[place], least, factors, across, squares
        )
        path[depth], steps[depth] = order[place], place
        if fits:
            earned[depth], others[depth] = with_it, without
            depth += 1
            place, weight = place + 1, with_it
            continue
        for above in range(depth):
            earned[above] -= with_it
        invert_apart(
            rows, path, depth + 1, order, kept, place + 1, always, taken, with_it,
            how, least, work.apart, out,
        )  # fmt: skip
        place, weight = place + 1, without
        if weight == 0.0:
            place = taken


@kernel
def _extend(
    gram: FloatArray,
    path: IntArray,
    depth: int,
    row: int,
    least: float,
    factors: FloatArray,
    across: FloatArray,
    squares: FloatArray,
) -> bool:
    """Write the row of L⁻¹ by which the path grows; False where that is too near a singularity."""
    pivot = gram[row, row]
    for a in range(depth):
        total = 0.0
        for b in range(a + 1):
            total += factors[a, b] * gram[path[b], row]
        across[a] = total
        pivot -= total * total
    # 1 / |L⁻¹| (Frobenius) is never above the smallest singular value; this root is part of it.
    if pivot <= least * least:
        return False
    inverse = 1.0 / math.sqrt(pivot)
    grown = squares[depth] + inverse * inverse
    for b in range(depth):
        total = 0.0
        for a in range(b, depth):
            total += across[a] * factors[a, b]
        factors[depth, b] = -inverse * total
        grown += factors[depth, b] * factors[depth, b]
    factors[depth, depth] = inverse
    squares[depth + 1] = grown
    return grown * least * least < 1.0
