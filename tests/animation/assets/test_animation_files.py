"""Animation and posture files: what is read, and how every slip is located."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.assets import (
    AnimationError,
    LimitsError,
    PostureError,
    load_animation,
    load_animations,
    load_limits,
    load_postures,
    read_animation,
    read_postures,
)
from sera.animation.channels import ChannelSpec, Unit

NOD = """[animation]
title = "Nod"

[[channels]]
name = "Gazing.Vertical"
keys = [
    [0.0, 0],
    [0.25, -14],
    [0.55, 4, "flat"],
    [0.8, 0],
]
"""
SPECS = {
    "Gazing.Vertical": ChannelSpec(name="Gazing.Vertical", lower=-0.2, upper=0.2),
    "Body.glow": ChannelSpec(name="Body.glow", unit=Unit.PERCENT, lower=0.0, upper=1.0),
}


def problems(text, specs=None, name="nod.toml"):
    return read_animation(Path(name), specs, text).problems


def test_a_nod_takes_six_lines(tmp_path):
    file = tmp_path / "nod.toml"
    file.write_text(NOD)
    nod = load_animation(file)
    assert (nod.name, nod.title, nod.loop, nod.additive) == ("nod", "Nod", False, True)
    assert nod.body_sets == ("Gazing",)
    np.testing.assert_allclose(
        np.degrees(nod.sample([0.0, 0.25, 0.55, 0.8])[:, 0]), [0.0, -14.0, 4.0, 0.0]
    )


def test_json_has_the_same_shape_and_lines():
    data = {"animation": {"loop": True}, "channels": [{"name": "Body.a", "keys": [[0, 0], [1, 0]]}]}
    reading = read_animation(Path("a.json"), None, json.dumps(data, indent=1))
    assert reading.animation is not None
    assert reading.animation.loop
    data["channels"][0]["keys"][1][0] = -1
    text = json.dumps(data, indent=1)
    (found, *_) = problems(text, name="a.json")
    assert found.line == text.splitlines().index("     -1,") + 1
    assert problems("[1]", name="a.json")[0].line == 1
    assert problems('{"a": }', name="a.json")[0].line == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("[0.25, -14]", "[0.9, -14]", 9, "backwards, from 0.9 s to 0.55 s"),
        ("[0.25, -14]", "[0.0, -14]", 8, "same or too close"),
        ("[0.25, -14]", "[0.25]", 8, "no key"),
        ("[0.25, -14]", "[0.25, nan]", 8, "must be a number"),
        ("[0.25, -14]", '[0.25, "far"]', 8, "must be a number, not 'far'"),
        ("[0.25, -14]", "[0.25, true]", 8, "must be a number"),
        ("[0.25, -14]", f"[0.25, 1{'0' * 400}]", 8, "must be a number from"),
        ("[0.0, 0]", "[-1, 0]", 7, "the time -1 s"),
        ('"flat"', '"flatt"', 9, "did you mean 'flat'"),
        ('"flat"', '"hold", 0', 9, "cannot arrive by 'hold'"),
        ("Gazing.Vertical", "Gazing.Vertikal", 5, "did you mean 'Gazing.Vertical'"),
        ("Gazing.Vertical", "Gazing", 5, "no channel name"),
        ('"Gazing.Vertical"', '"Gazing.Vertical"\nunit = "degree"', 6, "did you mean 'deg'"),
        ('"Gazing.Vertical"', '"Gazing.Vertical"\ntangent = "soft"', 6, "no tangent 'soft'"),
        ('name = "Gazing.Vertical"', "", 4, "this key is missing"),
        ('title = "Nod"', 'titel = "Nod"', 2, "did you mean 'title'"),
        ('title = "Nod"', "loop = 1", 2, "true or false"),
        ('title = "Nod"', "fade_s = -0.1", 2, "in the past"),
        ('title = "Nod"', "anchors = { stroke = 0.9 }", 2, "outside the animation, 0 to 0.8 s"),
        ('title = "Nod"', 'body_sets = ["Gaze"]', 2, "no body set 'Gaze'"),
        ('title = "Nod"', 'body_sets = ["Arms"]', 5, "none of the animation's body_sets"),
        ('title = "Nod"', "title = Nod", 2, "not valid TOML"),
    ],
)
def test_every_slip_is_located(old, new, line, words):
    found = problems(NOD.replace(old, new, 1))
    assert found, "nothing was found"
    assert words in "\n".join(str(problem) for problem in found)
    assert line in [problem.line for problem in found if words in str(problem)]


def test_too_few_keys_and_no_channels_are_problems():
    one = '[[channels]]\nname = "Body.a"\nkeys = [[0, 0]]\n'
    assert "one key alone" in str(problems(one)[0])
    assert problems(one)[0].line == 3
    assert "there are no channels" in str(problems("[animation]\n")[0])
    assert "there are no channels" in str(problems("channels = 3\n")[0])
    twice = one.replace("[[0, 0]]", "[[0, 0], [1, 1]]") * 2
    assert "moved on line 2 already" in str(problems(twice)[0])


def test_beyond_the_range_is_a_warning_and_not_a_problem():
    reading = read_animation(Path("nod.toml"), SPECS, NOD)
    assert reading.animation is not None
    (warning,) = reading.warnings
    assert warning.line == 6
    assert "-14 lies beyond the range -11.46 to 11.46" in str(warning)


def test_a_generic_channel_that_the_body_lacks_is_a_warning():
    reading = read_animation(Path("a.toml"), SPECS, NOD.replace("Vertical", "Roll"))
    assert reading.animation is not None
    assert "left out" in str(reading.warnings[0])
    (problem,) = problems(NOD.replace("Gazing.Vertical", "Body.glou"), SPECS)
    assert problem.nearest == "Body.glow"


def test_units_follow_the_channel_unless_one_is_written():
    text = '[[channels]]\nname = "Body.glow"\nkeys = [[0, 0], [1, 0.5]]\n'
    animation = read_animation(Path("a.toml"), SPECS, text).animation
    assert animation is not None
    assert animation.channels[0].unit is Unit.PERCENT
    wrong = text.replace("keys", 'unit = "deg"\nkeys')
    assert "does not fit" in str(problems(wrong, SPECS)[0])


def test_a_loop_that_jumps_is_a_warning():
    text = '[animation]\nloop = true\n[[channels]]\nname = "Body.a"\nkeys = [[0, 0], [1, 1]]\n'
    (warning,) = read_animation(Path("a.toml"), None, text).warnings
    assert (warning.line, "the loop jumps" in str(warning)) == (5, True)


def test_a_folder_is_read_as_far_as_it_is_right(tmp_path):
    (tmp_path / "nod.toml").write_text(NOD)
    (tmp_path / "bad.toml").write_text("[animation")
    (tmp_path / "notes.md").write_text("# notes")
    animations, found = load_animations(tmp_path)
    assert list(animations) == ["nod"]
    assert [problem.file.name for problem in found] == ["bad.toml"]
    assert load_animations(tmp_path / "none") == ({}, [])
    with pytest.raises(AnimationError, match="not valid TOML"):
        load_animation(tmp_path / "bad.toml")
    with pytest.raises(AnimationError, match="no such file"):
        load_animation(tmp_path / "absent.toml")


def test_postures_are_in_degrees_and_may_share_a_file(tmp_path):
    file = tmp_path / "hot.toml"
    file.write_text('[posture]\ntitle = "Hot"\n[values]\n"Body.bend" = 20.0\nBody.neck = -10\n')
    (tmp_path / "more.toml").write_text(
        '[postures.cold.values]\n"Body.bend" = -20\n'
        '[postures.lit.values]\n"Lights.Left" = 0.5\n'
        '"Body.lift" = { value = 1, unit = "percent" }\n'
    )
    postures = load_postures(tmp_path)
    assert sorted(postures) == ["cold", "hot", "lit"]
    assert postures["hot"].values["Body.bend"] == pytest.approx(math.radians(20.0))
    assert postures["hot"].values["Body.neck"] == pytest.approx(math.radians(-10.0))
    assert postures["lit"].values["Lights.Left"] == 0.5
    lift = ChannelSpec(name="Body.lift", unit=Unit.METRE, lower=0.1, upper=0.3)
    assert postures["lit"].for_channels({"Body.lift": lift}) == {"Body.lift": 0.3}


def test_slips_in_postures_are_located(tmp_path):
    text = '[posture]\ntitle = "Hot"\n\n[values]\n"Gazing.Vertikal" = 3\n"Body.glow" = "on"\n'
    first, second = read_postures(Path("hot.toml"), SPECS, text).problems
    assert (first.line, first.nearest) == (5, "Gazing.Vertical")
    assert (second.line, "must be a number" in str(second)) == (6, True)
    over = read_postures(Path("hot.toml"), SPECS, '[values]\n"Gazing.Vertical" = 40\n')
    assert "40 lies beyond the range" in str(over.warnings[0])
    file = tmp_path / "empty.toml"
    file.write_text("")
    with pytest.raises(PostureError, match="no posture in the file"):
        load_postures(file)


def test_limits_are_read_and_their_slips_located():
    text = '[[channels]]\nname = "Gazing.Vertical"\nlower = -40\nupper = 40\nmax_velocity = 90\n'
    spec = load_limits(Path("limits.toml"), text)["Gazing.Vertical"]
    assert spec.upper == pytest.approx(math.radians(40.0))
    assert spec.max_velocity == pytest.approx(math.pi / 2)
    assert spec.max_jerk == math.inf
    for old, new, words in (
        ("lower = -40", "lower = 50", "below upper"),
        ("= 90", "= 0", r"toml:5: .*allows no motion"),
        ("upper", "uper", "did you mean 'upper'"),
    ):
        with pytest.raises(LimitsError, match=words):
            load_limits(Path("limits.toml"), text.replace(old, new))


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("smooth")
)
NAMES = st.sampled_from(["name", "unit", "keys", "tangent", "value", "title", "loop", "anchors"])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(TREES, TREES, TREES)
def test_no_shape_of_data_crashes_the_readers(about, channels, values):
    text = json.dumps(
        {"animation": about, "channels": [channels], "posture": about, "values": values}
    )
    for read in (read_animation, read_postures):
        for found in read(Path("any.json"), SPECS, text).problems:
            assert found.line == 1
            assert str(found)


@given(st.text(max_size=200))
def test_no_text_crashes_the_readers(text):
    for name in ("any.toml", "any.json"):
        reading = read_animation(Path(name), None, text)
        assert reading.animation is None
        assert reading.problems
        read_postures(Path(name), None, text)


@given(st.integers(0, len(NOD)), st.text(max_size=4), st.integers(0, 3))
def test_a_damaged_file_is_read_or_has_located_problems(place, inserted, removed):
    text = NOD[:place] + inserted + NOD[place + removed :]
    reading = read_animation(Path("nod.toml"), SPECS, text)
    assert (reading.animation is None) == bool(reading.problems)
    lines = text.count("\n") + 1
    for found in reading.problems:
        assert found.line is not None
        assert 1 <= found.line <= lines
