"""Which joints are solved for: a plan made once for a chain, and the rows that kernels read.

A triple serves when its middle joint has a say in the latitude between the outer axes in most
poses. Triples that weigh little in the posture come first; a curve (triple and a driver) is listed
once for each set of four joints, driven by the joint whose absence leaves the best triple.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._closed_form import triple_radius
from sera.kinematics.erik._model import ErikModel
from sera.kinematics.erik._table import CHAIN_COLUMNS, COLUMNS, LOWER, UPPER, WEIGHT, set_turn
from sera.kinematics.erik.hyperparameters import Hyperparameters

POSES_TRIED = 24
SMALLEST_RADIUS = 0.05
MOST_TRIPLES = 12
MOST_TRIPLES_OF_SKEW_AXES = 35
MOST_CURVES = 20
LEAST_ORIENTATION_WEIGHT = 1e-6
HEAVY = 0.3
"""A bend of this weight may be worth more than the orientation."""
SQUARE = 1e-6


def joint_rows(model: ErikModel, parameters: Hyperparameters) -> FloatArray:
    """The array `joints` of the kernels; the orientation has the weight one there."""
    rows = np.empty((model.joint_count, CHAIN_COLUMNS))
    rows[:, :3] = model.axes
    rows[:, 3] = model.lower_rad
    rows[:, 4] = model.upper_rad
    rows[:, 5] = model.weights * (
        parameters.posture_weight / max(parameters.orientation_weight, LEAST_ORIENTATION_WEIGHT)
    )
    rows[:, 6:9] = model.bends
    rows[:, 9] = model.endless
    return rows


def make_body(model: ErikModel, parameters: Hyperparameters, first: int = 0) -> Body:
    """The kernels' view of a chain, or of its part from joint `first` on."""
    joints = np.ascontiguousarray(joint_rows(model, parameters)[first:])
    triples, curves = _list_joints(joints, model.weights[first:], square=_is_square(joints))
    dear, starts, far_starts = _effort(joints, curves)
    return Body(
        joints=joints,
        triples=triples,
        curves=curves,
        last_segment=model.segments[-1].copy(),
        symmetric=parameters.symmetric_endpoint,
        dear=dear,
        starts=starts,
        far_starts=far_starts,
    )


def _effort(joints: FloatArray, curves: IntArray) -> tuple[float, int, int]:
    """Above which error descents are tried besides the corners, and from how many poses.

    Corners say nearly all where axes are square to each other; where they are skew, where a bend
    outweighs the orientation, and where no joint is left over, they say less.
    """
    if len(curves) == 0 or float(joints[:, WEIGHT].max(initial=0.0)) > HEAVY:
        return 0.0, 16, 12
    if not _is_square(joints):
        return 2e-3, 8, 12
    return (0.01, 4, 4) if len(joints) > 5 else (0.04, 2, 2)


def _is_square(joints: FloatArray) -> bool:
    """Whether all axes are parallel or square to each other in the zero pose."""
    cosines = np.abs(joints[:, :3] @ joints[:, :3].T)
    return bool(np.all((cosines < SQUARE) | (cosines > 1.0 - SQUARE)))


def _list_joints(
    joints: FloatArray, weights: FloatArray, *, square: bool
) -> tuple[IntArray, IntArray]:
    """Triples (m, 3) and curves (c, 4), best first."""
    count = len(joints)
    ranked = sorted(
        (round(float(weights[list(triple)].sum()), 9), -radius, triple)
        for triple in combinations(range(count), 3)
        if (radius := _typical_radius(joints, triple)) > SMALLEST_RADIUS
    )
    triples = [triple for _, _, triple in ranked]
    rank = {triple: place for place, triple in enumerate(triples)}
    curves: list[tuple[int, tuple[int, int, int, int]]] = []
    for four in combinations(range(count), 4):
        usable = [
            (rank[rest], driver)
            for driver in four
            if (rest := tuple(joint for joint in four if joint != driver)) in rank
        ]
        if usable:
            place, driver = min(usable)
            curves.append((place, (*triples[place], driver)))
    curves.sort()
    return (
        np.array(
            triples[: MOST_TRIPLES if square else MOST_TRIPLES_OF_SKEW_AXES], dtype=np.int64
        ).reshape(-1, 3),
        np.array([curve for _, curve in curves[:MOST_CURVES]], dtype=np.int64).reshape(-1, 4),
    )


def _typical_radius(joints: FloatArray, triple: tuple[int, int, int]) -> float:
    """Median of √(A²+B²) over poses spread through the joints' ranges, always the same ones."""
    generator = np.random.default_rng(0)
    count = len(joints)
    table = np.zeros((count, COLUMNS))
    table[:, :CHAIN_COLUMNS] = joints
    radii = []
    for _ in range(POSES_TRIED):
        for index, share in enumerate(generator.uniform(size=count)):
            lower, upper = joints[index, LOWER], joints[index, UPPER]
            set_turn(table, index, lower + share * (upper - lower))
        radii.append(triple_radius(table, *triple))
    return float(np.median(radii))
