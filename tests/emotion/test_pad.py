from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.emotion import PAD, Octant, extroversion, nurturance

AXIS = st.floats(min_value=-1.0, max_value=1.0)
POINTS = st.builds(PAD, AXIS, AXIS, AXIS)


def test_the_documents_corners_have_its_features() -> None:
    table = {
        "LLL": (0.875, 0.125, 0.125),
        "LLH": (0.875, 0.125, 0.875),
        "LHL": (0.875, 0.875, 0.125),
        "LHH": (0.875, 0.875, 0.875),
        "HLL": (0.125, 0.125, 0.125),
        "HLH": (0.125, 0.125, 0.875),
        "HHL": (0.125, 0.875, 0.125),
        "HHH": (0.125, 0.875, 0.875),
    }
    for letters, features in table.items():
        assert PAD.corner(letters).features().values == features


def test_a_point_beyond_the_space_is_clipped_and_says_where() -> None:
    pad = PAD(1.5, -0.2, -7.0)
    assert pad == PAD(1.0, -0.2, -1.0)
    assert pad.clipped == ("pleasure", "dominance")
    assert PAD(1.0, -0.2, -1.0).clipped == ()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "0.5", None, True, [0.1]])
def test_what_is_no_finite_number_is_refused_in_one_sentence(bad: object) -> None:
    with pytest.raises(ValueError, match=r"^arousal is .*; give a number from -1 to 1$"):
        PAD(0.0, bad, 0.0)  # type: ignore[arg-type]


def test_a_point_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        PAD().pleasure = 0.5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("point", "label"),
    [
        ((1, 1, 1), "Exuberant"),
        ((-1, -1, -1), "Bored"),
        ((1, 1, -1), "Dependent"),
        ((-1, -1, 1), "Disdainful"),
        ((1, -1, 1), "Relaxed"),
        ((-1, 1, -1), "Anxious"),
        ((1, -1, -1), "Docile"),
        ((-1, 1, 1), "Hostile"),
        ((0, 0, 0), "Neutral"),
    ],
)
def test_every_octant_has_its_temperament(point: tuple[float, float, float], label: str) -> None:
    assert PAD(*point).octant == label


def test_a_nought_takes_the_sign_of_the_first_axis_that_has_one() -> None:
    assert PAD(0.0, -0.3, 0.2).octant is Octant.DISDAINFUL
    assert PAD(0.4, 0.0, 0.0).octant is Octant.EXUBERANT
    assert PAD(-0.0, 0.0, -0.1).octant is Octant.BORED


@given(POINTS)
def test_the_opposite_lies_in_the_opposite_octant(pad: PAD) -> None:
    assert pad.opposite.octant is pad.octant.opposite
    assert pad.opposite.opposite == pad


@given(POINTS, POINTS, st.floats(0.0, 1.0))
def test_a_blend_lies_between_and_its_ends_are_exact(a: PAD, b: PAD, share: float) -> None:
    assert a.blend(b, 0.0) == a
    assert a.blend(b, 1.0) == b
    between = a.blend(b, share)
    assert a.distance(between) + between.distance(b) == pytest.approx(a.distance(b), abs=1e-9)


@given(POINTS)
def test_strength_is_nought_at_neutral_alone_and_at_most_one(pad: PAD) -> None:
    assert 0.0 <= pad.strength <= 1.0
    assert (pad.strength == 0.0) == (pad == PAD.neutral()) or pad.distance(PAD()) < 1e-150


@pytest.mark.parametrize("letters", ["LH", "LHLH", "LMH", ""])
def test_a_corner_of_other_letters_is_refused(letters: str) -> None:
    with pytest.raises(ValueError, match="three letters L or H"):
        PAD.corner(letters)


def test_a_corner_has_the_size_that_is_asked_for() -> None:
    assert PAD.corner("hlh", size=0.5) == PAD(0.5, -0.5, 0.5)
    with pytest.raises(ValueError, match="at most 1"):
        PAD.corner("HHH", size=1.5)


def test_traits_are_the_documents_regressions() -> None:
    assert extroversion(PAD(1, 1, 1)) == pytest.approx(0.88)
    assert nurturance(PAD(1, 1, 1)) == pytest.approx(0.70)
    assert extroversion(PAD(0, 0, 1)) == pytest.approx(0.50)
    assert nurturance(PAD(1, 0, 0)) == pytest.approx(0.41)


def test_speaking_of_emotions_loads_neither_numba_nor_numpy() -> None:
    code = (
        "import sys; from sera.emotion import PAD; PAD.named('happiness').features();"
        "print([name for name in ('numba', 'numpy', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
