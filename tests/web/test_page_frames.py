"""Frames of pages: read, or refused with a sentence; nothing else comes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.messages import Clicked, Envelope, Speak
from sera.web import Refused
from sera.web._frames import Ping, Received, Send, Subscribe, message_frame, read_frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FRAME_LIKE = st.dictionaries(
    st.sampled_from(["send", "subscribe", "received", "ping", "sned"]), JSON, max_size=2
)


def why(text: str | bytes) -> str:
    with pytest.raises(Refused) as refusal:
        read_frame(text)
    return refusal.value.why


def test_each_frame_is_read():
    send = read_frame('{"send":{"type":"Clicked","data":{"element":"a"},"ref":7,"age_s":0.5}}')
    assert send == Send(type="Clicked", data={"element": "a"}, ref=7, age_s=0.5)
    assert read_frame('{"subscribe":{"types":["*"]}}') == Subscribe(types=["*"])
    assert read_frame('{"received":{"id":"ada.mind-0-3"}}') == Received(id="ada.mind-0-3")
    assert read_frame('{"ping":{}}') == Ping()


@given(st.text() | st.binary() | FRAME_LIKE.map(json.dumps) | JSON.map(json.dumps))
def test_whatever_a_page_sends_is_read_or_refused_with_a_sentence(text: str | bytes):
    try:
        read_frame(text)
    except Refused as refusal:
        assert 5 < len(refusal.why) < 2000  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"ping":{}} x', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"send":{"type":"A","data":{"x":NaN}}}', "not JSON"),
        ('{"send":{"type":"A","data":{"x":"\\ud800"}}}', "not JSON"),
        ("[]", "one key, one of send, answers, subscribe, received, ping"),
        ('{"send":{},"ping":{}}', "one key"),
        ('{"sned":{}}', "no such frame 'sned'; did you mean send?"),
        ('{"send":{"data":{}}}', "send.type: this field is missing"),
        ('{"send":{"type":"Clicked","daat":{}}}', "send.daat: no such field; did you mean data?"),
        ('{"send":{"type":"Clicked","ref":true}}', "send.ref: must be a valid integer"),
        ('{"send":{"type":"Clicked","age_s":-1}}', "send.age_s: must be greater than"),
        ('{"send":[]}', "send: must be"),
        ('{"subscribe":{"types":[3]}}', "subscribe.types[0]: must be a valid string"),
        (b'{"ping":{}}', "binary"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_was_meant(text: str | bytes, part: str):
    assert part in why(text)


def test_a_refused_frame_keeps_its_number_so_that_the_page_knows_which_it_was():
    with pytest.raises(Refused) as refusal:
        read_frame('{"send":{"ref":12}}')
    assert refusal.value.ref == 12


def test_a_message_for_pages_is_the_payload_of_the_bus_with_its_character():
    envelope = Envelope(
        Speak(text="„Olá” </script>"),
        "ada.mind-0-4",
        12.5,
        "ada.mind",
        "ada",
        "c-0-1",
        after={"*": 3},
    )
    body = json.loads(message_frame(envelope))["message"]
    assert body.pop("data")["text"] == "„Olá” </script>"
    assert body == {
        "character": "ada",
        "type": "Speak",
        "id": "ada.mind-0-4",
        "time": 12.5,
        "source": "ada.mind",
        "cause": "c-0-1",
        "protocol": 1,
    }


def test_a_message_without_a_cause_says_so():
    envelope = Envelope(Clicked(element="a"), "world.x-0-1", 0.0, "world.x", "world")
    assert json.loads(message_frame(envelope))["message"]["cause"] is None
