"""The dialogue on the bus: a sheet decides, lines are said, and every step is told."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    DialogueMoved,
    Envelope,
    ModuleFault,
    PerformUtterance,
    RunEnding,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
SCENARIO = """
[scenario]
title = "Play"
seed = 3
duration_s = 60

[characters.ada]
robot = "nao"
[characters.ada.modules.dialogue]
sheet = "play.csv"
{settings}
{voice}
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
VOICE = """
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[characters.ada.modules.speaker]
"""
ROWS = (
    ("Start", "Asked", "PersonDetected", "", "Hello /person/, do you like cards?", "Olá."),
    ("Asked", "Start", "SpeechHeard text contains yes", "", "Then let us play.", "Joguemos."),
    ("Asked", "end", "SpeechHeard text contains no", "", "Another time.", "Fica para a próxima."),
    ("Asked", "Asked", "after 5 s", "", "I asked you something.", "Então?"),
)

Play = Callable[..., list[Envelope]]


def sheet(rows: tuple[tuple[str, ...], ...]) -> str:
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["Current State", "Next State", "When", "Style", "Utterance en", "Utterance pt"])
    table.writerows(rows)
    return text.getvalue()


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Play:
    def run(
        body: str,
        rows: tuple[tuple[str, ...], ...] = ROWS,
        settings: str = 'language = "en"',
        voice: str = VOICE,
        files: dict[str, str] | None = None,
    ) -> list[Envelope]:
        scenario = SCENARIO.format(settings=settings, voice=voice)
        return acted(scenario, body, {"play.csv": sheet(rows), **(files or {})})

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def states(seen: list[Envelope]) -> list[str]:
    return [moved.state for moved in of(seen, DialogueMoved)]


ARRIVE = """
await self.clock.sleep(0.5)
await self.publish(PersonDetected(person="guest"))
await self.clock.sleep(4)
"""


def test_a_conversation_goes_through_its_states_and_ends_the_run(play: Play) -> None:
    seen = play(f"{ARRIVE}\nawait self.publish(SpeechHeard(text='No.'))\nawait self.clock.sleep(9)")
    assert states(seen) == ["Start", "Asked", "end"]
    said = [started.text for started in of(seen, UtteranceStarted)]
    assert said == ["Hello guest, do you like cards?", "Another time."]
    (ending,) = of(seen, RunEnding)
    assert (ending.by, ending.reason) == ("ada.dialogue", "the dialogue is over: end")
    last = of(seen, DialogueMoved)[-1]
    assert last.previous == "Asked"
    assert last.because == "SpeechHeard text contains no"
    assert last.place == "play.csv, play, row 4"
    assert of(seen, ModuleFault) == []


def test_every_line_and_step_is_caused_by_what_happened(play: Play) -> None:
    seen = play(f"{ARRIVE}\nawait self.publish(SpeechHeard(text='No.'))\nawait self.clock.sleep(9)")
    by_id = {each.id: each for each in seen}
    for kind in (PerformUtterance, DialogueMoved):
        causes = [by_id[e.cause].type for e in seen if isinstance(e.message, kind) and e.cause]
        assert causes == ["PersonDetected", "SpeechHeard"]


def test_a_state_is_told_when_its_line_is_over(play: Play) -> None:
    seen = play(ARRIVE)
    (over_s,) = [each.time for each in seen if isinstance(each.message, UtteranceFinished)]
    moved_s = [each.time for each in seen if isinstance(each.message, DialogueMoved)]
    assert moved_s[1] == pytest.approx(over_s, abs=1e-6)


def test_an_answer_given_while_the_robot_speaks_is_heard(play: Play) -> None:
    seen = play(
        """
        await self.clock.sleep(0.5)
        await self.publish(PersonDetected(person="guest"))
        await self.clock.sleep(0.4)
        await self.publish(SpeechHeard(text="yes yes"))
        await self.clock.sleep(6)
        """
    )
    assert states(seen) == ["Start", "Asked", "Start"]


def test_time_outs_come_by_the_clock_of_the_run(play: Play) -> None:
    seen = play("await self.publish(PersonDetected(person='guest'))\nawait self.clock.sleep(12)")
    over_s = [each.time for each in seen if isinstance(each.message, UtteranceFinished)]
    begun_s = [each.time for each in seen if isinstance(each.message, UtteranceStarted)]
    assert begun_s[1] - over_s[0] == pytest.approx(5.0, abs=0.2)


def test_another_language_is_said_where_it_is_set(play: Play) -> None:
    seen = play(ARRIVE, settings='language = "pt"')
    assert [order.text for order in of(seen, PerformUtterance)] == ["Olá."]
    assert of(seen, PerformUtterance)[0].language == "pt"


def test_a_language_that_the_sheet_lacks_is_warned_of(play: Play) -> None:
    seen = play("", settings='language = "de"')
    assert any("no text in 'de', only in en, pt" in f.summary for f in of(seen, ModuleFault))


@pytest.mark.parametrize(("at_end", "count"), [("stay", 1), ("restart", 4)])
def test_at_its_end_it_stays_silent_or_begins_again(play: Play, at_end: str, count: int) -> None:
    rows = (("Start", "end", "after 1 s", "", "", ""),)
    seen = play("await self.clock.sleep(5.2)", rows, f'at_end = "{at_end}"')
    assert states(seen).count("end") == (1 if at_end == "stay" else count - 1)
    assert of(seen, RunEnding)[-1].by == "ada.actor"


def test_a_dialogue_that_ends_at_once_and_begins_again_leaves_time_for_others(play: Play) -> None:
    seen = play(
        "await self.clock.sleep(2.2)", (("A", "end", "", "", "", ""),), 'at_end = "restart"'
    )
    assert states(seen).count("end") == 5


def test_without_anybody_who_speaks_it_says_so_and_goes_on(play: Play) -> None:
    body = "await self.publish(PersonDetected(person='guest'))\nawait self.clock.sleep(6)"
    seen = play(body, voice="")
    assert states(seen)[:2] == ["Start", "Asked"]
    assert any("behaviour_manager" in fault.summary for fault in of(seen, ModuleFault))


def test_a_line_whose_end_is_never_told_is_given_up(play: Play) -> None:
    deaf = """
from sera import Module, on
from sera.messages import PerformUtterance
from sera.runtime import Role

class Deaf(Module):
    role = Role.BEHAVIOUR

    @on(PerformUtterance)
    async def ignore(self, message):
        pass
"""
    voice = '[characters.ada.modules.deaf]\nmodule = "./deaf.py:Deaf"\n'
    body = "await self.publish(PersonDetected(person='guest'))\nawait self.clock.sleep(40)"
    seen = play(body, voice=voice, files={"deaf.py": deaf})
    assert states(seen)[:2] == ["Start", "Asked"]
    assert any("nobody told that the line is over" in f.summary for f in of(seen, ModuleFault))


def test_an_operator_who_speaks_is_followed(play: Play) -> None:
    seen = play(
        """
        wizard = AutonomyMode.WIZARD
        await self.publish(AutonomyChanged(channel=Channel.SPEECH, mode=wizard, by="op"))
        await self.clock.sleep(0.5)
        await self.publish(PersonDetected(person="guest"))
        await self.clock.sleep(2)
        await self.publish(SpeechHeard(text="yes"))
        await self.clock.sleep(1)
        """
    )
    assert of(seen, PerformUtterance) == []
    assert states(seen) == ["Start", "Asked", "Start"]


def test_an_accepted_suggestion_is_said_and_a_refused_one_passed_over(play: Play) -> None:
    decide = """
from sera import Module, on
from sera.messages import Suggestion, SuggestionOutcome, SuggestionResolved
from sera.runtime import Role

class Operator(Module):
    role = Role.WIZARD
    count = 0

    @on(Suggestion)
    async def decide(self, message, envelope):
        self.count += 1
        accepted = self.count == 1
        outcome = SuggestionOutcome.ACCEPTED if accepted else SuggestionOutcome.REJECTED
        await self.publish(SuggestionResolved(suggestion=envelope.id, outcome=outcome, by="op"))
"""
    voice = f'{VOICE}\n[characters.ada.modules.operator]\nmodule = "./operator.py:Operator"\n'
    seen = play(
        """
        suggest = AutonomyMode.SUGGEST
        await self.publish(AutonomyChanged(channel=Channel.SPEECH, mode=suggest, by="op"))
        await self.clock.sleep(0.5)
        await self.publish(PersonDetected(person="guest"))
        await self.clock.sleep(4)
        await self.publish(SpeechHeard(text="yes"))
        await self.clock.sleep(1)
        """,
        voice=voice,
        files={"operator.py": decide},
    )
    assert [started.text for started in of(seen, UtteranceStarted)] == [
        "Hello guest, do you like cards?"
    ]
    assert states(seen) == ["Start", "Asked", "Start"]
    assert not any("nobody told" in fault.summary for fault in of(seen, ModuleFault))


def test_messages_of_a_laboratory_can_be_waited_for(play: Play) -> None:
    rows = (("A", "end", "AttentionChanged attentive = yes", "", "", ""),)
    body = """
        from modules.attention import AttentionChanged

        await self.publish(AttentionChanged(person="guest", attentive=True))
        await self.clock.sleep(1)
        """
    assert states(play(body, rows)) == ["A", "end"]


def test_what_is_wrong_in_a_sheet_is_told_and_the_rest_is_played(play: Play) -> None:
    rows = (*ROWS, ("Asked", "Start", "PersonLst", "", "Oh.", "Oh."))
    seen = play(f"{ARRIVE}\nawait self.publish(SpeechHeard(text='yes'))", rows)
    faults = [fault.summary for fault in of(seen, ModuleFault)]
    assert len(faults) == 1
    assert (
        "row 6, When: error: there is no message PersonLst; did you mean PersonLost?" in faults[0]
    )
    assert "Asked" in states(seen)


@pytest.mark.parametrize("wrong", ["", "Current State,Next State,When,Utterance\n", "A,B\n1,2\n"])
def test_a_sheet_that_cannot_be_used_is_a_clear_error(play: Play, wrong: str) -> None:
    try:
        seen = play("await self.clock.sleep(1)", files={"play.csv": wrong})
        told = " ".join(f"{fault.summary} {fault.detail}" for fault in of(seen, ModuleFault))
    except Exception as error:  # whatever it is, it must say what is wrong
        told = str(error)
    assert "play.csv cannot be used as a dialogue" in told


def test_a_saved_sheet_is_played_and_a_broken_one_changes_nothing(acted_for_real, monkeypatch):
    dialogue = load_packaged_class(Workspace.discover(ROOT), "dialogue").__module__
    monkeypatch.setattr(sys.modules[dialogue], "LOOK_AT_SHEET_EVERY_S", 0.05)
    first = sheet((("Start", "Start", "key a", "", "Before.", ""),))
    second = sheet((("Start", "Start", "key a", "", "After.", ""),))
    body = f"""
    from pathlib import Path
    file = Path(__file__).with_name("play.csv")
    async def press():
        said = len(of(UtteranceFinished))
        await self.publish(KeyPressed(key="a"))
        await until(lambda: len(of(UtteranceFinished)) > said)
    await press()
    file.write_text({second!r}, encoding="utf-8")
    while of(UtteranceStarted)[-1].text == "Before.":  # until it is read
        await press()
    file.write_text("NONSENSE", encoding="utf-8")
    await first(ModuleFault, lambda fault: "the one before goes on" in fault.summary)
    await press()
    """
    scenario = SCENARIO.format(settings="", voice=VOICE).replace('robot = "nao"', "")
    scenario = scenario.replace("= 60", "= 600")
    records = acted_for_real(scenario, body, {"play.csv": first})
    spoken = [each["data"]["text"] for each in records if each.get("type") == "UtteranceStarted"]
    assert list(dict.fromkeys(spoken)) == ["Before.", "After."]
    assert spoken[-2:] == ["After.", "After."]
    faults = [each["data"]["summary"] for each in records if each.get("type") == "ModuleFault"]
    assert any("the one before goes on" in summary for summary in faults)
