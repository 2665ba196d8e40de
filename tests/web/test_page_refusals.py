"""Refusals: the number of the frame, the reason, the nearest valid name, and no personal words."""

from __future__ import annotations

from typing import Any

import pytest


def clicked(**data: Any) -> dict[str, Any]:
    return {"type": "Clicked", "data": data}


CLICK = clicked(element="card_3")
SPEAK = {"type": "Speak", "data": {"text": "Hello"}}
ANSWERS = {"questionnaire": "trust", "participant": "p01", "answers": {"q1": 4}}
FORM = {"type": "QuestionnaireAnswered", "data": ANSWERS}


async def refusal(stage, role: str, frame: dict[str, Any]) -> str:
    link = await stage.page(role, character="ada")
    link.say({"send": {"ref": 12, **frame}})
    refused = await link.next("refused")
    assert refused["ref"] == 12
    assert stage.heard == []
    return str(refused["why"])


@pytest.mark.parametrize(
    ("role", "frame", "part"),
    [
        ("observer", CLICK, "an observer page may not send Clicked; it may send nothing"),
        ("participant", CLICK, "may not send Clicked; it may send nothing"),
        ("participant", SPEAK, "may not send Speak"),
        ("activity", SPEAK, "an activity page may not send Speak"),
        ("activity", FORM, "may not send QuestionnaireAnswered"),
        ("activity", {"type": "Highlight", "data": {"element": "a"}}, "may not send Highlight"),
        ("wizard", {"type": "Receipt", "data": {"ids": ["a-0-1"]}}, "may not send Receipt"),
        ("wizard", {"type": "RunEnding"}, "may not send RunEnding"),
        ("wizard", {"type": "Autonomy"}, "may not send Autonomy"),
    ],
)
async def test_what_a_role_may_not_send_is_refused(stage, role, frame, part):
    assert part in await refusal(stage, role, frame)


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        ({"type": "Cliked"}, "unknown message type 'Cliked'; did you mean Clicked?"),
        ({"type": "Q" * 999}, "…' (`sera messages` lists all)"),
        (clicked(elemnt="a"), "Clicked.elemnt: no such field; did you mean element?"),
        (clicked(xyz=1), "Clicked.xyz: no such field; valid: point, element, person"),
        (clicked(point={"x_px": 1, "y": 2}), "Clicked.point.y: no such field; did you mean y_px?"),
        (clicked(point={"x_px": 1}), "Clicked.point.y_px: this field is missing"),
        (clicked(point={"x_px": -1, "y_px": 0}), "Clicked.point.x_px: must be greater than or"),
        (clicked(point={"x_px": "left", "y_px": 0}), "Clicked.point.x_px: must be a valid number"),
        (clicked(), "Clicked: Clicked takes at least one of point and element"),
        (
            {"type": "SpeechActivity", "data": {"speaking": True, "side": "lef"}},
            "must be 'left', 'right' or 'both'; did you mean left?",
        ),
        (
            {"type": "SpeechHeard", "data": {"text": "a", "words": [{"txt": "a"}]}},
            "SpeechHeard.words[0].txt: no such field; did you mean text?",
        ),
        ({**CLICK, "character": "bob"}, "an activity page speaks for world or ada, not for 'bob'"),
    ],
)
async def test_a_wrong_name_is_answered_with_the_nearest_valid_one(stage, frame, part):
    assert part in await refusal(stage, "activity", frame)


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        ({"character": "eve"}, "no character 'eve' in this run; valid: ada, bob, world"),
        ({"character": "bobb"}, "did you mean bob?"),
        ({"character": "world/#"}, "use lower-case letters"),
        ({"character": "a" * 999}, "no character"),
        ({"age_s": 2.5}, "given 2.5 s ago and is worth doing for 2 s only: it was not sent"),
    ],
)
async def test_a_wizard_is_told_what_is_wrong_with_character_or_age(stage, frame, part):
    assert part in await refusal(stage, "wizard", {**SPEAK, **frame})


async def test_many_mistakes_are_summed_up(stage):
    why = await refusal(stage, "activity", clicked(a=1, b=2, c=3, d=4, e=5))
    assert "(and 2 more)" in why
    assert len(why) < 400


async def test_a_refusal_repeats_no_value_that_a_person_may_have_typed(stage):
    secret = "my mother's name"
    sheet = {**ANSWERS, "free_answers": {"q2": [secret]}, "answers": {"q1": [secret]}}
    link = await stage.page("participant")
    link.say({"answers": {**sheet, "ref": 3}})
    refused = await link.next("refused")
    why = refused["why"]
    assert refused["ref"] == 3
    assert "answers.free_answers.q2: must be a valid string" in why
    assert "answers.answers.q1: must be a valid boolean, or must be" in why
    assert secret not in why
    assert secret not in str(stage.reports)
