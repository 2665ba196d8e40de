"""BVH and CSV in, CSV and NAOqi timelines out."""

from __future__ import annotations

import json
import math
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sera.animation.assets import (
    BvhSource,
    ImportFailed,
    animation_csv,
    import_bvh,
    import_csv,
    load_mapping,
    naoqi_timeline,
    read_animation,
)
from sera.animation.channels import Unit

BVH = """HIERARCHY
ROOT Hips
{
    OFFSET 0 0 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT Head
    {
        OFFSET 0 50 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
            OFFSET 0 10 0
        }
    }
}
MOTION
Frames: 3
Frame Time: 0.05
0 90 0 0 0 0 1 2 3
0 91 0 0 5 0 10 20 30
0 92 0 0 10 0 -5 -15 -25
"""
NOD = """
[animation]
title = "Nod"
[[channels]]
name = "Gazing.Vertical"
keys = [[0, 0], [0.25, -14], [0.81, 0]]
[[channels]]
name = "Gazing.Horizontal"
keys = [[0, 0], [0.3, 5], [0.81, 0]]
[[channels]]
name = "Lights.Left"
keys = [[0, 0], [0.81, 1]]
"""


@pytest.fixture
def nod():
    animation = read_animation(Path("nod.toml"), None, NOD).animation
    assert animation is not None
    return animation


def bvh(text=BVH, mapping=None, **more):
    return import_bvh(Path("clip.bvh"), mapping, text=text, **more)


def test_without_a_mapping_every_rotation_has_its_own_channel():
    clip = bvh()
    assert clip.names == (
        *("Body.Hips_z", "Body.Hips_x", "Body.Hips_y"),
        *("Body.Head_z", "Body.Head_x", "Body.Head_y"),
    )
    assert clip.duration_s == pytest.approx(0.1)
    assert not clip.additive
    np.testing.assert_allclose(np.degrees(clip.sample([0.05])[0, 3:]), [10.0, 20.0, 30.0])


def test_a_mapping_names_channels_and_turns_signs():
    text = '[[map]]\nfrom = "Head.Xrotation"\nto = "Gazing.Vertical"\nscale = -1\norder = "ZXY"\n'
    mapping = load_mapping(Path("map.toml"), text)
    clip = bvh(mapping=[*mapping, BvhSource("Hips.Yposition", "Body.height")])
    assert clip.names == ("Gazing.Vertical", "Body.height")
    assert clip.channels[1].unit is Unit.METRE
    np.testing.assert_allclose(clip.sample([0.05])[0], [math.radians(-20.0), 0.91])


@pytest.mark.parametrize("order", ["".join(axes) for axes in permutations("XYZ")])
def test_files_of_any_rotation_order_give_the_same_channels(order):
    turn = np.radians([[10.0, -5.0, 3.0], [40.0, 20.0, -10.0], [-60.0, 30.0, 15.0]])  # Y, X, Z
    angles = Rotation.from_euler("YXZ", turn).as_euler(order, degrees=True)
    rows = "\n".join(" ".join(repr(float(a)) for a in row) for row in angles)
    text = (
        "HIERARCHY\nROOT Head\n{\nOFFSET 0 0 0\nCHANNELS 3 "
        + " ".join(f"{axis}rotation" for axis in order)
        + f"\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 3\nFrame Time: 0.1\n{rows}\n"
    )
    mapping = [BvhSource(f"Head.{axis}rotation", f"Body.{axis}") for axis in ("Y", "X", "Z")]
    clip = bvh(text, mapping)
    np.testing.assert_allclose(clip.sample([0.0, 0.1, 0.2]), turn, atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("HIERARCHY", "HIERARCHIE", 1, "'HIERARCHY' should stand here"),
        ("OFFSET 0 50 0", "OFFSET 0 fifty 0", 8, "must be a number, not 'fifty'"),
        ("3 Zrotation", "3 Zrotatoin", 9, "did you mean 'Zrotation'"),
        ("CHANNELS 3", "CHANNELS 2.5", 9, "whole number"),
        ("3 Zrotation Xrotation", "3 Zrotation Zrotation", 9, "two channels"),
        ("Frames: 3", "Frames: 4", 21, "announces 4 frames and has 3"),
        ("Frames: 3", "Frames: 1", 17, "do not make a motion"),
        ("Frame Time: 0.05", "Frame Time: 0", 18, "too short"),
        ("0 91 0 0 5", "0 91 0 0", 20, "the frame has 8 numbers, the skeleton 9"),
        ("0 91 0 0 5", "0 91 0 0 x", 20, "no number"),
        ("0 91 0 0 5", "0 91 0 0 nan", 20, "too large, or none"),
        ("JOINT Head", "JOINT Hips", 7, "two joints 'Hips'"),
        ("}\nMOTION", "MOTION", 15, "'MOTION' does not belong here"),
        (BVH, "", 1, "the file ends"),
    ],
)
def test_broken_bvh_files_are_refused_with_the_line(old, new, line, words):
    with pytest.raises(ImportFailed) as caught:
        bvh(BVH.replace(old, new, 1))
    (problem,) = caught.value.problems
    assert words in str(problem)
    assert problem.line == line


def test_a_mapping_to_a_missing_joint_names_the_nearest():
    with pytest.raises(ImportFailed, match="did you mean 'Head'"):
        bvh(mapping=[BvhSource("Haed.Xrotation", "Gazing.Vertical")])
    with pytest.raises(ImportFailed, match="has no 'Xposition'"):
        bvh(mapping=[BvhSource("Head.Xposition", "Body.a")])
    with pytest.raises(ImportFailed, match=r"map\.toml:3: .*did you mean 'Gazing\.Vertical'"):
        load_mapping(Path("map.toml"), '[[map]]\nfrom = "Head.Xrotation"\nto = "Gazing.Vertica"')


def test_bvh_goes_through_csv_and_back_unchanged():
    clip = bvh()
    again = import_csv(Path("clip.csv"), text=animation_csv(clip), additive=False)
    assert again.names == clip.names
    for before, after in zip(clip.channels, again.channels, strict=True):
        np.testing.assert_allclose(after.curve.knots.times_s, before.curve.knots.times_s)
        np.testing.assert_allclose(after.curve.knots.values, before.curve.knots.values, atol=1e-13)
    times = np.linspace(0.0, clip.duration_s, 50)
    np.testing.assert_allclose(again.sample(times), clip.sample(times), atol=1e-12)


def test_csv_has_a_row_a_key_or_a_row_a_frame(nod):
    rows = animation_csv(nod).splitlines()
    assert rows[0] == "time_s,Gazing.Vertical [deg],Gazing.Horizontal [deg],Lights.Left [percent]"
    assert rows[2] == "0.25,-14.0,,"
    assert len(rows) == 5
    frames = animation_csv(nod, 10.0).splitlines()
    assert len(frames) == 1 + 10  # 0 to 0.8, and the end
    assert frames[-1] == "0.81,0.0,0.0,1.0"
    with pytest.raises(ValueError, match="senseless"):
        animation_csv(nod, 0.0)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file is empty"),
        ("t,Body.a [deg]\n0,0\n", 1, "the first column is time_s"),
        ("time_s,Body.a [degrees]\n0,0\n", 1, "no unit 'degrees'"),
        ("time_s,Body.a [deg],Body.a [deg]\n", 1, "twice"),
        ("time_s,Body.a [deg]\n0,0\n1\n", 3, "1 cells"),
        ("time_s,Body.a [deg]\n0,0\n1,far\n", 3, "'far' is no number"),
        ("time_s;Body.a [deg]\n0;0\n1;1,5\n", 3, "decimals have a point"),
        ("time_s,Body.a [deg]\n1,0\n\n0.5,1\n", 4, "backwards"),
        ("time_s,Body.a [deg]\n0,0\n1,inf\n", 3, "is no number from"),
        ("time_s,Body.a [deg]\n0,0\n1,\n", 3, "fewer than two values"),
    ],
)
def test_broken_csv_files_are_refused_with_the_line(text, line, words):
    with pytest.raises(ImportFailed) as caught:
        import_csv(Path("clip.csv"), text=text)
    assert words in str(caught.value)
    assert caught.value.problems[0].line == line


def failure_of(read, text):
    try:
        read(Path("any"), text=text)
    except ImportFailed as failure:
        return failure
    return None


@given(st.text(alphabet='time_s,;Body.a[deg]0123 \n"-x', max_size=120))
def test_no_text_crashes_the_importers(text):
    for read in (import_csv, import_bvh):
        for begin in ("", "time_s,Body.a [deg]\n", "HIERARCHY\nROOT a\n{\n"):
            failure = failure_of(read, begin + text)
            assert failure is None or all(found.line is not None for found in failure.problems)


def test_naoqi_times_increase_and_keys_are_radians(nod):
    timeline = naoqi_timeline(nod, 25.0)
    assert timeline.names == ["HeadPitch", "HeadYaw"]
    assert timeline.left_out == ("Lights.Left",)
    assert not timeline.is_absolute
    for times, keys in zip(timeline.times, timeline.keys, strict=True):
        assert len(times) == len(keys)
        assert times[0] > 0.0
        assert times[-1] == 0.81
        assert all(later > earlier for earlier, later in pairwise(times))
    # The head looks down by 14 degrees, which NAO counts as a positive pitch.
    assert max(timeline.keys[0]) == pytest.approx(math.radians(14.0), abs=2e-3)
    data = json.loads(timeline.to_json())
    assert sorted(data) == ["isAbsolute", "keys", "names", "times"]


@given(st.floats(1.0, 1000.0))
def test_naoqi_times_increase_at_every_rate(rate_hz):
    animation = read_animation(Path("nod.toml"), None, NOD).animation
    for times in naoqi_timeline(animation, rate_hz).times:
        assert times[0] > 0.0
        assert all(later > earlier for earlier, later in pairwise(times))


def test_two_channels_for_one_naoqi_joint_are_refused(nod):
    with pytest.raises(ValueError, match="both move HeadYaw"):
        naoqi_timeline(
            nod, 25.0, {"Gazing.Vertical": ("HeadYaw", 1.0), "Gazing.Horizontal": ("HeadYaw", 1.0)}
        )
