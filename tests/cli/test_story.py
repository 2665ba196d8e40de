"""What people are told of a run."""

from __future__ import annotations

import pytest

from sera.cli._story import Storyteller, style_of, tell
from sera.messages import (
    ActionExpired,
    ActivityCommand,
    ActivityEvent,
    AnimationFinished,
    Autonomy,
    AutonomyChanged,
    BodyState,
    Clicked,
    Direction,
    EmergencyStop,
    Envelope,
    Event,
    Gaze,
    GazeAt,
    Glance,
    HeadDirection,
    Message,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    PersonDetected,
    PersonLost,
    Receipt,
    RunEnding,
    ScreenPoint,
    SessionMark,
    Speak,
    SpeechHeard,
    SpeechStarted,
    SpeechWord,
    Suggestion,
    SuggestionResolved,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)


class StoryTestDoorOpened(Event):
    person: str | None = None
    wide: bool = True
    note: str | None = None


class StoryTestLampLit(Event):
    room: str

    def __str__(self) -> str:
        return f"the lamp in the {self.room} is lit"


class StoryTestTableLaid(Event):
    def __str__(self) -> str:
        return ""


def said(
    message: Message,
    *,
    character: str = "ada",
    source: str = "ada.mind",
    sequence: int = 1,
    boot: int = 1,
) -> Envelope:
    return Envelope(message, f"{source}-{boot}-{sequence}", 0.0, source, character)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (PersonDetected(person="visitor_1"), "visitor_1 arrives"),
        (PersonLost(person="visitor_1"), "visitor_1 leaves"),
        (SpeechHeard(text="Hello robot.", person="visitor_1"), "visitor_1 says: “Hello robot.”"),
        (SpeechHeard(text="Hello"), "somebody says: “Hello”"),
        (SpeechStarted(speech="x-1-1", text="Hello!"), "ada says: “Hello!”"),
        (GazeAt(target="visitor_1"), "ada is told to look at visitor_1"),
        (Glance(target="door"), "ada is told to glance at door"),
        (ActivityCommand(command="begin"), "ada orders begin"),
        (
            ActivityEvent(
                event="game_finished", data={"correct": 5, "of": 7, "board": [1], "won": True}
            ),
            "activity: game finished (correct 5, of 7)",
        ),
        (ActivityEvent(event="page_opened", person="visitor_1"), "visitor_1: page opened"),
        (Clicked(element="doorbell"), "somebody touches doorbell"),
        (Clicked(point=ScreenPoint(x_px=3, y_px=4)), "somebody touches main at 3, 4"),
        (SessionMark(label="visit_over"), "mark: visit_over"),
        (
            AutonomyChanged(channel="speech", mode="wizard", by="operator"),
            "operator sets ada's speech to wizard",
        ),
        (
            ModuleFault(module="ada.eyes", summary="ada.eyes: no camera"),
            "fault in ada.eyes: no camera",
        ),
        (
            ModuleFault(module="ada.eyes", severity="warning", summary="it is dark"),
            "warning in ada.eyes: it is dark",
        ),
        (
            ActionExpired(
                action="a-1-1",
                action_type="GazeAt",
                sender="ada.mind",
                reason="no_receiver",
                age_s=1.0,
            ),
            "GazeAt of ada.mind was not performed: no module takes it",
        ),
        (
            ActionExpired(
                action="a-1-1",
                action_type="Speak",
                sender="ada.mind",
                receiver="ada.voice",
                reason="too_old",
                age_s=3.0,
            ),
            "Speak of ada.mind to ada.voice was not performed: it came too late",
        ),
        (EmergencyStop(by="operator", reason="smoke"), "EMERGENCY STOP of ada by operator: smoke"),
        (
            Suggestion(action_type="GazeAt", action={"target": "door"}, lapses_after_s=8),
            "ada would GazeAt (target door)",
        ),
        (SuggestionResolved(suggestion="a-1-1", outcome="lapsed"), "a suggestion has lapsed"),
        (
            SuggestionResolved(suggestion="a-1-1", outcome="accepted", by="operator"),
            "a suggestion was accepted by operator",
        ),
        (
            UtteranceCancelled(utterance="a-1-1", reason="no_line", detail="no lines"),
            "ada does not say a line to its end: no lines",
        ),
        (BodyState(health="warning", problem="hot"), "ada's body is warning: hot"),
        (RunEnding(reason="the visitor has left"), "the run ends: the visitor has left"),
        (RunEnding(outcome="stopped"), "the run is stopped"),
        (RunEnding(outcome="failed", reason="no broker"), "the run fails: no broker"),
        (
            AnimationFinished(animation="nod", action="a-1-1", outcome="failed", duration_s=0),
            "ada's nod was failed",
        ),
        (ModulePresence(status="lost", boot=1), "ada.mind is lost"),
    ],
)
def test_what_people_would_want_to_know_is_told_in_one_sentence(message, sentence):
    assert tell(said(message)) == sentence


@pytest.mark.parametrize(
    "message",
    [
        HeadDirection(person="visitor_1", direction=Direction(horizontal_deg=0)),
        Gaze(direction=Direction(horizontal_deg=0)),
        Speak(text="Hello"),
        SpeechWord(speech="x-1-1", index=0, text="Hello", start_s=0),
        SpeechHeard(text="Hel", final=False),
        Receipt(ids=["ada.mind-1-1"]),
        ModuleCounters(counts={"published": 1}),
        ModulePresence(status="present", boot=1),
        BodyState(health="ok"),
        Autonomy(),
        UtteranceStarted(utterance="x-1-1", text=""),
        UtteranceFinished(utterance="x-1-1", duration_s=1),
    ],
)
def test_streams_and_technical_messages_are_not_told(message):
    assert tell(said(message)) is None


def test_a_laboratorys_own_message_is_told_in_a_general_form():
    opened = StoryTestDoorOpened(person="visitor_1", wide=False)
    assert tell(said(opened)) == "visitor_1: story test door opened (wide no)"
    nobody = said(StoryTestDoorOpened(), character="world")
    assert tell(nobody) == "story test door opened (wide yes)"
    long = said(StoryTestDoorOpened(note="x" * 100))
    assert tell(long) == f"ada: story test door opened (wide yes, note {'x' * 59}…)"


def test_a_laboratorys_own_message_may_have_its_own_words():
    assert tell(said(StoryTestLampLit(room="hall"))) == "ada: the lamp in the hall is lit"
    lit = said(StoryTestLampLit(room="hall"), character="world")
    assert tell(lit) == "the lamp in the hall is lit"


def test_what_has_no_words_of_its_own_is_not_told():
    assert tell(said(StoryTestTableLaid())) is None


@pytest.mark.parametrize("command", ["show", "sound"])
def test_what_an_activity_tells_its_pages_after_every_event_is_not_told(command):
    assert tell(said(ActivityCommand(command=command), character="world")) is None
    assert tell(said(ActivityCommand(command="begin"), character="world")) is not None


def test_what_a_terminal_would_obey_is_taken_out():
    heard = said(SpeechHeard(text="\x1b[2Jgone\nand\x07 more"))
    assert tell(heard) == "somebody says: “\N{REPLACEMENT CHARACTER}[2Jgone and\ufffd more”"


def test_trouble_has_its_colours():
    assert style_of(said(ModuleFault(module="a.b", summary="x"))) == "red"
    assert style_of(said(ModuleFault(module="a.b", summary="x", severity="warning"))) == "yellow"
    assert style_of(said(EmergencyStop())) == "bold red"
    assert style_of(said(PersonLost(person="p"))) == ""


def test_an_action_that_is_sent_again_is_told_once():
    teller = Storyteller()
    assert teller.hear(said(GazeAt(target="a"), sequence=4)) == "ada is told to look at a"
    assert teller.hear(said(GazeAt(target="b"), sequence=5)) == "ada is told to look at b"
    assert teller.hear(said(GazeAt(target="a"), sequence=4)) is None
    assert teller.hear(said(GazeAt(target="a"), sequence=4, source="ada.other")) is not None
    assert teller.hear(said(GazeAt(target="a"), sequence=1, boot=2)) == "ada is told to look at a"


def test_a_module_is_lost_once_and_then_back():
    teller = Storyteller()
    present = ModulePresence(status="present", boot=1)
    lost = ModulePresence(status="lost", boot=1)
    told = [teller.hear(said(each)) for each in (present, lost, lost, present, present)]
    assert told == [None, "ada.mind is lost", None, "ada.mind is back", None]


def test_a_state_is_told_when_it_changes():
    teller = Storyteller()
    fine, hot = BodyState(health="ok"), BodyState(health="warning", problem="hot")
    told = [teller.hear(said(each)) for each in (fine, hot, hot, fine, hot)]
    assert told == [None, "ada's body is warning: hot", None, None, "ada's body is warning: hot"]


def test_a_line_and_the_voice_that_says_it_are_told_as_one():
    teller = Storyteller()
    started = said(UtteranceStarted(utterance="x-1-1", text="Hello. How are you?"))
    assert teller.hear(started) == "ada says: “Hello. How are you?”"
    assert teller.hear(said(SpeechStarted(speech="y-1-1", text="Hello."))) is None
    assert teller.hear(said(SpeechStarted(speech="y-1-2", text="Help!"))) == "ada says: “Help!”"
    teller.hear(said(UtteranceFinished(utterance="x-1-1", duration_s=1)))
    assert teller.hear(said(SpeechStarted(speech="y-1-3", text="Hello."))) == "ada says: “Hello.”"
