"""How operators worked, from logs made by hand with known figures, and from any log at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.messages import (
    ArrangeUtterance,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    CancelUtterance,
    Channel,
    GazeAt,
    Message,
    OperatorDecided,
    PerformUtterance,
    SessionMark,
    SetEmotion,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.recording import Record
from sera.recording.review import (
    REPLAYED_TYPES,
    look_over,
    motion_lines,
    safe_json,
    without_condition,
)
from sera.recording.wizard import Spread, WizardReport, analyse


class Tape:
    """Records made by hand, at times that the test chooses."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def say(self, at_s: float, message: Message, *, character: str = "ada") -> str:
        message_id = f"world.gateway-1-{len(self.records) + 1}"
        data = message.model_dump(mode="json")
        name = type(message).__name__
        self.records.append(
            Record(
                at_s, f"t/{name}", name, message_id, at_s, "world.gateway", character, None, data
            )
        )
        return message_id

    def order(
        self,
        at_s: float,
        message: Message,
        *,
        by: str = "left",
        reaction_s: float | None = None,
        suggestion: str | None = None,
        decided_first: bool = False,
    ) -> str:
        """An operator's order with its OperatorDecided, in either order."""
        message_id = self.say(at_s, message)
        decided = OperatorDecided(
            action=message_id,
            action_type=type(message).__name__,
            by=by,
            reaction_s=reaction_s,
            suggestion=suggestion,
            seen=["world.people-1-1"],
        )
        self.say(at_s + 0.001, decided, character="world")
        if decided_first:
            self.records[-1], self.records[-2] = self.records[-2], self.records[-1]
        return message_id

    def suggest(self, at_s: float, message: Message, lapses_after_s: float = 5.0) -> str:
        suggestion = Suggestion(
            action_type=type(message).__name__,
            action=message.model_dump(mode="json"),
            channel=type(message).channel,  # type: ignore[attr-defined]
            lapses_after_s=lapses_after_s,
        )
        return self.say(at_s, suggestion)

    def resolve(self, at_s: float, suggestion: str, outcome: str, **more: Any) -> None:
        resolved = SuggestionResolved(
            suggestion=suggestion, outcome=SuggestionOutcome(outcome), **more
        )
        self.say(at_s, resolved)

    def report(self) -> WizardReport:
        return analyse(self.records)


@pytest.fixture
def tape() -> Tape:
    return Tape()


def test_reaction_times_are_told_for_all_for_each_operator_and_for_each_channel(tape: Tape) -> None:
    for place, reaction_s in enumerate([1.0, 2.0, 3.0, 4.0]):
        tape.order(10.0 * place, GazeAt(target=f"person_{place}"), reaction_s=reaction_s)
    tape.order(50.0, PerformUtterance(text="Hello"), by="right", reaction_s=9.0)
    tape.order(60.0, PerformUtterance(text="Bye"), by="right")
    report = tape.report()
    assert report.reactions_s == [1.0, 2.0, 3.0, 4.0, 9.0]
    assert report.reaction == Spread(5, 3.0, 7.0, 9.0)
    assert report.operators["left"].reaction == Spread(4, 2.5, 3.7, 4.0)
    assert report.operators["right"].decisions == 2
    assert report.channels["gaze"].decisions == 4
    assert report.channels["speech"].reaction == Spread(1, 9.0, 9.0, 9.0)
    assert [decision.character for decision in report.decisions] == ["ada"] * 6
    assert report.decisions[0].seen == 1
    assert report.decided == 6


def test_suggestions_are_followed_to_their_end(tape: Tape) -> None:
    line = PerformUtterance(text="Hello")
    accepted, edited, rejected, lapsed, _left = [tape.suggest(n * 10.0, line) for n in range(5)]
    tape.resolve(1.5, accepted, "accepted", by="left")
    tape.resolve(12.0, edited, "accepted", by="left", edited=True)
    tape.resolve(20.5, rejected, "rejected", by="left")
    tape.resolve(35.0, lapsed, "lapsed")
    figures = tape.report().suggestions
    assert (figures.offered, figures.accepted, figures.edited) == (5, 1, 1)
    assert (figures.rejected, figures.lapsed, figures.open) == (1, 1, 1)
    assert figures.answer == Spread(3, 1.5, 1.9, 2.0)
    assert tape.report().reactions_s == [1.5, 2.0, 0.5]  # no OperatorDecided tells them better
    tape.order(60.0, GazeAt(target="door"), reaction_s=4.0)
    assert tape.report().reactions_s == [4.0]
    answer = SuggestionResolved(suggestion=accepted, outcome=SuggestionOutcome.ACCEPTED, by="left")
    tape.order(61.0, answer, suggestion=accepted)
    assert tape.report().channels["speech"].answers == 1


def test_doing_something_else_while_a_suggestion_stands_is_a_deviation(tape: Tape) -> None:
    suggestion = tape.suggest(0.0, PerformUtterance(text="Hello"))
    tape.order(1.0, GazeAt(target="door"))  # another channel
    own = tape.order(2.0, PerformUtterance(text="Good morning"), decided_first=True)
    tape.resolve(5.0, suggestion, "lapsed")
    tape.order(8.0, PerformUtterance(text="after it"))
    second = tape.suggest(20.0, PerformUtterance(text="Bye"))
    tape.order(21.0, PerformUtterance(text="Bye!"), suggestion=second)
    tape.resolve(21.1, second, "accepted", by="left", edited=True)
    report = tape.report()
    assert [(one.action, one.suggestion, one.by) for one in report.deviations] == [
        (own, suggestion, "left")
    ]
    assert report.channels["speech"].deviations == 1
    assert report.operators["left"].answers == 1


def test_an_edited_proposal_that_is_sent_just_before_its_acceptance_deviates_from_nothing(
    tape: Tape,
) -> None:
    suggestion = tape.suggest(0.0, PerformUtterance(text="Hello"))
    tape.order(1.0, PerformUtterance(text="Hello you"))
    tape.resolve(1.2, suggestion, "accepted", by="left", edited=True)
    assert tape.report().deviations == []


def test_orders_taken_back_within_two_seconds_are_corrections(tape: Tape) -> None:
    slip = tape.order(0.0, PerformUtterance(text="Oops"))
    tape.order(1.5, CancelUtterance(utterance=slip))
    tape.order(10.0, PerformUtterance(text="Fine"))
    tape.order(13.0, CancelUtterance())  # three seconds: a change of mind
    wrong = tape.order(20.0, GazeAt(target="door"))
    tape.order(20.5, GazeAt(target="person_1"))
    held = tape.order(30.0, PerformUtterance(text="Too early"))
    tape.order(31.0, ArrangeUtterance(utterance=held, how="hold"))
    mine = tape.order(40.0, PerformUtterance(text="Mine"))
    tape.order(40.5, CancelUtterance(utterance=mine), by="right")  # somebody else's doing
    report = tape.report()
    assert [(one.order, one.kind, one.after_s) for one in report.corrections] == [
        (slip, "cancelled", 1.5),
        (wrong, "replaced", 0.5),
        (held, "cancelled", 1.0),
    ]
    assert report.operators["left"].corrections == 3
    assert "right" in report.operators
    assert report.operators["right"].corrections == 0


def test_dragging_a_dial_is_no_row_of_corrections_and_two_lines_in_a_row_are_none(
    tape: Tape,
) -> None:
    for step in range(10):
        tape.order(step * 0.1, SetEmotion(name=f"mood_{step}"))
    tape.order(5.0, PerformUtterance(text="One"))
    tape.order(5.5, PerformUtterance(text="Two"))
    assert tape.report().corrections == []
    tape.order(6.0, PerformUtterance(text="Three", priority=5))
    assert [one.kind for one in tape.report().corrections] == ["replaced"]


def test_marked_errors_are_counted_and_take_back_what_they_are_about(tape: Tape) -> None:
    slip = tape.order(0.0, GazeAt(target="door"))
    tape.say(1.0, SessionMark(label="wizard_error", by="left", about=slip), character="world")
    tape.say(5.0, SessionMark(label="wizard_error", by="left"), character="world")
    tape.say(6.0, SessionMark(label="note", by="left"), character="world")
    report = tape.report()
    assert [one.at_s for one in report.errors] == [1.0, 5.0]
    assert [(one.kind, one.order) for one in report.corrections] == [("marked", slip)]
    assert report.operators["left"].errors == 2
    assert report.channels["gaze"].errors == 1


def test_time_on_the_dial_is_shared_out_by_channel_and_mode(tape: Tape) -> None:
    tape.say(0.0, Autonomy(modes={Channel.SPEECH: AutonomyMode.SUGGEST}))
    turned = AutonomyChanged(channel=Channel.SPEECH, mode=AutonomyMode.WIZARD, by="left")
    tape.say(25.0, turned)
    tape.say(25.1, Autonomy(modes={Channel.SPEECH: AutonomyMode.WIZARD}))
    tape.order(100.0, GazeAt(target="door"))
    tape.records[-1] = tape.records[-1]._replace(received_s=100.0)
    shares = tape.report().autonomy
    assert shares["ada"]["speech"] == {"suggest": 0.25, "wizard": 0.75}
    assert shares["ada"]["gaze"] == {"autonomous": 1.0}
    assert list(shares) == ["ada"]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        *("action", "action_type", "by", "suggestion", "reaction_s", "seen", "outcome", "edited"),
        *("channel", "mode", "modes", "label", "about", "note", "utterance", "how", "target"),
        *("lapses_after_s", "text", "speech", "expected_duration_s", "person", "phase", "priority"),
    ]
)
TYPES = st.sampled_from(
    [
        *("OperatorDecided", "Suggestion", "SuggestionResolved", "Autonomy", "AutonomyChanged"),
        *("SessionMark", "PerformUtterance", "CancelUtterance", "GazeAt", "SpeechStarted"),
        *("SpeechFinished", "SpeechHeard", "SessionPhase", "JointFrame", "NobodyKnowsThis"),
        *("(malformed)", "ConditionAssigned"),
    ]
)
KNOWN_WORDS = st.sampled_from(["a-1-1", "a-1-2", "left", "PerformUtterance", "GazeAt", "accepted"])
RECORDS = st.builds(
    lambda at_s, kind, number, data: Record(
        at_s, "t", kind, f"a-1-{number}", at_s, "a.b", "ada", None, data
    ),
    st.floats(),
    TYPES,
    st.integers(0, 4),
    st.dictionaries(FIELDS, KNOWN_WORDS | ANY_JSON, max_size=8),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(RECORDS, max_size=15))
def test_no_record_whatever_it_holds_stops_the_analysis(records: list[Record]) -> None:
    report = analyse(records)
    figures = report.suggestions
    settled = figures.accepted + figures.edited + figures.rejected + figures.lapsed
    assert settled + figures.open == figures.offered
    for channels in report.autonomy.values():
        for shares in channels.values():
            assert sum(shares.values()) == pytest.approx(1.0, abs=0.01)
    assert len(report.reactions_s) == report.reaction.count
    overview = look_over(without_condition(records), 0.0)
    assert "ConditionAssigned" not in overview.types
    told = json.loads(safe_json({"wizard": report.as_dict(), "entries": overview.entries}))
    assert told["wizard"]["decided"] == report.decided
    lines = list(motion_lines(records, origin_s=0.0, from_s=1.0, hz=10.0, limit_bytes=10_000))
    assert all(json.loads(line)["type"] in REPLAYED_TYPES for line in lines)
