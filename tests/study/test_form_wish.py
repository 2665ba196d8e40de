"""Forms as a study uses them, and the sentences for what they cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.study import (
    Questionnaire,
    adapted,
    forms_of_plan,
    load_plan,
    load_questionnaire,
    scales_of,
    study_form,
    study_problems,
    wish_problems,
)
from sera.study.design_tables import FormWish
from sera.study.questionnaire import OWN_FOLDER, QuestionnaireError
from tests.study.small_plan import WITH_FORM

ROOT = Path(__file__).parents[2]
FORM = """
[questionnaire]
title = { en = "Form" }
source = "SERA"
licence = "MIT"
[languages.en]
ours = "wording"
[[groups]]
name = "all"
kind = "scale"
points = 5
text = { en = "Please rate:" }
anchors = { en = ["low", "high"] }
[[items]]
id = "first"
group = "all"
text = { en = "First" }
[[items]]
id = "second"
group = "all"
text = { en = "Second" }
reversed = true
[[items]]
id = "opposite"
group = "all"
anchors = { en = ["cold", "hot"] }
[[items]]
id = "load"
kind = "slider"
text = { en = "Load" }
anchors = { en = ["none", "much"] }
[[items]]
id = "near"
kind = "picture_scale"
drawing = "ios"
text = { en = "Near" }
[[items]]
id = "words"
kind = "text"
text = { en = "Say" }
[[scales]]
name = "Both"
title = { en = "Both" }
items = ["first", "second"]
[[scales]]
name = "Whole"
title = { en = "Whole" }
parts = ["Both"]
"""


def own(name: str) -> Questionnaire:
    return load_questionnaire(OWN_FOLDER / f"{name}.toml")


def written(folder: Path, text: str) -> Path:
    path = folder / "form.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_points_are_those_of_the_study() -> None:
    form = adapted(own("godspeed"), FormWish(name="godspeed", points=6))
    assert {item.points for item in form.items} == {6}
    (animacy,) = (one for one in scales_of({"godspeed": form}) if one.name == "Animacy")
    assert (animacy.lowest, animacy.middle, animacy.highest) == (1, 3.5, 6)
    given = {item.id: 6 for item in form.items}
    assert form.problems_with(given, {}) == []
    assert "godspeed" not in str(own("godspeed").problems_with({"animacy_1": 6}, {})[0])
    assert own("godspeed").problems_with(given, {})[0].endswith("6 is more than 5")


def test_only_some_scales_are_asked_and_one_made_of_them_stays() -> None:
    form = adapted(own("networked_minds"), FormWish(name="nm", scales=["PMU", "CP"]))
    assert [table.name for table in form.scales] == ["CP", "PMU", "NM"]
    form = adapted(own("networked_minds"), FormWish(name="nm", scales=["PMU"]))
    assert {item.id for item in form.items} == {f"PMU{number}" for number in range(1, 7)}
    assert [table.name for table in form.scales] == ["PMU"]


def test_anchors_and_order_are_those_of_the_study() -> None:
    anchors = {"en": ["no", "yes"]}
    form = adapted(own("rosas"), FormWish(name="rosas", anchors=anchors, shuffle=False))
    assert form.item("happy").anchors == {"en": ["no", "yes"], "pt": ["Nada a ver", "Tudo a ver"]}
    assert form.order("rosas", "p1") == form.order("rosas", None)
    form = adapted(own("comments"), FormWish(name="comments", shuffle=True))
    assert all(item.shuffle for item in form.items)


@pytest.mark.parametrize(
    ("name", "wish", "sentence"),
    [
        ("rosas", {"scales": ["rc"]}, "'rosas' has no scale 'rc'; did you mean 'RC'?"),
        ("comments", {"scales": ["RC"]}, "it has no scales at all"),
        ("comments", {"points": 5}, "has no items with points"),
        ("nasa_tlx", {"points": 5}, "has no items with points"),
        ("sam", {"points": 11}, "at most 9 are drawn"),
        ("rosas", {"anchors": {"de": ["nein", "ja"]}}, "has no language 'de'"),
        ("rosas", {"anchors": {"en": ["a", "b", "c"]}}, "3 anchors in 'en' for 9 points"),
        ("godspeed", {"anchors": {"en": ["no", "yes"]}}, "no anchors that could be others"),
    ],
)
def test_what_a_form_cannot_do_is_said(name: str, wish: dict[str, object], sentence: str) -> None:
    asked = FormWish(name=name, **wish)  # type: ignore[arg-type]
    (problem,) = wish_problems(own(name), asked)
    assert sentence in str(problem)
    with pytest.raises(ValueError, match=f"the questionnaire '{name}' cannot be used like that"):
        adapted(own(name), asked)


@pytest.mark.parametrize(
    ("change", "line", "sentence"),
    [
        (('scales = ["RC"]', 'scales = ["RW", "Rc"]'), 13, "did you mean 'RC'?"),
        (('name = "rosas"\npoints', 'name = "rosa"\npoints'), 11, "did you mean 'rosas'?"),
        (("points = 7", 'anchors = { de = ["a", "b"] }'), 12, "has no language 'de'"),
    ],
)
def test_a_study_files_wish_is_checked_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: int, sentence: str
) -> None:
    assert change[0] in WITH_FORM
    (tmp_path / "study.toml").write_text(WITH_FORM.replace(*change), encoding="utf-8")
    (problem,) = study_problems(tmp_path)
    assert sentence in str(problem)
    assert problem.line == line


def test_the_forms_of_a_study_are_those_of_its_steps(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(WITH_FORM, encoding="utf-8")
    forms = forms_of_plan(load_plan(tmp_path / "study.toml"), tmp_path)
    assert list(forms) == ["rosas"]
    assert {item.points for item in forms["rosas"].items} == {7}
    assert [scale.name for scale in scales_of(forms)] == ["RC"]


def test_the_study_of_avantsatie_has_the_scales_that_it_speaks_of() -> None:
    folder = ROOT / "scenarios" / "avantsatie"
    plan = load_plan(folder / "study.toml")
    scales = {scale.name: scale for scale in scales_of(forms_of_plan(plan, folder))}
    documented = {"AIL", "RIM", "RPU", "NM", "PA", "IOS", "RW", "RC", "RD"}
    documented |= {"RI", "RM", "TP", "TU", "CP", "PMU"}
    assert set(scales) >= documented
    assert scales["NM"].highest == 6
    assert scales["RD"].highest == 9


def test_an_unknown_form_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="did you mean 'godspeed'"):
        study_form("godsped", tmp_path)


def test_items_have_what_their_group_says_and_may_differ(tmp_path: Path) -> None:
    form = load_questionnaire(written(tmp_path, FORM))
    assert form.item("first").points == 5
    assert form.item("first").anchors == {"en": ["low", "high"]}
    assert form.item("opposite").is_differential
    shown = {item["id"]: item for item in form.shown("form", "en")["items"]}
    assert shown["opposite"]["text"] == "cold – hot"  # noqa: RUF001
    assert shown["first"]["instruction"] == "Please rate:"
    assert shown["load"]["instruction"] == ""
    assert (shown["load"]["least"], shown["load"]["most"], shown["load"]["step"]) == (0, 100, 5)
    assert len(shown["near"]["pictures"]) == 7
    assert form.items_of("Whole") == ["first", "second"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"second"]', '"secnd"]'), "scales[0].items[1]: there is no item 'secnd'; did you mean"),
        (('parts = ["Both"]', 'parts = ["Bth"]'), "there is no scale 'Bth'; did you mean 'Both'?"),
        (('parts = ["Both"]', 'parts = ["Whole"]'), "'Whole' is a part of itself"),
        (('parts = ["Both"]', ""), "has neither items nor parts"),
        (('parts = ["Both"]', 'parts = ["Both"]\nitems = ["first"]'), "both items and parts"),
        (('"first", "second"]', '"first", "first"]'), "'first' is there twice"),
        (
            ('"first", "second"]', '"first", "words"]'),
            "of kind text, which has no place on a scale",
        ),
        (
            ('"first", "second"]', '"first", "load"]'),
            "differ: 'first' goes from 1 to 5, 'load' goes",
        ),
        (('name = "Whole"', 'name = "Both"'), "'Both' is taken by line"),
        (('title = { en = "Both" }', 'title = { de = "Beide" }'), "no words in 'en'"),
        (('title = { en = "Both" }\n', ""), "scales[0].title: this key is missing"),
        (
            ('group = "all"\ntext = { en = "First" }', 'group = "al"\nkind = "text"'),
            "no group 'al'",
        ),
        (('text = { en = "First" }\n', ""), "items[0].text: no words in 'en'"),
        (('drawing = "ios"\n', ""), "a picture scale needs a drawing"),
        (('drawing = "ios"', 'drawing = "oss"'), "did you mean 'ios'?"),
        (('drawing = "ios"', 'drawing = "ios"\npoints = 12'), "at most 9 pictures are drawn"),
        (('drawing = "ios"', 'drawing = "ios"\nlabels = { en = ["You"] }'), "1 labels in 'en'"),
        (
            ('text = { en = "Say" }', 'text = { en = "Say" }\nreversed = true'),
            "only a scale is rev",
        ),
        (('text = { en = "Say" }', 'text = { en = "Say" }\nstep = 2'), "kind text has no step"),
        (('text = { en = "Load" }', 'text = { en = "Load" }\nstep = 7'), "steps of 7 do not lead"),
        (
            ('text = { en = "Load" }', 'text = { en = "Load" }\nleast = 100'),
            "least is 100, but most",
        ),
        (('["none", "much"]', '["none", "some", "much"]'), "3 anchors in 'en' for a slider"),
        (('["cold", "hot"]', '["cold", "mild", "warm", "hot", "x"]'), "give two"),
        (('["cold", "hot"]', '["cold", " "]'), "an anchor in 'en' is empty"),
        (('kind = "text"', 'kind = "info"\nrequired = true'), "only read needs no answer"),
        (('kind = "slider"', 'kind = "slidder"'), "did you mean 'slider'?"),
    ],
)
def test_what_is_wrong_in_scales_groups_and_kinds_is_said_with_its_place(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    assert change[0] in FORM
    with pytest.raises(QuestionnaireError) as caught:
        load_questionnaire(written(tmp_path, FORM.replace(change[0], change[1], 1)))
    assert sentence in str(caught.value)
    assert "form.toml:" in str(caught.value)
