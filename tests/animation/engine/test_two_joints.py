"""Two joints aim in closed form: as good as any search, and exact where they can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.engine._two_joints import TwoJoints, are_two
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint, JointKind

turns = st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(
    lambda parts: math.hypot(*parts) > 0.1
)
vectors = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(
    lambda parts: math.hypot(*parts) > 0.1
)


def unit(parts: list[float]) -> tuple[float, ...]:
    length = math.hypot(*parts)
    return tuple(part / length for part in parts)


def chain_of(axes, origins, tip, limit_rad: float) -> Chain:
    joints = [
        Joint(name, axis=unit(axis), origin_wxyz=unit(origin), lower=-limit_rad, upper=limit_rad)
        for name, axis, origin in zip(("pan", "tilt"), axes, origins, strict=True)
    ]
    return Chain(joints, (0.0, 0.1, 0.0), unit(tip))


def agreement(chain: Chain, angles, target) -> float:
    return abs(float(np.dot(chain.pose(np.array(angles)).orientation_wxyz, target)))


@settings(deadline=None)
@given(st.tuples(vectors, vectors), st.tuples(turns, turns), turns, turns)
def test_no_pair_of_angles_comes_nearer_to_the_target(axes, origins, tip, target):
    chain = chain_of(axes, origins, tip, math.pi)
    wanted = unit(target)
    found = TwoJoints(chain).solve(wanted)
    reached = agreement(chain, found, wanted)
    for first in np.linspace(-math.pi, math.pi, 25):
        for second in np.linspace(-math.pi, math.pi, 25):
            assert agreement(chain, (first, second), wanted) <= reached + 1e-9


@settings(deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.tuples(vectors, vectors), turns)
def test_an_orientation_that_can_be_had_is_met(first, second, axes, tip):
    chain = chain_of(axes, ([1, 0, 0, 0], [1, 0, 0, 0]), tip, math.pi)
    wanted = chain.pose(np.array([first, second])).orientation_wxyz
    found = TwoJoints(chain).solve(tuple(wanted.tolist()))
    assert agreement(chain, found, wanted) == pytest.approx(1.0, abs=1e-9)


@settings(deadline=None)
@given(st.tuples(vectors, vectors), turns, turns, st.floats(0.2, 1.5))
def test_limits_hold_and_the_rest_is_done_as_well_as_it_can_be(axes, tip, target, limit_rad):
    chain = chain_of(axes, ([1, 0, 0, 0], [1, 0, 0, 0]), tip, limit_rad)
    wanted = unit(target)
    found = TwoJoints(chain).solve(wanted)
    assert all(-limit_rad <= angle <= limit_rad for angle in found)
    reached = agreement(chain, found, wanted)
    for fixed, free in ((found[0], 1), (found[1], 0)):
        others = [
            agreement(chain, (fixed, angle) if free == 1 else (angle, fixed), wanted)
            for angle in np.linspace(-limit_rad, limit_rad, 41)
        ]
        assert min(max(others), reached) <= reached + 1e-9


def test_only_chains_of_two_turning_joints_are_of_this_kind():
    pan = Joint("pan")
    assert are_two(Chain([pan, Joint("tilt", axis=(1, 0, 0), parent="pan")]))
    assert not are_two(Chain.from_axes("YXY", limit_rad=1.0))
    slides = Joint("lift", JointKind.PRISMATIC, lower=0.0, upper=0.1, parent="pan")
    assert not are_two(Chain([pan, slides]))
