"""Levels of tasks by the continuous inverse: tasks come and go while the body moves.

Design overview: each level takes what the ones above leave, N, and leaves less:

    v   += k · J^{N⊕} · (wanted - J·v)
    N   -= J^{N⊕} · J · N

The first level has N = 1, so that its inverse is J^{⊕H}. The document prints a form that makes up
for the level just above alone (7.3), which is wrong from the third level on; this one makes up for
all. It also prints the second line without the N at its end (3.9, 7.2). With all activations at 0
or 1 that is no projector: where the first level is on, the third then disturbs the second. See
`Recursion`.

Two things go wrong in long transitions all the same, and are mended as the document does:

    bounded    N may grow above 1 from the second level on; it is divided by its greatest singular
               value then
    gate       a level that is switched on in part is disturbed by the ones below; these fade out
               while it has an error, k = Π of `error_gate` over all levels above

A lower level may have activations as well: its inverse is then the mean over the subsets of its
rows in transition, each a right continuous inverse.

    limits = JointLimits.of(tree)
    hierarchy = ContinuousHierarchy(tree.dof)
    velocity = hierarchy.solve([
        limits.level(angles),
        Level(limits.scaled(hand_rows), hand_velocity, errors=(distance_m, angle)),
        Level(limits.scaled(other_rows), other_velocity),
    ])
    angles += dt_s * limits.unscaled(velocity)

Units and frames: columns of all levels as the joints are (normalised, if a level of limits is
among them); errors in the unit of the gate. Threading: one owner.
Safety: velocities are not limited here; clamp errors (`clamp_error`) before they become wishes.
NaN is refused. `bounded=False` and `gate=None` are there to show what goes wrong without them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.continuous._kernels import SETTLED, sum_inverses
from sera.kinematics.continuous._recursion import take_level
from sera.kinematics.continuous._right import right_inverse
from sera.kinematics.continuous.inverse import (
    MOST_IN_TRANSITION,
    TRUNCATED,
    ContinuousInverse,
    check_bound,
    checked_activations,
    checked_matrix,
    inversion_of,
    workspace,
)
from sera.kinematics.continuous.levels import (
    DOCUMENT_GATE,
    Gate,
    Level,
    LevelReport,
    Recursion,
)
from sera.kinematics.priority.manner import Damping


class ContinuousHierarchy:
    """Levels of tasks for a number of joints."""

    def __init__(
        self,
        joints: int,
        *,
        bounded: bool = True,
        gate: Gate | None = DOCUMENT_GATE,
        recursion: Recursion | str = Recursion.PROJECTED,
        damping: Damping = TRUNCATED,
        most_in_transition: int = MOST_IN_TRANSITION,
    ) -> None:
        """Make room for levels of any height.

        Args:
            joints: how many columns the Jacobians have.
            bounded: whether N is kept from growing above 1.
            gate: up to which error lower levels take part; None: always.
            recursion: `projected`, or `document` for the null-space document's.
            damping: what the inverses do with small singular values.
            most_in_transition: rows of a level that may be in transition before some are snapped.

        Raises:
            ValueError: settings out of their range.
        """
        if joints < 1:
            raise ValueError(f"A hierarchy of {joints} joints moves nothing; give 1 or more.")
        check_bound(most_in_transition)
        self.joints, self.bounded, self.gate = joints, bounded, gate
        self.recursion = Recursion(recursion)
        self._how, self._most = inversion_of(damping), most_in_transition
        self._null = np.eye(joints)
        self._vectors, self._turns = np.empty((joints, joints)), np.empty((joints, joints))
        self._sizes = np.empty(joints)
        self._reports: list[LevelReport] = []

    def solve(self, levels: Sequence[Level]) -> FloatArray:
        """The velocity (n,) of the joints that these levels ask for, the highest first.

        Raises:
            ValueError: NaN, wrong sizes, activations outside of 0 to 1.
        """
        self._reports.clear()
        self._null[:] = np.eye(self.joints)
        velocity, passes = np.zeros(self.joints), 1.0
        for number, level in enumerate(levels):
            rows, wanted = self._checked(level, number)
            found = self._inverse(rows, level.activations, number)
            left = rows if self.recursion is Recursion.DOCUMENT else rows @ self._null
            greatest = take_level(
                rows, wanted, left, found.matrix, passes, self.bounded and number > 0, velocity,
                self._null, self._vectors, self._turns, self._sizes,
            )  # fmt: skip
            self._reports.append(
                LevelReport(found.partial_inverses, found.snapped, passes, greatest)
            )
            if self.gate is not None and level.errors is not None:
                passes *= self.gate.share(self._checked_errors(level.errors, number))
        return velocity

    @property
    def report(self) -> tuple[LevelReport, ...]:
        """What happened in the last call, one a level."""
        return tuple(self._reports)

    @property
    def null(self) -> FloatArray:
        """What the last call's levels left, N (n, n), bounded. A copy."""
        return self._null.copy()

    def _inverse(
        self, rows: FloatArray, activations: ArrayLike | None, number: int
    ) -> ContinuousInverse:
        if number > 0 and activations is None:
            return self._right_of(rows, self._most)
        on = checked_activations(
            np.ones(len(rows)) if activations is None else activations, len(rows)
        )
        return self._left(rows, on) if number == 0 else self._right(rows, on)

    def _left(self, rows: FloatArray, on: FloatArray) -> ContinuousInverse:
        out = np.empty_like(rows)
        counts = sum_inverses(rows, on, self._how, self._most, workspace(*rows.shape), out)
        return ContinuousInverse(np.ascontiguousarray(out.T), *counts)

    def _right(self, rows: FloatArray, on: FloatArray) -> ContinuousInverse:
        """Within what is left; the mean over the subsets of rows in transition."""
        between = np.flatnonzero((on > SETTLED) & (on < 1.0 - SETTLED))
        surplus = max(len(between) - self._most, 0)
        if surplus:
            nearest = np.argsort(np.minimum(on[between], 1.0 - on[between]), kind="stable")
            settled = between[nearest[:surplus]]
            on = on.copy()
            on[settled] = np.where(on[settled] >= 0.5, 1.0, 0.0)
            between = np.sort(between[nearest[surplus:]])
        has = on >= 0.5
        matrix, partial, snapped = np.zeros((self.joints, len(rows))), 0, surplus
        for choice in itertools.product((True, False), repeat=len(between)):
            has[between] = choice
            if not has.any():
                continue
            weight = math.prod(np.where(choice, on[between], 1.0 - on[between]).tolist())
            part = self._right_of(np.ascontiguousarray(rows[has]), self._most - len(between))
            matrix[:, has] += weight * part.matrix
            partial += part.partial_inverses
            snapped = max(snapped, surplus + part.snapped)
        return ContinuousInverse(matrix, partial, snapped)

    def _right_of(self, rows: FloatArray, most: int) -> ContinuousInverse:
        shape = (self.joints, len(rows))
        carried, out, inverse = np.empty(shape), np.empty(shape), np.empty(shape)
        counts = right_inverse(
            rows, self._turns, self._sizes, self._how, most, carried, workspace(*shape), out,
            inverse,
        )  # fmt: skip
        return ContinuousInverse(inverse, *counts)

    def _checked(self, level: Level, number: int) -> tuple[FloatArray, FloatArray]:
        rows = checked_matrix(level.jacobian, f"Jacobian of level {number + 1}")
        wanted = np.array(level.velocity, dtype=np.float64)
        if rows.shape[1] != self.joints or wanted.shape != (len(rows),):
            raise ValueError(
                f"Level {number + 1} has a Jacobian of the shape {rows.shape} and velocities of "
                f"{wanted.shape}; for {self.joints} joints they are (m, {self.joints}) and (m,)."
            )
        if not np.isfinite(wanted).all():
            raise ValueError(f"Level {number + 1} wants {level.velocity!r}; give finite numbers.")
        return rows, wanted

    def _checked_errors(self, errors: Sequence[float], number: int) -> Sequence[float]:
        if len(errors) == 0 or not all(error >= 0.0 for error in errors):
            raise ValueError(
                f"The errors of level {number + 1} are {errors!r}; give one or more, of 0 or above."
            )
        return errors
