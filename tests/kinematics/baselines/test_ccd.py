"""Cyclic coordinate descent aims and reaches, within the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.baselines.ccd import aim_ccd, reach_ccd
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.rotations import angle_between, from_axis_angle, multiply, rotate

HALF = math.pi / 2
WORDS = st.sampled_from(["YXXZY", "YXZXY", "XZX", "ZXY", "YXZXYXZY"])


def _angle(one: np.ndarray, other: np.ndarray) -> float:
    return math.acos(min(1.0, max(-1.0, float(one @ other))))


@given(seed=st.integers(0, 10_000), word=WORDS)
@settings(max_examples=50, deadline=None)
def test_an_aim_is_what_it_says_and_within_the_limits(seed, word):
    chain = Chain.from_axes(word, limit_rad=HALF)
    generator = np.random.default_rng(seed)
    target = chain.pose(generator.uniform(-HALF, HALF, chain.dof)).orientation_wxyz
    aim = aim_ccd(chain, target, generator.uniform(-HALF, HALF, chain.dof))
    assert np.abs(aim.angles_rad).max() <= HALF
    reached = chain.pose(aim.angles_rad).orientation_wxyz
    off = _angle(rotate(reached, (0, 1, 0)), rotate(target, (0, 1, 0)))
    assert off == pytest.approx(aim.direction_error_rad, abs=1e-6)
    assert aim.converged == (aim.direction_error_rad <= 1e-3)
    assert aim.orientation_error_rad == pytest.approx(angle_between(reached, target), abs=1e-6)


def test_wide_limits_let_every_aim_arrive_and_roll():
    chain = Chain.from_axes("YXZXY", limit_rad=None)
    generator = np.random.default_rng(1)
    for _ in range(50):
        target = chain.pose(generator.uniform(-3.0, 3.0, 5)).orientation_wxyz
        aim = aim_ccd(chain, target, generator.uniform(-1.0, 1.0, 5))
        assert aim.converged
        # The roll is exact, so that the whole orientation is off by the direction alone.
        assert aim.orientation_error_rad <= 1.5e-3


def test_a_symmetric_end_point_rolls_the_shorter_way():
    chain = Chain.from_axes("YXXZY", limit_rad=HALF)
    start = np.array([0.3, 0.4, 0.2, 0.1, 0.0])
    target = chain.pose(start).orientation_wxyz
    upside_down = from_axis_angle(rotate(target, (0, 1, 0)), math.pi)
    turned = multiply(upside_down, target)
    plain = aim_ccd(chain, turned, start)
    symmetric = aim_ccd(chain, turned, start, symmetric_endpoint=True)
    assert plain.orientation_error_rad > 1.0
    assert symmetric.orientation_error_rad < 1e-6


@given(seed=st.integers(0, 10_000), word=WORDS)
@settings(max_examples=50, deadline=None)
def test_a_reach_never_ends_farther_away_than_it_began(seed, word):
    chain = Chain.from_axes(word, limit_rad=2.0)
    generator = np.random.default_rng(seed)
    start = generator.uniform(-2.0, 2.0, chain.dof)
    place = generator.uniform(-4.0, 4.0, 3)
    reach = reach_ccd(chain, place, start)
    assert np.abs(reach.angles_rad).max() <= 2.0
    off = float(np.linalg.norm(chain.pose(reach.angles_rad).position_m - place))
    assert off == pytest.approx(reach.position_error_m, abs=1e-9)
    assert off <= float(np.linalg.norm(chain.pose(start).position_m - place)) + 1e-12


def test_a_place_within_reach_is_reached():
    chain = Chain.from_axes("YXXX", limit_rad=2.5)
    reach = reach_ccd(chain, [0.8, 1.6, 0.9], [0.1, 0.2, 0.3, 0.2])
    assert reach.converged
    assert reach.position_error_m <= 1e-4


def test_a_slide_is_used_within_its_range():
    chain = Chain(
        [
            Joint("turn", axis=(0.0, 1.0, 0.0)),
            Joint("slide", JointKind.PRISMATIC, axis=(0.0, 0.0, 1.0), lower=0.0, upper=0.5),
        ],
        tip_m=(0.0, 0.0, 1.0),
    )
    near = reach_ccd(chain, [1.2, 0.0, 0.0], [0.1, 0.1])
    assert near.converged
    assert near.angles_rad == pytest.approx([HALF, 0.2], abs=1e-3)
    far = reach_ccd(chain, [3.0, 0.0, 0.0], [0.1, 0.1])
    assert not far.converged
    assert far.angles_rad[1] == 0.5
    assert far.position_error_m == pytest.approx(1.5, abs=1e-3)


def test_bad_input_is_refused_with_a_reason():
    chain = Chain.from_axes("YXY")
    with pytest.raises(ValueError, match="length"):
        aim_ccd(chain, [0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="finite"):
        reach_ccd(chain, [math.inf, 0.0, 0.0])
    with pytest.raises(ValueError, match="max_iterations"):
        reach_ccd(chain, [0.0, 0.0, 0.0], max_iterations=0)
    with pytest.raises(ValueError, match="precision_rad"):
        aim_ccd(chain, [1.0, 0.0, 0.0, 0.0], precision_rad=-1.0)
