"""A task-priority controller: many things are asked of a body, and lower ones never disturb higher.

Design overview: levels of tasks, the highest first, a posture at the end. In every step each task
says how its rows should move; a level gets what the ones above leave (`_levels`). Ends of joints
and balance stand above all of it (`_limits`). The whole step is one compiled call (`_step`).

    controller = PriorityController(
        tree,
        [[PoseTask(name="hand", end_point="right")], [GazeTask(name="gaze", end_point="head")]],
        posture=PostureTask(name="posture"),
    )
    controller.start_from(angles)
    controller["hand"].set(place, orientation, velocity_m_s=speed)
    controller.wish(posture_rad, velocity_rad_s)
    angles = controller.step(0.01)

Units and frames: radians (metres for joints that slide), metres, seconds; base frame, Y up.
Threading: one owner. A step releases the interpreter lock.
Safety: angles stay within the joints' ends and speeds below theirs. A first level that asks for
more speed than a joint has is done more slowly, and the joint is named (`Report.too_fast`); lower
levels may use a share of the speed only. A target that cannot be reached is approached as far as
the body goes, without a jump: the farther it is, the more the inverse is damped;
`controller[name].state` says how far it is. Joints without any limit of speed have no cap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sera.kinematics._angles import checked_angles, nearest_of
from sera.kinematics._arrays import FloatArray
from sera.kinematics.priority._levels import CHIAVERINI, STRICT, Scratch, Stack
from sera.kinematics.priority._limits import (
    DAMPED,
    DOCUMENT,
    EDGES_HELD,
    NONE,
    Bounds,
    Floor,
)
from sera.kinematics.priority._packed import Motion, packed, take_packed_step
from sera.kinematics.priority._rows import TASK_FLOATS, TASK_INTS, Skeleton
from sera.kinematics.priority._step import AT_END, TOO_FAST, Manner, Tasks
from sera.kinematics.priority.manner import Damping, Form, Limits
from sera.kinematics.priority.tasks import (
    CentreOfMassTask,
    PostureTask,
    Task,
    TaskHandle,
    check_names,
    row_count,
    write_task,
)
from sera.kinematics.support import Support
from sera.kinematics.tree import Tree

_FORMS = {Form.STRICT: STRICT, Form.CHIAVERINI: CHIAVERINI}
_LIMITS = {Limits.DAMPED: DAMPED, Limits.DOCUMENT: DOCUMENT, Limits.NONE: NONE}
_FASTEST = 1e9
NEAR_SINGULAR = Damping()
"""What is damped unless somebody says otherwise."""


class LevelReport(NamedTuple):
    """How one level fared in the last step."""

    least_singular: float
    """The smallest singular value that is not nought; infinite for a level without rows."""
    scale: float
    """How much of it was done within the caps of speed, 0-1."""
    leak: float
    """The most that lower levels moved one of its rows: rounding errors, or something is wrong."""


class Report(NamedTuple):
    """What happened in the last step."""

    levels: tuple[LevelReport, ...]
    posture_scale: float
    directions_used: int
    too_fast: tuple[str, ...]
    """Joints that move as fast as they can, and should move faster."""
    at_end: tuple[str, ...]
    """Joints at the end of their range."""
    edges_held: int
    """Edges of the support polygon that stopped the centre of mass."""


class PriorityController:
    """Levels of tasks on one tree."""

    def __init__(
        self,
        tree: Tree,
        levels: Sequence[Sequence[Task]],
        *,
        posture: PostureTask | None = None,
        form: Form | str = Form.STRICT,
        damping: Sequence[Damping] | Damping = NEAR_SINGULAR,
        limits: Limits | str = Limits.DAMPED,
        band_share: float = 0.05,
        limit_gain: float = 2.0,
        speed_share: float = 0.8,
        support: Support | None = None,
        locked: Iterable[str] = (),
    ) -> None:
        """Lay out the levels.

        Args:
            tree: the body.
            levels: the highest first, each with its tasks.
            posture: what the joints do with what is left; None: nothing.
            form: `strict`, or `chiaverini` for the null-space document's.
            damping: of the inverses, for all levels or for each.
            limits: `damped`, `document` (the null-space document's level), or `none`.
            band_share: of a joint's half range at each end where it is held.
            limit_gain: of the document's level, 1/s.
            speed_share: of a joint's greatest speed that lower levels may use.
            support: where the centre of mass may be.
            locked: joints that may not move.

        Raises:
            ValueError: unknown end points or joints, two tasks of one name, no mass for balance.
        """
        self.tree = tree
        tasks = [task for level in levels for task in level]
        check_names([*tasks, *([posture] if posture else [])])
        self.posture = posture
        self._form = _FORMS[Form(form)]
        joints = tree.dof
        counts = [sum(row_count(task) for task in level) for level in levels]
        for level, count in enumerate(counts):
            if count > joints:
                raise ValueError(
                    f"Level {level + 1} asks for {count} rows of {joints} joints; spread its tasks "
                    "over several levels."
                )
        first = np.cumsum([0, EDGES_HELD, *counts]).astype(np.int64)
        rows, depth = int(first[-1]), len(counts) + 1
        dampings = [damping] * len(counts) if isinstance(damping, Damping) else list(damping)
        if len(dampings) != len(counts):
            raise ValueError(f"{len(dampings)} dampings for {len(counts)} levels; give one each.")
        with_centre = support is not None or any(isinstance(t, CentreOfMassTask) for t in tasks)
        if with_centre and tree.mass_kg <= 0.0:
            raise ValueError(f"{tree.name!r} has no masses, so that balance cannot be kept.")
        self._manner = Manner(
            self._form, _LIMITS[Limits(limits)], limit_gain, support is not None, with_centre
        )
        speeds = np.minimum(tree.velocity_limits, _FASTEST)
        arrays = packed(
            _skeleton(tree),
            Tasks(
                numbers=np.zeros((len(tasks), TASK_INTS), dtype=np.int64),
                table=np.zeros((len(tasks), TASK_FLOATS)),
                counts=np.array([row_count(task) for task in tasks], dtype=np.int64),
                kept=np.zeros((rows, joints)),
                mixed=np.zeros(joints),
                trial=np.zeros(joints),
            ),
            Stack(
                rows=np.zeros((rows, joints)),
                errors=np.zeros(rows),
                first=first,
                inverses=np.array([Damping.guard().row, *(each.row for each in dampings)]),
                strain=np.zeros(depth),
                posture=np.zeros(joints),
                joins=self._joining(posture),
                caps=speed_share * speeds,
                speeds=speeds,
            ),
            _scratch(joints, depth),
            self._bounded(band_share, locked),
            Floor(*(support or Support.anywhere()).kernel_values),
            Motion(tree.neutral, np.zeros(joints), np.zeros(joints, dtype=np.int64)),
        )
        self._packed = arrays
        self._stack, self._scratch = arrays.stack, arrays.scratch
        self._angles, self._velocity, self._marks = arrays.motion
        self._handles: dict[str, TaskHandle] = {}
        self._lay_out(levels)
        self._edges_held = 0
        self._wish, self._wish_speed = self._angles.copy(), np.zeros(joints)

    def _lay_out(self, levels: Sequence[Sequence[Task]]) -> None:
        rows, errors, first = self._stack.rows, self._stack.errors, self._stack.first
        table, all_numbers = self._packed.tasks.table, self._packed.tasks.numbers
        number = 0
        for level, tasks in enumerate(levels):
            row = int(first[level + 1])
            for task in tasks:
                if isinstance(task, PostureTask):
                    raise ValueError(  # noqa: TRY004 - the type is right, the place is not
                        f"{task.name!r} is a posture: give it as `posture`; it is the last level."
                    )
                facts, numbers = table[number], all_numbers[number]
                write_task(task, self.tree, facts, numbers, row, level + 1)
                end = row + row_count(task)
                handle = TaskHandle(task, facts, numbers, rows[row:end], errors[row:end])
                self._handles[task.name] = handle
                row, number = end, number + 1

    def _joining(self, posture: PostureTask | None) -> FloatArray:
        joins = np.zeros(self.tree.dof)
        if posture is not None:
            names = self.tree.joint_names if posture.joints is None else posture.joints
            joins[[self.tree.index(name) for name in names]] = 1.0
        return joins

    def _bounded(self, band_share: float, locked: Iterable[str]) -> Bounds:
        if not 0.0 < band_share <= 1.0:
            raise ValueError(f"band_share is {band_share}; give a share above 0 and up to 1.")
        moves = np.ones(self.tree.dof)
        moves[[self.tree.index(name) for name in locked]] = 0.0
        endless = self.tree.continuous
        lower = np.where(endless, -_FASTEST, self.tree.lower_rad)
        upper = np.where(endless, _FASTEST, self.tree.upper_rad)
        bands = np.where(endless, math.pi, 0.5 * band_share * (upper - lower))
        return Bounds(lower, upper, np.maximum(bands, 1e-9), moves)

    # -- targets ----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> TaskHandle:
        """A task by its name, to set its target."""
        try:
            return self._handles[name]
        except KeyError:
            raise LookupError(
                f"There is no task {name!r}; {nearest_of(name, self._handles)}"
            ) from None

    def wish(self, posture_rad: ArrayLike, velocity_rad_s: ArrayLike | None = None) -> None:
        """The posture (dof,) to take where nothing else needs the joints, and how it moves."""
        names, owner = self.tree.joint_names, self.tree.name
        self._wish[:] = checked_angles(posture_rad, names, owner)
        if velocity_rad_s is None:
            self._wish_speed[:] = 0.0
        else:
            self._wish_speed[:] = checked_angles(velocity_rad_s, names, owner)

    def start_from(self, angles_rad: ArrayLike) -> None:
        """The body is there now."""
        self._angles[:] = self.tree.clamp(angles_rad)
        self._velocity[:] = 0.0

    def place(self, angles_rad: FloatArray, which: NDArray[np.bool_]) -> None:
        """Put some joints where somebody else has moved them; meant for locked ones."""
        self._angles[which] = angles_rad[which]

    # -- motion -----------------------------------------------------------------------------

    def step(self, dt_s: float) -> FloatArray:
        """Move on by a time; the angles (dof,) after it, a view that the next step changes."""
        if not 0.0 < dt_s < 1.0:
            raise ValueError(f"dt_s is {dt_s}; a step takes more than nothing and less than 1 s.")
        if self.posture is not None:
            wanted = self._stack.posture
            np.subtract(self._wish, self._angles, out=wanted)
            wanted *= self.posture.gain
            wanted += self._wish_speed
        arrays = self._packed
        self._edges_held = take_packed_step(
            arrays.floats,
            arrays.whole,
            arrays.sizes,
            arrays.floor.margin_m,
            arrays.floor.time_s,
            self._manner,
            dt_s,
        )
        return self._angles

    @property
    def angles_rad(self) -> FloatArray:
        """Where the body is (dof,). A copy."""
        return self._angles.copy()

    @property
    def edges_held(self) -> int:
        """Edges of the support polygon that stopped the centre of mass in the last step."""
        return self._edges_held

    @property
    def velocity_rad_s(self) -> FloatArray:
        """How the joints moved in the last step (dof,), before ends cut it. A copy."""
        return self._velocity.copy()

    def _least_singular(self, level: int) -> float:
        """Exactly: a level that went the quick way left its triangle behind and a bound."""
        count = int(self._stack.first[level + 1] - self._stack.first[level])
        triangle = self._scratch.lower[level, :count, :count]
        if count == 0 or triangle[0, 0] == 0.0 or math.isinf(self._scratch.least[level]):
            return float(self._scratch.least[level])
        return float(np.linalg.svd(triangle, compute_uv=False)[-1])

    @property
    def report(self) -> Report:
        """What happened in the last step."""
        scratch, names = self._scratch, np.array(self.tree.joint_names)
        levels = zip(
            (self._least_singular(level) for level in range(1, len(scratch.least))),
            scratch.scales[1:-1].tolist(),
            scratch.leaks[1:].tolist(),
            strict=True,
        )
        return Report(
            levels=tuple(LevelReport(*each) for each in levels),
            posture_scale=float(scratch.scales[-1]),
            directions_used=int(scratch.used[0]),
            too_fast=tuple(names[self._marks & TOO_FAST > 0].tolist()),
            at_end=tuple(names[self._marks & AT_END > 0].tolist()),
            edges_held=self._edges_held,
        )


def _scratch(joints: int, depth: int) -> Scratch:
    square, row = (joints, joints), (joints,)
    return Scratch(
        weights=np.ones(row),
        base=np.zeros(row),
        basis=np.zeros(square),
        block=np.zeros(square),
        kept=np.zeros(square),
        lower=np.zeros((depth, *square)),
        turns=np.zeros(square),
        sizes=np.zeros(row),
        wanted=np.zeros(row),
        change=np.zeros(row),
        sums=np.zeros((depth, joints)),
        least=np.zeros(depth),
        scales=np.ones(depth + 1),
        leaks=np.zeros(depth),
        used=np.zeros(1, dtype=np.int64),
    )


def _skeleton(tree: Tree) -> Skeleton:
    count = len(tree.joints)
    masses, centres = tree.mass_arrays
    return Skeleton(
        tree=tree.kernel_arrays,
        masses=masses,
        centres=centres,
        positions=np.zeros((count, 3)),
        turns=np.zeros((count, 4)),
        directions=np.zeros((count, 3)),
        end_m=np.zeros(3),
        end_wxyz=np.zeros(4),
        jacobian=np.zeros((6, tree.dof)),
        centre_m=np.zeros(3),
        centre_jacobian=np.zeros((3, tree.dof)),
        moments=np.zeros((count, 3)),
        carried=np.zeros(count),
    )
