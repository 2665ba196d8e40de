"""A tree laid out for the search: the path of every end point, shared joints first."""

from __future__ import annotations

import math

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._quaternions import Quaternion
from sera.kinematics.erik._errors import orientation_error, orientation_of, posture_error
from sera.kinematics.erik._model import ErikModel, model_of_chain, turning_joints
from sera.kinematics.erik._plan import joint_rows, make_body
from sera.kinematics.erik._tree_search import Paths
from sera.kinematics.erik.hyperparameters import Hyperparameters
from sera.kinematics.rotations import conjugate, multiply
from sera.kinematics.tree import Tree


class TreePaths:
    """Everything that depends on the tree and its end points alone.

    `joints` gives the place in the tree's angles for each row of `arrays`; `trunk` the places of
    the shared joints.
    """

    def __init__(
        self,
        tree: Tree,
        end_points: tuple[str, ...],
        symmetric: frozenset[str],
        shares: FloatArray,
        parameters: Hyperparameters,
    ) -> None:
        """Lay the tree out; the shares may have any sum."""
        self._models: list[ErikModel] = []
        places: list[IntArray] = []
        for name in end_points:
            chain = tree.chain(name)
            self._models.append(model_of_chain(chain, parameters.error_aggravation))
            names = [chain.joint_names[place] for place in turning_joints(chain)]
            places.append(np.array([tree.index(joint) for joint in names], dtype=np.int64))
        times_used = np.zeros(tree.dof, dtype=np.int64)
        for row in places:
            times_used[row] += 1
        # A joint before a shared one is shared too, so that these are the first of each path.
        self.trunk = np.flatnonzero(times_used > 1).astype(np.int64)
        self.joints = np.concatenate(places)
        self._symmetric = np.array([name in symmetric for name in end_points])
        self.arrays = self._arrays(places, times_used, shares / shares.sum(), parameters)
        self._tips = np.array([model.tip_wxyz for model in self._models])

    def _arrays(
        self,
        places: list[IntArray],
        times_used: IntArray,
        shares: FloatArray,
        parameters: Hyperparameters,
    ) -> Paths:
        shared = np.array([np.count_nonzero(times_used[row] > 1) for row in places], dtype=np.int64)
        bodies = [
            make_body(model, parameters, first=int(count))
            for model, count in zip(self._models, shared, strict=True)
        ]
        triples, curves = [body.triples for body in bodies], [body.curves for body in bodies]
        trunk_place = np.full(len(self.joints), -1, dtype=np.int64)
        for place, joint in enumerate(self.trunk):
            trunk_place[self.joints == joint] = place
        return Paths(
            rows=np.concatenate([joint_rows(model, parameters) for model in self._models]),
            start=_edges(places),
            shared=shared,
            trunk_place=trunk_place,
            triples=np.concatenate(triples),
            triple_start=_edges(triples),
            curves=np.concatenate(curves),
            curve_start=_edges(curves),
            last_segments=np.array([model.segments[-1] for model in self._models]),
            symmetric=self._symmetric,
            dear=np.array([body.dear for body in bodies]),
            starts=np.array([body.starts for body in bodies], dtype=np.int64),
            far_starts=np.array([body.far_starts for body in bodies], dtype=np.int64),
            shares=shares,
        )

    def trunk_limits(self, rows: FloatArray) -> FloatArray:
        """Limits (t, 2) of the shared joints, from rows that may have been narrowed."""
        limits = np.empty((len(self.trunk), 2))
        for place in range(len(self.trunk)):
            row = int(np.flatnonzero(self.arrays.trunk_place == place)[0])
            limits[place] = rows[row, 3:5]
        return limits

    def mirrored_trunk(self, posture: FloatArray) -> FloatArray:
        """Angles of the shared joints that bend as much to the other side."""
        mirrored = np.empty(len(self.trunk))
        for place, joint in enumerate(self.trunk):
            row = int(np.flatnonzero(self.arrays.trunk_place == place)[0])
            straight = math.atan2(self.arrays.rows[row, 7], self.arrays.rows[row, 6])
            mirrored[place] = 2.0 * straight - posture[joint]
        return mirrored

    def turns_from_zero(self, targets: FloatArray) -> FloatArray:
        return np.ascontiguousarray(multiply(targets, conjugate(self._tips)))

    def errors(
        self, end: int, angles: FloatArray, posture: FloatArray, target: FloatArray
    ) -> tuple[float, float]:
        """Orientation and posture error of one end point, not weighted."""
        model = self._models[end]
        own = self.joints[self.arrays.start[end] : self.arrays.start[end + 1]]
        pose = angles[own]
        return (
            orientation_error(
                orientation_of(model.axes, pose),
                _four(target),
                self.arrays.last_segments[end],
                bool(self._symmetric[end]),
            ),
            posture_error(pose, posture[own], model.bends, model.weights),
        )

    def orientations(
        self, end_points: tuple[str, ...], targets: FloatArray
    ) -> dict[str, FloatArray]:
        """Orientations of the end points from turns: the way back of `turns_from_zero`."""
        rows = multiply(targets, self._tips)
        return {name: rows[place].copy() for place, name in enumerate(end_points)}

    def farthest_turn(self, angles: FloatArray, targets: FloatArray) -> float:
        """The largest angle in rad that an end point of a pose is off its target."""
        errors = [
            self.errors(end, angles, angles, targets[end])[0] for end in range(len(self._models))
        ]
        return max(_angle_of(error) for error in errors)

    def farthest_between(self, former: FloatArray, targets: FloatArray) -> float:
        """The largest angle in rad between two targets of an end point."""
        errors = [
            orientation_error(
                _four(former[end]),
                _four(targets[end]),
                self.arrays.last_segments[end],
                bool(self._symmetric[end]),
            )
            for end in range(len(self._models))
        ]
        return max(_angle_of(error) for error in errors)


def _angle_of(error: float) -> float:
    """The angle between two turns from ERIK's orientation error of them."""
    return 2.0 * math.acos(max(0.0, 1.0 - error * error))


def _four(wxyz: FloatArray) -> Quaternion:
    w, x, y, z = wxyz.tolist()
    return (w, x, y, z)


def _edges(parts: list[IntArray]) -> IntArray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
