"""What a log looks like, and when its lines reach the disk."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pydantic import ConfigDict

from sera.messages import (
    ConditionAssigned,
    Envelope,
    Event,
    GazeAt,
    JointFrame,
    PersonDetected,
    Speak,
    SpeechHeard,
)
from sera.recording import LogHeader, LogReader, LogWriter


class AnythingHappened(Event):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    what: Any = None


def test_a_log_is_a_header_one_line_a_message_in_fixed_order_and_a_last_line(recording):
    recording.say(PersonDetected(person="visitor_1", confidence=0.75), source="world.eyes")
    recording.say(GazeAt(target="visitor_1"), cause="world.eyes-1-1")
    recording.now_s = 3.5
    recording.writer.close()
    assert recording.path.read_bytes().decode().splitlines() == [
        (
            '{"sera_log":1,"run":"r1","scenario":"hello","seed":7,"clock":"virtual","started":0.0,'
            '"version":"0.1"}'
        ),
        (
            '{"received":0.1,"topic":"sera/r1/ada/PersonDetected/world.eyes","type":"PersonDetected",'
            '"id":"world.eyes-1-1","time":0.05,"source":"world.eyes","character":"ada","cause":null,'
            '"protocol":1,"data":{"person":"visitor_1","name":null,"position":null,"direction":null,'
            '"seen_from":null,"confidence":0.75}}'
        ),
        (
            '{"received":0.2,"topic":"sera/r1/ada/GazeAt/ada.mind","type":"GazeAt","id":"ada.mind-1-2",'
            '"time":0.15000000000000002,"source":"ada.mind","character":"ada",'
            '"cause":"world.eyes-1-1","protocol":1,"data":{"target":"visitor_1"}}'
        ),
        '{"end":3.5,"malformed":0,"lost":0,"counts":{"GazeAt":1,"PersonDetected":1}}',
    ]


def test_the_same_messages_give_the_same_bytes(new_recording):
    contents = []
    for name in ("one", "two"):
        recording = new_recording(name)
        recording.say(ConditionAssigned(session="s1", participant="P07", condition="a"))
        recording.say(PersonDetected(person="visitor_1", name="Visitor Name"))
        recording.say(SpeechHeard(text="some words"))
        recording.say(Speak(text="Hello, visitor name!"))
        recording.writer.write_raw("sera/r1/ada/Speak/ada.mind", b"{", 0.5, "not JSON")
        recording.writer.close()
        originals = recording.path.with_name("test.jsonl.participants") / "P07.jsonl"
        contents.append((recording.path.read_bytes(), originals.read_bytes()))
    assert contents[0] == contents[1]


def test_a_line_waits_no_longer_than_a_quarter_of_a_second_for_the_next_write(recording):
    def on_disk() -> int:
        return len(recording.path.read_bytes().splitlines()) - 1

    recording.say(GazeAt(target="a"))
    recording.say(GazeAt(target="b"))
    assert on_disk() == 0
    recording.say(GazeAt(target="c"))
    assert on_disk() == 3


def test_a_clock_that_is_set_back_does_not_hold_lines_back(recording):
    recording.now_s = -100.0
    recording.say(GazeAt(target="a"))
    assert b'"target":"a"' in recording.path.read_bytes()


def test_more_than_64_kib_do_not_wait_at_all(recording):
    frame = JointFrame(joints_rad={f"joint_{index}": 0.5 for index in range(50)})
    envelope = Envelope(frame, "ada.body-1-1", 0.0, "ada.body", "ada")
    header_bytes = recording.path.stat().st_size
    for _ in range(64 * 1024 // 900):
        recording.writer.write(envelope, 0.0)
    assert recording.path.stat().st_size - header_bytes >= 60 * 1024


def test_a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced_or_continued(recording):
    recording.say(SpeechHeard(text="the first words"))
    recording.writer.close()
    with pytest.raises(FileExistsError, match="exists already and would be lost"):
        recording.open("refuse")
    writer = recording.open("append")
    writer.write(Envelope(SpeechHeard(text="more"), "x.y-1-1", 0.0, "x.y", "x"), 0.0)
    writer.close()
    log = LogReader(recording.path)
    assert [record.data["text"] for record in log] == ["~unassigned.1", "~unassigned.2"]
    assert log.damaged == 0
    recording.open("replace").close()
    assert list(LogReader(recording.path)) == []
    assert list(recording.path.parent.glob("*.participants/*")) == []


def test_originals_left_over_from_a_lost_log_are_not_mixed_with_new_ones(recording):
    recording.say(SpeechHeard(text="words"))
    recording.writer.close()
    recording.path.unlink()
    with pytest.raises(FileExistsError, match=r"test\.jsonl\.participants exists already"):
        recording.open("refuse")


def test_a_log_that_was_cut_is_continued_on_a_new_line(recording):
    recording.say(GazeAt(target="a"))
    recording.writer.close()
    content = recording.path.read_bytes()
    recording.path.write_bytes(content[:-20])
    writer = recording.open("append")
    writer.write(Envelope(GazeAt(target="b"), "x.y-1-1", 0.0, "x.y", "x"), 0.0)
    writer.close()
    log = LogReader(recording.path)
    assert [record.data["target"] for record in log] == ["a", "b"]
    assert log.damaged_lines == [3]


def test_text_that_utf_8_cannot_hold_is_recorded_all_the_same(recording):
    recording.say(AnythingHappened(what="half \ud83d a pair"))
    assert recording.data() == [{"what": "half \ud83d a pair"}]


def test_numbers_that_json_cannot_hold_become_null(recording):
    recording.say(AnythingHappened(what=[1.0, float("inf"), float("nan")]))
    envelope = Envelope(GazeAt(target="a"), "x.y-1-1", float("nan"), "x.y", "x")
    recording.writer.write(envelope, float("inf"))
    for line in recording.log_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)
    first, second = recording.records()
    assert first.data == {"what": [1.0, None, None]}
    assert (second.time, second.received_s) == (0.0, 0.0)


def test_a_message_that_cannot_be_written_as_json_is_kept_as_malformed(recording):
    recording.say(AnythingHappened(what=object()))
    recording.say(GazeAt(target="a"))
    first, second = recording.records()
    assert first.type == "(malformed)"
    assert first.topic == "sera/r1/ada/AnythingHappened/ada.mind"
    assert first.data["why"].startswith("cannot be written as JSON")
    assert second.data == {"target": "a"}


def test_what_was_no_message_is_kept_with_the_reason(recording):
    topic = "sera/r1/ada/GazeAt/ada.mind"
    recording.writer.write_raw(topic, b'{"target"', 1.0, "not JSON: cut at column 9")
    recording.writer.write_raw(topic, b"\xff\xfe", 2.0, "not JSON")
    recording.writer.write_raw(topic, "é".encode() * 5000, 3.0, "too large")
    first, second, third = recording.records()
    assert first.data == {
        "why": "not JSON: cut at column 9",
        "payload": '{"target"',
        "encoding": "utf-8",
        "bytes": 9,
    }
    assert (first.type, first.source, first.character) == ("(malformed)", "ada.mind", "ada")
    assert (second.data["payload"], second.data["encoding"]) == ("//4=", "base64")
    assert third.data["payload"] == "é" * 2048
    assert third.data["bytes"] == 10_000


def test_messages_after_the_end_are_counted_and_reported_once(recording):
    recording.writer.close()
    recording.writer.close()
    recording.say(GazeAt(target="a"))
    recording.say(GazeAt(target="b"))
    assert recording.writer.lost == 2
    assert recording.problems == [
        f"{recording.path} is closed; messages that come now are not recorded"
    ]


def test_problems_go_to_the_programs_log_where_nobody_else_listens(tmp_path, caplog):
    writer = LogWriter(tmp_path / "a.jsonl", header=LogHeader(run="r"), clock_now=lambda: 0.0)
    writer.close()
    with caplog.at_level(logging.WARNING, logger="sera.recording"):
        writer.write_raw("t", b"x", 0.0, "late")
    assert "is closed" in caplog.text


def test_a_log_in_a_place_that_cannot_be_written_is_an_error_at_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        LogWriter(tmp_path / "file" / "a.jsonl", header=LogHeader(run="r"), clock_now=lambda: 0.0)
