"""A log opens in whatever state it is."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.messages import GazeAt, PersonDetected, Speak, SpeechHeard, UnknownMessageType
from sera.recording import LogReader, Record, _reader


@pytest.fixture
def small_log(recording) -> Path:
    recording.say(PersonDetected(person="visitor_1"), source="world.eyes", character="world")
    recording.say(GazeAt(target="visitor_1"), cause="world.eyes-1-1")
    recording.writer.write_raw("sera/r1/ada/GazeAt/ada.mind", b"{", 1.0, "not JSON")
    recording.say(Speak(text="Grüße\u2028an\x85alle"))
    recording.writer.close()
    return recording.path


def test_records_hold_everything_that_was_written(small_log):
    log = LogReader(small_log)
    first, second, third, fourth = log
    assert log.header is not None
    assert (log.header.run, log.header.scenario, log.header.seed) == ("r1", "hello", 7)
    assert second == Record(
        received_s=0.2,
        topic="sera/r1/ada/GazeAt/ada.mind",
        type="GazeAt",
        id="ada.mind-1-2",
        time=0.15000000000000002,
        source="ada.mind",
        character="ada",
        cause="world.eyes-1-1",
        data={"target": "visitor_1"},
        protocol=1,
        line=3,
    )
    assert (first.cause, first.character) == (None, "world")
    assert third.type == "(malformed)"
    assert log.message(fourth) == Speak(text="Grüße\u2028an\x85alle")
    assert log.end == {
        "end": pytest.approx(0.3),
        "malformed": 1,
        "lost": 0,
        "counts": {"GazeAt": 1, "PersonDetected": 1, "Speak": 1},
    }
    assert log.damaged == 0


def test_a_file_that_was_cut_at_any_byte_opens_and_gives_all_whole_lines(small_log, tmp_path):
    content = small_log.read_bytes()
    ends = [match.end() for match in re.finditer(b"\n", content)]
    cut_path = tmp_path / "cut.jsonl"
    for size in range(len(content) + 1):
        cut_path.write_bytes(content[:size])
        whole = sum(end <= size for end in ends)
        log = LogReader(cut_path)
        records = list(log)
        assert len(records) == min(max(whole - 1, 0), 4)
        assert log.damaged == (size not in (0, *ends))
        assert (log.header is not None) == (whole > 0)
        assert (log.end is not None) == (whole == 6)


def test_a_damaged_line_in_the_middle_is_left_out_and_counted_with_its_number(small_log):
    lines = small_log.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"received":0.2,"topic":"sera/r1/\x00\xff\n'
    lines.insert(3, b"[1, 2]\n")
    lines.insert(4, b'{"received":0.2,"data":{}}\n')
    lines.insert(5, b'{"something":"else"}\n')
    lines.insert(6, b"\n")
    small_log.write_bytes(b"".join(lines))
    log = LogReader(small_log)
    assert [record.type for record in log] == ["PersonDetected", "(malformed)", "Speak"]
    assert log.damaged_lines == [3, 4, 5, 6, 7]
    assert [record.line for record in log] == [2, 8, 9]
    assert log.damaged == 5


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=60), st.just(b'{"data":{}}'), st.just(b"[" * 5000))))
def test_no_content_of_a_file_raises(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_bytes(b"\n".join(lines))
    log = LogReader(path)
    assert list(log) == []
    assert log.damaged == path.read_bytes().count(b"\n") + (path.read_bytes()[-1:] not in b"\n")


def test_a_file_of_nothing_but_zeros_is_one_damaged_line(tmp_path):
    path = tmp_path / "zeros.jsonl"
    path.write_bytes(bytes(40 * 1024 * 1024))
    log = LogReader(path)
    assert list(log) == []
    assert log.damaged_lines == [1]


def test_a_large_file_is_opened_without_reading_it(small_log, monkeypatch):
    with small_log.open("r+b") as file:
        file.truncate(1024**3)  # a hole, which takes no space on the disk
    read: list[bytes] = []
    every_line = _reader.raw_lines

    def noted(path):
        for line in every_line(path):
            read.append(line)
            yield line

    monkeypatch.setattr(_reader, "raw_lines", noted)
    log = LogReader(small_log)
    first = next(iter(log))
    assert log.header is not None
    assert first.type == "PersonDetected"
    assert len(read) == 3, "the header, and once more with the first record"


def test_a_compressed_log_reads_like_a_plain_one_with_its_originals(recording):
    recording.say(SpeechHeard(text="words"))
    recording.writer.close()
    compressed = recording.path.with_name("test.jsonl.gz")
    compressed.write_bytes(gzip.compress(recording.path.read_bytes()))
    assert list(LogReader(compressed, restore=True)) == list(
        LogReader(recording.path, restore=True)
    )
    assert next(iter(LogReader(compressed, restore=True))).data["text"] == "words"


def test_a_compressed_log_that_was_cut_gives_everything_before_the_cut(tmp_path):
    lines = [
        json.dumps(
            {"received": n, "topic": "t", "type": "T", "id": f"a-1-{n}", "time": n, "source": "a"}
            | {"character": "x", "cause": None, "protocol": 1, "data": {"text": str(hash(n) ** 9)}}
        ).encode()
        + b"\n"
        for n in range(2000)
    ]
    compressed = gzip.compress(b"".join(lines[:1000])) + gzip.compress(b"".join(lines[1000:]))
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(compressed)
    assert [record.received_s for record in LogReader(path)] == list(range(2000))
    cut = compressed[: len(compressed) * 3 // 4]
    path.write_bytes(cut)
    log = LogReader(path)
    received = [record.received_s for record in log]
    assert received == list(range(len(received)))
    assert len(received) > 1300
    with pytest.raises(EOFError):
        gzip.decompress(cut)


def test_a_log_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no log .*absent\.jsonl"):
        LogReader(tmp_path / "absent.jsonl")


def test_messages_of_a_newer_version_are_read_and_misfits_are_named(small_log):
    log = LogReader(small_log)
    gaze = next(record for record in log if record.type == "GazeAt")
    assert log.message(gaze._replace(data={"target": "x", "speed": 3})) == GazeAt(target="x")
    with pytest.raises(ValueError, match=r"test\.jsonl, line 3: GazeAt\.target: Field required"):
        log.message(gaze._replace(data={}))
    with pytest.raises(UnknownMessageType, match="did you mean GazeAt"):
        log.message(gaze._replace(type="GazeAtt"))


def test_times_count_from_the_start_of_the_run_or_from_the_first_record(small_log):
    assert LogReader(small_log).origin_s() == 0.0
    content = small_log.read_bytes()
    small_log.write_bytes(content.replace(b'"started":0.0', b'"started":1700000000.0'))
    assert LogReader(small_log).origin_s() == 0.1
    small_log.write_bytes(content.split(b"\n", 1)[1])
    assert LogReader(small_log).origin_s() == 0.1
