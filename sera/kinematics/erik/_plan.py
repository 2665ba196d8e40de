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
from sera.kinematics.erik._closed_form import COLUMNS, WEIGHT, set_turn, triple_radius
from sera.kinematics.erik._model import ErikModel
from sera.kinematics.erik.hyperparameters import Hyperparameters

POSES_TRIED = 24
SMALLEST_RADIUS = 0.05
MOST_TRIPLES = 12
MOST_CURVES = 20
LEAST_ORIENTATION_WEIGHT = 1e-6
HEAVY = 0.3
"""A bend of this weight may be worth more than the orientation."""
SQUARE = 1e-6


def joint_rows(model: ErikModel, parameters: Hyperparameters) -> FloatArray:
    """The array `joints` of the kernels; the orientation has the weight one there."""
    rows = np.empty((model.joint_count, COLUMNS))
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
    triples, curves = _list_joints(joints, model.weights[first:])
    dear, starts = _effort(joints, curves)
    return Body(
        joints=joints,
        triples=triples,
        curves=curves,
        last_segment=model.segments[-1].copy(),
        symmetric=parameters.symmetric_endpoint,
        dear=dear,
        starts=starts,
    )


def _effort(joints: FloatArray, curves: IntArray) -> tuple[float, int]:
    """Above which error descents are tried besides the corners, and from how many poses.

    Corners say nearly all where axes are square to each other; where they are skew, where a bend
    outweighs the orientation, and where no joint is left over, they say less.
    """
    if len(curves) == 0 or float(joints[:, WEIGHT].max(initial=0.0)) > HEAVY:
        return 0.0, 16
    cosines = np.abs(joints[:, :3] @ joints[:, :3].T)
    square = bool(np.all((cosines < SQUARE) | (cosines > 1.0 - SQUARE)))
    if not square:
        return 2e-3, 8
    return (1e-3, 3) if len(joints) > 5 else (0.04, 2)


def _list_joints(joints: FloatArray, weights: FloatArray) -> tuple[IntArray, IntArray]:
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
        np.array(triples[:MOST_TRIPLES], dtype=np.int64).reshape(-1, 3),
        np.array([curve for _, curve in curves[:MOST_CURVES]], dtype=np.int64).reshape(-1, 4),
    )


def _typical_radius(joints: FloatArray, triple: tuple[int, int, int]) -> float:
    """Median of √(A²+B²) over poses spread through the joints' ranges, always the same ones."""
    generator = np.random.default_rng(0)
    count = len(joints)
    turns = np.zeros((count, 4))
    chosen = np.array(triple, dtype=np.int64)
    radii = []
    for _ in range(POSES_TRIED):
        for index, share in enumerate(generator.uniform(size=count)):
            lower, upper = joints[index, 3], joints[index, 4]
            set_turn(joints, turns, index, lower + share * (upper - lower))
        radii.append(triple_radius(joints, turns, chosen))
    return float(np.median(radii))
