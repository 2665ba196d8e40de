"""The presets behave as described, and the guard leaves them alone where no limit is near."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from sera.cli._evaluate_filter import evaluate_filter
from sera.evaluation.filter import (
    FIGURES,
    RATE_HZ,
    Response,
    circular_signal,
    document_form,
    draw_figures,
    fuzz_filter,
    guard_example,
    measure_guard,
    measure_presets,
    measure_step,
    measure_without_overshoot,
    random_signal,
    respond,
    simple_signal,
)
from sera.kinematics.filter import FilterLimits, Limiter, MotionFilter, preset

TANH, HARD = Limiter.TANH, Limiter.HARD


@pytest.fixture(scope="module")
def measures():
    return measure_presets()


def test_the_signals_are_those_of_the_document():
    simple = simple_signal()
    assert len(simple) == 600
    assert [simple[149], simple[150], simple[449], simple[450]] == [5.0, -5.0, -5.0, 5.0]
    randomly = random_signal(np.random.default_rng(1))
    assert len(randomly) == 600
    assert np.flatnonzero(np.diff(randomly)).tolist() == [60 * n - 1 for n in range(1, 10)]
    circular = circular_signal()
    assert len(circular) == 600
    # Of the 49 changes two are none: before and after its top, and its bottom, it is as high.
    changes = np.flatnonzero(np.abs(np.diff(circular)) > 1e-9)
    assert len(changes) == 47
    assert np.all((changes + 1) % 12 == 0)
    assert np.abs(circular).max() == pytest.approx(5.0, abs=0.05)


@pytest.mark.parametrize(
    ("name", "overshoot", "top", "settling_s"),
    [
        ("A", 0.0, 5.7, 5.0),
        ("B", 0.22, 5.8, 1.9),
        ("C", 0.88, 29.3, 0.62),
        ("D", 0.0, 28.0, 1.15),
        ("E", 0.0, 15.9, 2.9),
    ],
)
def test_each_preset_answers_a_step_as_expected(measures, name, overshoot, top, settling_s):
    found = measures[name, 3, TANH]
    assert found.overshoot == pytest.approx(overshoot, abs=0.01)
    assert found.top_velocity == pytest.approx(top, abs=0.1)
    assert found.settling_s == pytest.approx(settling_s, abs=0.05)


def test_the_slow_smooth_preset_holds_a_quarter_of_its_velocity_limit(measures):
    assert measures["A", 3, TANH].top_velocity < 0.3 * 20.0
    assert measures["A", 3, TANH].reversals == 0


def test_lower_orders_of_the_fast_vivid_preset_are_calmer_and_faster(measures):
    third, second, first = (measures["C", order, TANH] for order in (3, 2, 1))
    assert second.overshoot == pytest.approx(0.58, abs=0.01)
    assert second.top_velocity == pytest.approx(29.5, abs=0.1)
    assert first.overshoot == 0.0
    assert first.top_velocity == pytest.approx(45.0, abs=0.1)
    assert third.overshoot > second.overshoot > first.overshoot


@pytest.mark.parametrize("name", "ABCD")
def test_the_lower_the_order_the_higher_the_velocity(measures, name):
    third, second, first = (measures[name, order, TANH].top_velocity for order in (3, 2, 1))
    assert third <= second < first


@pytest.mark.parametrize(("name", "overshoot"), [("B", 1.78), ("C", 5.1)])
def test_the_hard_limiter_oscillates(measures, name, overshoot):
    found = measures[name, 3, HARD]
    assert found.overshoot == pytest.approx(overshoot, abs=0.05)
    assert found.reversals >= 6 > measures[name, 3, TANH].reversals


@pytest.mark.parametrize("name", "ABCDEW")
def test_without_overshoot_every_preset_settles_at_least_as_soon(measures, name):
    for limiter in Limiter:
        example = preset(name).with_limiter(limiter)
        example = replace(example, character=replace(example.character, overshoot=0.0))
        found = measure_step(respond(simple_signal(), example))
        assert found.overshoot <= 1e-9
        assert found.reversals == 0
        assert found.settling_s <= measures[name, 3, limiter].settling_s


def test_without_easing_the_output_overshoots_with_either_limiter(measures):
    assert 0.0 < measures["W", 3, TANH].overshoot < 0.3 < measures["W", 3, HARD].overshoot
    assert measures["W", 3, HARD].reversals > measures["W", 3, TANH].reversals


@pytest.mark.parametrize("name", "ABCDE")
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("range_", [None, (-10.0, 10.0)])
def test_where_no_limit_is_near_the_guard_changes_nothing(name, order, range_):
    example = preset(name)
    if range_ is not None:
        lower, upper = range_
        example = replace(example, limits=replace(example.limits, lower=lower, upper=upper))
    for signal in (simple_signal(), circular_signal(), random_signal(np.random.default_rng(3))):
        expected = document_form(
            signal, signal[0], example.limits, example.character, rate_hz=RATE_HZ, order=order
        )
        found = respond(signal, example, order=order)
        assert found.positions == pytest.approx(expected, abs=1e-9)


def test_on_the_random_signal_the_slow_one_lags_and_the_fast_smooth_one_does_not_overshoot():
    signal = random_signal(np.random.default_rng(11))
    ends = np.arange(59, 600, 60)

    def misses(name):
        return np.abs(respond(signal, preset(name)).positions[ends] - signal[ends])

    assert np.count_nonzero(misses("A") > 1.0) >= 4
    assert misses("C").max() < 0.05
    positions = respond(signal, preset("D")).positions
    levels = np.array([signal[0], *signal[ends]])
    for start, end, before, target in zip(ends - 59, ends, levels, signal[ends], strict=False):
        low, high = sorted((before, target))
        assert low - 0.6 <= positions[start:end].min()
        assert positions[start:end].max() <= high + 0.6


def test_on_the_circle_the_vivid_one_shakes_and_the_smoother_one_does_not():
    signal = circular_signal()
    shaking = {name: np.abs(respond(signal, preset(name)).differences(2)).mean() for name in "CDE"}
    assert shaking["C"] > 5 * shaking["D"] > 5 * shaking["E"]
    lag = {name: np.abs(respond(signal, preset(name)).positions - signal).mean() for name in "DE"}
    assert lag["E"] > lag["D"]


def test_no_preset_exceeds_its_limits_on_any_signal():
    signals = (simple_signal(), circular_signal(), random_signal(np.random.default_rng(5)))
    for name in "ABCDEW":
        for limiter in Limiter:
            example = preset(name).with_limiter(limiter)
            for signal in signals:
                response = respond(signal, example)
                for power, (bound,) in enumerate(example.limits.rates(1, 3), 1):
                    assert np.abs(response.differences(power)).max() <= bound * (1 + 1e-9)


def test_the_documents_form_leaves_the_range_or_clamped_breaks_the_limits_where_ours_does_not():
    example, signal = guard_example()
    lower, upper = (end[0] for end in example.limits.ends(1))
    (_,), (a_max,), (j_max,) = example.limits.rates(1, 3)

    def of_document(clamped):
        positions = document_form(
            signal, 0.0, example.limits, example.character, rate_hz=RATE_HZ, clamped=clamped
        )
        return Response(signal, positions, 0.0, RATE_HZ)

    free, clamped, ours = of_document(False), of_document(True), respond(signal, example)
    assert free.positions.max() > upper + 0.5
    assert np.abs(clamped.differences(2)).max() > 3 * a_max
    assert lower <= ours.positions.min()
    assert ours.positions.max() <= upper
    assert np.abs(ours.differences(2)).max() <= a_max * (1 + 1e-9)
    assert np.abs(ours.differences(3)).max() <= j_max * (1 + 1e-9)
    assert ours.positions.max() > upper - 0.05


def test_a_step_is_measured_by_what_can_be_seen():
    signal = simple_signal()
    positions = signal.copy()
    positions[150:160] = np.linspace(5.0, -6.0, 10)
    positions[160:180] = -4.9
    found = measure_step(Response(signal, positions, 5.0, RATE_HZ))
    assert found.overshoot == pytest.approx(1.0)
    assert found.settling_s == pytest.approx(10 / 60)
    assert found.reversals == 2  # back up to -4.9, and down again to -5
    assert found.top_velocity == pytest.approx(11.0 / 9.0 * 60.0)


@pytest.mark.parametrize("kind", ["easing", "limiters", "guard"])
def test_figures_are_written_and_are_pictures(tmp_path, kind):
    (name,) = (name for name in FIGURES if kind in name)
    (path,) = draw_figures(tmp_path / "new", [name])
    assert path == tmp_path / "new" / name
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert 20_000 < len(content) < 250_000


def test_every_figure_lies_beside_its_page_and_is_on_it():
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "filter.md").read_text(encoding="utf-8")
    for name in FIGURES:
        assert (docs / "figures" / name).stat().st_size < 250_000
        assert f"figures/{name}" in page


def test_the_command_measures_without_drawing(tmp_path):
    app = typer.Typer()
    app.command()(evaluate_filter)
    folder = tmp_path / "figures"
    result = CliRunner().invoke(app, ["--no-figures", "--folder", str(folder)])
    assert result.exit_code == 0
    assert "overshoot" in result.output
    assert not folder.exists()


def test_limits_of_a_range_are_drawn_and_measured_with_the_same_numbers():
    limits = FilterLimits(20.0, 100.0, 1e4, -4.0, 4.0)
    signal = np.clip(simple_signal(), -4.0, 4.0)
    response = respond(signal, preset("B"), limits=limits)
    assert response.positions.min() >= -4.0
    assert response.differences(1)[0] == pytest.approx(0.0)


def test_the_example_on_the_page_runs():
    page = (Path(__file__).parents[2] / "docs" / "filter.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(example, names)
    positions = names["positions"]
    assert isinstance(positions, np.ndarray)
    assert positions[0] > 0.0
    assert positions[1] < 0.1


def test_the_guard_keeps_what_the_documents_form_breaks():
    free, clamped, guarded = measure_guard()
    assert free.beyond_range > 1.0
    assert clamped.beyond_range <= 0.0
    assert clamped.share_of_acceleration > 5.0
    assert -0.01 < guarded.beyond_range <= 0.0
    assert guarded.share_of_acceleration <= 1.0 + 1e-9
    assert guarded.share_of_jerk <= 1.0 + 1e-9


def test_with_the_guard_at_the_set_point_nothing_swings_over():
    for measures in measure_without_overshoot().values():
        assert measures.overshoot <= 1e-9
        assert measures.reversals == 0


def test_joints_under_anything_stay_within_their_limits():
    result = fuzz_filter(100_000, seed=4)
    assert result.frames >= 100_000
    assert (result.exceeded, result.worst) == (0, None)


def test_the_fuzz_notices_a_filter_that_goes_too_far(monkeypatch):
    step = MotionFilter.step

    def hasty(self, out=None):
        step(self, out)[3] += 1e-3 * (self.limits.velocity[3] * self.step_s)

    monkeypatch.setattr(MotionFilter, "step", hasty)
    assert "joint 3" in fuzz_filter(20_000, seed=4).worst
