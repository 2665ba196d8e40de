"""Files for SPSS: written by pyreadstat, read again, and the same."""

from __future__ import annotations

import re
import sys

import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.study.export import SavNeeds, Table, sav_frame, wide_table, write_sav
from sera.study.export.column import Column
from sera.study.export.sav import FAR_NO_ANSWER, NO_ANSWER, legal_names


@pytest.fixture
def table(plan, forms, row):
    rows = [
        row("p01"),
        row("p02", "b", exclusion="não, =1", answers={"demographics": {"age": 31}}),
        row("s01", kind="simulated", answers={}),
    ]
    return wide_table(plan, rows, forms)


def test_a_file_comes_back_with_labels_codes_and_missing_values(table, tmp_path):
    path = tmp_path / "wide.sav"
    frame = write_sav(table, path, "Olá")
    data, about = pyreadstat.read_sav(str(path), user_missing=True)
    assert list(data.columns) == [frame.names[column.name] for column in table.columns]
    assert list(data["id"]) == ["p01", "p02", "s01"]
    assert list(data["simulated"]) == [0, 0, 1]
    assert about.variable_value_labels["simulated"] == {0: "no", 1: "yes"}
    assert list(data["condition"]) == [1, 2, 1]
    assert about.variable_value_labels["condition"] == {1: "With hints", 2: "Without"}
    assert list(data["measure.Wrong"]) == [3, 3, 3]
    assert data["measure.Time"].isna().all()
    assert list(data["exclusion"]) == ["", "não, =1", ""]
    labels = about.column_names_to_labels
    assert labels["measure.Wrong"].startswith("Wrong guesses (lower is better)")
    assert about.variable_measure["rosas.happy"] == "ordinal"
    assert about.variable_measure["measure.Wrong"] == "scale"
    assert about.variable_measure["condition"] == "nominal"


def test_a_question_left_out_is_told_from_one_that_was_never_asked(table, tmp_path):
    path = tmp_path / "wide.sav"
    write_sav(table, path, "T")
    data, about = pyreadstat.read_sav(str(path), user_missing=True)
    feeling = list(data["rosas.feeling"])
    assert feeling[0] == NO_ANSWER
    assert data["rosas.feeling"].isna().tolist() == [False, True, True]
    assert about.missing_ranges["rosas.feeling"] == [{"lo": NO_ANSWER, "hi": NO_ANSWER}]
    assert about.variable_value_labels["rosas.feeling"][NO_ANSWER] == "no answer"
    counted, _ = pyreadstat.read_sav(str(path))
    assert counted["rosas.feeling"].isna().all()


def test_the_codebook_gets_names_and_codes(table):
    frame = sav_frame(table)
    name, codes = frame.for_codebook()["condition"]
    assert (name, codes) == ("condition", {"a": 1, "b": 2})


def test_an_answer_as_low_as_the_sign_for_none_moves_the_sign():
    column = Column("x", "x", "decimal", lowest=-200.0, highest=5.0, is_answer=True)
    table = Table("wide", [column], [{"x": None}, {"x": -99.0}], left_out={(0, "x")})
    frame = sav_frame(table)
    assert frame.data["x"] == [FAR_NO_ANSWER, -99.0]
    assert frame.missing["x"] == [FAR_NO_ANSWER]


def test_a_value_that_the_form_does_not_know_still_has_a_code(tmp_path):
    column = Column("g", "g", labels={"f": "female"}, is_answer=True)
    table = Table("wide", [column], [{"g": "f"}, {"g": "strange"}])
    path = tmp_path / "x.sav"
    frame = write_sav(table, path, "T")
    assert frame.codes["g"] == {"f": 1, "strange": 2}
    assert list(pyreadstat.read_sav(str(path))[0]["g"]) == [1, 2]


@given(st.lists(st.text(max_size=90), unique=True, max_size=30))
def test_names_are_legal_and_all_different(names):
    chosen = legal_names(names)
    assert list(chosen) == names
    assert len({name.upper() for name in chosen.values()}) == len(names)
    for name in chosen.values():
        assert len(name.encode()) <= 64
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]*", name)
        assert not name.endswith((".", "_"))
        assert name.upper() not in ("ALL", "AND", "WITH", "TO")


def test_long_names_that_begin_alike_stay_apart():
    names = [f"{'x' * 80}{number}" for number in range(12)] + ["and", "ação", "acao"]
    chosen = legal_names(names)
    assert len({name.upper() for name in chosen.values()}) == 15
    assert chosen["and"] == "and_v"
    assert chosen["ação"] == "acao"


def test_empty_studies_have_a_file_too(plan, forms, tmp_path):
    path = tmp_path / "wide.sav"
    write_sav(wide_table(plan, [], forms), path, "T")
    data, _ = pyreadstat.read_sav(str(path))
    assert len(data) == 0
    assert "measure.Wrong" in data.columns


def test_without_the_library_a_sentence_says_how_to_get_it(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(SavNeeds, match=r"sera-hri\[study\]"):
        write_sav(table, tmp_path / "x.sav", "T")
