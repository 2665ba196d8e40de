"""An overview that reads only the beginnings of lines says the same as one that reads them all."""

from __future__ import annotations

from dataclasses import asdict

from sera.recording import LogReader
from sera.recording.review import Tally, is_counted_only, light_records, look_over


def both(path):
    log, light = LogReader(path), LogReader(path)
    whole = look_over(log, 0.0)
    tally = Tally()
    quick = look_over(light_records(light, is_counted_only, tally), 0.0, tally)
    return log, light, whole, quick


def test_the_overview_is_the_same(tutor_recording):
    _, _, whole, quick = both(tutor_recording)
    assert asdict(whole) == asdict(quick)
    assert quick.types["JointFrame"] > 100
    assert quick.entries


def test_streams_are_counted_and_orders_come_with_their_fields(tutor_recording):
    tally = Tally()
    records = list(light_records(LogReader(tutor_recording), is_counted_only, tally))
    listed, counted = {one.type for one in records}, {kind.type for kind in tally.counts}
    assert "JointFrame" in counted
    assert "PerformUtterance" in listed
    assert not any(is_counted_only(name) for name in listed)
    assert all(one.data and one.id for one in records if one.type == "PerformUtterance")


def test_counted_messages_at_times_that_no_clock_shows_do_not_count(tutor_recording, tmp_path):
    lines = tutor_recording.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b'"type":"JointFrame"' in line)
    frame = lines[place]
    strange = [
        b'{"received":' + time + frame[frame.index(b",") :] for time in (b"1e300", b"NaN", b"-1e12")
    ]
    path = tmp_path / "strange.jsonl"
    path.write_bytes(b"".join([*lines[:place], *strange, *lines[place:]]))
    _, _, whole, quick = both(path)
    assert asdict(whole) == asdict(quick)


def test_a_damaged_log_is_counted_as_when_it_is_read_in_full(tutor_recording, tmp_path):
    lines = tutor_recording.read_bytes().splitlines(keepends=True)
    lines[40:40] = [b"nonsense\n", b'{"received":"x","topic":"sera/r/w/JointFrame/a.b"}}\n']
    lines[60] = lines[60][:30] + b"\n"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    log, light, whole, quick = both(damaged)
    assert log.damaged_lines == light.damaged_lines
    assert len(log.damaged_lines) == 4
    assert asdict(whole) == asdict(quick)
    assert light.end is None
