"""Example postures are met exactly on their grid and blended between it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.baselines.ebps import (
    DOCUMENTED_ELEVATIONS_RAD,
    DOCUMENTED_YAWS_RAD,
    ExamplePostures,
    facing,
)
from sera.kinematics.baselines.priority_dls import PriorityDls
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint
from sera.kinematics.rotations import rotate

CHAIN = Chain.from_axes("YXY", limit_rad=1.0, names=["base", "neck", "head"])
YAWS, ELEVATIONS = (-0.5, 0.0, 1.0), (0.0, 0.8)


def _authored(scale: float) -> dict[tuple[float, float], np.ndarray]:
    return {
        (yaw, elevation): scale * np.array([yaw, elevation, yaw * elevation])
        for elevation in ELEVATIONS
        for yaw in YAWS
    }


SET = ExamplePostures(CHAIN, {"hot": _authored(0.9), "cold": _authored(-0.9)})


def test_the_documented_grid_has_fifteen_yaws_and_two_elevations():
    assert np.allclose(np.degrees(DOCUMENTED_YAWS_RAD), np.arange(-70, 71, 10))
    assert np.allclose(np.degrees(DOCUMENTED_ELEVATIONS_RAD), [0.0, 80.0])


def test_authored_postures_are_met_exactly():
    for (yaw, elevation), posture in _authored(0.9).items():
        assert np.array_equal(SET.posture("hot", yaw, elevation), posture)


def test_between_four_postures_lies_their_blend():
    # Yaw times elevation is bilinear itself, so that the blend must agree with it everywhere.
    for yaw, elevation in ((0.25, 0.2), (-0.1, 0.7), (0.99, 0.01)):
        expected = -0.9 * np.array([yaw, elevation, yaw * elevation])
        assert SET.posture("cold", yaw, elevation) == pytest.approx(expected)


@given(yaw=st.floats(-10.0, 10.0), elevation=st.floats(-10.0, 10.0))
@settings(deadline=None)
def test_any_direction_has_a_posture_within_the_limits_that_the_edge_holds(yaw, elevation):
    posture = SET.posture("hot", yaw, elevation)
    assert np.abs(posture).max() <= 1.0
    held = SET.posture("hot", min(max(yaw, -0.5), 1.0), min(max(elevation, 0.0), 0.8))
    assert np.array_equal(posture, held)


@given(yaw=st.floats(-0.7, 1.2), elevation=st.floats(-0.1, 0.9))
@settings(deadline=None)
def test_a_small_turn_of_the_direction_is_a_small_turn_of_the_joints(yaw, elevation):
    step = 1e-4
    moved = SET.posture("hot", yaw + step, elevation + step) - SET.posture("hot", yaw, elevation)
    assert np.abs(moved).max() <= 2.0 * step


def test_a_continuous_joint_takes_the_shorter_way():
    chain = Chain([Joint("base", continuous=True)])
    examples = ExamplePostures(chain, {"calm": {(0.0, 0.0): [3.0], (1.0, 0.0): [-3.0]}})
    middle = examples.posture("calm", 0.5, 0.0)
    assert abs(middle[0]) == pytest.approx(math.pi, abs=1e-9)


def test_a_direction_faces_where_it_says():
    assert rotate(facing(0.0, 0.0), (0, 1, 0)) == pytest.approx([0.0, 0.0, 1.0])
    assert rotate(facing(math.pi / 2, 0.0), (0, 1, 0)) == pytest.approx([1.0, 0.0, 0.0])
    assert rotate(facing(0.3, math.pi / 2), (0, 1, 0)) == pytest.approx([0.0, 1.0, 0.0])


def test_a_solver_authors_a_set_that_looks_where_it_should_on_the_grid():
    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    examples = ExamplePostures.from_solver(
        chain, PriorityDls(chain, posture_task=False), {"proud": [0.0, 0.3, 0.4, 0.0, 0.0]}
    )
    assert examples.expressions == ("proud",)
    assert len(examples.yaws_rad) == 15
    for yaw in examples.yaws_rad:
        for elevation in examples.elevations_rad:
            turned = chain.pose(examples.posture("proud", yaw, elevation)).orientation_wxyz
            wanted = rotate(facing(yaw, elevation), (0, 1, 0))
            assert float(rotate(turned, (0, 1, 0)) @ wanted) > math.cos(0.15)


class _NotingSolver:
    """Notes what it is asked and answers with the yaw alone."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, object]] = []

    def solve(self, posture_rad, target_wxyz, previous=None):
        direction = rotate(target_wxyz, (0, 1, 0))
        yaw = math.atan2(direction[0], direction[2])
        self.asked.append((round(yaw, 6), previous and previous.yaw))
        return _Answer(round(yaw, 6))


class _Answer:
    def __init__(self, yaw: float) -> None:
        self.yaw = yaw
        self.angles_rad = np.array([yaw, 0.0, 0.0])


def test_the_grid_is_walked_from_its_middle_so_that_neighbours_are_of_one_kind():
    solver = _NotingSolver()
    ExamplePostures.from_solver(CHAIN, solver, {"hot": np.zeros(3)}, YAWS, (0.0, 0.8))
    assert solver.asked[:4] == [(0.0, None), (1.0, 0.0), (0.0, 0.0), (-0.5, 0.0)]
    assert solver.asked[4] == (0.0, 0.0)


def test_a_hole_in_the_grid_is_named():
    broken = _authored(0.9)
    del broken[1.0, 0.8]
    with pytest.raises(ValueError, match=r"'hot' has no posture at yaw 57.2958°, elevation 45.83"):
        ExamplePostures(CHAIN, {"hot": broken, "cold": _authored(0.9)})


def test_a_posture_beyond_the_limits_is_named_with_its_joint():
    broken = _authored(0.9) | {(0.0, 0.0): [0.0, 1.5, 0.0]}
    with pytest.raises(ValueError, match=r"'neck' is at 1.5, .* nearest angle is 1"):
        ExamplePostures(CHAIN, {"hot": broken})


def test_bad_input_is_refused_with_a_reason():
    with pytest.raises(ValueError, match="did you mean 'cold'"):
        SET.posture("colt", 0.0, 0.0)
    with pytest.raises(ValueError, match="direction"):
        SET.posture("hot", math.nan, 0.0)
    with pytest.raises(ValueError, match="no expressions"):
        ExamplePostures(CHAIN, {})
    with pytest.raises(ValueError, match="no postures"):
        ExamplePostures(CHAIN, {"hot": {}})
    with pytest.raises(ValueError, match="3 joints"):
        ExamplePostures(CHAIN, {"hot": {(0.0, 0.0): [0.0]}})
    with pytest.raises(ValueError, match=r"\(yaw, elevation\)"):
        ExamplePostures(CHAIN, {"hot": {(0.0, math.nan): [0.0, 0.0, 0.0]}})
    with pytest.raises(ValueError, match="empty"):
        ExamplePostures.from_solver(CHAIN, _NotingSolver(), {"hot": np.zeros(3)}, [], [0.0])
