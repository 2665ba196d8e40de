"""Several end points at once: a head and two arms that share the trunk.

Design overview: `TreeSolver` cuts the tree into the joints that two or more end points share and
the own joints of each end point, and searches (`_tree_search`). The document leaves this feature
open; the error is ERIK's own on every path from root to end point, averaged with the end points'
weights.

Units and frames: radians; orientations of end points in the base frame as (w, x, y, z).
Threading: immutable; one solver may serve several threads.
Safety: angles are always within the limits; joints on no path, and prismatic ones, stay as the
posture has them. Bad input raises ValueError and solves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles, nearest_of
from sera.kinematics._arrays import FloatArray
from sera.kinematics.erik._following import (
    ACCEPTED_LOSS,
    CATCH_UP,
    LARGEST_LAG_RAD,
    REST_STEP_RAD,
    STEP_PER_TURN,
    WIDER_BOXES_RAD,
    narrow,
)
from sera.kinematics.erik._input import checked_target
from sera.kinematics.erik._tree_paths import TreePaths
from sera.kinematics.erik._tree_search import search_trunk
from sera.kinematics.erik.hyperparameters import Hyperparameters
from sera.kinematics.tree import Tree


@dataclass(frozen=True, slots=True)
class EndPointErrors:
    """Errors of one end point and of the path that leads to it."""

    orientation_error: float
    posture_error: float
    error: float


@dataclass(frozen=True, slots=True)
class TreeSolution:
    """One pose of a whole body."""

    angles_rad: FloatArray
    """All joints of the tree, within their limits."""
    end_points: dict[str, EndPointErrors]
    error: float
    """Weighted mean of the end points' errors."""
    converged: bool
    iterations: int
    """How many poses of the trunk were judged."""
    switched: bool
    posture_rad: FloatArray
    targets_wxyz: dict[str, FloatArray]


class TreeSolver:
    """Poses of a tree that hold a posture while each end point faces its own orientation."""

    def __init__(
        self,
        tree: Tree,
        end_points: Sequence[str] | None = None,
        *,
        symmetric: Sequence[str] = (),
        weights: Mapping[str, float] | None = None,
        hyperparameters: Hyperparameters | None = None,
    ) -> None:
        """Prepare a solver for `end_points` (all of the tree's where None).

        `symmetric` names those that look the same after half a turn about their own segment;
        `weights` says how much an end point counts, 1 unless given.
        """
        self.tree = tree
        self.end_points: tuple[str, ...] = tuple(end_points or tree.end_points)
        self.hyperparameters = hyperparameters or Hyperparameters()
        for what, names in (("symmetric", symmetric), ("weights", weights or ())):
            for name in names:
                if name not in self.end_points:
                    hint = nearest_of(name, self.end_points)
                    raise ValueError(f"{what} names the end point {name!r}; {hint}")
        shares = np.array([(weights or {}).get(name, 1.0) for name in self.end_points])
        if not np.all(np.isfinite(shares)) or np.any(shares <= 0.0):
            raise ValueError(f"Weights of end points are above nought; given were {weights}.")
        self._paths = TreePaths(
            tree, self.end_points, frozenset(symmetric), shares, self.hyperparameters
        )

    def __repr__(self) -> str:
        return f"<erik.TreeSolver of {self.tree!r} for {', '.join(self.end_points)}>"

    def solve(
        self,
        posture_rad: ArrayLike,
        targets_wxyz: Mapping[str, ArrayLike],
        previous: TreeSolution | ArrayLike | None = None,
    ) -> TreeSolution:
        """Find the pose for a posture of the body and an orientation of every end point.

        With `previous` the pose stays on its branch while that is acceptable, as with `Solver`.
        """
        posture = checked_angles(posture_rad, self.tree.joint_names, self.tree.name)
        targets = self._checked_targets(targets_wxyz)
        if previous is None:
            poses, judged = self._search(posture, targets, None, math.inf)
            return self._solution(posture, targets, poses, judged, switched=False)
        before, step_rad = self._start(posture, targets, previous)
        return self._follow(posture, targets, before, step_rad)

    def _follow(
        self, posture: FloatArray, targets: FloatArray, before: FloatArray, step_rad: float
    ) -> TreeSolution:
        threshold = self.hyperparameters.threshold
        poses, judged = self._search(posture, targets, before, step_rad)
        near = self._solution(posture, targets, poses, judged, switched=False)
        if near.error <= threshold:
            return near
        poses, more = self._search(posture, targets, None, math.inf)
        judged += more
        best = self._solution(posture, targets, poses, judged, switched=True)
        acceptable = max(threshold, best.error + ACCEPTED_LOSS * threshold)
        if near.error <= acceptable:
            return near
        for reach_rad in WIDER_BOXES_RAD:
            if reach_rad > step_rad:
                poses, more = self._search(posture, targets, before, reach_rad)
                judged += more
                wider = self._solution(posture, targets, poses, judged, switched=True)
                if wider.error <= acceptable:
                    return wider
        return best

    def _search(
        self,
        posture: FloatArray,
        targets: FloatArray,
        before: FloatArray | None,
        reach_rad: float,
    ) -> tuple[FloatArray, int]:
        """Angles of all joints, and how many trunks were judged; near `before` where given."""
        paths = self._paths
        arrays = paths.arrays
        postures = posture[paths.joints]
        start = posture if before is None else before
        if before is not None:
            arrays = arrays._replace(rows=arrays.rows.copy())
            narrow(paths.arrays.rows, before[paths.joints], reach_rad, arrays.rows)
        poses = np.empty(len(postures))
        _, judged = search_trunk(
            arrays,
            paths.trunk_limits(arrays.rows),
            posture[paths.trunk],
            paths.mirrored_trunk(posture),
            start[paths.trunk],
            postures,
            targets,
            before is None,
            poses,
        )
        angles = self.tree.clamp(posture)
        angles[paths.joints] = poses
        # Joints that turn without end may have been followed beyond ± π.
        return self.tree.clamp(angles), judged

    def _solution(
        self,
        posture: FloatArray,
        targets: FloatArray,
        angles: FloatArray,
        judged: int,
        *,
        switched: bool,
    ) -> TreeSolution:
        parameters = self.hyperparameters
        errors = {}
        total = 0.0
        for place, name in enumerate(self.end_points):
            orientation, bend = self._paths.errors(place, angles, posture, targets[place])
            error = parameters.orientation_weight * orientation + parameters.posture_weight * bend
            errors[name] = EndPointErrors(orientation, bend, error)
            total += float(self._paths.arrays.shares[place]) * error
        return TreeSolution(
            angles_rad=angles,
            end_points=errors,
            error=total,
            converged=total <= parameters.threshold,
            iterations=judged,
            switched=switched,
            posture_rad=posture,
            targets_wxyz=self._paths.orientations(self.end_points, targets),
        )

    def _start(
        self, posture: FloatArray, targets: FloatArray, previous: TreeSolution | ArrayLike
    ) -> tuple[FloatArray, float]:
        """Previous angles, and how far a joint may move from them; as `Solver` does."""
        if not isinstance(previous, TreeSolution):
            angles = checked_angles(previous, self.tree.joint_names, self.tree.name)
            off_rad = self._paths.farthest_turn(angles, targets)
            return angles, REST_STEP_RAD + STEP_PER_TURN * off_rad
        if set(previous.targets_wxyz) != set(self.end_points):
            raise ValueError(
                f"The previous solution aims {', '.join(previous.targets_wxyz)}, this solver "
                f"{', '.join(self.end_points)}: give a solution of this solver, or bare angles."
            )
        former = self._checked_targets(previous.targets_wxyz)
        asked_rad = STEP_PER_TURN * self._paths.farthest_between(former, targets)
        asked_rad += float(np.abs(previous.posture_rad - posture).max())
        off_rad = self._paths.farthest_turn(previous.angles_rad, targets)
        return previous.angles_rad, REST_STEP_RAD + asked_rad + CATCH_UP * min(
            off_rad, LARGEST_LAG_RAD
        )

    def _checked_targets(self, targets_wxyz: Mapping[str, ArrayLike]) -> FloatArray:
        """Targets (e, 4) as turns from the zero pose."""
        for name in targets_wxyz:
            if name not in self.end_points:
                raise ValueError(
                    f"A target came in for {name!r}; {nearest_of(name, self.end_points)}"
                )
        missing = [name for name in self.end_points if name not in targets_wxyz]
        if missing:
            raise ValueError(
                f"No target came in for {', '.join(map(repr, missing))}; give one, or make a "
                "TreeSolver for fewer end points."
            )
        rows = [checked_target(targets_wxyz[name]) for name in self.end_points]
        return self._paths.turns_from_zero(np.array(rows))
