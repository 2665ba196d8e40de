"""The scenario reception: a conversation from a spreadsheet, without code, for any seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sera.behaviour.dialogue import Script, lint_dialogue
from sera.behaviour.library import read_library
from sera.messages import (
    DialogueMoved,
    Envelope,
    ModuleFault,
    PersonDetected,
    PersonLost,
    SpeechActivity,
    SpeechHeard,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.own_messages import import_own_messages
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scenarios" / "reception"
ANSWERS = {
    "appointment": "announce",
    "reunião": "announce",
    "library": "show the way",
    "biblioteca": "show the way",
    "toilet": "show the way",
    "casa de banho": "show the way",
    "parcel": "take a parcel",
    "encomenda": "take a parcel",
    "weather": "did not understand",
    "tempo": "did not understand",
}
"""What each sentence of the simulated visitors must lead to."""


def played(seed: int, condition: str | None = None) -> list[Envelope]:
    """What was said on the bus in a run in virtual time."""
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> None:
        loaded = load_scenario("reception", workspace, condition=condition)
        run = Run(loaded.overridden(seed=seed), workspace, RunOptions(record=False))
        run.observe(seen.append)
        await run.execute()

    run_with_clock(main(), clock="virtual")
    return seen


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def test_it_contains_no_code() -> None:
    assert {file.suffix for file in FOLDER.rglob("*") if file.is_file()} == {
        ".toml",
        ".xlsx",
        ".md",
    }


def test_its_sheet_has_no_findings_in_two_languages() -> None:
    import_own_messages(Workspace.discover(ROOT))
    reading = read_library(FOLDER / "reception.xlsx")
    script = Script(reading.library.dialogue)
    assert [*reading.findings, *lint_dialogue(script)] == []
    assert script.languages == ("en", "pt")


@pytest.mark.parametrize(("seed", "condition"), [(3, None), (8, "casual"), (2, "portuguese")])
def test_every_visitor_is_greeted_answered_and_seen_off(seed: int, condition: str | None) -> None:
    seen = played(seed, condition)
    assert of(seen, ModuleFault) == []
    meanings = [moved.meaning for moved in of(seen, DialogueMoved)]
    assert (
        meanings.count("greet") == meanings.count("say goodbye") == len(of(seen, PersonLost)) == 2
    )
    for heard in of(seen, SpeechHeard):
        (wanted,) = {meaning for word, meaning in ANSWERS.items() if word in heard.text}
        assert wanted in meanings
    styles = {moved.style for moved in of(seen, DialogueMoved) if moved.style}
    assert styles == {"casual" if condition == "casual" else "formal"}
    assert [each.state for each in of(seen, DialogueMoved)][-1] == "Start"


def test_it_notices_before_it_greets_and_never_talks_over_a_visitor() -> None:
    seen = played(3)
    came_s = next(each.time for each in seen if isinstance(each.message, PersonDetected))
    times = {
        kind: [each.time for each in seen if isinstance(each.message, kind)]
        for kind in (UtteranceStarted, UtteranceFinished)
    }
    assert 0.3 < times[UtteranceStarted][0] - came_s < 1.0
    spoken = [each for each in seen if isinstance(each.message, SpeechActivity)]
    for begin, end in zip(spoken[::2], spoken[1::2], strict=True):
        for started_s, over_s in zip(*times.values(), strict=True):
            assert over_s <= begin.time or started_s >= end.time


def test_the_same_seed_gives_the_same_conversation_and_others_differ() -> None:
    texts = [tuple(each.text for each in of(played(seed), UtteranceStarted)) for seed in (4, 4, 5)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
