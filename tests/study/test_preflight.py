"""The checks before a session: facts become colours, sentences and advice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.messages import BodyHealth, SpeechOutcome
from sera.study.design_tables import PreflightWish
from sera.study.preflight import (
    CHECKS,
    BodyFact,
    Facts,
    SensorFact,
    VoiceFact,
    judge,
    reds,
)

NOW_S = 1_790_000_000.0
WELL = BodyFact("ada", BodyHealth.OK, stopped_after_s=0.1, released=True)
HEARD = VoiceFact("ada", SpeechOutcome.COMPLETED, heard=True)
ALL_WELL = Facts(
    bodies=[WELL],
    cameras=[SensorFact("world.camera", ok=True)],
    faces=1,
    microphones=[SensorFact("world.ears", ok=True)],
    levels_dbfs=[-45.0, -44.0, -3.0],
    voices=[HEARD],
    has_screen=True,
    screens=1,
    has_forms=True,
    tablets=1,
    free_bytes=10**11,
    now_s=NOW_S,
    newest_session_s=NOW_S - 60,
    round_trip_s=0.002,
)


def colours(facts: Facts, wish: PreflightWish | None = None) -> dict[str, str]:
    return {one.check: one.colour for one in judge(facts, wish or PreflightWish())}


def test_everything_in_order_is_green() -> None:
    checks = judge(ALL_WELL, PreflightWish())
    assert [one.check for one in checks] == list(CHECKS)
    assert {one.colour for one in checks} == {"green"}
    assert not reds(checks)


def test_what_the_scenario_does_not_have_is_grey() -> None:
    bare = Facts(free_bytes=10**11, now_s=NOW_S, round_trip_s=0.001)
    found = colours(bare)
    assert found.pop("disk") == found.pop("clock") == "green"
    assert set(found.values()) == {"grey"}


@pytest.mark.parametrize(
    ("check", "change", "colour", "words"),
    [
        ("robot", {"bodies": [BodyFact("ada")]}, "red", "Nothing was heard of ada's body"),
        ("robot", {"bodies": [replace(WELL, health=BodyHealth.UNREACHABLE)]}, "red", "reached"),
        ("robot", {"bodies": [replace(WELL, health=BodyHealth.STOPPED)]}, "red", "is stopped"),
        ("robot", {"bodies": [replace(WELL, health=BodyHealth.WARNING)]}, "amber", "warning"),
        ("robot", {"bodies": [WELL, BodyFact("bob")]}, "red", "bob"),
        ("face", {"faces": 0}, "red", "no face is seen"),
        ("face", {"faces": 0, "cameras": [], "people_simulated": True}, "amber", "simulated"),
        ("face", {"cameras": [SensorFact("c", ok=False, problem="dark")]}, "red", "dark"),
        ("microphone", {"levels_dbfs": []}, "red", "tells no level"),
        ("microphone", {"levels_dbfs": [-90.0]}, "red", "dead"),
        ("microphone", {"levels_dbfs": [-10.0]}, "red", "too loud"),
        ("microphone", {"microphones": [SensorFact("m", ok=False)]}, "red", "does not work"),
        ("voice", {"voices": [replace(HEARD, heard=False)]}, "red", "was not heard"),
        ("voice", {"voices": [VoiceFact("ada")]}, "red", "never finished"),
        ("voice", {"voices": [replace(HEARD, heard=None)]}, "amber", "nobody has confirmed"),
        ("voice", {"voices": [replace(HEARD, heard=None, simulated=True)]}, "green", "simulation"),
        ("voice", {"voices": [VoiceFact("a", SpeechOutcome.FAILED)]}, "red", "failed"),
        (
            "voice",
            {"voices": [VoiceFact("a", SpeechOutcome.COMPLETED, "no loudspeaker")]},
            "red",
            "no loudspeaker",
        ),
        ("screen", {"screens": 0}, "red", "No page"),
        ("tablet", {"tablets": 0}, "red", "No tablet"),
        ("tablet", {"tablets": 2}, "green", "2 tablets"),
        ("disk", {"free_bytes": 10**9}, "red", "Only 1.0 GB"),
        ("disk", {"free_bytes": 3 * 10**9}, "amber", "Only 3.0 GB"),
        ("clock", {"now_s": 60.0}, "red", "cannot be right"),
        ("clock", {"now_s": 1e12}, "red", "cannot be right"),
        ("clock", {"newest_session_s": NOW_S + 5}, "red", "earlier than"),
        ("clock", {"drift_s": -3.0}, "red", "set by -3.00 s"),
        ("clock", {"drift_s": 0.1}, "amber", "set by +0.10 s"),
        ("clock", {"round_trip_s": None}, "red", "no answer"),
        ("clock", {"round_trip_s": 0.1}, "amber", "100 ms"),
        ("stop", {"bodies": [replace(WELL, stopped_after_s=None)]}, "red", "did not obey"),
        ("stop", {"bodies": [replace(WELL, released=False)]}, "red", "did not come back"),
        ("stop", {"bodies": [replace(WELL, stopped_after_s=2.0)]}, "amber", "took 2.0 s"),
    ],
)
def test_each_trouble_has_its_colour_sentence_and_advice(
    check: str, change: dict[str, Any], colour: str, words: str
) -> None:
    found = next(
        one for one in judge(replace(ALL_WELL, **change), PreflightWish()) if one.check == check
    )
    assert found.colour == colour
    assert words in found.sentence
    if colour == "red":
        assert found.advice


def test_the_study_file_leaves_checks_out_and_sets_limits() -> None:
    wish = PreflightWish(skip=["tablet"], free_disk_gb=500, quiet_below_db=-50)
    found = colours(replace(ALL_WELL, tablets=0), wish)
    assert found["tablet"] == "grey"
    assert found["disk"] == "red"
    assert found["microphone"] == "red"


@given(
    st.builds(
        Facts,
        free_bytes=st.integers(0, 10**13),
        now_s=st.floats(allow_nan=False, allow_infinity=False),
        drift_s=st.floats(-1e6, 1e6),
        round_trip_s=st.none() | st.floats(0, 1e6),
        levels_dbfs=st.lists(st.floats(-120, 0)),
        faces=st.integers(0, 5),
        tablets=st.integers(0, 5),
    )
)
def test_whatever_was_found_every_check_says_something(facts: Facts) -> None:
    checks = judge(facts, PreflightWish())
    assert [one.check for one in checks] == list(CHECKS)
    assert all(one.sentence.endswith(".") for one in checks)
