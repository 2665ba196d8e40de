"""The wide table: a row a participant, with everything that was measured and answered."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sera.study.export import csv_text, wide_table
from sera.study.export.durations import Durations
from sera.study.export.safe_csv import safe
from sera.study.scoring import scales_of, score


def cells(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def as_csv(table, **more):
    return csv_text([column.name for column in table.columns], table.rows, **more)


def test_a_row_has_facts_measures_answers_and_scores(plan, forms, row):
    one = row()
    table = wide_table(plan, [one], forms, {(one.session, 1): Durations(61.5, {"game": 50.0}, {})})
    (found,) = cells(as_csv(table))
    assert found["id"] == "p01"
    assert (found["simulated"], found["kind"], found["fate"]) == ("false", "study", "completed")
    assert (found["condition"], found["condition_title"]) == ("a", "With hints")
    assert (found["factor.hints"], found["language"], found["seed"]) == ("yes", "pt", "7")
    assert (found["measure.Wrong"], found["measure.Time"]) == ("3", "")
    assert (found["consent.taking_part"], found["consent.recording"]) == ("true", "false")
    assert (found["rosas.happy"], found["rosas.feeling"]) == ("4", "")
    assert (found["duration"], found["duration.phase.game"]) == ("61.5", "50.0")
    discomfort = next(scale for scale in scales_of(forms) if scale.name == "RD")
    value = score(discomfort, one.answers)
    assert value == 3.0
    assert float(found["scale.RD"]) == value
    assert float(found["scale.RD.inverted"]) == discomfort.inverted(value)
    assert found["scale.RW"] == ""  # one answer of six


def test_every_row_says_whether_it_was_simulated(plan, forms, row):
    rows = [row("s01", kind="simulated"), row("p02")]
    assert [one["simulated"] for one in wide_table(plan, rows, forms).rows] == [True, False]


def test_within_designs_have_columns_by_condition(within_plan, forms, row):
    first = row(condition="b", period=1)
    second = replace(row(period=2, measures={"Wrong": 9}), answers={"rosas": {"happy": 1}})
    table = wide_table(within_plan, [first, second], forms)
    (found,) = table.rows
    assert found["conditions"] == "b > a"
    assert (found["measure.Wrong.a"], found["measure.Wrong.b"]) == (9, 3)
    assert (found["rosas.happy.a"], found["rosas.happy.b"]) == (1, 4)
    assert (found["period.a"], found["period.b"]) == (2, 1)
    assert (found["factor.hints.a"], found["factor.hints.b"]) == ("yes", "no")
    # A form of the first condition alone is answered once.
    assert found["consent.recording"] is False
    assert "consent.recording.a" not in found


def test_an_empty_study_has_a_header_and_no_rows(plan, forms):
    table = wide_table(plan, [], forms)
    assert table.rows == []
    assert as_csv(table).startswith("id,simulated,session,")


def test_what_people_typed_and_what_nobody_knows_stays_out(plan, forms, row):
    strange = row(
        answers={
            "comments": {"liked": "I am Maria"},
            "gone": {"old_text": "Maria again", "old_number": 4},
        }
    )
    table = wide_table(plan, [strange], forms)
    assert "Maria" not in as_csv(table)
    assert table.rows[0]["gone.old_number"] == 4
    assert any("gone.old_text is not exported" in note for note in table.notes)
    assert any("comments." in note and "type" in note for note in table.notes)


def test_numbers_that_are_none_leave_an_empty_cell(plan, forms, row):
    odd = row(measures={"Wrong": math.nan, "Time": math.inf, "old": 5})
    (found,) = cells(as_csv(wide_table(plan, [odd], forms)))
    assert (found["measure.Wrong"], found["measure.Time"], found["measure.old"]) == ("", "", "5")


def test_conditions_of_an_earlier_study_file_are_still_told(plan, forms, row):
    (found,) = wide_table(plan, [row(condition="gone")], forms).rows
    assert (found["condition"], found["condition_title"]) == ("gone", "gone")


def test_text_survives_commas_line_breaks_and_letters(plan, forms, row):
    reason = 'não, "quis"\ncontinuar; ação'
    (found,) = cells(as_csv(wide_table(plan, [row(exclusion=reason)], forms), byte_order_mark=True))
    assert found["exclusion"] == reason


def test_formulas_become_text_and_numbers_stay_numbers(plan, forms, row):
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"):
        table = wide_table(plan, [row(exclusion=text, measures={"Wrong": -3.5})], forms)
        (found,) = cells(as_csv(table))
        assert found["exclusion"][:1] == "'"
        assert found["measure.Wrong"] == "-3.5"


@given(st.text())
def test_no_text_can_begin_a_formula(text):
    assert not safe(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert "\x00" not in safe(text)
    read = list(csv.reader(io.StringIO(csv_text(["a"], [{"a": text}]), newline="")))
    assert read[1:] == [[safe(text)]]
