"""Faces come and go without a jump: for a moment, over one that stays."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.assets import Face
from sera.animation.body import Body, load_body
from sera.animation.controllers import FaceController, Posture
from sera.animation.engine import Engine, Layer
from sera.animation.frame import BlendMode

ROBOTS = Path(__file__).parents[3] / "robots"
SMILE, BROWS = "Face.Smile", "Face.Brows"
FACES = {
    "joy": Face("joy", {SMILE: 0.9, BROWS: 0.4}),
    "anger": Face("anger", {BROWS: -1.0}),
    "glow": Face("glow", {}, lacking=("Lights.Left", "Lights.Right")),
}
FACES["happy"] = FACES["joy"]
BELOW = 0.2
ORDER = st.tuples(
    st.sampled_from(["joy", "happy", "anger", "neutral"]),
    st.one_of(st.none(), st.floats(0.0, 0.5)),
    st.floats(0.0, 1.0),
    st.floats(0.2, 0.6),
    st.integers(0, 40),
)


@cache
def emys() -> Body:
    return load_body(ROBOTS / "emys")


class Stage:
    """A face over a posture that smiles a little, and what is blended of both."""

    def __init__(self, faces: dict[str, Face] = FACES) -> None:
        self.face = FaceController(faces)
        posture = Posture({"neutral": {}, "calm": {SMILE: BELOW}}, first="calm")
        override = BlendMode.OVERRIDE
        self.engine = Engine(
            emys(),
            [
                Layer("posture", [posture], mode=override),
                Layer("face", [self.face], mode=override),
            ],
        )

    def run(self, frames: int) -> dict[str, np.ndarray]:
        columns = {name: self.engine.layout.index(name) for name in (SMILE, BROWS)}
        seen = [np.empty((0, len(self.engine.layout)))]
        for _ in range(frames):
            self.engine.step()
            seen.append(self.engine.blend.values[None].copy())
        return {name: np.concatenate(seen)[:, column] for name, column in columns.items()}


def test_a_face_comes_in_its_time_exactly_and_stays():
    stage = Stage()
    stage.face.show("joy", blend_s=0.4)
    smile = stage.run(100)[SMILE]
    assert smile[18] < 0.9
    assert smile[19:] == pytest.approx(0.9, abs=1e-12)
    assert np.all(np.diff(smile) >= -1e-12)
    assert stage.face.shown == "joy"


def test_a_face_for_a_moment_gives_way_to_the_one_that_stays():
    stage = Stage()
    stage.face.show("anger", blend_s=0.2)
    stage.run(50)
    stage.face.show("joy", hold_s=0.5, blend_s=0.2)
    seen = stage.run(100)
    assert seen[SMILE][9:35] == pytest.approx(0.9, abs=1e-12)
    assert seen[SMILE][35] < 0.9
    assert seen[SMILE][45:] == pytest.approx(BELOW, abs=1e-12)
    assert seen[BROWS][45:] == pytest.approx(-1.0, abs=1e-12)
    assert stage.face.shown == "anger"


def test_neutral_lets_go_and_what_lies_below_appears():
    stage = Stage()
    stage.face.show("joy")
    stage.run(50)
    stage.face.show("neutral", blend_s=0.2)
    assert stage.run(30)[SMILE][10:] == pytest.approx(BELOW, abs=1e-12)


def test_a_weight_shows_that_much_of_a_face():
    stage = Stage()
    stage.face.show("joy", weight=0.5)
    assert stage.run(30)[SMILE][-1] == pytest.approx(0.5 * 0.9 + 0.5 * BELOW)


def test_two_moments_in_a_row_both_return_to_the_face_that_stays():
    stage = Stage()
    stage.face.show("joy")
    stage.run(30)
    stage.face.show("anger", hold_s=0.2)
    stage.run(10)
    stage.face.show("neutral", hold_s=0.2)
    stage.run(100)
    assert stage.face.shown == "joy"
    assert stage.run(1)[SMILE][0] == pytest.approx(0.9)


def test_words_and_capitals_mean_the_same_face():
    stage = Stage()
    for word in ("happy", "Happy", "JOY"):
        stage.face.show(word)
        assert stage.face.shown == "joy"


def test_an_unknown_face_is_refused_with_the_nearest_and_nothing_changes():
    stage = Stage()
    stage.face.show("joy")
    stage.run(30)
    with pytest.raises(LookupError, match="there is no face 'angr'; did you mean 'anger'"):
        stage.face.show("angr")
    with pytest.raises(LookupError, match="cannot show the face 'glow': it has none of Lights"):
        stage.face.show("glow")
    assert stage.face.shown == "joy"
    assert stage.run(20)[SMILE] == pytest.approx(0.9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(ORDER, min_size=1, max_size=8))
def test_whatever_is_ordered_when_the_face_stays_in_range_and_moves_smoothly(orders):
    stage = Stage()
    seen = [stage.run(2)]
    for name, hold_s, weight, blend_s, frames in orders:
        stage.face.show(name, hold_s=hold_s, weight=weight, blend_s=blend_s)
        seen.append(stage.run(frames))
    seen.append(stage.run(80))
    for channel, lowest, highest in ((SMILE, BELOW, 0.9), (BROWS, -1.0, 0.4)):
        values = np.concatenate([each[channel] for each in seen])
        assert min(values.min(), 0.0) >= min(lowest, 0.0) - 1e-9
        assert values.max() <= highest + 1e-9
        # A minimum-jerk move of 1.9 in 0.2 s has a velocity of at most 0.36 a frame and changes it
        # by at most 0.11; where two moves meet, their changes may add up.
        assert np.abs(np.diff(values)).max() < 0.4
        assert np.abs(np.diff(values, 2)).max() < 0.25


def test_a_face_that_is_edited_changes_without_a_jump_and_one_that_is_gone_lets_go():
    stage = Stage()
    stage.face.show("joy")
    stage.run(50)
    edited = Stage({"joy": Face("joy", {SMILE: 0.5})})
    edited.engine.take_over(stage.engine)
    smile = edited.run(50)[SMILE]
    assert smile[0] == pytest.approx(0.9, abs=0.02)
    assert smile[-1] == pytest.approx(0.5)
    gone = Stage({})
    gone.engine.take_over(edited.engine)
    assert gone.run(50)[SMILE][-1] == pytest.approx(BELOW)
    assert gone.face.shown == "neutral"


def test_orders_without_end_keep_the_face_bounded():
    stage = Stage()
    for number in range(500):
        stage.face.show(("joy", "anger")[number % 2], blend_s=60.0)
        seen = stage.run(1)
        assert -1.0 <= seen[BROWS][0] <= 0.4
    assert len(stage.face._looks._looks) <= 24
