"""Distances of hulls, and how joints change them, beside what they are by another way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.body import load_body
from sera.animation.engine.clearance import model_of
from sera.kinematics.contacts import ContactModel
from sera.kinematics.contacts._distance_kernels import hull_distance
from tests.helpers import so_many

EXACT_M, DEEP_M = 2e-4, -0.01
"""Deeper than that in each other, it only counts that hulls are."""


BODY = load_body(Path(__file__).parents[3] / "robots" / "nao")


@pytest.fixture(scope="module")
def nao() -> ContactModel:
    return model_of(BODY)


def poses(legs: int, seed: int, steps: int = 20) -> np.ndarray:
    """On a wandering way through the ranges, as a body moves."""
    specs = [BODY.own[name] for name in BODY.tree.joint_names]
    lower, upper = np.array([[spec.lower, spec.upper] for spec in specs]).T
    chance = np.random.default_rng(seed)
    corners = lower + (upper - lower) * chance.random((legs + 1, len(lower)))
    return np.concatenate([np.linspace(a, b, steps) for a, b in pairwise(corners)])


@settings(max_examples=so_many(60, 1500), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8))
def test_no_ball_of_a_hull_is_nearer_and_a_plane_keeps_hulls_as_far_apart(seed, first, second):
    chance = np.random.default_rng(seed)
    points = chance.uniform(-0.1, 0.1, (first + second, 3))
    points[first:, 0] += chance.uniform(0.0, 0.5)
    radii = chance.uniform(0.0, 0.05, first + second)
    weights = np.concatenate([np.full(first, 1.0 / first), np.full(second, 1.0 / second)])
    witness = np.zeros(9)
    for _look in range(8):  # each goes on from the one before
        distance = hull_distance(
            points, radii, weights, (0, first), (first, first + second), np.inf, witness
        )
    assert np.linalg.norm(witness[:3] - witness[3:6]) == pytest.approx(
        distance + weights[:first] @ radii[:first] + weights[first:] @ radii[first:], abs=1e-9
    )
    if distance < DEEP_M:
        return
    a = chance.dirichlet(np.full(first, 0.4), 400)
    b = chance.dirichlet(np.full(second, 0.4), 400)
    cores = np.linalg.norm((a @ points[:first])[:, None] - (b @ points[first:])[None], axis=2)
    drawn = cores - (a @ radii[:first])[:, None] - (b @ radii[first:])[None]
    assert distance <= drawn.min() + EXACT_M
    heights = points @ witness[6:9]
    apart = (heights - radii)[:first].min() - (heights + radii)[first:].max()
    assert distance == pytest.approx(apart, abs=EXACT_M)


def test_gradients_are_those_of_small_steps(nao):
    """Of capsules and balls, whose distances are exact."""
    look, beside = nao.look(near=True), [nao.look(near=True) for _ in range(2)]
    simple = np.array([len(hull.points_m) <= 2 for hull in nao.hulls])
    compared, step = 0, 1e-5
    for pose in poses(so_many(3, 30), seed=4):
        if not look.at(pose):
            continue
        found, rows = look.found.copy(), look.rows.copy()
        which = [bool(simple[one] and (two < 0 or simple[two])) for one, two, _ in nao.pairs[found]]
        which &= np.bincount(found, minlength=len(nao.pairs))[found] == 1  # no rows of corners
        for column in np.flatnonzero((rows[which] != 0.0).any(axis=0)):
            moved = step * np.eye(nao.tree.dof)[column]
            values = []
            for one, sign in zip(beside, (1.0, -1.0), strict=True):
                one.at(pose + sign * moved)
                values.append(dict(zip(one.found.tolist(), one.distances_m, strict=True)))
            for pair, row in zip(found[which].tolist(), rows[which], strict=True):
                if all(pair in each for each in values):
                    slope = (values[0][pair] - values[1][pair]) / (2.0 * step)
                    assert row[column] == pytest.approx(slope, abs=2e-3), nao.words(pair)
                    compared += 1
    assert compared > 100


def test_a_look_that_left_far_pairs_out_sees_what_fresh_eyes_see(nao):
    steady, seen = nao.look(), 0
    for pose in poses(so_many(6, 40), seed=7, steps=200):
        fresh = nao.look()
        assert steady.at(pose) == fresh.at(pose)
        assert steady.found.tolist() == fresh.found.tolist()
        both = (np.maximum(DEEP_M, look.distances_m) for look in (steady, fresh))
        np.testing.assert_allclose(*both, atol=5e-4)
        seen += fresh.count
    assert seen > 20
