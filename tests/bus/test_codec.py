"""Envelopes to bytes and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sera.bus import PAYLOAD_LIMIT_BYTES, Malformed, PayloadTooLarge, Topic, decode, encode
from sera.bus._codec import ROOM_FOR_REPEATS_BYTES
from sera.messages import (
    ActivityEvent,
    Direction,
    Envelope,
    GazeAt,
    PerformUtterance,
    PersonDetected,
    PersonMoved,
    QuestionnaireAnswered,
    SpeechHeard,
    SpeechStarted,
    State,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
wire_fields = ["type", "id", "time", "source", "cause", "protocol", "after", "data", "x"]
names = st.text(min_size=1).filter(lambda text: bool(text.strip()))
sequences = st.integers(0, 2**63)


def topic_of(envelope: Envelope) -> Topic:
    return Topic("run", envelope.character, envelope.type, envelope.source)


@given(
    st.builds(
        Envelope,
        st.builds(
            ActivityEvent,
            event=names.map(str.strip).filter(bool),
            data=st.dictionaries(st.text(), json_values, max_size=4),
        ),
        st.builds("ada.game-{}-{}".format, sequences, sequences),
        finite,
        st.just("ada.game"),
        st.just("world"),
        st.none() | st.text(),
        st.just(1),
        st.none() | st.dictionaries(st.text(), sequences, max_size=3),
    )
)
@example(
    Envelope(
        ActivityEvent(event="a", data={'"': "\u2028\\", "é": "\x00"}),
        "ada.game-0-0",
        -0.0,
        "ada.game",
        "world",
        '"',
        1,
        {"*": 1},
    )
)
def test_every_envelope_survives_the_wire(sent):
    payload = encode(sent)
    assert decode(topic_of(sent), payload) == sent
    as_anybody_reads_it = json.loads(payload)
    assert as_anybody_reads_it["id"] == sent.id
    assert as_anybody_reads_it["time"] == sent.time
    assert as_anybody_reads_it["data"]["data"] == sent.message.data
    assert ("after" in as_anybody_reads_it) == (sent.after is not None)


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf{}")
@example(b'{"type":"GazeAt","id":"a-1-1","time":1e999,"source":"a.b","data":{"target":"x"}}')
@example(b"1" * 5000)
def test_no_bytes_whatever_raise_anything_but_malformed(payload):
    with pytest.raises(Malformed) as caught:
        decode(Topic("run", "ada", "GazeAt", "ada.mind"), payload)
    assert caught.value.sender == "ada.mind"


@given(st.dictionaries(st.sampled_from(wire_fields), json_values))
def test_no_json_whatever_raises_anything_but_malformed(content):
    topic = Topic("run", "ada", "PersonMoved", "ada.eye")
    wire = {
        "type": "PersonMoved",
        "id": "ada.eye-0-1",
        "time": 0,
        "source": "ada.eye",
        "data": {"person": "p", "direction": {"horizontal_deg": 1}},
    }
    found: Envelope | Malformed
    try:
        found = decode(topic, json.dumps({**wire, **content}).encode())
    except Malformed as problem:
        found = problem
    if isinstance(found, Malformed):
        assert "\n" not in found.summary
        assert found.topic == "sera/run/ada/PersonMoved/ada.eye"
    else:
        assert isinstance(found.message, PersonMoved)
        assert decode(topic, encode(found)) == found


def test_the_limit_is_one_mebibyte_on_the_wire():
    def event(filler: int) -> Envelope:
        message = SpeechStarted(speech="s", text="x" * filler)
        return Envelope(message, "ada.voice-0-1", 0.0, "ada.voice", "ada")

    overhead = len(encode(event(0)))
    assert len(encode(event(PAYLOAD_LIMIT_BYTES - overhead))) == 1024 * 1024
    with pytest.raises(PayloadTooLarge, match=r"SpeechStarted is 1,048,577 bytes on the wire"):
        encode(event(PAYLOAD_LIMIT_BYTES - overhead + 1))


def test_an_action_that_could_be_sent_can_be_sent_again_with_more_to_wait_for():
    def action(filler: int, after: dict[str, int] | None) -> Envelope:
        message = GazeAt(target="x" * filler)
        return Envelope(message, "ada.mind-0-1", 0.0, "ada.mind", "ada", after=after)

    overhead = len(encode(action(1, None))) - 1
    largest = PAYLOAD_LIMIT_BYTES - ROOM_FOR_REPEATS_BYTES - overhead
    encode(action(largest, None))
    with pytest.raises(PayloadTooLarge):
        encode(action(largest + 1, None))
    many = {f"character_{n}.module": 2**53 for n in range(80)}
    assert len(encode(action(largest, many))) <= PAYLOAD_LIMIT_BYTES


def test_a_problem_names_the_field_and_shows_what_came():
    topic = Topic("run", "ada", "GazeAt", "ada.mind")
    raw = b'{"type":"GazeAt","id":"ada.mind-0-1","time":0,"source":"ada.mind","data":{"target":7}}'
    with pytest.raises(Malformed) as caught:
        decode(topic, raw)
    assert caught.value.summary == "GazeAt: data.target: Input should be a valid string, got 7"


def test_a_long_value_is_shown_shortened_and_further_problems_are_counted():
    topic = Topic("run", "world", "PersonDetected", "ada.eye")
    data = {"person": [1] * 500, "confidence": 7, "position": 3}
    raw = {"type": "PersonDetected", "id": "ada.eye-0-1", "time": 0, "source": "ada.eye"}
    with pytest.raises(Malformed) as caught:
        decode(topic, json.dumps({**raw, "data": data}).encode())
    assert "..." in caught.value.summary
    assert caught.value.summary.endswith("(and 2 more)")
    assert len(caught.value.summary) < 200
    assert caught.value.detail.count("\n") == 2


@pytest.mark.parametrize(
    ("message_type", "data"),
    [
        (PersonDetected, {"person": "p", "name": ["Secret"]}),
        (PersonDetected, "Secret"),
        (PersonDetected, ["Secret"]),
        (SpeechHeard, {"person": "p", "text": {"said": "Secret"}}),
        # A check of the message as a whole gets to see all of its fields.
        (PerformUtterance, {"line": "1", "category": "c", "tags": {"visitor": "Secret"}}),
        (PerformUtterance, {"category": "c", "tags": {"visitor": ["Secret"]}}),
        (QuestionnaireAnswered, {"questionnaire": "q", "participant": "p", "answers": {},
                                 "free_answers": {"why": ["Secret"]}}),
    ],
)  # fmt: skip
def test_what_is_personal_never_stands_in_a_report(message_type, data):
    topic = Topic("run", "ada", message_type.__name__, "ada.eye")
    wire = {"type": topic.type, "id": "ada.eye-0-1", "time": 0, "source": "ada.eye", "data": data}
    with pytest.raises(Malformed) as caught:
        decode(topic, json.dumps(wire).encode())
    assert "Secret" not in caught.value.summary + caught.value.detail
    with pytest.raises(Malformed) as caught:
        decode(topic, json.dumps([wire]).encode())
    assert "Secret" not in caught.value.summary + caught.value.detail


def test_a_laboratorys_message_whose_own_check_has_a_fault_is_malformed_not_a_crash():
    class Broken(State):
        """Its check fails in a way that pydantic does not expect."""

        value: int

        def model_post_init(self, _context: object) -> None:
            raise KeyError("a fault in the laboratory's code")

    topic = Topic("run", "ada", "Broken", "ada.lab")
    raw = b'{"type":"Broken","id":"ada.lab-0-1","time":0,"source":"ada.lab","data":{"value":1}}'
    with pytest.raises(Malformed, match="Broken could not be checked: KeyError"):
        decode(topic, raw, Broken)


def test_a_direction_keeps_its_exact_floats():
    message = PersonMoved(person="p", direction=Direction(horizontal_deg=0.1 + 0.2))
    sent = Envelope(message, "ada.eye-0-1", 0.1 + 0.2, "ada.eye", "world")
    assert decode(topic_of(sent), encode(sent)) == sent
