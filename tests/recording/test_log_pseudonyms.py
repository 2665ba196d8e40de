"""Nothing personal stands in the log, and everything personal can be restored or erased."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from sera.messages import (
    ActivityEvent,
    ConditionAssigned,
    Envelope,
    Event,
    HeardWord,
    Message,
    ModuleFault,
    Part,
    PerformUtterance,
    PersonDetected,
    SessionMark,
    Severity,
    Speak,
    SpeechHeard,
    SpeechWord,
    Suggestion,
    personal,
)
from sera.recording import (
    LogHeader,
    LogReader,
    LogWriter,
    list_participants,
    participants_folder,
)

NAME = "Placeholder"


class Seat(Part):
    occupant: str = personal("name")
    row: int


class SeatsTaken(Event):
    title: str = ""
    seats: list[Seat]
    by_side: dict[str, Seat] = Field(default_factory=dict)


class AgeTold(Event):
    age: int = personal("text")
    ages_of_children: list[int] = personal("text", default_factory=list)


class CodeWord(Event):
    word: str = personal("text", max_length=4)
    hand: int = 1


def assign(participant: str) -> ConditionAssigned:
    return ConditionAssigned(session="s1", participant=participant, condition="a")


def test_a_text_is_replaced_as_a_whole_and_every_time_by_another_pseudonym(recording):
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="yes", words=[HeardWord(text="yes", start_s=0, end_s=0.5)]))
    recording.say(SpeechHeard(text="yes"))
    _, first, second = recording.data()
    assert first["text"] == "~P07.1"
    assert first["words"] == [{"text": "~P07.2", "start_s": 0.0, "end_s": 0.5, "confidence": 1.0}]
    assert second["text"] == "~P07.3"
    head, *entries = [json.loads(line) for line in recording.originals("P07").splitlines()]
    assert head == {"sera_participant": 1, "participant": "P07", "label": "P07"}
    assert entries[0] == {
        "pseudonym": "~P07.1",
        "kind": "text",
        "field": "SpeechHeard.text",
        "original": "yes",
    }


def test_a_name_keeps_its_pseudonym_and_is_found_in_whatever_is_said_later(recording):
    recording.say(Speak(text=f"{NAME} is not known yet"))
    recording.say(PersonDetected(person="visitor_1", name=NAME))
    recording.say(PerformUtterance(category="greeting", tags={"visitor": NAME}))
    recording.say(Speak(text=f"Hello {NAME}, {NAME.upper()}! {NAME}'s {NAME}s\n{NAME}"))
    recording.say(ModuleFault(module="ada.mind", summary="failed", detail=f'"{NAME}"\\'))
    before, detected, performed, spoken, fault = recording.data()
    assert before["text"] == f"{NAME} is not known yet"
    assert detected["name"] == "~unassigned.1"
    assert performed["tags"] == {"visitor": "~unassigned.1"}
    assert spoken["text"] == (
        f"Hello ~unassigned.1, ~unassigned.1v2! ~unassigned.1's {NAME}s\n~unassigned.1"
    )
    assert fault["detail"] == '"~unassigned.1"\\'
    restored = recording.data(restore=True)
    assert restored[3]["text"] == f"Hello {NAME}, {NAME.upper()}! {NAME}'s {NAME}s\n{NAME}"


def test_a_name_is_hidden_in_the_text_of_its_own_message_too(recording):
    recording.say(PerformUtterance(text=f"Hello {NAME}", tags={"visitor": NAME}))
    (performed,) = recording.data()
    assert performed["text"] == "Hello ~unassigned.1"


def test_a_name_is_hidden_as_a_key_but_never_as_the_name_of_a_field(recording):
    recording.say(PersonDetected(person="visitor_1", name="Data"))
    recording.say(ActivityEvent(event="scored", data={"Data": 3, "list": [{"who": "data"}]}))
    _, event = recording.data()
    assert event["data"] == {"~unassigned.1": 3, "list": [{"who": "~unassigned.1v2"}]}


def test_words_of_an_enumeration_stay(recording):
    recording.say(PersonDetected(person="visitor_1", name="Warning"))
    recording.say(ModuleFault(module="ada.mind", severity=Severity.WARNING, summary="a warning"))
    _, fault = recording.data()
    assert fault["severity"] == "warning"
    assert fault["summary"] == "a ~unassigned.1v2"


def test_a_name_of_two_words_is_found_whatever_stands_between_and_word_by_word(recording):
    recording.say(PersonDetected(person="visitor_1", name="Placeholder Example"))
    recording.say(Speak(text="Hello placeholder  Example. An example."))
    for index, word in enumerate(("Hello", "Placeholder", "Example.")):
        recording.say(SpeechWord(speech="ada.mind-1-2", index=index, text=word, start_s=0.1))
    _, spoken, *words = recording.data()
    assert spoken["text"] == "Hello ~unassigned.1v2. An example."
    assert [word["text"] for word in words] == ["Hello", "~unassigned.2", "~unassigned.3."]
    restored = [word["text"] for word in recording.data(restore=True)[2:]]
    assert restored == ["Hello", "Placeholder", "Example."]


def test_a_longer_name_is_found_before_one_that_it_contains(recording):
    recording.say(PersonDetected(person="visitor_1", name="Example"))
    recording.say(PersonDetected(person="visitor_2", name="Example Visitor"))
    recording.say(Speak(text="Example Visitor met Example."))
    assert recording.data()[2]["text"] == "~unassigned.2 met ~unassigned.1."


@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        ("Jos\u00e9", "jose\u0301"),
        ("\u0130lk\u0131", "ilk\u0131"),
        ("STRASSE", "\u017ftrasse"),
        ('Quo"te', 'quo"TE'),
        ("Back\\slash", "back\\slash"),
        ("@handle", "x@HANDLE"),
    ],
)
def test_other_spellings_of_a_name_are_found(recording, name, spoken):
    recording.say(PersonDetected(person="visitor_1", name=name))
    recording.say(Speak(text=f"Well, {spoken}."))
    assert spoken.lower().lstrip("x") not in recording.data()[1]["text"].lower()
    assert recording.data(restore=True)[1]["text"] == f"Well, {spoken}."


def test_ids_of_people_and_single_letters_are_not_names(recording):
    recording.say(PersonDetected(person="visitor_1"))
    recording.say(assign("P07"))
    tags = {"visitor": "visitor_1", "who": "P07", "letter": "x", "none": ""}
    recording.say(PerformUtterance(category="greeting", tags=tags))
    recording.say(PersonDetected(person="visitor_2", name="visitor_2"))
    assert recording.data()[2]["tags"] == tags
    assert recording.data()[3]["name"] == "visitor_2"
    assert list_participants(participants_folder(recording.path)) == []


def test_the_name_under_which_somebody_plays_does_not_count_as_an_id(recording):
    recording.say(ActivityEvent(event="joined", person=NAME))
    recording.say(PersonDetected(person="visitor_1", name=NAME))
    assert recording.data()[1]["name"] == "~unassigned.1"


def test_a_number_in_a_field_of_names_is_hidden_there_but_not_looked_for(recording):
    recording.say(PerformUtterance(category="score", tags={"points": "12"}))
    recording.say(Speak(text="That makes 12 points."))
    performed, spoken = recording.data()
    assert performed["tags"] == {"points": "~unassigned.1"}
    assert spoken["text"] == "That makes 12 points."


def test_marks_inside_nested_models_are_found(recording):
    seats = [Seat(occupant=NAME, row=1)]
    recording.say(SeatsTaken(title=f"With {NAME}", seats=seats, by_side={"left": seats[0]}))
    assert recording.data() == [
        {
            "title": "With ~unassigned.1",
            "seats": [{"occupant": "~unassigned.1", "row": 1}],
            "by_side": {"left": {"occupant": "~unassigned.1", "row": 1}},
        }
    ]


def test_what_a_suggestion_proposes_is_as_personal_as_the_action_itself(recording):
    action: dict[str, Any] = {"category": "greeting", "tags": {"visitor": NAME}}
    recording.say(
        Suggestion(
            action_type="PerformUtterance",
            action=action,
            reason=f"{NAME} came",
            lapses_after_s=5,
        )
    )
    recording.say(Suggestion(action_type="Unknown", action={"a": ["b c"]}, lapses_after_s=5))
    known, unknown = recording.data()
    assert known["action"] == {"category": "greeting", "tags": {"visitor": "~unassigned.1"}}
    assert known["reason"] == "~unassigned.1 came"
    assert unknown["action"] == {"a": ["~unassigned.2"]}


def test_a_number_that_is_personal_is_hidden_and_restored_as_a_number(recording):
    recording.say(AgeTold(age=41, ages_of_children=[3, 5]))
    assert recording.data() == [
        {"age": "~unassigned.1", "ages_of_children": ["~unassigned.2", "~unassigned.3"]}
    ]
    assert recording.data(restore=True) == [{"age": 41, "ages_of_children": [3, 5]}]


def test_a_payload_that_may_be_personal_is_put_away_with_what_quotes_it(recording):
    payload = b'{"data":{"text":"my secret", "confidence":"high"}}'
    why = "SpeechHeard: confidence: should be a number, got 'my secret'"
    recording.writer.write_raw("sera/r1/world/SpeechHeard/world.ears", payload, 1.0, why)
    recording.writer.write_raw("sera/r1/world/Unheard/x.y", b'{"who":"a secret"}', 1.0, "unknown")
    assert "secret" not in recording.log_text()
    known, unknown = recording.data()
    assert known["why"] == "SpeechHeard: confidence: should be a number …"
    assert unknown["why"] == "unknown"
    known, unknown = recording.data(restore=True)
    assert (known["payload"], known["full_why"]) == (payload.decode(), why)
    assert unknown["payload"] == '{"who":"a secret"}'


def test_known_names_are_hidden_in_payloads_that_were_no_message(recording):
    recording.say(PersonDetected(person="visitor_1", name=NAME))
    payload = f'{{"text":"Hello {NAME}"'.encode()
    recording.writer.write_raw("sera/r1/ada/Speak/ada.mind", payload, 1.0, f"got 'Hello {NAME}'")
    assert NAME not in recording.log_text()
    assert recording.data(restore=True)[1]["payload"] == payload.decode()


def test_typed_messages_come_back_with_pseudonyms_or_with_originals(recording):
    heard = SpeechHeard(text="words", words=[HeardWord(text="words", start_s=0, end_s=1)])
    recording.say(heard)
    recording.say(AgeTold(age=41))
    recording.say(CodeWord(word="blue", hand=2))
    log = LogReader(recording.path)
    hidden = [log.message(record) for record in recording.records()]
    assert hidden[0] == heard.model_copy(
        update={
            "text": "~unassigned.1",
            "words": [HeardWord(text="~unassigned.2", start_s=0, end_s=1)],
        }
    )
    assert hidden[1].age == "~unassigned.3"
    assert (hidden[2].word, hidden[2].hand) == ("~unassigned.4", 2)
    restored = [log.message(record) for record in recording.records(restore=True)]
    assert restored == [heard, AgeTold(age=41), CodeWord(word="blue", hand=2)]


# Letters that stand in no key, type or id of a log, so that a find is always a leak.
_foreign = st.text("абвгдежзиклмнопрстуфхцчшщыэюя АБВГД'\"\\\n\t-~.", min_size=1, max_size=20)
_personal_text = _foreign.filter(lambda text: len(re.findall(r"\w", text)) >= 3)


@st.composite
def _session(draw: st.DrawFn) -> tuple[list[str], list[Message]]:
    originals = draw(st.lists(_personal_text, min_size=1, max_size=4))
    messages: list[Message] = []
    for original in originals:
        messages.append(
            draw(
                st.sampled_from(
                    [
                        PersonDetected(person="visitor_1", name=original),
                        PerformUtterance(category="x", tags={"a": original}),
                        PerformUtterance(text=f"x {original} x", tags={"a": original}),
                        SeatsTaken(title=f"({original})", seats=[Seat(occupant=original, row=1)]),
                        Suggestion(
                            action_type="PerformUtterance",
                            action={"category": "x", "tags": {"a": original}},
                            lapses_after_s=1,
                        ),
                    ]
                )
            )
        )
        messages.append(SpeechHeard(text=f"{original} {original}"))
        messages.append(SessionMark(label="note", note=original))
        messages.append(Speak(text=f"Hello, {original.swapcase()}! ({original})"))
        messages.append(
            ActivityEvent(event="e", data={f"<{original}>": [original, {"x": original}]})
        )
        messages.append(ModuleFault(module="m", summary="s", detail=f"x\n{original}\n"))
    return originals, messages


@settings(max_examples=60, deadline=None)
@given(_session())
def test_no_original_is_anywhere_in_the_log_and_all_of_it_comes_back(
    session: tuple[list[str], list[Message]],
) -> None:
    originals, messages = session
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        writer = LogWriter(path, header=LogHeader(run="r"), clock_now=lambda: 0.0)
        for number, message in enumerate(messages):
            writer.write(Envelope(message, f"a.b-1-{number}", 0.0, "a.b", "a"), 0.0)
        writer.close()
        log_text = path.read_text(encoding="utf-8").casefold()
        for original in originals:
            assert original.casefold() not in log_text
            assert json.dumps(original, ensure_ascii=False)[1:-1].casefold() not in log_text
            for word in re.findall(r"[^\W\d_]{3,}", original):
                assert not re.search(rf"(?<!\w){word.casefold()}(?!\w)", log_text)
        log = LogReader(path, restore=True)
        assert [log.message(record) for record in log] == messages
