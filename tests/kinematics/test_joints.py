"""Joints refuse what cannot be a joint, and say why."""

from __future__ import annotations

import math

import pytest

from sera.kinematics.joints import Joint, JointKind


def test_an_axis_is_kept_at_length_one_and_numbers_become_floats():
    joint = Joint("elbow", axis=(0, 3, 4), origin_m=(1, 2, 3), lower=-1, upper=1)
    assert joint.axis == (0.0, 0.6, 0.8)
    assert joint.origin_m == (1.0, 2.0, 3.0)
    assert isinstance(joint.lower, float)


def test_a_kind_may_be_written_as_a_word():
    assert Joint("slide", "prismatic").kind is JointKind.PRISMATIC


def test_a_continuous_joint_has_one_turn_as_its_limits():
    joint = Joint("wheel", continuous=True, lower=-9.0, upper=9.0)
    assert (joint.lower, joint.upper) == (-math.pi, math.pi)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": ""}, "needs a name"),
        ({"kind": "ball"}, "'ball'; choose of revolute, prismatic, fixed"),
        ({"axis": (0.0, 0.0, 0.0)}, "a direction has a length"),
        ({"axis": (0.0, math.nan, 1.0)}, "3 finite numbers"),
        ({"axis": (0.0, 1.0)}, "3 finite numbers"),
        ({"axis": "up"}, "give 3 numbers"),
        ({"origin_wxyz": (1.0, 1.0, 0.0, 0.0)}, "length 1.414"),
        ({"origin_m": (math.inf, 0.0, 0.0)}, "origin_m"),
        ({"lower": 1.0, "upper": -1.0}, "lower limit 1 is above its upper limit -1; swap"),
        ({"upper": math.inf}, "upper is inf"),
        ({"velocity_limit": 0.0}, "above nought"),
        ({"velocity_limit": math.nan}, "above nought"),
        ({"mass_kg": -1.0}, "no mass is negative"),
        ({"parent": "elbow"}, "its own parent"),
        ({"mimic": "elbow"}, "follows itself"),
        ({"mimic": "other", "kind": "fixed"}, "is fixed: it cannot follow"),
        ({"kind": "prismatic", "continuous": True}, "only revolute joints can be continuous"),
    ],
)
def test_a_joint_that_makes_no_sense_is_refused_by_name(fields, reason):
    with pytest.raises(ValueError, match=reason) as refusal:
        Joint(**{"name": "elbow", **fields})
    assert fields.get("name", "elbow") in str(refusal.value)
