"""Finding a stretch of a long recording, and telling how one ends, without reading all of it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from sera.messages import GazeAt
from sera.recording import LogReader
from sera.recording.review import _seek as seek
from sera.recording.review import end_of_log, records_between


@pytest.fixture
def long_log(recording: Any) -> Path:
    """Ten minutes, a message each tenth of a second, with a damaged line in the middle."""
    for number in range(6000):
        recording.say(GazeAt(target=f"target_{number}"))
    recording.writer.close()
    path: Path = recording.path
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(3000, b'{"received": 29\xff, damaged\n')
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize(("from_s", "to_s"), [(0.0, 1.0), (299.0, 301.0), (598.0, 700.0)])
def test_a_stretch_holds_exactly_what_was_received_in_it(
    long_log: Path, from_s: float, to_s: float
) -> None:
    log = LogReader(long_log)
    found = [record.id for record in records_between(log, from_s, to_s)]
    assert found
    assert found == [one.id for one in LogReader(long_log) if from_s <= one.received_s <= to_s]
    packed = long_log.with_name("packed.jsonl.gz")
    packed.write_bytes(gzip.compress(long_log.read_bytes()))
    assert [one.id for one in records_between(LogReader(packed), from_s, to_s)] == found


def test_a_late_stretch_is_found_without_reading_what_comes_before_it(long_log: Path) -> None:
    with long_log.open("rb") as file:
        offset = seek._offset_before(file, 590.0)
    size = long_log.stat().st_size
    assert size * 590 / 600 - 2 * seek._NEAR_ENOUGH_BYTES < offset < size * 590 / 600


def test_nothing_is_found_after_the_end_or_in_a_file_that_is_no_log(
    long_log: Path, tmp_path: Path
) -> None:
    assert list(records_between(LogReader(long_log), 700.0, 800.0)) == []
    other = tmp_path / "other.bin"
    other.write_bytes(b"\x00\xff\n" * 50_000)
    assert list(records_between(LogReader(other), 0.0, 1e9)) == []


def test_the_end_of_a_log_tells_length_and_count_and_whether_it_was_cut(long_log: Path) -> None:
    end = end_of_log(long_log)
    assert (end.complete, end.messages) == (True, 6000)
    assert end.duration_s == pytest.approx(600.0, abs=0.2)
    long_log.write_bytes(long_log.read_bytes()[:200_000])
    cut = end_of_log(long_log)
    assert (cut.complete, cut.messages) == (False, None)
    assert cut.duration_s is not None
    assert 0 < cut.duration_s < 600
    long_log.write_bytes(b"")
    assert end_of_log(long_log).duration_s is None
