"""Filtering, tracing, summing up and exporting what was recorded."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import json
import sys

import pytest

from sera.messages import (
    GazeAt,
    JointFrame,
    PersonDetected,
    Position,
    Speak,
    SpeechHeard,
)
from sera.recording import (
    ExportError,
    LogReader,
    UnknownMessageId,
    export,
    filter_records,
    summarise,
    trace,
)


@pytest.fixture
def scene(recording):
    """A visitor comes; ada looks and greets, and hears an answer that she answers; bob sees it."""
    came = PersonDetected(person="visitor_1", position=Position(x_m=0, y_m=1.5, z_m=2))
    seen = recording.say(came, source="world.eyes", character="world")
    recording.say(GazeAt(target="visitor_1"), cause=seen)
    greeted = recording.say(Speak(text="Good morning"), source="ada.speech", cause=seen)
    heard = recording.say(
        SpeechHeard(text="Good evening"), source="world.ears", character="world", cause=greeted
    )
    recording.say(Speak(text="Évening, then"), source="ada.speech", cause=heard)
    recording.say(GazeAt(target="ada"), source="bob.mind", character="bob")
    recording.writer.flush()
    return recording


def types(records) -> list[str]:
    return [record.type for record in records]


def test_records_are_picked_by_type_source_character_time_and_text(scene):
    log = LogReader(scene.path)
    assert types(filter_records(log, types=["Gaze*"])) == ["GazeAt", "GazeAt"]
    assert types(filter_records(log, types=["gaze*"])) == []
    assert types(filter_records(log, types=["Speak", "SpeechHeard"], sources=["*.speech"])) == [
        "Speak",
        "Speak",
    ]
    assert types(filter_records(log, characters=["bob", "world"])) == [
        "PersonDetected",
        "SpeechHeard",
        "GazeAt",
    ]
    assert types(filter_records(log, from_s=0.2, to_s=0.31)) == ["GazeAt", "Speak"]
    assert types(filter_records(log, text="éVENING")) == ["Speak"]
    assert types(filter_records(LogReader(scene.path, restore=True), text="evening")) == [
        "SpeechHeard"
    ]
    assert types(filter_records(log, ids=["bob.mind-1-6"])) == ["GazeAt"]
    assert types(filter_records(log)) == types(log)


def test_a_trace_leads_from_the_first_cause_to_the_message_and_on_to_all_its_effects(scene):
    log = LogReader(scene.path)
    steps = trace(log, "ada.speech-1-3")
    assert [(step.depth, step.record.id, step.asked_for) for step in steps] == [
        (0, "world.eyes-1-1", False),
        (1, "ada.speech-1-3", True),
        (2, "world.ears-1-4", False),
        (3, "ada.speech-1-5", False),
    ]
    from_the_top = trace(log, "world.eyes-1-1")
    assert [(step.depth, step.record.id) for step in from_the_top] == [
        (0, "world.eyes-1-1"),
        (1, "ada.mind-1-2"),
        (1, "ada.speech-1-3"),
        (2, "world.ears-1-4"),
        (3, "ada.speech-1-5"),
    ]
    assert [step.record.id for step in trace(log, "bob.mind-1-6")] == ["bob.mind-1-6"]


def test_a_trace_does_without_messages_that_are_missing_and_does_not_run_in_circles(recording):
    recording.say(GazeAt(target="a"), cause="gone.away-1-9")
    recording.say(GazeAt(target="b"), cause="ada.mind-1-3")
    recording.say(GazeAt(target="c"), cause="ada.mind-1-2")
    recording.writer.flush()
    log = LogReader(recording.path)
    assert [step.record.id for step in trace(log, "ada.mind-1-1")] == ["ada.mind-1-1"]
    assert [step.record.id for step in trace(log, "ada.mind-1-2")] == [
        "ada.mind-1-3",
        "ada.mind-1-2",
    ]


def test_a_trace_follows_thousands_of_steps_and_effects_that_came_before_their_cause(recording):
    for number in range(1, 3001):
        recording.say(GazeAt(target="x"), cause=f"ada.mind-1-{number + 1}")
    recording.say(GazeAt(target="x"))
    recording.writer.flush()
    steps = trace(LogReader(recording.path), "ada.mind-1-3001")
    assert len(steps) == 3001
    assert (steps[-1].depth, steps[-1].record.id) == (3000, "ada.mind-1-1")


def test_an_unknown_id_gets_the_ids_of_its_source_or_an_example(scene):
    log = LogReader(scene.path)
    with pytest.raises(UnknownMessageId, match=r"from ada\.speech-1-3 to ada\.speech-1-5"):
        trace(log, "ada.speech-1-999")
    with pytest.raises(UnknownMessageId, match="nor any other of that source; ids look like"):
        trace(log, "nonsense")


def test_a_summary_counts_what_is_there_and_says_what_is_missing(scene):
    scene.writer.write_raw("sera/r1/ada/GazeAt/ada.mind", b"{", 0.7, "not JSON")
    scene.writer.flush()
    with scene.path.open("ab") as file:
        file.write(b'{"lost":5}\n{"cut')
    figures = summarise(LogReader(scene.path))
    assert figures.types == {"GazeAt": 2, "Speak": 2, "PersonDetected": 1, "SpeechHeard": 1}
    assert figures.sources["ada.speech"] == 2
    assert figures.characters == {"ada": 3, "world": 2, "bob": 1}
    assert (figures.messages, figures.malformed, figures.lost) == (6, 1, 5)
    assert figures.damaged_lines == [10]
    assert not figures.complete
    assert figures.duration_s == pytest.approx(0.6)
    assert figures.originals_of == ["unassigned"]
    assert figures.header is not None
    assert figures.header["scenario"] == "hello"


def test_a_table_has_a_column_for_every_field_and_a_row_for_every_record(scene, tmp_path):
    scene.say(JointFrame(joints_rad={"neck": 0.25}, frame=3), source="ada.body")
    scene.writer.flush()
    exported = export(LogReader(scene.path), tmp_path / "new" / "table.csv")
    assert (exported.rows, exported.path) == (7, tmp_path / "new" / "table.csv")
    with exported.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert len(rows[0]) == exported.columns
    assert rows[0]["data.person"] == "visitor_1"
    assert float(rows[0]["data.position.y_m"]) == 1.5
    assert rows[0]["cause"] == ""
    assert rows[1]["cause"] == "world.eyes-1-1"
    assert rows[3]["data.text"] == "~unassigned.1"
    assert rows[3]["data.final"] == "true"
    assert rows[3]["data.words"] == "[]"
    assert rows[4]["data.text"] == "Évening, then"
    assert float(rows[6]["data.joints_rad.neck"]) == 0.25
    assert [path.name for path in exported.path.parent.iterdir()] == ["table.csv"]


def test_an_exported_log_is_a_log_with_the_same_records(scene, tmp_path):
    scene.writer.write_raw("sera/r1/ada/GazeAt/ada.mind", b"{", 0.7, "not JSON")
    scene.writer.flush()
    log = LogReader(scene.path)
    export(log, tmp_path / "part.jsonl", header=log.header)
    again = LogReader(tmp_path / "part.jsonl")
    assert [record._replace(line=0) for record in again] == [
        record._replace(line=0) for record in log
    ]
    assert again.header == log.header
    original_lines = scene.path.read_bytes().splitlines()[1:]
    assert (tmp_path / "part.jsonl").read_bytes().splitlines()[1:] == original_lines


def test_a_file_is_neither_overwritten_nor_left_half_written(scene, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="exists already"):
        export(LogReader(scene.path), path)

    def breaks_off():
        yield next(iter(LogReader(scene.path)))
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        export(breaks_off(), path, overwrite=True)
    assert path.read_text() == "precious"
    assert export(LogReader(scene.path), path, overwrite=True).rows == 6
    with pytest.raises(ExportError, match="unknown format 'txt'; use one of csv, xlsx, jsonl"):
        export([], tmp_path / "table.txt")


def test_a_sheet_holds_texts_as_they_are_or_names_what_is_missing(recording, tmp_path):
    recording.say(Speak(text="=1+1"))
    recording.say(Speak(text="a\x07b" + "x" * 40_000))
    recording.writer.flush()
    path = tmp_path / "table.xlsx"
    if importlib.util.find_spec("openpyxl") is None:
        with pytest.raises(ExportError, match="xlsx needs openpyxl"):
            export(LogReader(recording.path), path)
        return
    exported = export(LogReader(recording.path), path)
    assert (exported.rows, exported.shortened) == (2, 1)
    sheet = importlib.import_module("openpyxl").load_workbook(path).active
    header = [cell.value for cell in sheet[1]]
    first = sheet.cell(2, header.index("data.text") + 1)
    assert (first.value, first.data_type) == ("=1+1", "s")
    assert sheet.cell(3, header.index("data.text") + 1).value.startswith("a\ufffdb")
    assert sheet.cell(2, header.index("received_s") + 1).value == 0.1


def test_a_sheet_without_its_library_is_refused_with_the_way_out(scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ExportError, match="pip install openpyxl"):
        export(LogReader(scene.path), tmp_path / "table.xlsx")
    assert list(tmp_path.glob("table*")) == []


def test_every_line_of_a_log_is_plain_json(scene):
    scene.writer.close()
    for line in scene.path.read_text(encoding="utf-8").splitlines():
        assert isinstance(json.loads(line), dict)
