"""Studies whose scenario shows the conditions itself: one run, a row for each thing shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.recording import Record
from sera.study import StudyError, load_plan
from sera.study.analysis import analyse
from sera.study.data import Participation
from sera.study.design import LedgerEntry, draw, planned_sample
from sera.study.form_wish import forms_of_plan
from sera.study.measures import SessionLog
from sera.study.measures.rows import parts_of, rows_of_run, unanswered_in_run
from sera.study.plan import StudyPlan
from sera.study.report import document_of, own_sections, text_of

TEXT = """
[study]
title = "Pictures"
[design]
assignment = "by_scenario"
begins = { message = "PictureShown", value = "picture" }
played_in = "session"
[[design.conditions]]
name = "red"
[[design.conditions]]
name = "green"
[[design.conditions]]
name = "blue"
[[design.conditions]]
name = "face"
[design.sample]
per_condition = 9
[[design.exclusions]]
name = "unanswered"
reason = "left out more than half of the required answers"
unanswered_above = 0.5
[[phases]]
name = "show"
[[phases.steps]]
name = "ask_1"
title = "Ask"
form = "ios"
[[phases.steps]]
name = "ask_2"
title = "Ask again"
form = "ios"
[[phases]]
name = "farewell"
conditions = "last"
[[phases.steps]]
name = "about"
title = "About you"
form = "demographics"
[[measures]]
name = "Looks"
how = "count"
message = "HeadDirection"
[[measures]]
name = "Smiled"
how = "mean"
message = "FaceSeen"
value = "smile"
[analysis]
groups = { warm = ["red"], cold = ["green", "blue"] }
compare = [["warm", "cold"]]
correction = "none"
"""
SCENARIO = '[scenario]\ntitle = "P"\n[conditions.session]\n'


def plan_of(folder: Path, text: str = TEXT) -> StudyPlan:
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    (folder / "messages.py").write_text(
        "from sera.messages import Event\nclass PictureShown(Event):\n    picture: str\n"
        "class FaceSeen(Event):\n    smile: float\n",
        encoding="utf-8",
    )
    return load_plan(folder / "study.toml")


def record(at_s: float, kind: str, **data: object) -> Record:
    return Record(
        received_s=at_s, topic="t", type=kind, id=f"x-{at_s}", time=at_s, source="world.x",
        character="world", cause=None, data=dict(data), line=0,
    )  # fmt: skip


def told(*said: Record) -> SessionLog:
    return SessionLog.from_memory(sorted(said, key=lambda one: one.received_s), name="a log")


def answer(at_s: float, form: str, **answers: object) -> Record:
    return record(
        at_s, "QuestionnaireAnswered", questionnaire=form, participant="p01", answers=answers
    )


def session() -> SessionLog:
    return told(
        record(1, "PictureShown", picture="practice"),
        answer(2, "ios", closeness=1),
        record(3, "PictureShown", picture="blue"),
        record(3.5, "HeadDirection"),
        answer(4, "ios", closeness=5),
        record(5, "PictureShown", picture="red"),
        record(5.5, "HeadDirection"),
        record(5.6, "HeadDirection"),
        answer(6, "ios", closeness=7),
        record(7, "PictureShown", picture="face"),
        record(7.5, "FaceSeen", smile=0.5),
        answer(7.8, "demographics", age=31),
        record(8, "PictureShown", picture="end"),
        record(8.5, "HeadDirection"),
    )


def empty_row(condition: str = "session") -> Participation:
    return Participation("p01", "s1", "study", "completed", condition)


def test_the_log_is_cut_where_the_scenario_says_that_a_condition_begins(tmp_path):
    plan = plan_of(tmp_path)
    assert plan.design is not None
    parts = parts_of(plan.design, session())
    assert [(one.condition, one.begins.time_s, one.ends.time_s) for one in parts] == [
        ("blue", 3, 5), ("red", 5, 7), ("face", 7, 8),
    ]  # fmt: skip


def test_an_answer_at_the_very_moment_of_the_next_beginning_belongs_to_the_one_before(tmp_path):
    """It is what led to it."""
    plan = plan_of(tmp_path)
    log = SessionLog.from_memory(
        [
            record(1, "PictureShown", picture="red"),
            answer(2, "ios", closeness=3),
            record(2, "PictureShown", picture="blue"),
            answer(3, "ios", closeness=6),
        ]
    )
    rows = rows_of_run(empty_row(), plan, log, forms_of_plan(plan, tmp_path), tmp_path)
    assert [one.answers["ios"] for one in rows] == [{"closeness": 3}, {"closeness": 6}]


def test_each_part_is_a_row_with_its_own_measures_and_answers(tmp_path):
    plan = plan_of(tmp_path)
    rows = rows_of_run(empty_row(), plan, session(), forms_of_plan(plan, tmp_path), tmp_path)
    assert [(one.condition, one.period) for one in rows] == [("blue", 1), ("red", 2), ("face", 3)]
    assert [one.measures["Looks"] for one in rows] == [1, 2, 0]
    assert [one.answers.get("ios") for one in rows] == [{"closeness": 5}, {"closeness": 7}, None]
    # The practice is left out, and what is asked once stands with the first.
    assert [one.answers.get("demographics") for one in rows] == [{"age": 31}, None, None]
    assert not any("came back" in problem for one in rows for problem in one.problems)


def test_what_was_shown_twice_counts_the_last_time_and_is_said(tmp_path):
    plan = plan_of(tmp_path)
    log = told(
        record(1, "PictureShown", picture="red"),
        record(2, "HeadDirection"),
        record(3, "PictureShown", picture="red"),
    )
    (row,) = rows_of_run(empty_row(), plan, log, {}, tmp_path)
    assert row.measures["Looks"] == 0
    assert row.problems[0] == "'red' was shown 2 times; the last one counts, in a log"


def test_a_run_that_shows_nothing_is_still_a_row_that_says_so(tmp_path):
    plan = plan_of(tmp_path)
    (row,) = rows_of_run(empty_row(), plan, told(record(1, "HeadDirection")), {}, tmp_path)
    assert row.condition == "session"
    assert row.problems == ("the scenario showed none of the study's conditions, in a log",)


def test_a_form_counts_as_often_as_steps_offer_it(tmp_path):
    plan = plan_of(tmp_path)
    forms = {"ios": forms_of_plan(plan, tmp_path)["ios"]}
    one, two = answer(1, "ios", closeness=4), answer(2, "ios", closeness=None)
    assert unanswered_in_run(plan, forms, told(one)) == pytest.approx(0.5)
    assert unanswered_in_run(plan, forms, told(one, two)) == pytest.approx(0.5)
    assert unanswered_in_run(plan, forms, told(one, answer(2, "ios", closeness=2))) == 0.0


def test_every_slot_is_the_same_run(tmp_path):
    design = plan_of(tmp_path).design
    assert design is not None
    first = draw(design, 1, [])
    ledger = [first.drawn_for("s1"), LedgerEntry("filled", first.number, "s1", first.conditions)]
    second = draw(design, 1, ledger)
    assert first.conditions == second.conditions == ("session",)
    assert (first.number, second.number) == (0, 1)
    sample = planned_sample(design)
    assert sample is not None
    assert sample.participants == 9


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('begins = { message = "PictureShown", value = "picture" }\n', "", "when each begins"),
        ('assignment = "by_scenario"\n', "", "each has a run of its own"),
        ('played_in = "session"', 'played_in = "sesion"', "did you mean 'session'"),
        ('played_in = "session"', "repeats_in_block = 2", "there are no blocks"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path, before, after, complaint):
    with pytest.raises(StudyError, match=complaint):
        plan_of(tmp_path, TEXT.replace(before, after))


# -- what is made of the rows -----------------------------------------------------------------


def rows() -> list[Participation]:
    found = []
    for number in range(6):
        who = (f"p{number}", f"s{number}", "study", "completed")
        for period, (condition, looks) in enumerate(
            (("red", 5.0 + number), ("green", 1.0), ("blue", 2.0 + number % 2)), 1
        ):
            values = {"Looks": looks, "Smiled": None}
            found.append(Participation(*who, condition, period=period, measures=values))
        if number % 2:
            values = {"Looks": None, "Smiled": number / 6}
            found.append(Participation(*who, "face", period=4, measures=values))
    return found


def test_nothing_is_missing_where_a_condition_never_asks(tmp_path):
    found = analyse(plan_of(tmp_path), rows())
    looks, smiled = found.variable("Looks"), found.variable("Smiled")
    assert [(one.group.name, one.n, one.missing) for one in looks.descriptions] == [
        ("red", 6, 0), ("green", 6, 0), ("blue", 6, 0), ("face", 0, 0), ("warm", 6, 0),
        ("cold", 6, 0),
    ]  # fmt: skip
    # All who met the three conditions that it is asked in are compared in all of them.
    assert looks.omnibus.problem is None
    assert looks.comparison("warm", "cold").paired
    assert smiled.comparisons == ()
    text = text_of(document_of(found))
    about_smiles = text.split("Smiled\n")[-1]
    assert "face" in about_smiles
    assert "red " not in about_smiles.split("Smiled by group")[1].split("\n\n")[0]


# -- tables of one's own ----------------------------------------------------------------------

TABLES = """
from sera.study.report import Sentence, Table

def good(rows):
    return [Table("Rows", ("What", "Number"), (("rows", str(len(rows))),)), Sentence("So it is.")]

def ragged(rows):
    return [Table("Rows", ("What", "Number"), (("rows",),))]

def raises(rows):
    return rows["nothing"]

def wrong(rows):
    return ["text"]
"""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("good", "So it is."),
        ("ragged", "has 2 columns, but a row with 1 cells"),
        ("raises", "raises failed: TypeError"),
        ("wrong", "gave str, where tables are expected"),
        ("god", "has no function 'god'; did you mean 'good'?"),
    ],
)
def test_a_function_beside_the_scenario_adds_a_section_or_says_what_is_wrong(
    tmp_path, function, said
):
    text = f'{TEXT}[[analysis.tables]]\ntitle = "Mine"\nfunction = "tables.py:{function}"\n'
    plan = plan_of(tmp_path, text)
    (tmp_path / "tables.py").write_text(TABLES, encoding="utf-8")
    found = analyse(plan, rows())
    own = own_sections(plan, found.counted, tmp_path)
    printed = " ".join(text_of(document_of(found, own=own)).split())
    assert " Mine " in printed
    assert said in printed
