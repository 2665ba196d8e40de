"""Study files and questionnaires: what is read, and the sentences for what is wrong in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.study import (
    QuestionnaireError,
    StudyError,
    find_questionnaire,
    known_questionnaires,
    load_plan,
    load_questionnaire,
)
from sera.study.questionnaire import OWN_FOLDER

ROOT = Path(__file__).parents[2]
PLAN = """
[study]
title = "Play"
[[phases]]
name = "one"
[[phases.steps]]
name = "hello"
title = "Say hello"
"""
FORM = """
[questionnaire]
title = { en = "Form", pt = "Ficha" }
source = "SERA"
licence = "MIT"
[languages.en]
ours = "wording"
[languages.pt]
validated = "A citation, 2020"
[[items]]
id = "rate"
kind = "scale"
points = 5
text = { en = "Rate", pt = "Avalie" }
anchors = { en = ["low", "high"], pt = ["pouco", "muito"] }
required = true
[[items]]
id = "several"
kind = "multiple"
text = { en = "Which", pt = "Quais" }
choices = [{ key = "a", text = { en = "A", pt = "A" } }, { key = "b", text = { en = "B", pt = "B" } }]
[[items]]
id = "age"
kind = "number"
least = 1
text = { en = "Age", pt = "Idade" }
[[items]]
id = "words"
kind = "text"
text = { en = "Say", pt = "Diga" }
"""  # noqa: E501


def write(folder: Path, text: str) -> Path:
    path = folder / "file.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_plan_has_marks_and_language_of_its_own(tmp_path: Path) -> None:
    plan = load_plan(write(tmp_path, PLAN))
    assert [mark.key for mark in plan.marks] == ["1", "2", "3"]
    assert plan.language("de") == "en"
    assert plan.study.reveal == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('title = "Play"', 'titel = "Play"'), "did you mean 'title'"),
        (('name = "hello"', 'name = "hello"\nplanned_s = -3'), "it is in seconds"),
        (
            ('name = "hello"', 'name = "hello"\nplanned_s = 30\nlate_after_s = 10'),
            "late after 10 s, but planned for 30 s",
        ),
        (
            ('name = "hello"', 'name = "hello"\nearly_before_s = 40\nlate_after_s = 30'),
            "early before 40 s, but late after 30 s",
        ),
        (('name = "hello"', 'name = "hello"\ngoes_on = true'), "the step has none"),
        (('name = "hello"', 'name = "extra_1"'), "outside of the plan"),
        (('name = "hello"', 'name = "../hello"'), "phases[0].steps[0].name"),
        (
            ('name = "hello"', 'name = "../hello"'),
            "a name begins with a letter, and has only letters, digits, _ and - after it",
        ),
        (
            ('title = "Play"', 'title = "Play"\nlanguages = ["en", "pt", "en"]'),
            "study.languages[2]: the language 'en' is there twice",
        ),
        (
            ('title = "Play"', 'title = "Play"\nlanguages = ["English"]'),
            "a language is written like en, de or pt-BR, not 'English'",
        ),
        (
            ("[[phases]]", "[preflight]\nquiet_below_db = -70\n[[phases]]"),
            "preflight.quiet_below_db: no room can be quiet",
        ),
        (
            ("[[phases]]", "[preflight]\nloud_above_db = -10\n[[phases]]"),
            "preflight.loud_above_db: no room can be quiet",
        ),
        (('title = "Play"', 'title = "Play"\nreveal = ["conditions"]'), "did you mean 'condition'"),
        (("[[phases.steps]]", "[[phases.step]]"), "did you mean 'steps'"),
    ],
)
def test_what_is_wrong_in_a_plan_is_said_with_its_place(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(StudyError) as caught:
        load_plan(write(tmp_path, PLAN.replace(*change)))
    assert sentence in str(caught.value)
    assert "file.toml:" in str(caught.value)


def test_a_step_and_a_key_are_there_once(tmp_path: Path) -> None:
    again = PLAN + '[[phases.steps]]\nname = "hello"\ntitle = "Again"\n'
    again += '[[marks]]\nlabel = "a"\ntitle = "A"\nkey = "x"\n'
    again += '[[marks]]\nlabel = "b"\ntitle = "B"\nkey = "x"\n'
    again += '[[marks]]\nlabel = "c"\ntitle = "C"\nkey = "g"\n'
    with pytest.raises(StudyError) as caught:
        load_plan(write(tmp_path, again))
    text = str(caught.value)
    assert "3 problems" in text
    assert "'hello' is taken by the one on line 7" in text
    assert "'x' is taken" in text
    assert "going to pages" in text


def test_a_missing_plan_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="there is no such file"):
        load_plan(tmp_path / "study.toml")


def test_the_tutors_plan_names_forms_that_exist() -> None:
    folder = ROOT / "scenarios" / "tutor"
    plan = load_plan(folder / "study.toml")
    forms = [step.form for _, step in plan.steps() if step.form]
    assert forms
    for form in forms:
        read = load_questionnaire(find_questionnaire(form, folder))
        assert set(plan.study.languages) <= set(read.languages)


def test_forms_of_our_own_say_that_they_are_not_validated() -> None:
    for name in ("demographics", "comments", "manipulation_check", "consent", "debriefing"):
        form = load_questionnaire(OWN_FOLDER / f"{name}.toml")
        assert form.shown(name, "pt")["wording"] == "our translation, not validated"
        assert form.shown(name, "en")["wording"] == "our own wording, not validated"


def test_a_page_is_shown_one_language_and_nothing_for_the_analysis(tmp_path: Path) -> None:
    form = load_questionnaire(write(tmp_path, FORM))
    shown = form.shown("form", "pt-BR")
    assert shown["title"] == "Ficha"
    assert shown["wording"] == "validated (A citation, 2020)"
    assert shown["items"][0]["anchors"] == ["pouco", "muito"]
    assert all("reversed" not in item for item in shown["items"])
    assert form.shown("form", "de")["language"] == "en"


def test_answers_are_checked_by_kind(tmp_path: Path) -> None:
    form = load_questionnaire(write(tmp_path, FORM))
    whole = {"rate": 5, "several.a": True, "several.b": False, "age": 30}
    assert form.problems_with(whole, {"words": "fine"}) == []
    assert form.problems_with({"rate": 1}, {}) == []
    assert form.problems_with({}, {}) == ["rate: an answer is required"]
    assert form.problems_with({"rate": 6}, {}) == ["rate: 6 is more than 5"]
    assert form.problems_with({"rate": True}, {}) == ["rate: True is no number"]
    assert form.problems_with({"rate": 2, "age": 0.5}, {}) == ["age: 0.5 is no whole number"]
    assert form.problems_with({"rate": 2, "several.c": True}, {}) == [
        "several.c: the form has no such item"
    ]
    misplaced = form.problems_with({"rate": 2, "words": "typed"}, {})
    assert misplaced == ["words: what is typed belongs into free_answers, the rest into answers"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('kind = "scale"', 'kind = "slidr"'), "items[0].kind: must be"),
        (('["low", "high"]', '["low", "middle", "high"]'), "3 anchors in 'en' for 5 points"),
        ((', pt = "Avalie"', ""), "no words in 'pt'"),
        (('id = "age"', 'id = "rate"'), "'rate' is taken by line"),
        (("least = 1", "reversed = true"), "only a scale is reversed"),
        (('key = "b"', 'key = "a"'), "'a' is there twice"),
        (('licence = "MIT"', ""), "this key is missing"),
        (("least = 1", "least = 0.5\nmost = 0.7"), "no whole number lies between 0.5 and 0.7"),
        *(
            (('kind = "number"\nleast = 1', f'kind = "slider"\n{slider}'), sentence)
            for slider, sentence in (
                ("least = -1e308\nmost = 1e308\nstep = 1e-300", "in steps of 1e-300 is too fine"),
                (
                    "least = 1\nmost = 2\nstep = 0.5\nwhole = true",
                    "in steps of 0.5 are no whole numbers",
                ),
                ("least = 1\nmost = 2\nstep = 0.3", "steps of 0.3 do not lead from 1 to 2"),
            )
        ),
    ],
)
def test_what_is_wrong_in_a_form_is_said_with_its_place(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    assert change[0] in FORM
    with pytest.raises(QuestionnaireError) as caught:
        load_questionnaire(write(tmp_path, FORM.replace(*change)))
    assert sentence in str(caught.value)


def test_a_scenarios_form_goes_before_ours_and_names_are_no_paths(tmp_path: Path) -> None:
    mine = tmp_path / "questionnaires"
    mine.mkdir()
    (mine / "comments.toml").write_text(FORM, encoding="utf-8")
    assert find_questionnaire("comments", tmp_path) == mine / "comments.toml"
    assert find_questionnaire("demographics", tmp_path).parent == OWN_FOLDER
    assert "comments" in known_questionnaires(None)
    for name in ("../comments", "comments.toml", "/etc/passwd", "", "demografics"):
        with pytest.raises(LookupError, match="there is no questionnaire"):
            find_questionnaire(name, tmp_path)
