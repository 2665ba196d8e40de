"""Example postures as a second stage: exact at the examples, in between and beyond the grid."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.body import load_body
from sera.animation.engine import Aiming, Controller, Engine, Layer, Row
from sera.animation.engine.example_stage import (
    MARGIN_RAD,
    ExamplesError,
    ExamplesFile,
    ExampleStage,
    load_examples,
)
from sera.animation.engine.second_stage import ErikStage

ROOT = Path(__file__).parents[3]
BODY = load_body(ROOT / "robots" / "adelino")
FILE = ROOT / "scenarios" / "avantsatie" / "examples.toml"
EXAMPLES = load_examples(FILE)
JOINTS = list(EXAMPLES.joints)
POSTURES = {name: one.rest_deg for name, one in EXAMPLES.expressions.items()}


class Wish(Controller):
    """Writes a posture and, unless it is None, a direction; both may be changed at any time."""

    def __init__(self) -> None:
        self.posture_deg: list[float] = [0.0] * len(JOINTS)
        self.gaze_deg: tuple[float, float] | None = None

    def bind(self, row: Row) -> None:
        self._row = row
        self._joints = [row.layout.index(f"Body.{name}") for name in JOINTS]
        self._gaze = [row.layout.index(f"Gazing.{name}") for name in ("Horizontal", "Vertical")]

    def step(self, dt_s: float) -> None:
        for column, value in zip(self._joints, self.posture_deg, strict=True):
            self._row.write(column, math.radians(value))
        for column, value in zip(self._gaze, self.gaze_deg or (), strict=False):
            self._row.write(column, math.radians(value))


class Stage:
    """A stage alone, without the motion filter: what it makes of a posture and a direction."""

    def __init__(self, stage: ErikStage | None = None) -> None:
        self.stage = stage or ExampleStage(EXAMPLES)
        self.wish = Wish()
        self.layer = Layer("all", [self.wish])
        self.engine = Engine(BODY, [self.layer], stages=[self.stage])
        self.made: dict[str, float] = {}
        inner = self.stage.step

        def step(frame: Any) -> None:
            inner(frame)
            own = list(BODY.own)
            self.made = {name: float(frame.posed[own.index(name)]) for name in JOINTS}

        self.stage.step = step  # type: ignore[method-assign]
        self.engine.step()  # it is where it is wanted, and so arrived

    def deg(
        self, posture_deg: list[float], yaw_deg: float | None, elevation_deg: float = 0.0
    ) -> list[float]:
        """The angles in degrees; yaw to the left, as in the file; None: nobody aims."""
        self.wish.posture_deg = list(posture_deg)
        self.wish.gaze_deg = None if yaw_deg is None else (-yaw_deg, elevation_deg)
        self.engine.step()
        return [math.degrees(self.made[name]) for name in JOINTS]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


def test_at_the_examples_the_postures_are_exactly_those_of_the_file(stage):
    for name, expression in EXAMPLES.expressions.items():
        for one in expression.examples:
            made = stage.deg(POSTURES[name], one.yaw_deg, one.elevation_deg)
            assert made == pytest.approx(one.joints_deg, abs=1e-6), (name, one)


def test_the_file_has_the_grid_of_the_document():
    for expression in EXAMPLES.expressions.values():
        grid = {(one.yaw_deg, one.elevation_deg) for one in expression.examples}
        assert grid == {(yaw, up) for yaw in range(-70, 71, 10) for up in (0, 80)}
        assert len(expression.examples) == 30


def test_between_two_directions_it_is_between_their_postures(stage):
    def example(yaw: float, up: float) -> np.ndarray:
        found = EXAMPLES.expressions["hot"].examples
        return np.array(
            next(o.joints_deg for o in found if (o.yaw_deg, o.elevation_deg) == (yaw, up))
        )

    made = stage.deg(POSTURES["hot"], 23.0, 0.0)
    assert made == pytest.approx(0.7 * example(20, 0) + 0.3 * example(30, 0), abs=1e-6)
    made = stage.deg(POSTURES["hot"], -40.0, 20.0)
    assert made == pytest.approx(0.75 * example(-40, 0) + 0.25 * example(-40, 80), abs=1e-6)


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_between_two_expressions_it_is_their_mixture(stage, part):
    rest = np.array(POSTURES["neutral"]) * (1 - part) + np.array(POSTURES["cold"]) * part
    neutral = np.array(stage.deg(POSTURES["neutral"], 15.0, 30.0))
    cold = np.array(stage.deg(POSTURES["cold"], 15.0, 30.0))
    made = stage.deg(rest.tolist(), 15.0, 30.0)
    assert made == pytest.approx((1 - part) * neutral + part * cold, abs=1e-6)


def test_where_nobody_aims_the_posture_stands_as_it_is(stage):
    for rest in POSTURES.values():
        assert stage.deg(rest, None) == pytest.approx(rest, abs=1e-9)


@given(
    st.floats(-180, 180),
    st.floats(-90, 90),
    st.lists(st.floats(-90, 90), min_size=len(JOINTS), max_size=len(JOINTS)),
)
@settings(max_examples=80, deadline=None)
def test_within_the_limits_wherever_it_looks_and_whatever_the_posture(yaw, elevation, posture):
    made = SHARED.deg(posture, yaw, elevation)
    assert not SHARED.stage.failed
    for name, angle in zip(JOINTS, made, strict=True):
        low, high = BODY.own[name].lower, BODY.own[name].upper
        assert math.degrees(low) - 1e-6 <= angle <= math.degrees(high) + 1e-6


SHARED = Stage()


def test_on_the_grid_the_tip_looks_where_it_should(stage):
    aiming = Aiming(BODY, BODY.chains[0])
    for name, rest in POSTURES.items():
        for yaw in range(-65, 66, 13):
            for elevation in (0.0, 20.0, 45.0, 80.0):
                stage.deg(rest, yaw, elevation)
                horizontal, vertical = aiming.looks_at(stage.made)
                assert math.degrees(vertical) == pytest.approx(elevation, abs=2.0), name
                if elevation < 80.0:
                    assert math.degrees(-horizontal) == pytest.approx(yaw, abs=2.0), name


@pytest.mark.parametrize("name", POSTURES)
def test_below_the_grid_erik_takes_over_without_a_jump(name):
    ours, erik = Stage(), Stage(ErikStage())
    rest = POSTURES[name]
    step_deg = 0.5
    path = [
        (ours.deg(rest, 20.0, -step_deg * number), erik.deg(rest, 20.0, -step_deg * number))
        for number in range(60)
    ]
    made, solved = np.array([one for one, _ in path]), np.array([other for _, other in path])
    beyond = math.ceil(math.degrees(MARGIN_RAD) / step_deg)
    assert made[beyond:] == pytest.approx(solved[beyond:], abs=1e-6)
    assert np.abs(made[0] - solved[0]).max() < 30.0
    assert np.abs(np.diff(made, axis=0)).max() < 4.0


def test_the_solver_does_not_run_on_the_grid(monkeypatch):
    stage = Stage()
    asked = counted(monkeypatch)
    for yaw in range(-60, 61, 5):
        stage.deg(POSTURES["hot"], yaw, 30.0)
    assert asked == []
    stage.deg(POSTURES["hot"], 0.0, -30.0)
    assert len(asked) == 1


# -- what cannot be used ----------------------------------------------------------------------


def changed(**updates: Any) -> ExamplesFile:
    return EXAMPLES.model_copy(update=updates)


def without(name: str, place: int) -> ExamplesFile:
    expression = EXAMPLES.expressions[name]
    kept = [one for number, one in enumerate(expression.examples) if number != place]
    expressions = dict(EXAMPLES.expressions)
    expressions[name] = expression.model_copy(update={"examples": kept})
    return changed(expressions=expressions)


def beyond_limits() -> ExamplesFile:
    expression = EXAMPLES.expressions["hot"]
    one = expression.examples[0].model_copy(update={"joints_deg": [-70.0, 25.0, 165.0, 0.0, 0.0]})
    hot = expression.model_copy(update={"examples": [one, *expression.examples[1:]]})
    return changed(expressions={**EXAMPLES.expressions, "hot": hot})


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        (changed(joints=JOINTS[::-1]), "for the joints head_twist.* the body has base"),
        (changed(end_point="hand"), "end point 'hand', but the body aims with head"),
        (without("hot", 3), "'hot' has no posture at yaw -40°, elevation 0°"),
        (beyond_limits(), "joint 'upper_bend' is at .* beyond its limits"),
    ],
)
def test_examples_that_do_not_fit_the_body_are_refused(file, complaint):
    with pytest.raises(ValueError, match=complaint):
        Engine(BODY, [Layer("all", [Wish()])], stages=[ExampleStage(file)])


@pytest.mark.parametrize(
    ("change", "place", "complaint"),
    [
        (
            ("rest_deg = [0.0, 0.0, 35.0, 0.0, 0.0]", "rest_deg = [0.0, 0.0]"),
            "expressions.neutral.rest_deg",
            "2 angles for 5 joints (base, lower_bend",
        ),
        (
            ("joints_deg = [-70.0, 55.0, 35.0, 0.0, 0.0]", "joints_deg = [-70.0, 55.0]"),
            "expressions.neutral.examples[0].joints_deg",
            "2 angles for 5 joints",
        ),
        (("yaw_deg = -70", "yaw = -70"), "expressions.neutral.examples[0].yaw", "did you mean"),
        (("yaw_deg = -70", "yaw_deg = nan"), "yaw_deg", "finite"),
        (("end_point =", "endpoint ="), "endpoint", "did you mean 'end_point'"),
        (("[expressions.neutral]", "[expressions.neutral"), "", "not valid TOML"),
    ],
)
def test_a_file_with_mistakes_says_what_and_where(tmp_path, change, place, complaint):
    text = FILE.read_text(encoding="utf-8")
    assert change[0] in text
    file = tmp_path / "examples.toml"
    file.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(ExamplesError) as found:
        load_examples(file)
    told = str(found.value)
    assert "examples.toml:" in told
    assert place in told
    assert complaint in told


# -- ERIK itself ------------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every call of the solver."""
    asked: list[Any] = []
    solve = Aiming.solve

    def counting(self: Aiming, *arguments: Any) -> Any:
        asked.append(arguments)
        return solve(self, *arguments)

    monkeypatch.setattr(Aiming, "solve", counting)
    return asked


def test_erik_solves_only_where_posture_or_target_changed(monkeypatch):
    stage = Stage(ErikStage())
    asked = counted(monkeypatch)
    first = stage.deg(POSTURES["hot"], 10.0, 20.0)
    for _ in range(50):
        assert stage.deg(POSTURES["hot"], 10.0, 20.0) == first
    assert len(asked) == 1
    assert stage.deg(POSTURES["hot"], 11.0, 20.0) != first
    assert stage.deg(POSTURES["hot"], 11.0, 21.0) != first
    assert len(asked) == 3
    for _ in range(300):  # a posture changes only as fast as the joints follow together
        stage.deg(POSTURES["cold"], 11.0, 21.0)
    settled = len(asked)
    assert settled > 3
    stage.deg(POSTURES["cold"], 11.0, 21.0)
    assert len(asked) == settled


def test_solving_the_same_again_would_have_given_the_same():
    aiming = Aiming(BODY, BODY.chains[0])
    for name, rest in POSTURES.items():
        posture = np.radians(rest).tolist()
        for horizontal, vertical in ((0.0, 0.3), (0.8, 0.5), (-1.1, -0.4), (2.5, 0.2)):
            first = aiming.solve(posture, horizontal, vertical, 0.0)
            again = aiming.solve(posture, horizontal, vertical, 0.0)
            assert again == pytest.approx(first, abs=1e-6), name


def test_erik_solves_again_when_the_body_was_somewhere_else(monkeypatch):
    stage = Stage(ErikStage())
    asked = counted(monkeypatch)
    before = stage.deg(POSTURES["hot"], 10.0, 20.0)
    stage.stage.start_from(dict.fromkeys(BODY.own, 0.0))
    assert stage.deg(POSTURES["hot"], 10.0, 20.0) == pytest.approx(before, abs=0.5)
    assert len(asked) == 2
    stage.deg(POSTURES["hot"], None)
    stage.deg(POSTURES["hot"], 10.0, 20.0)
    assert len(asked) == 3
