"""Simulated people in runs: hello with them, their words, their senses, and wrong scripts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    EngagementChanged,
    Envelope,
    Gaze,
    HeadDirection,
    ModuleFault,
    PeopleState,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    PersonMoved,
    SpeechActivity,
    SpeechHeard,
)
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import ScenarioError, load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "people.md"
TALK = """
[scenario]
title = "Talk"
seed = 5
[modules.visitors]
module = "simulated_people"
{senses}
[modules.visitors.people.left]
script = [
    {{ do = "come" }}, {{ do = "wait", for_s = 2 }},
    {{ do = "say", text = "I speak first and for quite a while now." }},
    {{ do = "wait", for_s = 6 }},
]
[modules.visitors.people.right]
script = [
    {{ do = "come" }}, {{ do = "wait", for_s = 8 }},
    {{ do = "say", text = "And I speak after that, also for a while." }},
    {{ do = "wait", for_s = 3 }},
]
[modules.people]
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[people.left]
position_m = [0.6, 0, 1.2]
[people.right]
position_m = [-0.6, 0, 1.2]
{space}
"""


def played(place: Path, seed: int | None = None, duration_s: float = 60.0) -> list[Envelope]:
    workspace = Workspace.discover(place)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> None:
        loaded = load_scenario(place, workspace).overridden(seed=seed, duration_s=duration_s)
        started = Run(loaded, workspace, RunOptions(record=False))
        started.observe(seen.append)
        await started.execute()

    run_with_clock(main(), clock="virtual")
    return seen


def written(folder: Path, text: str) -> Path:
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(text, encoding="utf-8")
    return place


def of(said: list[Any], kind: type[Any]) -> list[Any]:
    return [one.message for one in said if isinstance(one.message, kind)]


def hello_with_people(folder: Path) -> Path:
    """Hello with the table of docs/people.md in place of its visitor."""
    place = folder / "scenarios" / "hello_people"
    shutil.copytree(ROOT / "scenarios" / "hello", place)
    page = DOCS.read_text(encoding="utf-8")
    shown = re.search(r"<!-- hello -->\n```toml\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    file = place / "scenario.toml"
    text = file.read_text(encoding="utf-8")
    before = re.search(r"\[modules\.visitor\]\n(?:[^\[\n].*\n)*", text)
    assert before is not None
    text = text.replace(before[0], shown[1]).replace(
        "[conditions.busy.modules.visitor]\nvisits = 0\n", ""
    )
    # The motion of the body is not the point here and takes most of the time.
    text = text.replace(
        'module = "animation_engine"\n', 'module = "animation_engine"\nenabled = false\n'
    )
    file.write_text(text, encoding="utf-8")
    return place


def test_hello_runs_with_simulated_people_in_place_of_the_visitor(tmp_path: Path) -> None:
    said = played(hello_with_people(tmp_path), duration_s=60)
    assert of(said, ModuleFault) == []
    assert [one.person for one in of(said, PersonDetected)] == ["person_1"]
    assert len(of(said, PersonLost)) == 1
    assert len(of(said, SpeechHeard)) >= 1
    said_lines = {one.category for one in of(said, PerformUtterance)}
    assert {"greeting", "answer", "call_back", "goodbye"} <= said_lines
    assert "engaged" in [one.level for one in of(said, EngagementChanged)]
    assert of(said, EngagementChanged)[-1].level == "disengaged"


def test_messages_carry_the_time_of_capture_and_come_later(tmp_path: Path) -> None:
    senses = "senses = { latency_s = 0.3, misses_part = 0.0 }"
    place = written(tmp_path, TALK.format(senses=senses, space=""))
    said = played(place)
    last = None
    for one in said:
        if isinstance(one.message, PersonMoved | HeadDirection):
            assert last is None or one.time >= last - 1e-9
            last = one.time
    first = next(one for one in said if isinstance(one.message, PersonDetected))
    known = next(one for one in said if isinstance(one.message, PeopleState) and one.message.people)
    assert 0.3 <= known.time - first.time + 1e-9 <= 0.61  # on the way, then in the next picture


@pytest.mark.parametrize(
    ("space", "knows"),
    [
        ("", "person"),
        ("[space.microphones.pair]\nspacing_m = 0.2", "direction"),
        ('[space.microphones.worn]\nworn_by = ["left", "right"]', "side"),
    ],
)
def test_the_robot_looks_at_who_speaks_whatever_the_microphones_know(
    tmp_path: Path, space: str, knows: str
) -> None:
    senses = 'senses = { ids = "own", misses_part = 0.0, sound_hz = 0 }'
    said = played(written(tmp_path, TALK.format(senses=senses, space=space)))
    raw = [
        one
        for one in said
        if isinstance(one.message, SpeechActivity)
        and one.source == "world.visitors"
        and one.message.speaking
    ]
    assert len(raw) == 2
    assert all(getattr(one.message, knows) is not None for one in raw)
    assert {one.message.person for one in raw} == (
        {"left", "right"} if knows == "person" else {None}
    )
    for begun, who in zip(raw, ("left", "right"), strict=True):
        looks = [
            one.message.direction.horizontal_deg
            for one in said
            if isinstance(one.message, Gaze) and begun.time + 0.3 < one.time < begun.time + 2.4
        ]
        states = [
            one.message.speaker
            for one in said
            if isinstance(one.message, PeopleState) and begun.time < one.time < begun.time + 2.4
        ]
        assert (looks[-1] < -10) if who == "left" else (looks[-1] > 10)
        assert who in states


def test_the_same_seed_gives_the_same_messages_in_a_run(tmp_path: Path) -> None:
    place = written(tmp_path, TALK.format(senses="", space=""))

    def told(seed: int) -> list[Any]:
        return [
            (one.time, one.message)
            for one in played(place, seed=seed)
            if one.source == "world.visitors" and isinstance(one.message, PersonMoved)
        ]

    first = told(9)
    assert first == told(9)
    assert first != told(10)


def test_somebody_behind_another_is_lost_and_found_again(tmp_path: Path) -> None:
    text = """
[scenario]
title = "Occlusion"
seed = 1
[modules.visitors]
module = "simulated_people"
door_m = [0.9, 3.0]
senses = { misses_part = 0.0, range_m = 9 }
[modules.visitors.people.far]
script = [{ do = "come" }, { do = "look", at = "robot" }, { do = "wait", for_s = 14 }]
[modules.visitors.people.near]
comes_after_s = 6
script = [
    { do = "walk", to = [0.0, 1.0] }, { do = "look", at = "robot" }, { do = "wait", for_s = 3 },
    { do = "walk", to = [0.6, 1.0] }, { do = "look", at = "robot" }, { do = "wait", for_s = 2 },
]
[characters.ada]
[people.far]
position_m = [0.0, 0, 2.4]
[space.cameras.eye]
position_m = [0.0, 1.4, 0.0]
fov_deg = 90
"""
    said = played(written(tmp_path, text), duration_s=22)
    lost = [one for one in said if isinstance(one.message, PersonLost)]
    found = [one for one in said if isinstance(one.message, PersonDetected)]
    assert lost[0].message.person == "person_1"
    assert lost[0].message.unseen_for_s == pytest.approx(1.05, abs=0.1)
    again = [one for one in found if one.time > lost[0].time]
    assert again
    assert again[0].message.position.z_m == pytest.approx(2.4, abs=0.3)


def test_names_that_are_not_in_the_scenario_are_faults_with_the_nearest_one(tmp_path: Path) -> None:
    text = """
[scenario]
title = "Wrong"
[modules.visitors]
module = "simulated_people"
people.guest.script = [{ do = "sit", to = "gest" }, { do = "look", at = "adda", for_s = 1 }]
[characters.ada]
[space.seats.guest]
position_m = [0.2, 1.2, 1.2]
"""
    said = played(written(tmp_path, text))
    faults = [one.summary for one in of(said, ModuleFault)]
    assert len(faults) == 2
    assert "did you mean 'guest'?" in faults[0]
    assert "did you mean 'ada'?" in faults[1]
    assert "script[1]" in faults[1]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('people.guest.script = [{ do = "looks" }]', "look"),
        ('people.guest.script = [{ do = "wait" }]', "needs `for_s`"),
        ('people.guest.script = [{ do = "come", speed = 2 }]', "speed_m_s"),
        ('people.guest.script = "come"', "script"),
        ("people.guest.repeats = -1", "repeats"),
        ("senses = { rate_hz = 0 }", "rate_hz"),
        ('senses = { ids = "mine" }', "ids"),
    ],
)
def test_a_script_that_cannot_be_is_refused_before_anything_starts(
    tmp_path: Path, line: str, sentence: str
) -> None:
    head = '[scenario]\ntitle = "Wrong"\n[modules.visitors]\nmodule = "simulated_people"\n'
    place = written(tmp_path, head + line + "\n")
    workspace = Workspace.discover(place)
    with pytest.raises(ScenarioError) as raised:
        load_scenario(place, workspace)
    assert "scenario.toml:5" in str(raised.value)
    assert sentence in str(raised.value)
