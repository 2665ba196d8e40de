"""The platform with an arm: its geometry, its paths, and short runs of the continuous inverse."""

from __future__ import annotations

import math

import numpy as np

from sera.evaluation.emotion.continuous_runs import (
    VARIANTS,
    Run,
    run_all,
    run_variant,
    summaries,
    verdict,
)
from sera.evaluation.emotion.platform_arm import START_RAD, demanding_path, platform_arm
from sera.evaluation.emotion.visibility_run import send_behind
from sera.kinematics import rotations


def test_the_arm_has_the_published_lengths():
    tree = platform_arm()
    stretched = np.zeros(tree.dof)
    heights = [
        tree.pose(stretched, name).position_m[1]
        for name in ("foot", "shoulder", "elbow", "wrist", "hand")
    ]
    np.testing.assert_allclose(heights, np.cumsum([0.708, 0.3105, 0.4, 0.39, 0.078]))
    np.testing.assert_allclose(np.degrees(tree.upper_rad[3:]), [170, 120, 170, 120, 170, 120, 170])


def test_a_path_begins_at_rest_where_the_hand_is_and_its_velocities_are_its_derivatives():
    path = demanding_path(3, 3.0, 0.001)
    place_m, turn_wxyz = platform_arm().pose(START_RAD)
    np.testing.assert_allclose(path.places_m[0], place_m, atol=1e-9)
    assert rotations.angle_between(path.turns_wxyz[0], turn_wxyz) < 1e-9
    assert np.abs(path.speeds_m_s[0]).max() < 1e-5
    moved = (path.places_m[2:] - path.places_m[:-2]) / 0.002
    np.testing.assert_allclose(path.speeds_m_s[1:-1], moved, atol=1e-4)
    turned = rotations.multiply(path.turns_wxyz[2:], rotations.conjugate(path.turns_wxyz[:-2]))
    np.testing.assert_allclose(
        path.spins_rad_s[1:-1], rotations.to_rotation_vector(turned) / 0.002, atol=1e-4
    )


def test_seeds_make_different_paths_of_the_asked_length():
    first, second = demanding_path(1, 5.0, 0.01), demanding_path(2, 5.0, 0.01)
    assert len(first.places_m) == len(second.separations_m) == 500
    assert np.abs(first.places_m - second.places_m).max() > 0.1


def test_the_hands_path_can_be_followed_without_coming_near_the_ends_of_joints():
    # The third level left out: what is left of the trial is easy.
    run = run_variant(VARIANTS[4], demanding_path(2, 6.0, 0.01))
    assert run.place_error_m < 0.003
    assert run.most_joint < 1.0


def test_both_enhancements_together_keep_the_hand_on_its_path():
    runs = run_all(seeds=(2, 7), variants=VARIANTS[1:4], duration_s=14.0)
    for key in ("c", "d"):
        found = verdict(runs, key)
        assert found.holds, found
    assert max(run.partial_inverses[0] for run in runs) > 1.0, "no joint came to its end"
    table = summaries(runs)
    assert [row.key for row in table] == ["b", "c", "d"]
    assert table[0].place_error_m[1] > 3 * table[2].place_error_m[1]


def test_a_verdict_says_where_a_variant_is_no_better():
    def run(key, seed, error_m, singular=1.0):
        return Run(key, seed, error_m, 0.0, 0.1, 0.9, 1.0, singular, (1.0, 1.0), 0, False)

    runs = [run("b", 1, 0.01), run("b", 2, 0.001), run("d", 1, 0.002), run("d", 2, 0.002)]
    assert verdict(runs, "d").worse_seeds == (2,)
    assert not verdict(runs, "d").holds
    better = [*runs[:2], run("d", 1, 0.002), run("d", 2, 0.0005)]
    assert verdict(better, "d").holds
    assert not verdict([*better[:3], run("d", 2, 0.0005, singular=1.1)], "d").holds
    far = [run("b", 1, 0.5), run("d", 1, 0.03)]
    assert not verdict(far, "d").holds


def test_a_summary_leaves_runs_that_diverged_out_of_its_ranges_and_counts_them():
    def run(seed, error_m, diverged):
        return Run("a", seed, error_m, 0.1, 0.1, 0.9, 1.0, 1.0, (1.0, 2.0), 0, diverged)

    (row,) = summaries([run(1, 0.1, False), run(2, 0.3, False), run(3, 50.0, True)])
    assert row.place_error_m == (0.1, 0.3)
    assert row.diverged == 1
    (lost,) = summaries([run(1, 50.0, True)])
    assert lost.place_error_m == (50.0, 50.0)


def test_a_hand_behind_its_arm_stays_in_sight_and_on_its_path():
    hidden, seen = send_behind(visible=False), send_behind(visible=True)
    assert hidden.most_share == 1.0
    assert seen.least_distance >= 2.0 * hidden.least_distance
    assert math.isclose(seen.mean_hand_error_m, hidden.mean_hand_error_m, rel_tol=0.05)
