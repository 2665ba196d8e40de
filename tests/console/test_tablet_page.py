"""The participant's tablet in a real browser: nothing is lost, nothing is sent twice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sera.messages import GuideSession
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

SCENARIO = """
[scenario]
title = "Play"
[modules.study]
module = "study_guide"
folder = "kept"
[characters.ada]
robot = "adelino"
[conditions.hidden_condition.scenario]
title = "Another"
"""
STUDY = """
[study]
title = "Does it look?"
hypothesis = "Secret words"
languages = ["en", "pt"]
[[phases]]
name = "all"
[[phases.steps]]
name = "about"
title = "Form: about you"
form = "demographics"
[[phases.steps]]
name = "noticed"
title = "Form: what you noticed"
form = "manipulation_check"
goes_on = true
[[phases.steps]]
name = "thank"
title = "Thank"
"""
ASK = """path => fetch("/console/api/" + path, { headers: {
    "sera-role": "participant", "sera-token": sessionStorage.getItem("sera.token.participant"),
} }).then((answer) => answer.status)"""


def answered(stage: Any) -> list[Any]:
    return [envelope.message for envelope in stage.said("QuestionnaireAnswered")]


async def test_answers_survive_a_reload_a_lost_connection_and_a_closed_tab(
    make_stage: Any, picture: Any, cable: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY}, condition="hidden_condition")
    page = await stage.tablet(before=cable.plug_into)
    await page.get_by_role("heading", name="Please wait").wait_for()
    stage.tell(GuideSession(do="begin", language="pt"))
    await page.get_by_role("heading", name="Sobre si").wait_for()
    assert await page.get_by_text("our translation, not validated").is_visible()
    await picture(page, "tablet_start.png")
    await no_barrier(page)
    await page.get_by_role("button", name="Começar").tap()

    # A number is checked before the next question comes.
    await page.get_by_label("Que idade tem?").fill("many")
    await page.keyboard.press("Enter")
    await page.get_by_text("Escreva um número, por favor.").wait_for()
    await page.get_by_label("Que idade tem?").fill("31")
    await page.keyboard.press("Enter")

    # A choice by keyboard, back and forth.
    await page.get_by_label("Mulher").wait_for()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    await page.get_by_role("button", name="Voltar").tap()
    assert await page.get_by_label("Que idade tem?").input_value() == "31"
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert await page.get_by_label("Mulher").is_checked()
    await page.get_by_role("button", name="Seguinte").tap()
    await page.get_by_label("Um noutro estudo").check()
    await picture(page, "tablet_several.png")
    sizes = await page.evaluate(
        "[...document.querySelectorAll('button, .option, .point')].map((one) => "
        "Math.min(one.getBoundingClientRect().height, one.getBoundingClientRect().width))"
    )
    assert min(sizes) >= 48

    # The page is loaded again, then the connection goes, and the form is finished without it.
    await page.reload()
    assert await page.get_by_label("Um noutro estudo").is_checked()
    await cable.pull()
    await page.get_by_text("Perdeu-se a ligação").wait_for()
    await page.get_by_role("button", name="Seguinte").tap()
    await page.locator(".point", has_text="4").tap()
    await picture(page, "tablet_scale.png")
    await no_barrier(page)
    await page.get_by_role("button", name="Entregar").tap()
    await page.get_by_role("heading", name="As suas respostas aguardam a ligação").wait_for()
    context = page.context
    await page.close()
    page = await stage.tablet(before=cable.plug_into, context=context)
    await page.get_by_role("heading", name="As suas respostas aguardam a ligação").wait_for()
    await picture(page, "tablet_waiting.png")
    assert answered(stage) == []
    cable.is_out = False
    await until(lambda: answered(stage), "the answers")
    await page.get_by_role("heading", name="Obrigado").wait_for()
    (record,) = answered(stage)
    state = stage.said("SessionState")[-1].message
    assert (record.participant, record.session) == ("p01", state.session)
    assert record.language == "pt"
    assert record.answers == {
        "age": 31,
        "gender": "woman",
        "robots_met.at_home": False,
        "robots_met.at_work": False,
        "robots_met.in_a_study": True,
        "robots_met.none": False,
        "technology": 4,
    }
    assert record.item_order == ["age", "gender", "robots_met", "technology"]
    assert record.duration_s is not None

    # A form that is offered again begins anew.
    stage.tell(GuideSession(do="repeat"))
    await page.get_by_role("button", name="Começar").tap()
    assert await page.get_by_label("Que idade tem?").input_value() == ""
    assert (
        await page.evaluate("Object.keys(localStorage).filter((k) => k.includes('draft')).length")
        == 1
    )

    # The participant's page was told of nothing but forms.
    types = {frame["message"]["type"] for frame in cable.carried if "message" in frame}
    assert types == {"FormOffered"}
    everything = json.dumps(cable.carried) + await page.content()
    for secret in ("hidden_condition", "Secret words", "GuideSession"):
        assert secret not in everything


async def test_a_sheet_whose_receipt_was_lost_is_not_handed_in_again(
    make_stage: Any, picture: Any, cable: Any, no_barrier: Any
) -> None:
    secret = {"token": "a secret of the laboratory"}
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY}, gateway=secret)
    page = await stage.tablet(before=cable.plug_into, dark=True)
    stage.tell(GuideSession(do="begin"))
    await page.get_by_role("heading", name="About you").wait_for()
    # Another form is not for this page now, and neither is anything of the operator's.
    for path in ("forms/manipulation_check", "study", "facts"):
        assert await page.evaluate(ASK, path) == 403
    assert await page.evaluate(ASK, "forms/demographics") == 200
    assert "token" not in page.url
    stage.tell(GuideSession(do="next"))
    await page.get_by_role("heading", name="What you noticed").wait_for()
    await page.get_by_role("button", name="Begin").tap()
    await page.get_by_role("button", name="Next").tap()
    await page.get_by_text("Please answer this question.").wait_for()
    await picture(page, "tablet_required_dark.png")
    await no_barrier(page)
    for _ in range(2):
        await page.locator(".point", has_text="7").tap()
        await page.get_by_role("button", name="Next").tap()
    await page.get_by_label("I cannot say").check()
    await picture(page, "tablet_choice_dark.png")
    cable.loses = "accepted"
    await page.get_by_role("button", name="Hand in").tap()
    await until(lambda: answered(stage), "the answers")
    await until(lambda: state_step(stage) == "thank", "the next step by itself")
    assert await page.evaluate("localStorage.getItem('sera.tablet.outbox').length > 2")
    cable.loses = None
    await page.reload()
    outbox = "localStorage.getItem('sera.tablet.outbox')"
    await until(lambda: page.evaluate(f"{outbox} === '[]'"), "the empty outbox")
    await page.get_by_role("heading", name="Thank you").wait_for()
    await picture(page, "tablet_thanks_dark.png")
    assert len(answered(stage)) == 1
    assert sorted(answered(stage)[0].item_order[:2]) == ["ignored_me", "looked_at_me"]


def state_step(stage: Any) -> str | None:
    steps = stage.said("SessionState")[-1].message.steps
    return next((step.step for step in steps if step.status == "under_way"), None)
