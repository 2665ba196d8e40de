"""Scores: reversal, missing answers, scales made of parts, and published figures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.study import Scale, ScaleItem, item_matrix, load_questionnaire, scales_of, score
from sera.study.questionnaire import OWN_FOLDER


def scales(*names: str) -> dict[str, Scale]:
    forms = {name: load_questionnaire(OWN_FOLDER / f"{name}.toml") for name in names}
    return {scale.name: scale for scale in scales_of(forms)}


SCALES = scales(
    "ahoy_experience", "avantsatie_experience", "networked_minds", "rosas", "nasa_tlx", "ios"
)
any_scale = st.sampled_from(sorted(SCALES)).map(SCALES.__getitem__)


@st.composite
def scale_and_answers(draw: Any) -> tuple[Scale, dict[str, dict[str, Any]]]:
    scale = draw(any_scale)
    item = scale.items[0]
    value = st.integers(0, item.points - 1).map(
        lambda place: item.lowest + place * (item.highest - item.lowest) / (item.points - 1)
    )
    given_answers = {one.item: draw(st.none() | value) for one in scale.items}
    return scale, {scale.questionnaire: given_answers}


@given(scale_and_answers())
def test_a_score_lies_within_the_scale_or_is_missing(case: Any) -> None:
    scale, answers = case
    answered = sum(value is not None for value in answers[scale.questionnaire].values())
    found = score(scale, answers)
    if 2 * answered < len(scale.items) or answered == 0:
        assert found is None
    else:
        assert found is not None
        assert scale.lowest <= found <= scale.highest


@given(any_scale, st.floats(-1e6, 1e6))
def test_turning_round_twice_changes_nothing(scale: Scale, value: float) -> None:
    assert scale.inverted(scale.inverted(value)) == pytest.approx(value)
    for item in scale.items:
        assert item.turned(item.turned(value)) == pytest.approx(value)
    assert scale.inverted(scale.middle) == scale.middle


@given(scale_and_answers())
def test_answers_turned_round_turn_the_score_round(case: Any) -> None:
    scale, answers = case
    by_item = {one.item: one for one in scale.items}
    turned = {
        name: None if value is None else by_item[name].turned(value)
        for name, value in answers[scale.questionnaire].items()
    }
    found = score(scale, answers)
    other = score(scale, {scale.questionnaire: turned})
    if found is None:
        assert other is None
    else:
        assert other == pytest.approx(scale.inverted(found))


def test_reversed_items_count_from_the_other_end() -> None:
    tu = SCALES["TU"]
    answers = {"avantsatie_experience": {"TU1": 1, "TU2": 2, "TU3": 6, "TU4": 1}}
    assert tu.values(answers) == [6, 5, 6, 6]
    assert score(tu, answers) == 5.75
    assert item_matrix(tu, [answers, {}]) == [[6, 5, 6, 6], [None] * 4]


def test_half_of_the_items_are_enough_and_fewer_are_not() -> None:
    rc = SCALES["RC"]
    names = [item.item for item in rc.items]
    assert score(rc, {"rosas": dict.fromkeys(names[:3], 9)}) == 9
    assert score(rc, {"rosas": dict.fromkeys(names[:2], 9)}) is None
    assert score(rc, {}) is None


@pytest.mark.parametrize("answer", [True, "4", None, float("nan"), 0, 8, float("inf")])
def test_what_is_no_answer_does_not_count(answer: Any) -> None:
    assert ScaleItem("a", reversed=True, points=7, lowest=1, highest=7).value(answer) is None


def test_ends_and_middle_follow_from_the_points() -> None:
    ail, rd, tlx, ios = (SCALES[name] for name in ("AIL", "RD", "TLX", "IOS"))
    assert (ail.lowest, ail.middle, ail.highest) == (1, 3.5, 6)  # as the document has it
    assert (rd.lowest, rd.middle, rd.highest, rd.negative) == (1, 5, 9, True)
    assert (tlx.lowest, tlx.middle, tlx.highest) == (0, 50, 100)
    assert tlx.items[0].points == 21
    assert ios.middle == 4


def test_negative_scales_stay_as_they_were_answered() -> None:
    rd = SCALES["RD"]
    low = {"rosas": {item.item: 2 for item in rd.items}}
    assert score(rd, low) == 2
    assert rd.inverted(2) == 8


def test_a_scale_of_parts_is_the_mean_of_all_items_as_in_the_ahoy_study() -> None:
    """Table 7.2: Recognition 3.450 and Legibility 2.633 make Intention 2.838 (C1); 2.088 (C2)."""
    intention = SCALES["Intention"]
    assert intention.parts == ("Recognition", "Legibility")
    assert len(intention.items) == 4
    for recognition, legibility, published in ((3.450, 2.633, 2.838), (2.350, 2.000, 2.088)):
        answers: dict[str, float] = {"recognition_a": recognition}
        answers |= {f"legibility_{letter}": legibility for letter in "abc"}
        found = score(intention, {"ahoy_experience": answers})
        assert found == pytest.approx(published, abs=0.001)


def test_two_forms_with_a_scale_of_one_name_are_told() -> None:
    form = load_questionnaire(OWN_FOLDER / "ios.toml")
    with pytest.raises(ValueError, match="'ios' and 'closeness' both have a scale 'IOS'"):
        scales_of({"ios": form, "closeness": form})


def test_titles_are_in_the_language_that_was_asked_for() -> None:
    form = load_questionnaire(OWN_FOLDER / "rosas.toml")
    titles = [scale.title for scale in scales_of({"rosas": form}, "pt-PT")]
    assert titles == ["Simpatia", "Competência", "Desconforto"]
