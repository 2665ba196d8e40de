"""The behaviour manager on the bus: lines of a sheet with their gestures, questions, gaze."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    EmergencyStop,
    Envelope,
    Gaze,
    ModuleFault,
    PerformUtterance,
    PlayAnimation,
    Point,
    QuestionAnswered,
    QuestionAsked,
    Speak,
    SpeechActivity,
    SpeechWord,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
LINES = """\
ID;CATEGORY;TEXT;QUESTION
g1;greeting;<GAZE(Person)> Hello /visitor/, <ANIMATE(wave)> how nice <HEADNOD(2)> to see you!;
q1;question;What do you <POINT(Person)> think?;yes
b1;backchannel;I see.;
t1;two;One.;
t2;two;Two.;
"""
SCENARIO = """
[scenario]
title = "Play"
seed = 3
duration_s = 30

[characters.ada]
robot = "{robot}"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
ARRIVE = """
await self.publish(PersonDetected(person="guest", position=Position(x_m=-0.5, y_m=0.0, z_m=1.0)))
await self.clock.sleep(0.5)
"""

Play = Callable[..., list[Envelope]]


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Play:
    """Run lines and an actor's orders in virtual time; what was said on the bus comes back."""

    def run(body: str, robot: str = "nao", lines: str = LINES) -> list[Envelope]:
        return acted(SCENARIO.format(robot=robot), body, {"lines.csv": lines})

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def when(seen: list[Envelope], kind: type[Any], number: int = 0) -> float:
    return [each.time for each in seen if isinstance(each.message, kind)][number]


def test_gestures_meet_the_words_they_stand_before(play):
    seen = play(
        ARRIVE
        + 'await self.publish(PerformUtterance(category="greeting", tags={"visitor": "guest"}))\n'
        "await self.clock.sleep(8)\n"
    )
    (started,) = of(seen, UtteranceStarted)
    assert started.text == "Hello guest, how nice to see you!"
    assert (started.line, started.choice.rule) == ("g1", "shuffle_bag")
    assert "lines.csv" in started.choice.place
    words = {m.text: e.time for e in seen if isinstance(m := e.message, SpeechWord)}
    played = {m.animation: e.time for e in seen if isinstance(m := e.message, PlayAnimation)}
    # So early that the strokes, 0.58 and 0.52 s on their way, meet the words.
    assert played["wave"] == pytest.approx(words["how"] - 0.7, abs=0.06)
    assert played["nod"] == pytest.approx(words["to"] - 0.6, abs=0.06)
    (finished,) = of(seen, UtteranceFinished)
    assert finished.utterance == started.utterance
    assert finished.substitutions == []
    orders = {e.id for e in seen if isinstance(e.message, PerformUtterance)}
    assert {e.cause for e in seen if isinstance(e.message, Speak | PlayAnimation)} <= orders


def test_the_gaze_goes_to_whom_a_line_names(play):
    seen = play(ARRIVE + 'await self.publish(GazeAt(target="guest"))\nawait self.clock.sleep(2)\n')
    last = [order for order in of(seen, Gaze) if order.target == "guest"][-1]
    assert last.direction.horizontal_deg == pytest.approx(27.8, abs=0.2)  # -X is to the right


def test_a_body_without_arms_points_with_its_gaze_and_says_so(play):
    order = ARRIVE + 'await self.publish(PerformUtterance(line="q1"))\nawait self.clock.sleep(14)\n'
    seen = play(order, robot="adelino")
    assert of(seen, Point) == []
    (finished,) = of(seen, UtteranceFinished)
    assert [each.wanted for each in finished.substitutions] == ["POINT(Person)"]
    assert finished.substitutions[0].done == "GAZE(Person)"


def test_a_body_with_arms_points(play):
    seen = play(
        ARRIVE + 'await self.publish(PerformUtterance(line="q1"))\nawait self.clock.sleep(3)\n'
    )
    (point,) = of(seen, Point)
    assert point.direction.horizontal_deg == pytest.approx(27.8, abs=0.2)


def test_an_answer_within_the_window_is_followed_by_a_backchannel(play):
    seen = play(
        ARRIVE + 'await self.publish(PerformUtterance(line="q1"))\n'
        "await self.clock.sleep(3)\n"
        'await self.publish(SpeechActivity(speaking=True, person="guest"))\n'
        "await self.clock.sleep(1)\n"
        'await self.publish(SpeechActivity(speaking=False, person="guest"))\n'
        "await self.clock.sleep(4)\n"
    )
    assert len(of(seen, QuestionAsked)) == 1
    (answered,) = of(seen, QuestionAnswered)
    assert answered.answered
    assert answered.person == "guest"
    assert [each.line for each in of(seen, UtteranceStarted)] == ["q1", "b1"]
    spoke_s = when(seen, SpeechActivity, 1)
    assert when(seen, UtteranceStarted, 1) == pytest.approx(spoke_s, abs=0.2)


def test_nobody_is_talked_over(play):
    seen = play(
        ARRIVE + 'await self.publish(SpeechActivity(speaking=True, person="guest"))\n'
        'await self.publish(PerformUtterance(line="t1"))\n'
        "await self.clock.sleep(2)\n"
        'await self.publish(SpeechActivity(speaking=False, person="guest"))\n'
        "await self.clock.sleep(3)\n"
    )
    silent_s = when(seen, SpeechActivity, 1)
    assert silent_s <= when(seen, Speak) <= silent_s + 0.15


def test_a_wish_that_cannot_be_met_is_answered_with_the_nearest(play):
    seen = play(
        'await self.publish(PerformUtterance(category="greting"))\n'
        'await self.publish(GazeAt(target="topLft"))\n'
        "await self.clock.sleep(1)\n"
    )
    (cancelled,) = of(seen, UtteranceCancelled)
    assert cancelled.reason == "no_line"
    assert "greeting" in cancelled.detail
    faults = [fault.summary for fault in of(seen, ModuleFault)]
    assert any("topLeft" in summary for summary in faults)


def test_an_emergency_stop_ends_the_line_and_drops_what_waits(play):
    seen = play(
        'await self.publish(PerformUtterance(text="one two three four five six seven"))\n'
        'await self.publish(PerformUtterance(line="t1"))\n'
        "await self.clock.sleep(0.8)\n"
        "await self.publish(EmergencyStop())\n"
        "await self.clock.sleep(3)\n"
    )
    assert [each.reason for each in of(seen, UtteranceCancelled)] == ["stopped", "stopped"]
    stopped_s = when(seen, EmergencyStop)
    assert all(each.time <= stopped_s for each in seen if isinstance(each.message, SpeechWord))


def test_lines_alternate_and_the_same_seed_says_the_same(play):
    order = 'await self.publish(PerformUtterance(category="two"))\nawait self.clock.sleep(2)\n'
    seen = play(order * 4)
    said = [each.line for each in of(seen, UtteranceStarted)]
    assert sorted(said[:2]) == ["t1", "t2"]
    assert all(first != second for first, second in itertools.pairwise(said))


def test_a_broken_sheet_is_reported_and_the_rest_goes_on(play):
    seen = play(
        'await self.publish(PerformUtterance(text="Still here."))\nawait self.clock.sleep(2)\n',
        lines="NONSENSE;COLUMNS\n1;2\n",
    )
    assert [each.text for each in of(seen, UtteranceStarted)] == ["Still here."]
    assert any("lines" in fault.summary for fault in of(seen, ModuleFault))


def test_a_saved_sheet_is_read_again_and_a_broken_one_changes_nothing(acted_for_real, monkeypatch):
    manager = load_packaged_class(Workspace.discover(ROOT), "behaviour_manager").__module__
    monkeypatch.setattr(sys.modules[manager], "LOOK_AT_SHEETS_EVERY_S", 0.05)
    body = """
    from pathlib import Path
    sheet = Path(__file__).with_name("lines.csv")
    async def say():
        said = len(of(UtteranceFinished))
        await self.publish(PerformUtterance(category="say"))
        await until(lambda: len(of(UtteranceFinished)) > said)
    async def save(text):
        read = len(of(LibraryLoaded))
        sheet.write_text(text, encoding="utf-8")
        await until(lambda: len(of(LibraryLoaded)) > read)
    await say()
    await save("ID;CATEGORY;TEXT\\ny;say;After.\\nz;say;Later.\\n")
    await say()
    await save("NONSENSE\\n")
    await say()
    """
    first = {"lines.csv": "ID;CATEGORY;TEXT\nx;say;Before.\n"}
    records = acted_for_real(SCENARIO.format(robot="adelino").replace("= 30", "= 600"), body, first)
    said = [each["data"]["text"] for each in records if each.get("type") == "UtteranceStarted"]
    assert said[0] == "Before."
    assert sorted(said[1:]) == ["After.", "Later."]
    faults = [each["data"]["summary"] for each in records if each.get("type") == "ModuleFault"]
    assert any("the lines before it go on" in summary for summary in faults)
