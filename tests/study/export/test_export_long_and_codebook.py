"""The long table and the codebook: every event, every column, nothing personal."""

from __future__ import annotations

import csv
import io
import json
import sys
from datetime import UTC, datetime

import pytest

from sera.study.export import (
    ExportWish,
    Recorded,
    SavNeeds,
    codebook_csv,
    export,
    long_table,
    wide_table,
)
from sera.study.export.column import Column, Table

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_events_come_in_order_with_phase_and_step(plan, recorded):
    table = long_table(plan, [(recorded, recorded.log())])
    times = [row["time"] for row in table.rows]
    assert times == sorted(times)
    assert len(times) == 22
    mark = next(row for row in table.rows if row["type"] == "SessionMark")
    assert (mark["time"], mark["phase"], mark["step"]) == (25.0, "game", "play")
    assert (mark["field.label"], mark["field.by"]) == ("problem", "wizard")
    gaze = next(row for row in table.rows if row["type"] == "Gaze")
    assert (gaze["character"], gaze["field.target"]) == ("ada", "player")
    assert gaze["field.direction.horizontal_deg"] == 1
    answered = next(row for row in table.rows if row["type"] == "QuestionnaireAnswered")
    assert json.loads(answered["field.answers"]) == {"taking_part": True, "recording": True}
    assert {row["simulated"] for row in table.rows} == {False}


def test_what_is_personal_never_leaves(plan, forms, recorded, row, tmp_path):
    wish = ExportWish(everything=True, streams=True, sav=True)
    written = export(plan, [row()], forms, [recorded], tmp_path / "out", wish=wish, now=NOON)
    assert {path.suffix for path in written.files} == {".csv", ".md", ".eaf", ".sav"}
    for path in written.files:
        content = path.read_bytes()
        assert b"Maria" not in content, path
    table = long_table(plan, [(recorded, recorded.log())])
    names = [column.name for column in table.columns]
    assert not [name for name in names if "free_answers" in name or name == "field.note"]


@pytest.mark.parametrize("wish", [None, True, False])
def test_the_file_for_spss_is_written_where_it_can_be_and_not_where_it_is_not_wanted(
    plan, forms, row, tmp_path, monkeypatch, *, wish
):
    written = export(plan, [row()], forms, [], tmp_path, wish=ExportWish(sav=wish), now=NOON)
    assert ("wide.sav" in [path.name for path in written.files]) is (wish is not False)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    again = tmp_path / "again"
    if wish:
        with pytest.raises(SavNeeds, match="--no-sav"):
            export(plan, [row()], forms, [], again, wish=ExportWish(sav=wish), now=NOON)
        return
    written = export(plan, [row()], forms, [], again, wish=ExportWish(sav=wish), now=NOON)
    assert (again / "wide.csv").is_file()
    assert not (again / "wide.sav").exists()
    told = [note for note in written.notes if "there is no wide.sav" in note]
    assert len(told) == (1 if wish is None else 0)


def test_streams_come_only_when_they_are_asked_for(plan, recorded, write_log, tmp_path):
    from sera.messages import JointFrame

    said = [(float(n), JointFrame(joints_rad={"j": 0.1}), "ada") for n in range(3)]
    path = write_log(tmp_path / "r" / "2" / "log.jsonl", said)
    one = Recorded("s", "p01", "simulated", "a", 1, (path,))
    assert long_table(plan, [(one, one.log())]).rows == []
    rows = long_table(plan, [(one, one.log())], streams=True).rows
    assert [row["type"] for row in rows] == ["JointFrame"] * 3
    assert {row["simulated"] for row in rows} == {True}
    assert json.loads(rows[0]["field.joints_rad"]) == {"j": 0.1}


def test_every_column_of_every_table_is_in_the_codebook(plan, forms, recorded, row, tmp_path):
    out = tmp_path / "out"
    export(plan, [row()], forms, [recorded], out, wish=ExportWish(sav=True), now=NOON)
    with (out / "codebook.csv").open(encoding="utf-8", newline="") as file:
        known = {(line["table"], line["name"]): line for line in csv.DictReader(file)}
    for table in ("wide", "long"):
        with (out / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            columns = next(csv.reader(file))
        assert len(columns) == len(set(columns)) > 10
        assert {(table, name) for name in columns} == {key for key in known if key[0] == table}
    assert all(line["meaning"].strip() for line in known.values())
    item = known["wide", "rosas.scary"]
    assert item["questionnaire"] == "rosas"
    assert "validated (Carpinella" in item["validation"]
    assert "pt: " in item["wording"]
    assert "RD" in item["scales"]
    assert (item["lowest"], item["highest"]) == ("1.0", "9.0")
    assert "1 = " in item["values"]
    assert item["spss_name"] == "rosas.scary"
    reading = (out / "codebook.md").read_text(encoding="utf-8")
    for _, name in known:
        assert f"| `{name}` |" in reading
    assert "10 minus scale.RD" in reading


def test_the_codebook_of_simulated_data_says_so(plan, forms, row, tmp_path):
    rows = [row("s01", kind="simulated")]
    export(plan, rows, forms, [], tmp_path, wish=ExportWish(), now=NOON)
    assert "**SIMULATED" in (tmp_path / "codebook.md").read_text(encoding="utf-8")


def test_hostile_words_stay_in_their_cells():
    column = Column("a|b", '=HYPERLINK("x")|\nnew line', labels={1: "um, dois\n|"})
    text = codebook_csv([Table("wide", [column])])
    (line,) = csv.DictReader(io.StringIO(text))
    assert line["meaning"] == '\'=HYPERLINK("x")|\nnew line'
    from sera.study.export import codebook_markdown

    lines = codebook_markdown("T|\nx", [Table("wide", [column])]).splitlines()
    assert any(
        one.startswith("| `a\\|b` |") and "HYPERLINK" in one and one.endswith(" |") for one in lines
    )


def test_only_completed_sessions_of_the_study_are_exported_unless_all_are_wanted(
    plan, forms, row, tmp_path
):
    rows = [
        row("p01"),
        row("p02", fate="excluded", exclusion="fell asleep"),
        row("p03", kind="pilot"),
        row("p04", fate="aborted"),
    ]
    some = export(plan, rows, forms, [], tmp_path / "some", wish=ExportWish(), now=NOON)
    assert some.tables["wide"] == 1
    assert any("3 sessions do not count" in note for note in some.notes)
    wish = ExportWish(everything=True)
    every = export(plan, rows, forms, [], tmp_path / "all", wish=wish, now=NOON)
    assert every.tables["wide"] == 4
    text = (tmp_path / "all" / "wide.csv").read_text(encoding="utf-8")
    assert "excluded,fell asleep" in text


def test_an_empty_study_exports_tables_without_rows(plan, forms, tmp_path):
    written = export(plan, [], forms, [], tmp_path, wish=ExportWish(sav=True), now=NOON)
    assert written.tables == {"wide": 0, "long": 0}
    assert any("no session counts yet" in note for note in written.notes)
    assert wide_table(plan, [], forms).columns
