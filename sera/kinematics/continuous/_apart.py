"""Partial inverses one by one, compiled: subsets that the common walk cannot take.

Design overview: given the beginning of a subset, every way to go on is inverted by itself. With at
least as many rows as columns that happens on the small side, (B_P)⁺ = (B_PᵀB_P)⁻¹·B_Pᵀ: the
inverses are added up, one sum for each row that may be missing and one for those that are in all
of them, and meet their rows at the end. Near a singularity, and for dependent rows, singular
values of the rows themselves are taken (`decompose`), and small ones left out or damped.

Units and frames: none. Threading: no state; arrays come from the caller.
Safety: singular values too small to be any count as nought; see `inverted` for small ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._singular import decompose, inverted

Inversion = tuple[float, float, float]
"""Smallest, damping, near: what stands for one over a singular value, see `inverted`."""


class Apart(NamedTuple):
    """Where single inverses are made; see `make_apart`."""

    members: IntArray  # (r,) rows of one subset
    counts: IntArray  # (r + 1,) how many rows there are after each decision
    shares: FloatArray  # (r + 1,) product of activations after each decision
    grams: FloatArray  # (r + 1, c, c) BᵀB after each decision, lower half
    sums: FloatArray  # (r + 1, c, c) inverses that share their decisions up to there
    inverses: FloatArray  # (r, c, c) inverses that have a row
    gram: FloatArray  # (c, c)
    factors: FloatArray  # (c, c) L⁻¹
    block: FloatArray  # (r * c,) rows of one subset, which become V
    turns: FloatArray  # (s * s,) U, s being the smaller of r and c
    sizes: FloatArray  # (s,)


def make_apart(rows: int, columns: int) -> Apart:
    """Room for matrices (rows, columns), or smaller ones."""
    small, square = min(rows, columns), (columns, columns)
    return Apart(
        members=np.zeros(rows, dtype=np.int64),
        counts=np.zeros(rows + 1, dtype=np.int64),
        shares=np.zeros(rows + 1),
        grams=np.zeros((rows + 1, *square)),
        sums=np.zeros((rows + 1, *square)),
        inverses=np.zeros((rows, *square)),
        gram=np.zeros(square),
        factors=np.zeros(square),
        block=np.zeros(rows * columns),
        turns=np.zeros(small * small),
        sizes=np.zeros(small),
    )


@kernel
def invert_apart(
    rows: FloatArray,
    path: IntArray,
    begun: int,
    order: IntArray,
    kept: FloatArray,
    place: int,
    always: int,
    taken: int,
    weight: float,
    how: Inversion,
    least: float,
    work: Apart,
    out: FloatArray,
) -> None:
    """Add to `out` every subset that begins with the `begun` rows of `path`.

    `order` (from `place`) says which rows may follow; those before `always` have to. `kept` are
    their activations, `weight` is the product over the beginning.
    """
    members, counts, shares, grams = work.members, work.counts, work.shares, work.grams
    sums, inverses, factors = work.sums, work.inverses, work.factors
    width, common = rows.shape[1], begun
    for index in range(begun):
        members[index] = path[index]
    for index in range(place, always):
        members[common] = order[index]
        common += 1
    first = max(place, always)
    free = taken - first
    counts[0], shares[0] = common, weight
    upright = common + free >= width
    if upright:
        _begin(rows, members, common, free, grams[0], inverses)
    for mask in range(1 << free):
        # The first row is the highest bit: subsets that follow each other differ in the last few.
        for row in range(_first_changed(mask, free), free):
            _decide(
                rows, order[first + row], kept[first + row], mask >> (free - 1 - row) & 1 == 1,
                row, upright, counts, shares, grams,
            )  # fmt: skip
        if counts[free] >= width and _invert_lower(grams[free], least, work.gram, factors):
            _set_inverse(factors, shares[free], sums[free])
        else:
            count = common
            for row in range(free):
                if mask >> (free - 1 - row) & 1:
                    members[count] = order[first + row]
                    count += 1
            _add_singular(rows, members, count, shares[free], how, work, out)
            if upright:
                sums[free][:, :] = 0.0
        if upright:
            _close(mask, free, sums, inverses)
    if upright:
        for index in range(common):
            _times(sums[0], rows, members[index], out)
        for row in range(free):
            _times(inverses[row], rows, order[first + row], out)


@kernel
def _begin(
    rows: FloatArray,
    members: IntArray,
    common: int,
    free: int,
    gram: FloatArray,
    inverses: FloatArray,
) -> None:
    """Write BᵀB of the rows that are in all subsets, and clear the sums of the others."""
    width = rows.shape[1]
    for a in range(width):
        for b in range(a + 1):
            total = 0.0
            for index in range(common):
                total += rows[members[index], a] * rows[members[index], b]
            gram[a, b] = total
            for row in range(free):
                inverses[row, a, b] = 0.0


@kernel
def _first_changed(mask: int, free: int) -> int:
    """Which row is decided anew after counting up to `mask`: the highest bit that changed."""
    if mask == 0:
        return 0
    bit = 0
    while not mask >> bit & 1:
        bit += 1
    return free - 1 - bit


@kernel
def _decide(
    rows: FloatArray,
    number: int,
    activation: float,
    has_it: bool,
    depth: int,
    upright: bool,
    counts: IntArray,
    shares: FloatArray,
    grams: FloatArray,
) -> None:
    """Take a row into the subset, or leave it out."""
    counts[depth + 1] = counts[depth] + 1 if has_it else counts[depth]
    shares[depth + 1] = shares[depth] * (activation if has_it else 1.0 - activation)
    if not upright:
        return
    for a in range(rows.shape[1]):
        scaled = rows[number, a] if has_it else 0.0
        for b in range(a + 1):
            grams[depth + 1, a, b] = grams[depth, a, b] + scaled * rows[number, b]


@kernel
def _close(mask: int, free: int, sums: FloatArray, inverses: FloatArray) -> None:
    """Hand the sum of a subset to the decisions that it shares with those before it."""
    width = sums.shape[1]
    for depth in range(free, 0, -1):
        has_it = mask >> (free - depth) & 1
        for a in range(width):
            for b in range(a + 1):
                value = sums[depth, a, b]
                if has_it:
                    inverses[depth - 1, a, b] += value
                    sums[depth - 1, a, b] += value
                else:
                    sums[depth - 1, a, b] = value
        if not has_it:  # those with this row are still to come
            return


@kernel
def _invert_lower(gram: FloatArray, least: float, across: FloatArray, factors: FloatArray) -> bool:
    """Write L⁻¹ of a symmetric matrix; False where its singular values come near `least`²."""
    grown = 0.0
    for row in range(len(gram)):
        pivot = gram[row, row]
        for a in range(row):
            total = 0.0
            for b in range(a + 1):
                total += factors[a, b] * gram[row, b]
            across[a, row] = total
            pivot -= total * total
        if pivot <= least * least:
            return False
        inverse = 1.0 / math.sqrt(pivot)
        grown += inverse * inverse
        for b in range(row):
            total = 0.0
            for a in range(b, row):
                total += across[a, row] * factors[a, b]
            factors[row, b] = -inverse * total
            grown += factors[row, b] * factors[row, b]
        factors[row, row] = inverse
    return grown * least * least < 1.0


@kernel
def _set_inverse(factors: FloatArray, share: float, inverse: FloatArray) -> None:
    """Write a share of L⁻ᵀ·L⁻¹, below the diagonal and on it."""
    width = len(factors)
    for a in range(width):
        for b in range(a + 1):
            total = 0.0
            for row in range(a, width):
                total += factors[row, a] * factors[row, b]
            inverse[a, b] = share * total


@kernel
def _times(inverse: FloatArray, rows: FloatArray, row: int, out: FloatArray) -> None:
    """Add the symmetric matrix, of which half is written, times a row to that row of `out`."""
    width = len(inverse)
    for a in range(width):
        total = 0.0
        for b in range(width):
            total += (inverse[a, b] if b <= a else inverse[b, a]) * rows[row, b]
        out[row, a] += total


@kernel
def _add_singular(
    rows: FloatArray,
    members: IntArray,
    count: int,
    share: float,
    how: Inversion,
    work: Apart,
    out: FloatArray,
) -> None:
    """Add a share of the pseudoinverse of some rows by their singular values."""
    width = rows.shape[1]
    upright = count > width  # then columns are turned against each other
    small, large = (width, count) if upright else (count, width)
    block = work.block[: small * large].reshape(small, large)
    turns = work.turns[: small * small].reshape(small, small)
    sizes = work.sizes[:small]
    for index in range(count):
        for k in range(width):
            value = rows[members[index], k]
            if upright:
                block[k, index] = value
            else:
                block[index, k] = value
    decompose(block, turns, sizes)
    for direction in range(small):
        factor = share * inverted(sizes[direction], how[0], how[1], how[2])
        if factor == 0.0:
            continue
        for index in range(count):
            for k in range(width):
                if upright:
                    product = block[direction, index] * turns[direction, k]
                else:
                    product = turns[direction, index] * block[direction, k]
                out[members[index], k] += factor * product
