"""What `sera robot watch` shows, without any run: units, shares, bars, JSON."""

from __future__ import annotations

import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from sera.animation.channels import ChannelSpec, Unit
from sera.cli._robot_watch_view import (
    BAR_WIDTH,
    Row,
    as_data,
    engine_text,
    lines_of,
    rows_of,
    table_of,
    units_from,
)
from sera.messages import BlendReport, ChannelBlend, EngineState

OWN = {
    "Body.neck": ChannelSpec(name="Body.neck"),
    "Body.lift": ChannelSpec(name="Body.lift", unit=Unit.METRE),
}
REPORT = BlendReport(
    frame=416,
    layers={"posture": 1.0, "gaze": 1.0, "life": 0.25, "off": 0.0},
    channels={
        "Body.neck": ChannelBlend(value=math.radians(35), layers={"posture": 1.0}),
        "Body.lift": ChannelBlend(value=0.12, layers={"posture": 1.0}),
        "Gazing.Horizontal": ChannelBlend(
            value=math.radians(-9.5), layers={"life": 0.25, "gaze": 0.75}
        ),
        "Eyes.LeftLid": ChannelBlend(value=0.44, layers={"life": 1.0}),
        "Torso.Stretch": ChannelBlend(value=-0.3, layers={"life": 0.999, "gaze": 0.001}),
    },
)
STATE = EngineState(
    program="Alive",
    posture="neutral",
    playing=["nod"],
    rate_hz=50.0,
    counts={"frames": 1416, "late": 4, "branch_changes": 0, "refused": 2},
    slowest_frame_ms=15.08,
)


def drawn(renderable) -> str:
    console = Console(width=120, file=io.StringIO(), no_color=True)
    console.print(renderable)
    return console.file.getvalue()


def test_people_see_degrees_percentages_and_metres():
    rows = {row.channel: row.value_text for row in rows_of(REPORT, units_from(OWN))}
    assert rows == {
        "Body.neck": "+35.0°",
        "Body.lift": "+0.120 m",
        "Gazing.Horizontal": "-9.5°",
        "Eyes.LeftLid": "44 %",
        "Torso.Stretch": "-0.300",
    }


def test_an_own_channel_of_an_unknown_body_is_shown_as_the_number_that_it_is():
    (row,) = rows_of(REPORT, units_from({}), ["Body.neck"])
    assert (row.unit, row.value_text) == ("", f"{math.radians(35):+.3f}")


def test_the_layer_with_the_largest_share_comes_first_and_traces_are_left_out():
    rows = {row.channel: row.shares_text for row in rows_of(REPORT, units_from(OWN))}
    assert rows["Gazing.Horizontal"] == "gaze 75 %, life 25 %"
    assert rows["Torso.Stretch"] == "life 100 %"


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["gazing.*"], ["Gazing.Horizontal"]),
        (["*lid", "Body.?eck"], ["Body.neck", "Eyes.LeftLid"]),
        (["Gazing"], []),
    ],
)
def test_channels_are_chosen_by_patterns_in_any_case(patterns, found):
    assert [row.channel for row in rows_of(REPORT, units_from(OWN), patterns)] == found


def test_the_engines_line_has_what_matters_and_no_noughts():
    assert engine_text(STATE) == (
        "program “Alive” · posture neutral · playing nod · 50 Hz · 4 late of 1,416 frames · "
        "slowest 15.1 ms · 2 refused"
    )
    troubled = STATE.model_copy(update={"problem": "muted: wave\x1b[2J"})
    assert engine_text(troubled).endswith(" · muted: wave\N{REPLACEMENT CHARACTER}[2J")


def test_plain_lines_carry_the_frame_in_every_line():
    lines = lines_of(REPORT, rows_of(REPORT, units_from(OWN), ["Gazing.*"]), STATE)
    assert [line.partition("  ")[0] for line in lines] == ["frame 416"] * 3
    assert "Gazing.Horizontal" in lines[0]
    assert lines[1] == "frame 416  layers: posture 100 %, gaze 100 %, life 25 %, off 0 %"


def test_the_table_has_a_bar_for_every_channel():
    shown = drawn(table_of("ada", REPORT, rows_of(REPORT, units_from(OWN)), STATE))
    assert "ada  frame 416" in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("Gazing.Horizontal")]
    assert "█" * BAR_WIDTH in line
    assert line.rstrip().endswith("gaze 75 % · life 25 %")
    assert "layers  posture · gaze · life 25 % · off 0 %" in shown


def test_json_has_the_units_of_files():
    rows = rows_of(REPORT, units_from(OWN))
    data = json.loads(json.dumps(as_data("ada", REPORT, rows, STATE)))
    assert data["channels"]["Gazing.Horizontal"] == {
        "value": -9.5,
        "unit": "deg",
        "layers": {"gaze": 0.75, "life": 0.25},
    }
    assert data["channels"]["Eyes.LeftLid"]["value"] == 0.44
    assert data["engine"]["counts"]["late"] == 4
    assert as_data("ada", REPORT, rows, None)["engine"] is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_a_bar_is_never_wider_than_its_place(parts):
    total = sum(parts)
    shares = {f"layer{n}": part / total if total else 0.0 for n, part in enumerate(parts)}
    report = BlendReport(frame=1, layers=dict.fromkeys(shares, 1.0))
    shown = drawn(table_of("ada", report, [Row("X.Y", 0.0, "deg", shares)], None))
    blocks = shown.count("█")
    assert blocks == (BAR_WIDTH if total else 0)
