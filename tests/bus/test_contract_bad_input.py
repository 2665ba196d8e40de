"""Whatever arrives: counted, reported with its sender, and the next message is heard."""

from __future__ import annotations

import json
import logging

import pytest

from sera.messages import ActivityEvent, BodyState, SpeechStarted, SpeechWord

GOOD = {"speech": "s", "index": 0, "text": "word", "start_s": 0.0}


def payload(source: str = "ada.stranger", **changes: object) -> bytes:
    envelope: dict[str, object] = {
        "type": "SpeechWord",
        "id": f"{source}-0-1",
        "time": 1.0,
        "source": source,
        "cause": None,
        "protocol": 1,
        "data": GOOD,
    }
    envelope.update(changes)
    return json.dumps({k: v for k, v in envelope.items() if v != "(left out)"}).encode()


BAD_PAYLOADS = {
    "malformed JSON": (b'{"type":"SpeechWord",', "not JSON"),
    "no JSON at all": (b"hello", "not JSON"),
    "an empty payload": (b"", "not JSON"),
    "a list": (b"[1,2]", "payload: Input should be"),
    "null": (b"null", "payload: Input should be"),
    "not UTF-8": (payload().replace(b'"word"', b'"\xff\xfe"'), "not JSON"),
    "deeply nested": (b'{"data":' + b"[" * 5000 + b"]" * 5000 + b"}", "not JSON"),
    "a wrong field type": (payload(data={**GOOD, "index": "many"}), "data.index: Input should be"),
    "a value out of bounds": (payload(data={**GOOD, "index": -1}), "data.index: Input should be"),
    "a missing field": (payload(data={"speech": "s"}), "data.index: Field required"),
    "no data": (payload(data="(left out)"), "data: Field required"),
    "data of another kind": (payload(data="word"), "data: Input should be"),
    "NaN": (payload(data={**GOOD, "start_s": float("nan")}), "data.start_s: Input should be"),
    "no id": (payload(id="(left out)"), "id: Field required"),
    "a bad id": (
        payload(id="ada.stranger-first-1"),
        "id 'ada.stranger-first-1' is not of the form",
    ),
    "an id of somebody else": (
        payload(id="ada.other-0-1"),
        "id 'ada.other-0-1' is not of the form",
    ),
    "a time that is no number": (payload(time="noon"), "time: Input should be a valid number"),
    "a time without end": (payload(time=float("inf")), "time: Input should be a finite number"),
    "a source that is not the topic's": (
        payload(source="ada.other"),
        "the payload says SpeechWord from ada.other, its topic SpeechWord from ada.stranger",
    ),
    "a type that is not the topic's": (
        payload(type="SpeechStarted"),
        "the payload says SpeechStarted from ada.stranger, its topic SpeechWord",
    ),
    "one byte too many": (
        payload(data={**GOOD, "text": ""}).replace(
            b'"text": ""',
            b'"text": "' + b"x" * (2**20 + 1 - len(payload(data={**GOOD, "text": ""}))) + b'"',
        ),
        "1,048,577 bytes exceed the limit of 1,048,576",
    ),
}


@pytest.fixture
async def listener(carrier):
    """A world module that hears everything and notes what it cannot read."""
    bus = await carrier.join("world.recorder")
    problems = []
    bus.on_problem = lambda problem, raw: problems.append((problem, raw))
    heard = await carrier.hear(bus)
    return bus, heard, problems


@pytest.mark.parametrize("what", BAD_PAYLOADS)
async def test_a_bad_payload_is_counted_and_reported_with_its_sender(carrier, listener, what):
    bus, heard, problems = listener
    raw, words = BAD_PAYLOADS[what]
    topic = f"sera/{carrier.run}/ada/SpeechWord/ada.stranger"
    await carrier.inject(topic, raw)
    await carrier.inject(topic, payload())
    await heard.reaches(1)
    assert [e.source for e in heard] == ["ada.stranger"]
    assert bus.counters.malformed == 1
    assert bus.counters.received == 1
    ((problem, seen),) = problems
    assert problem.sender == "ada.stranger"
    assert problem.topic == topic
    assert seen == raw
    assert words in problem.summary
    assert len(problem.summary) < 400
    assert "\n" not in problem.summary


async def test_exactly_one_mebibyte_is_let_in(carrier, listener):
    _, heard, problems = listener
    empty = payload(data={**GOOD, "text": ""})
    raw = empty.replace(b'"text": ""', b'"text": "' + b"x" * (2**20 - len(empty)) + b'"')
    assert len(raw) == 2**20
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", raw)
    await heard.reaches(1)
    assert problems == []


async def test_an_unknown_type_is_reported_with_the_nearest_known_one(carrier, listener):
    _, heard, problems = listener
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWrod/ada.stranger", payload())
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", payload())
    await heard.reaches(1)
    ((problem, _),) = problems
    assert "unknown message type 'SpeechWrod'; did you mean SpeechWord" in problem.summary
    assert problem.sender == "ada.stranger"


@pytest.mark.parametrize(
    "levels", ["ada", "ada/SpeechWord", "ada/SpeechWord/ada.stranger/more", "ada//x"]
)
async def test_a_topic_of_another_shape_is_reported(carrier, listener, levels):
    bus, heard, problems = listener
    await carrier.inject(f"sera/{carrier.run}/{levels}", payload())
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", payload())
    await heard.reaches(1)
    ((problem, _),) = problems
    assert "is not of the form sera/<run>/<character>/<Message>/<source>" in problem.summary
    assert problem.sender == levels.rsplit("/", 1)[-1]
    assert bus.counters.malformed == 1


async def test_unknown_fields_are_those_of_a_newer_version_and_are_ignored(carrier, listener):
    bus, heard, problems = listener
    raw = payload(data={**GOOD, "new_field": [1, {"a": 2}]}, shiny=True, protocol=2)
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", raw)
    await heard.reaches(1)
    assert heard[0].message == SpeechWord(**GOOD)
    assert heard[0].protocol == 2
    assert problems == []
    assert bus.counters.malformed == 0


async def test_optional_envelope_fields_may_be_left_out(carrier, listener):
    _, heard, _ = listener
    raw = payload(cause="(left out)", protocol="(left out)")
    await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", raw)
    await heard.reaches(1)
    assert (heard[0].cause, heard[0].protocol, heard[0].after) == (None, 1, None)


async def test_retained_rubbish_does_not_keep_a_late_comer_from_hearing_the_rest(carrier):
    await carrier.inject(f"sera/{carrier.run}/ada/BodyState/ada.stranger", b"rubbish", retain=True)
    speaker = await carrier.join("ada.body")
    speaker.publish(BodyState(health="ok"))
    bus = await carrier.join("world.recorder")
    problems = []
    bus.on_problem = lambda problem, _: problems.append(problem.sender)
    heard = await carrier.hear(bus)
    await heard.reaches(1)
    assert [e.source for e in heard] == ["ada.body"]
    assert problems == ["ada.stranger"]


async def test_whoever_reports_a_problem_may_fail_at_it(carrier, listener, caplog):
    bus, heard, _ = listener

    def fail(*_: object) -> None:
        raise RuntimeError("on purpose")

    bus.on_problem = fail
    with caplog.at_level(logging.ERROR, "sera.bus"):
        await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", b"rubbish")
        await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", payload())
        await heard.reaches(1)
    assert bus.counters.malformed == 1
    assert "reporting a malformed message failed" in caplog.text


async def test_a_flood_of_rubbish_from_one_source_leaves_the_others_heard(carrier, listener):
    bus, heard, problems = listener
    speaker = await carrier.join("ada.voice")
    for number in range(100):
        await carrier.inject(f"sera/{carrier.run}/ada/SpeechWord/ada.stranger", b"%d" % number)
        speaker.publish(SpeechStarted(speech="s", text=str(number)))
    await heard.reaches(100)
    speaker.publish(ActivityEvent(event="over"))
    await heard.reaches(101)
    assert [e.message.text for e in heard[:100]] == [str(number) for number in range(100)]
    assert bus.counters.malformed == len(problems) == 100
