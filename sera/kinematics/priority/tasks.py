"""Tasks of the priority controller: what is asked of which part of the body.

Design overview: a task says what it is about (an end point, the centre of mass, the joints) and
how strongly it pulls; it is immutable. A controller gives out one handle a task, by which its
target is set and its state is read.

Units and frames: metres, radians, seconds; base frame of the body, Y up; gains in 1/s.
Threading: specifications are immutable; a handle belongs to whoever steps the controller.
Safety: targets are checked when they are set; NaN never comes in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._inverse_goals import NO_PLACE, NO_TURN, goal_of
from sera.kinematics.priority import _rows as columns

if TYPE_CHECKING:
    from sera.kinematics.tree import Tree

Three = tuple[float, float, float]
FAR_M = 0.1
"""Errors beyond this pull no harder."""
FAR_RAD = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something that is asked of the body."""

    kind: ClassVar[int] = columns.OWN
    rows: ClassVar[int] = 0

    name: str
    gain: float = 10.0
    """How fast an error is made good, 1/s."""

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("A task needs a name, by which its target is set.")
        if not (math.isfinite(self.gain) and self.gain >= 0.0):
            raise ValueError(f"Task {self.name!r}: gain is {self.gain}; give 0 or more, in 1/s.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndPointTask(Task):
    """A task of an end point of the tree."""

    end_point: str
    far_m: float = FAR_M
    far_rad: float = FAR_RAD


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseTask(EndPointTask):
    """Place and orientation of an end point: 6 rows."""

    kind: ClassVar[int] = columns.POSE
    rows: ClassVar[int] = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionTask(EndPointTask):
    """Place of an end point: 3 rows."""

    kind: ClassVar[int] = columns.POSITION
    rows: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OrientationTask(EndPointTask):
    """Orientation of an end point: 3 rows."""

    kind: ClassVar[int] = columns.ORIENTATION
    rows: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GazeTask(EndPointTask):
    """A direction of an end point looks at a point, and may roll about it: 2 rows."""

    kind: ClassVar[int] = columns.GAZE
    rows: ClassVar[int] = 2

    axis: Three = (0.0, 0.0, 1.0)
    """What looks, in the frame of the end point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CentreOfMassTask(Task):
    """Where on the floor the centre of mass is: 2 rows."""

    kind: ClassVar[int] = columns.CENTRE
    rows: ClassVar[int] = 2

    far_m: float = FAR_M


@dataclass(frozen=True, slots=True, kw_only=True)
class PostureTask(Task):
    """Angles of joints; always the last level."""

    gain: float = 3.0
    joints: tuple[str, ...] | None = None
    """Which take part; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsTask(Task):
    """Rows that somebody else computes: `handle.set_rows(jacobian, velocities)` in every step."""

    count: int

    def __post_init__(self) -> None:
        Task.__post_init__(self)
        if self.count < 1:
            raise ValueError(f"Task {self.name!r}: {self.count} rows are none; give 1 or more.")


class TaskState(NamedTuple):
    """How far a task is from its target."""

    distance_m: float
    angle_rad: float


class TaskHandle:
    """Sets the target of one task of a controller and reads its state."""

    def __init__(
        self, task: Task, facts: FloatArray, numbers: IntArray, rows: FloatArray, errors: FloatArray
    ) -> None:
        """Made by the controller: views into its tables."""
        self.task = task
        self._facts, self._numbers = facts, numbers
        self._rows, self._errors = rows, errors
        self.activation = 0.0

    @property
    def activation(self) -> float:
        """How much the task counts, 0-1; it has a target before it is above 0."""
        return float(self._facts[columns.ACTIVE])

    @activation.setter
    def activation(self, share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"Task {self.task.name!r}: activation is {share}; give 0 to 1.")
        self._facts[columns.ACTIVE] = share

    @property
    def state(self) -> TaskState:
        """As it was when the last step began."""
        distance, angle = self._facts[columns.FOUND : columns.FOUND + 2].tolist()
        return TaskState(distance, angle)

    def set(
        self,
        position_m: ArrayLike | None = None,
        orientation_wxyz: ArrayLike | None = None,
        *,
        velocity_m_s: ArrayLike = NO_PLACE,
        spin_rad_s: ArrayLike = NO_PLACE,
    ) -> None:
        """Set the target and switch the task on.

        Args:
            position_m: place of an end point, point to look at, or centre of mass (y is not read).
            orientation_wxyz: of an end point.
            velocity_m_s: how the target moves itself: feed-forward.
            spin_rad_s: how it turns.

        Raises:
            ValueError: NaN, wrong sizes, or a part that this task needs is missing.
        """
        kind = self.task.kind
        self._needs(position_m, "position_m", kind not in (columns.ORIENTATION, columns.OWN))
        self._needs(
            orientation_wxyz, "orientation_wxyz", kind in (columns.POSE, columns.ORIENTATION)
        )
        goal = goal_of(
            NO_PLACE if position_m is None else position_m,
            NO_TURN if orientation_wxyz is None else orientation_wxyz,
        )
        facts = self._facts
        facts[columns.PLACE : columns.PLACE + 7] = goal
        facts[columns.SPEED : columns.SPEED + 3] = self._three(velocity_m_s, "velocity_m_s")
        facts[columns.SPIN : columns.SPIN + 3] = self._three(spin_rad_s, "spin_rad_s")
        self._numbers[columns.TOWARDS] = 0
        self._switch_on()

    def set_direction(self, direction: ArrayLike, *, spin_rad_s: ArrayLike = NO_PLACE) -> None:
        """Let a gaze look along a direction rather than at a point."""
        if self.task.kind != columns.GAZE:
            raise LookupError(f"Task {self.task.name!r} has no direction; only a gaze has.")
        wish = self._three(direction, "direction")
        size = float(np.linalg.norm(wish))
        if size < 1e-9:
            raise ValueError(f"Task {self.task.name!r}: direction is {direction!r}, which is none.")
        facts = self._facts
        facts[columns.PLACE : columns.PLACE + 3] = wish / size
        facts[columns.SPEED : columns.SPEED + 3] = 0.0
        facts[columns.SPIN : columns.SPIN + 3] = self._three(spin_rad_s, "spin_rad_s")
        self._numbers[columns.TOWARDS] = 1
        self._switch_on()

    def set_rows(self, jacobian: ArrayLike, velocities: ArrayLike) -> None:
        """Give a `RowsTask` its rows (rows, dof) and wanted velocities (rows,) for one step."""
        if self.task.kind != columns.OWN:
            raise LookupError(f"Task {self.task.name!r} has rows of its own; set its target.")
        rows = np.asarray(jacobian, dtype=np.float64)
        wanted = np.asarray(velocities, dtype=np.float64)
        if rows.shape != self._rows.shape or wanted.shape != self._errors.shape:
            raise ValueError(
                f"Task {self.task.name!r} takes rows of the shape {self._rows.shape} and "
                f"{len(self._errors)} velocities; given were {rows.shape} and {wanted.shape}."
            )
        if not (np.isfinite(rows).all() and np.isfinite(wanted).all()):
            raise ValueError(f"Task {self.task.name!r}: its rows are not finite numbers.")
        self._rows[:], self._errors[:] = rows, wanted
        self._switch_on()

    def _switch_on(self) -> None:
        if self.activation == 0.0:
            self.activation = 1.0

    def _needs(self, given: object, what: str, needed: bool) -> None:
        if needed and given is None:
            raise ValueError(f"Task {self.task.name!r} needs {what}.")
        if not needed and given is not None:
            raise ValueError(f"Task {self.task.name!r} has no {what}; leave it out.")

    def _three(self, values: ArrayLike, what: str) -> FloatArray:
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.shape != (3,) or not math.isfinite(float(numbers.sum())):
            raise ValueError(
                f"Task {self.task.name!r}: {what} is {values!r}; give three finite numbers."
            )
        return numbers


def row_count(task: Task) -> int:
    """How many rows a task has."""
    return task.count if isinstance(task, RowsTask) else task.rows


def write_task(
    task: Task, tree: Tree, facts: FloatArray, numbers: IntArray, row: int, level: int
) -> None:
    """Fill a task's row of the tables."""
    numbers[columns.KIND], numbers[columns.ROW], numbers[columns.JOINT] = task.kind, row, -1
    numbers[columns.LEVEL] = level
    facts[columns.GAINS : columns.GAINS + 2] = task.gain
    facts[columns.CLAMPS : columns.CLAMPS + 2] = FAR_M, FAR_RAD
    facts[columns.ORIENT : columns.ORIENT + 4] = NO_TURN
    if isinstance(task, CentreOfMassTask):
        facts[columns.CLAMPS] = task.far_m
    if not isinstance(task, EndPointTask):
        return
    joint, offset_m, zero_wxyz = tree.end_in_zero_pose(task.end_point)
    numbers[columns.JOINT] = joint
    facts[columns.OFFSET : columns.OFFSET + 3] = offset_m
    facts[columns.TURN : columns.TURN + 4] = zero_wxyz
    facts[columns.CLAMPS : columns.CLAMPS + 2] = task.far_m, task.far_rad
    if isinstance(task, GazeTask):
        from sera.kinematics.rotations import rotate

        size = math.hypot(*task.axis)
        if size < 1e-9:
            raise ValueError(f"Task {task.name!r}: axis is {task.axis}; a direction has a length.")
        facts[columns.AXIS : columns.AXIS + 3] = rotate(zero_wxyz, np.array(task.axis) / size)


def check_names(tasks: Sequence[Task]) -> None:
    """Refuse two tasks of one name."""
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two tasks are called {name!r}; each needs a name of its own.")
