"""Denavit-Hartenberg tables: both conventions against plain matrices, and a published table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.chain import Chain
from sera.kinematics.dh import chain_from_dh
from sera.kinematics.urdf import Z_UP_TO_Y_UP

quick = settings(deadline=None, max_examples=40)

QUARTER = math.pi / 2
# theta, d, a, alpha; the document's lengths in centimetres.
SKELETON_C = [
    (0.0, 10.0, 0.0, QUARTER),
    (QUARTER, 0.0, 30.0, 0.0),
    (0.0, 0.0, 30.0, QUARTER),
    (QUARTER, 0.0, 0.0, QUARTER),
    (QUARTER, 40.0, 0.0, 0.0),
]
# A 7-joint arm in the modified convention, as its maker prints it.
ARM = [
    (0.0, 0.333, 0.0, 0.0),
    (0.0, 0.0, 0.0, -QUARTER),
    (0.0, 0.316, 0.0, QUARTER),
    (0.0, 0.0, 0.0825, QUARTER),
    (0.0, 0.384, -0.0825, -QUARTER),
    (0.0, 0.0, 0.0, QUARTER),
    (0.0, 0.107, 0.088, QUARTER),
]


def classic(theta, d, a, alpha):
    ct, st_, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [
            [ct, -st_ * ca, st_ * sa, a * ct],
            [st_, ct * ca, -ct * sa, a * st_],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def modified(theta, d, a, alpha):
    ct, st_, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [
            [ct, -st_, 0.0, a],
            [st_ * ca, ct * ca, -sa, -d * sa],
            [st_ * sa, ct * sa, ca, d * ca],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def check(chain, angles, expected):
    pose = chain.pose(angles)
    np.testing.assert_allclose(pose.position_m, expected[:3, 3], atol=1e-12)
    np.testing.assert_allclose(
        rotations.to_matrix(pose.orientation_wxyz), expected[:3, :3], atol=1e-12
    )


@quick
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_chain_from_a_table_is_the_product_of_its_rows(seed, is_modified):
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9)
    table = rng.uniform(-2.0, 2.0, (count, 4))
    slides = rng.random(count) < 0.3
    rows = [
        {"theta": t, "d": d, "a": a, "alpha": al, "kind": "prismatic" if slide else "revolute"}
        for (t, d, a, al), slide in zip(table.tolist(), slides, strict=True)
    ]
    chain = Chain.from_dh(rows, modified=is_modified)
    angles = rng.uniform(-2.0, 2.0, count)
    expected = np.eye(4)
    for (theta, d, a, alpha), slide, angle in zip(table, slides, angles, strict=True):
        row = (theta, d + angle, a, alpha) if slide else (theta + angle, d, a, alpha)
        expected = expected @ (modified(*row) if is_modified else classic(*row))
    check(chain, angles, expected)


def test_tuples_arrays_and_dicts_are_the_same_table():
    keys = ("theta", "d", "a", "alpha")
    rows = [dict(zip(keys, row, strict=True)) for row in ARM]
    short = [{key: value for key, value in row.items() if value != 0.0} for row in rows]
    angles = np.linspace(-1.0, 1.0, 7)
    expected = Chain.from_dh(ARM, modified=True).pose(angles)
    for table in (np.array(ARM), rows, short):
        pose = Chain.from_dh(table, modified=True).pose(angles)
        np.testing.assert_array_equal(pose.position_m, expected.position_m)
        np.testing.assert_array_equal(pose.orientation_wxyz, expected.orientation_wxyz)


def test_the_documents_table_is_its_skeleton_with_two_axes_the_other_way_round():
    table = chain_from_dh(SKELETON_C, base_wxyz=Z_UP_TO_Y_UP, scale=0.01, limits_rad=QUARTER)
    np.testing.assert_allclose(
        table.zero_axes,
        [[0, 1, 0], [-1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 1, 0]],
        atol=1e-15,
    )
    lengths = [0.1, 0.3, 0.3, 0.0, 0.4]
    np.testing.assert_allclose(
        table.zero_segments_m, [[0.0, length, 0.0] for length in lengths], atol=1e-15
    )


@quick
@given(st.integers(0, 2**32 - 1))
def test_the_documents_table_moves_as_the_word_up_to_signs_and_a_turn_of_the_tip(seed):
    angles = np.random.default_rng(seed).uniform(-QUARTER, QUARTER, 5)
    lengths = [0.1, 0.3, 0.3, 0.0, 0.4]
    word = Chain.from_axes("YXXZY", lengths_m=lengths)
    table = chain_from_dh(SKELETON_C, base_wxyz=Z_UP_TO_Y_UP, scale=0.01)
    ours = word.pose(angles)
    theirs = table.pose(angles * (1.0, -1.0, -1.0, 1.0, 1.0))
    np.testing.assert_allclose(theirs.position_m, ours.position_m, atol=1e-12)
    # The last frame of the table keeps z along the last axis: the same turn for every pose.
    without_tip = rotations.multiply(theirs.orientation_wxyz, rotations.conjugate(Z_UP_TO_Y_UP))
    assert abs(without_tip @ ours.orientation_wxyz) > 1.0 - 1e-12
    # Orientations do not depend on lengths: the word with unit segments aims the same way.
    unit = Chain.from_axes("YXXZY").pose(angles)
    np.testing.assert_allclose(unit.orientation_wxyz, ours.orientation_wxyz, atol=1e-15)


def test_limits_and_names_reach_the_joints():
    chain = Chain.from_dh(SKELETON_C[:2], limits_rad=[(-1, 1), (0, 2)], names=["a", "b"])
    np.testing.assert_array_equal(chain.upper_rad, [1.0, 2.0])
    assert chain.joint_names == ("a", "b")
    np.testing.assert_array_equal(Chain.from_dh(SKELETON_C).upper_rad, np.full(5, math.pi))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([], "is empty"),
        ([(0.0, 1.0, 2.0)], "Row 1 .* has 3 numbers; it needs theta, d, a and alpha"),
        ([SKELETON_C[0], (0.0, math.nan, 0.0, 0.0)], "Row 2 .*: d is nan"),
        ([{"tetha": 1.0}], "has a 'tetha'; did you mean 'theta'?"),
        ([{"kind": "ball"}], "use revolute or prismatic"),
        ([{"theta": "90°"}], "theta is '90°'; give a number"),
        (["0 0 0 0"], "give \\(theta, d, a, alpha\\) or a dict"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_by_its_row(table, reason):
    with pytest.raises(ValueError, match=reason):
        Chain.from_dh(table)
