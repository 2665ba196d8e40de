"""The log of a session as measures see it: from files, from several runs, and from memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.messages import Envelope, GazeAt, PersonDetected, SessionPhase, Speak
from sera.recording import LogHeader, LogReader, LogWriter, Record
from sera.study import Guide, Press
from sera.study.design_tables import Measure
from sera.study.measures import SessionLog, take_measures
from sera.study.measures import _runs as runs_module
from sera.study.measures._phases import Interval, common_s, merged, without
from sera.study.plan import StudyPlan

HEADER = LogHeader(run="r1", scenario="hello", seed=7, clock="virtual", version="0.1")


def record(time_s: float, type_name: str, order: int = 0, **data: Any) -> Record:
    topic = f"sera/r1/world/{type_name}/world.test"
    said = f"world.test-1-{order}"
    return Record(time_s, topic, type_name, said, time_s, "world.test", "world", None, data)


def phase(time_s: float, name: str, status: str, step: str | None = None) -> Record:
    return record(time_s, "SessionPhase", phase=name, status=status, step=step)


def log(*records: Record, length_s: float | None = None) -> SessionLog:
    return SessionLog.from_memory(records, name="a log", length_s=length_s)


def line(time_s: float, type_name: str, **data: Any) -> str:
    """As a log has it; keys of another order are read as well."""
    told = record(time_s, type_name, **data)
    fields = {
        "received": told.received_s,
        "topic": told.topic,
        "type": told.type,
        "id": told.id,
        "time": told.time,
        "source": told.source,
        "character": told.character,
        "cause": None,
        "protocol": 1,
        "data": data,
    }
    return json.dumps(fields, separators=(",", ":"))


def write(path: Path, lines: list[str], *, started_s: float = 0.0) -> Path:
    header = LogHeader(run="r1", started=started_s).line().decode()
    path.write_text(header + "".join(f"{one}\n" for one in lines), encoding="utf-8")
    return path


def test_messages_come_with_time_and_fields_from_a_log_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    writer = LogWriter(path, header=HEADER, clock_now=lambda: 9.0)
    said = [
        (PersonDetected(person="visitor_1"), 1.0, "world"),
        (GazeAt(target="visitor_1"), 2.0, "ada"),
        (Speak(text="Hello"), 3.0, "ada"),
        (GazeAt(target="screen"), 4.0, "ada"),
    ]
    for number, (message, time_s, character) in enumerate(said):
        envelope = Envelope(message, f"ada.mind-1-{number}", time_s, "ada.mind", character)
        writer.write(envelope, time_s + 0.1)
    writer.close()
    found = SessionLog.from_file(path)
    assert [(one.time_s, one.data["target"]) for one in found.messages("GazeAt")] == [
        (2.0, "visitor_1"),
        (4.0, "screen"),
    ]
    first = found.messages("GazeAt", where={"target": ["screen", "door"]})
    assert [(one.type, one.character, one.source) for one in first] == [
        ("GazeAt", "ada", "ada.mind")
    ]
    assert found.messages("GazeAt", where={"target": "door"}) == []
    assert found.types == {"PersonDetected", "GazeAt", "Speak"}
    assert found.duration_s == 9.0  # to the orderly end
    envelopes = [Envelope(one, "x-1-1", at_s, "ada.mind", who) for one, at_s, who in said]
    in_memory = SessionLog.from_memory(envelopes)
    assert in_memory.duration_s == 4.0
    assert [one.data for one in in_memory.messages("GazeAt")] == [
        one.data for one in found.messages("GazeAt")
    ]


def test_times_count_from_the_beginning_of_the_run(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [line(1003.0, "A", x=1)], started_s=1000.0)
    found = SessionLog.from_file(path)
    assert found.messages("A")[0].time_s == pytest.approx(3.0)
    assert found.duration_s == pytest.approx(3.0)
    later = SessionLog.from_memory([record(1003.0, "A")], origin_s=1000.0)
    assert later.messages("A")[0].time_s == pytest.approx(3.0)
    assert later.duration_s == pytest.approx(3.0)


def test_logs_that_are_compressed_cut_damaged_or_in_another_order_are_read(tmp_path: Path) -> None:
    turned = json.dumps(dict(reversed(json.loads(line(2.0, "A", x=2)).items())))
    lines = [line(1.0, "A", x=1), "{broken", turned, "", '{"lost":3}', line(3.0, "A", x=3)]
    path = write(tmp_path / "log.jsonl", lines)
    with path.open("a", encoding="utf-8") as file:
        file.write(line(4.0, "A", x=4)[:-9])
    assert [one.data["x"] for one in SessionLog.from_file(path).messages("A")] == [1, 2, 3]
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [one.data["x"] for one in SessionLog.from_file(packed).messages("A")] == [1, 2, 3]
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    assert SessionLog.from_file(empty).duration_s == 0.0
    assert SessionLog([]).duration_s == 0.0
    with pytest.raises(FileNotFoundError, match="there is no log"):
        SessionLog.from_file(tmp_path / "none.jsonl")


def test_many_messages_of_a_type_are_let_go_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_module, "KEPT_BYTES", 2000)
    lines = [line(number / 10, "Stream", x=number) for number in range(100)]
    lines.insert(50, line(5.0, "Rare", x=1))
    run = runs_module.RunInFile(write(tmp_path / "log.jsonl", lines))
    assert [one.data["x"] for one in run.entries("Stream")] == list(range(100))
    assert run._lines is not None
    assert run._lines["Stream"] is None
    assert len(run._lines["Rare"] or []) == 1


def test_runs_of_a_resumed_session_are_laid_end_to_end(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", [line(100.0, "A", x=1), line(110.0, "B")], started_s=100.0)
    two = write(tmp_path / "2.jsonl", [line(5000.0, "C"), line(5004.0, "A", x=2)], started_s=5000.0)
    found = SessionLog.from_files([one, two])
    assert [(entry.time_s, entry.data["x"]) for entry in found.messages("A")] == [(0, 1), (14, 2)]
    assert found.duration_s == pytest.approx(14.0)


def test_a_stretch_that_a_crash_broke_ends_with_its_run_or_goes_on(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", [line(2.0, "Began"), line(10.0, "Other")])
    again = write(tmp_path / "2.jsonl", [line(1.0, "Began"), line(4.0, "Ended")])
    broken, whole = SessionLog.from_files([one, again]).stretches("Began", "Ended")
    assert (broken.from_s, broken.to_s, broken.ended) == (2.0, 10.0, False)
    assert (whole.from_s, whole.to_s, whole.ended) == (11.0, 14.0, True)
    goes_on = write(tmp_path / "3.jsonl", [line(4.0, "Ended")])
    (only,) = SessionLog.from_files([one, goes_on]).stretches("Began", "Ended")
    assert (only.from_s, only.to_s, only.ended) == (2.0, 14.0, True)


def test_stretches_pair_beginnings_with_the_next_end() -> None:
    found = log(
        record(1, "Ended"),
        record(2, "Began"),
        record(3, "Began"),
        record(5, "Ended"),
        record(6, "Ended"),
        record(7, "Began"),
        record(7, "Ended"),
        record(8, "Began"),
        length_s=10.0,
    ).stretches("Began", "Ended")
    assert [(one.from_s, one.to_s, one.ended, one.begun_again) for one in found] == [
        (2, 5, True, 1),
        (7, 7, True, 0),
        (8, 10, False, 0),
    ]
    on_off = log(
        record(1, "Lamp", on=True), record(4, "Lamp", on=False), record(6, "Lamp", on=True)
    )
    lit = on_off.stretches("Lamp", "Lamp", where={"on": True}, end_where={"on": False})
    assert [(one.from_s, one.duration_s) for one in lit] == [(1, 3), (6, 0)]


def test_pauses_are_taken_out_of_phases_steps_and_stretches() -> None:
    session = log(
        phase(0, "game", "started"),
        phase(0, "game", "started", "play"),
        record(1, "Began"),
        phase(4, "game", "paused"),
        record(5, "A"),
        phase(10, "game", "resumed"),
        record(11, "A"),
        record(12, "Ended"),
        phase(13, "game", "paused", "play"),
        phase(13, "game", "started", "extra_1"),
        record(14, "A"),
        phase(15, "game", "finished", "extra_1"),
        phase(15, "game", "resumed", "play"),
        phase(20, "game", "finished", "play"),
        phase(20, "game", "finished"),
        record(21, "A"),
    )
    assert session.phases.pauses == [(4, 10)]
    assert session.phases.intervals["play"] == [(0, 4), (10, 13), (15, 20)]
    assert session.phases.intervals["game"] == [(0, 4), (10, 20)]
    assert [one.time_s for one in session.messages("A", during="play")] == [11]
    assert [one.time_s for one in session.messages("A", during=["extra_1", "play"])] == [11, 14]
    assert session.stretches("Began", "Ended")[0].duration_s == 5.0
    assert session.stretches("Began", "Ended", during="play")[0].duration_s == 5.0


def test_the_records_of_the_guide_say_when_steps_took_place() -> None:
    steps = [{"name": name, "title": name} for name in ("one", "two")]
    told = {"study": {"title": "T"}, "phases": [{"name": "game", "steps": steps}]}
    guide = Guide(StudyPlan.model_validate(told), session="s", participant="p")
    presses = [("begin", 0), ("pause", 5), ("resume", 9), ("extra", 12), ("next", 14)]
    presses += [("repeat", 20), ("next", 25), ("pause", 26), ("abort", 30)]
    said = [
        Envelope(message, f"w-1-{at_s}", float(at_s), "world.guide", "world")
        for do, at_s in presses
        for message in guide.take(Press(do, float(at_s)))  # type: ignore[arg-type]
    ]
    assert any(isinstance(one.message, SessionPhase) for one in said)
    phases = SessionLog.from_memory(said, length_s=40.0).phases
    assert phases.intervals["one"] == [(0, 5), (9, 12), (14, 25)]
    assert phases.intervals["two"] == [(25, 26)]
    assert phases.intervals["extra_1"] == [(12, 14)]
    assert phases.pauses == [(5, 9), (26, 30)]


def test_what_never_ended_lasts_to_the_end_and_what_is_unknown_is_said() -> None:
    session = log(phase(3, "game", "started", "play"), record(9, "GazeAt"), length_s=12.0)
    assert session.phases.intervals == {"game": [(3, 12)], "play": [(3, 12)]}
    with pytest.raises(LookupError, match="no phase or step 'gane'; did you mean 'game'"):
        session.messages("GazeAt", during="gane")
    with pytest.raises(LookupError, match="no message type 'GazAt'; did you mean 'GazeAt'"):
        session.messages("GazAt")
    with pytest.raises(LookupError, match="tells of no phases"):
        log(record(1, "A")).messages("A", during="game")
    assert session.messages("SpeechHeard") == []  # known, and nobody said anything


def test_a_part_of_a_session_is_looked_at_alone() -> None:
    session = log(
        record(0, "ConditionAssigned", condition="a"),
        record(2, "X", at=2),
        record(5, "ConditionAssigned", condition="b"),
        record(5, "X", at=5),
        record(6, "ConditionAssigned", condition="b"),
        record(9, "X", at=9),
    )
    periods = session.periods()
    assert [(one.condition, one.from_s, one.to_s) for one in periods] == [("a", 0, 5), ("b", 5, 9)]
    parts = [session.within(one.from_s, one.to_s) for one in periods]
    assert [[x.data["at"] for x in part.messages("X")] for part in parts] == [[2], [5, 9]]
    assert [part.duration_s for part in parts] == [5, 4]


def test_fields_are_found_by_dots_lists_and_tables() -> None:
    session = log(
        record(1, "A", person={"age": 30, "names": ["x", "y"]}, ok=True, n=1),
        record(2, "A", person=None, ok=1, n=1.0),
        record(3, "A", other=1),
    )

    def times(**where: Any) -> list[float]:
        dotted = {key.replace("__", "."): value for key, value in where.items()}
        return [one.time_s for one in session.messages("A", dotted)]

    assert times(person__age=30) == [1]
    assert times(person__names__1="y") == [1]
    assert times(person__names__2="y") == []
    assert times(person={"age": [29, 30]}) == [1]
    assert times(ok=True) == [1]
    assert times(ok=1) == [2]
    assert times(n=1) == [1, 2]
    assert times(n=[1, 2], ok=[True]) == [1]


INTERVALS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50)).map(
        lambda pair: (float(min(pair)), float(max(pair)))
    ),
    max_size=8,
)


@given(INTERVALS, INTERVALS)
@settings(max_examples=150, deadline=None)
def test_intervals_are_joined_and_cut_as_their_points_say(
    spans: list[Interval], holes: list[Interval]
) -> None:
    left = without(merged(spans), holes)
    for point in (number + 0.5 for number in range(50)):
        in_spans = any(start < point < stop for start, stop in spans)
        in_holes = any(start < point < stop for start, stop in holes)
        assert any(start < point < stop for start, stop in left) == (in_spans and not in_holes)
    whole = sum(stop - start for start, stop in left)
    assert common_s((0.0, 50.0), left) == pytest.approx(whole)


def test_few_messages_are_found_among_many_frames(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    joints = {f"joint_{number}": 0.123456 for number in range(6)}
    frame = line(0.0, "JointFrame", joints=joints).encode().replace(b'"received":0.0', b"%s", 1)
    judged = line(0.0, "GuessJudged", result="hot").encode().replace(b'"received":0.0', b"%s", 1)
    with path.open("wb") as file:
        file.write(HEADER.line())
        for number in range(20_000):
            received = b'"received":%.2f' % (number / 50)
            file.write(frame.replace(b"%s", received) + b"\n")
            if number % 500 == 0:
                file.write(judged.replace(b"%s", received) + b"\n")
    session = SessionLog.from_file(path)
    assert len(session.messages("GuessJudged", {"result": "hot"})) == 40
    assert session.duration_s == pytest.approx(400, abs=1)


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hello")
    path = folder / "hello.jsonl"
    ran = subprocess.run(
        [sys.executable, "-m", "sera", "run", "hello", "--virtual", "--log", str(path)],
        cwd=folder,
        env={**os.environ, "SERA_RUNS": str(folder / "runs")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return path


def test_a_log_of_hello_gives_what_its_reader_gives(hello: Path) -> None:
    session = SessionLog.from_file(hello)
    records = list(LogReader(hello))
    assert session.types == {one.type for one in records}
    for type_name in session.types:
        expected = sorted(
            (one for one in records if one.type == type_name), key=lambda one: (one.time, one.line)
        )
        found = session.messages(type_name)
        assert [one.data for one in found] == [one.data for one in expected]
        assert [one.id for one in found] == [one.id for one in expected]
    assert session.duration_s > 10
    spoken = session.stretches("SpeechStarted", "SpeechFinished")
    assert spoken
    assert all(one.ended and 0 < one.duration_s < 30 for one in spoken)


def test_measures_of_hello_are_taken_from_its_log(hello: Path) -> None:
    told = [
        {"name": "Lines", "how": "count", "message": "SpeechStarted"},
        {
            "name": "Talk",
            "how": "time_between",
            "message": "SpeechStarted",
            "until": "SpeechFinished",
        },
        {"name": "Looks", "how": "count", "message": "Gaze"},
    ]
    taken = take_measures(
        [Measure.model_validate(one) for one in told], SessionLog.from_file(hello)
    )
    assert taken.problems == []
    types = [one.type for one in LogReader(hello)]
    assert taken.values["Lines"] == types.count("SpeechStarted") > 0
    assert taken.values["Looks"] == types.count("Gaze")
    talk = taken.values["Talk"]
    assert isinstance(talk, float)
    assert 1 < talk < SessionLog.from_file(hello).duration_s
