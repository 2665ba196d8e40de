"""The floor that solvers are judged by, and the report with its tables and pictures."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from sera.evaluation.erik import SKELETONS, FloorSearch, Wish, evaluate
from sera.evaluation.erik.run import samples_of, solver_of
from sera.evaluation.erik.samples import draw, pairs
from sera.kinematics.chain import Chain
from sera.kinematics.erik import Solver

TINY = Wish(
    skeletons=("A", "C"), methods=("optimal", "published"), sample=150, baselines=True, floor=20
)
PNG = b"\x89PNG\r\n\x1a\n"


def plain_error(chain: Chain, posture, target, angles) -> float:
    """ERIK's error written down a second time, for unit segments along +Y."""
    orientation = chain.pose(angles).orientation_wxyz
    w, x, y, z = orientation
    half_turned = np.array([-y, -z, w, x])  # after half a turn about the end's own +Y
    likeness = max(abs(float(orientation @ target)), abs(float(half_turned @ target)))
    bending = np.abs(chain.zero_axes[:, 1]) < 0.5
    weights = 2.0 ** np.arange(np.count_nonzero(bending))
    gaps = 0.5 * np.abs(np.cos(angles[bending]) - np.cos(posture[bending]))
    return float(np.sqrt(max(0.0, 1.0 - likeness)) + 0.2 * (weights @ gaps) / weights.sum())


@pytest.mark.parametrize("name", ["A", "C", "G"])
def test_the_floor_is_the_error_of_a_pose_within_the_limits_and_no_solver_is_far_below(name):
    skeleton = SKELETONS[name]
    chain = skeleton.chain()
    postures, targets = pairs(skeleton, draw(skeleton.samples, 25, 0, 25, (9,)))
    floor, poses = FloorSearch(chain, starts=24).search(postures, targets)
    assert np.all(poses >= chain.lower_rad)
    assert np.all(poses <= chain.upper_rad)
    for row in range(len(floor)):
        error = plain_error(chain, postures[row], targets[row], poses[row])
        assert floor[row] == pytest.approx(error, abs=1e-7)
    solved = Solver(chain, symmetric_endpoint=True).solve_batch(postures, targets).error
    assert np.mean(np.maximum(floor - solved, 0.0)) < 1e-4


def test_no_grid_of_poses_finds_anything_below_the_floor():
    skeleton = SKELETONS["A"]
    chain = skeleton.chain()
    postures, targets = pairs(skeleton, draw(skeleton.samples, 3, 0, 3, (2,)))
    floor, _ = FloorSearch(chain).search(postures, targets)
    axis = np.linspace(-skeleton.limit_rad, skeleton.limit_rad, 13)
    grid = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    for row in range(3):
        found = min(plain_error(chain, postures[row], targets[row], angles) for angles in grid)
        assert floor[row] <= found + 1e-9
        assert found - floor[row] < 0.1


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return evaluate(TINY, tmp_path_factory.mktemp("report"), command="sera evaluate erik --tiny")


def test_the_report_shows_the_means_that_the_solver_has_on_these_samples(outcome):
    data = json.loads((outcome.report.parent / "report.json").read_text())
    assert data == json.loads(json.dumps(outcome.data))
    for job in TINY.jobs()[:4]:
        row = next(
            row
            for row in data["results"]
            if (row["skeleton"], row["method"]) == (job.skeleton, job.label)
        )
        postures, targets, _ = samples_of(job, 0, job.samples)
        batch = solver_of(job).solve_batch(postures, targets)
        assert row["samples_solved"] == 150
        assert row["errors"]["combined"]["mean"] == pytest.approx(batch.error.mean())
        weighted = 0.2 * batch.posture_error.mean()
        assert row["errors"]["weighted_posture"]["mean"] == pytest.approx(weighted)
        assert row["iterations"]["most"] == batch.iterations.max()
        assert 0 < row["single_solves"]["least_us"] <= row["single_solves"]["p99_us"]


def test_the_floors_of_the_report_are_below_the_solver_and_within_the_bar(outcome):
    for row in outcome.data["floors"]:
        assert row["floor"] <= row["optimal"]
        assert row["met"]
        assert row["bar"] == pytest.approx(1.03 * row["floor"] + 0.0002)


def test_the_text_has_the_documents_figures_beside_ours(outcome):
    text = outcome.report.read_text()
    for words in (
        "`sera evaluate erik --tiny`",
        "| C | YXXZY | published | 3,789 | 150 of 28,830,501 |",
        "1 · 12 · 2.31 · 2.08",
        "0.026614 (0.021258) | 0.005819 (0.009977) | 0.020795 (0.021520)",
        "C DLS400",
        "302,374,051",
    ):
        assert words in text
    # A projection of all seven skeletons cannot be made from two.
    assert outcome.data["projections"] == []


def test_every_picture_is_a_png_that_the_report_shows(outcome):
    names = {path.name for path in outcome.pictures}
    assert names == {
        f"{kind}-{method}.png"
        for kind in ("histograms", "normal", "baselines", "orientation")
        for method in ("optimal", "published")
    }
    for path in outcome.pictures:
        assert path.read_bytes().startswith(PNG)
        assert f"]({path.name})" in outcome.report.read_text()


def test_without_matplotlib_the_tables_are_written_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "sera.evaluation.erik.figures", raising=False)
    outcome = evaluate(Wish(skeletons=("A",), sample=50), tmp_path)
    assert not outcome.has_figures
    assert outcome.pictures == []
    assert "| A | YXY | optimal |" in outcome.report.read_text()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"skeletons": ("Q",)}, "no skeleton 'Q'"),
        ({"sample": 0}, "--sample is 0"),
        ({"fraction": 1.5}, "--fraction is 1.5"),
        ({"sample": 5, "fraction": 0.5}, "leave one of them out"),
        ({"floor": -1}, "--floor is -1"),
        ({"seed": -1}, "--seed is -1"),
    ],
)
def test_wishes_that_cannot_be_met_are_answered_with_a_sentence(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Wish(**settings)


def test_a_sample_is_never_larger_than_what_there_is():
    jobs = Wish(sample=10**9).jobs()
    assert {job.skeleton: job.samples for job in jobs} == {
        name: skeleton.samples for name, skeleton in SKELETONS.items()
    }
    assert sum(job.samples for job in Wish(fraction=1.0).jobs()) == 302_374_051
