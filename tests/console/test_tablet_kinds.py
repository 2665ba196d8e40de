"""Every kind of item on the participant's tablet, by touch and by keyboard, light and dark."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import GuideSession
from sera.study import find_questionnaire, load_questionnaire
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
"""
FORMS = ("consent", "godspeed", "ios", "sam", "nasa_tlx", "debriefing")
STUDY = """
[study]
title = "Every kind"
languages = ["en", "pt"]
[[forms]]
name = "godspeed"
points = 6
scales = ["PerceivedSafety"]
[[forms]]
name = "sam"
points = 5
[[phases]]
name = "all"
""" + "".join(
    f'[[phases.steps]]\nname = "{form}"\ntitle = "{form}"\nform = "{form}"\ngoes_on = true\n'
    for form in FORMS
)
PORTRAIT = {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}
TOO_SMALL = """[...document.querySelectorAll('button, .option, .point, .picture, .slide')]
    .map((one) => one.getBoundingClientRect())
    .filter(({ width, height }) => Math.min(width, height) < 48).length"""
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


class Tablet:
    """A participant at the tablet."""

    def __init__(self, stage: Any, page: Any, *, language: str) -> None:
        self.stage = stage
        self.page = page
        self.begin, self.next = {"en": ("Begin", "Next"), "pt": ("Começar", "Seguinte")}[language]

    async def press(self, name: str) -> None:
        await self.page.get_by_role("button", name=name, exact=True).tap()

    async def open_form(self, title: str) -> None:
        await self.page.get_by_role("heading", name=title, exact=True).wait_for()
        await self.press(self.begin)

    async def has_room(self) -> None:
        assert await self.page.evaluate(TOO_SMALL) == 0
        assert not await self.page.evaluate(TOO_WIDE)


async def sit_down(stage: Any, language: str, **options: Any) -> Tablet:
    page = await stage.tablet(**options)
    stage.tell(GuideSession(do="begin", participant="p07", language=language))
    return Tablet(stage, page, language=language)


def answers(stage: Any, form: str) -> Any:
    records = [envelope.message for envelope in stage.said("QuestionnaireAnswered")]
    return next((one for one in records if one.questionnaire == form), None)


async def test_every_kind_is_answered_by_touch(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY})
    tablet = await sit_down(stage, "en")
    page = tablet.page

    async def look(name: str) -> None:
        await picture(page, f"kinds_{name}.png")
        await no_barrier(page, about=name)
        await tablet.has_room()
        await page.set_viewport_size(PHONE)
        await tablet.has_room()
        await picture(page, f"kinds_{name}_phone.png")
        await page.set_viewport_size(PORTRAIT)

    # Something to read, and what has to be agreed to; recording need not be.
    await tablet.open_form("Taking part")
    await page.get_by_text("You may stop at any moment").wait_for()
    await look("info")
    await tablet.press("Next")
    await tablet.press("Next")
    await page.get_by_text("Please tick this").wait_for()
    for number in range(3):
        await page.locator(f"form[data-place='{number + 1}']").wait_for()
        await page.get_by_label("Yes, I agree").tap()
        await look("agreement")
        await tablet.press("Next")
    await page.get_by_text("You may leave this unticked").wait_for()
    await tablet.press("Hand in")
    await until(lambda: answers(stage, "consent"), "the consent")
    consent = {"taking_part": True, "withdraw": True, "data_use": True, "recording": False}
    assert answers(stage, "consent").answers == consent

    # Opposites: those of one scale only, with six points, in this participant's order.
    await tablet.open_form("Your impression of the robot")
    form = load_questionnaire(find_questionnaire("godspeed", None))
    order = [one for one in form.order("godspeed", "p07") if one.startswith("safety")]
    for item in order:
        left, right = form.item(item).anchors["en"]
        heading = f"Please rate your own emotional state on this scale: {left} – {right}"  # noqa: RUF001
        await page.get_by_role("radiogroup", name=heading).wait_for()
        assert await page.get_by_role("radio").count() == 6
        await page.get_by_role("radio", name=f"6 {right}").tap()
        await look("opposites")
        await page.locator("button.forward").tap()
    await until(lambda: answers(stage, "godspeed"), "the opposites")
    record = answers(stage, "godspeed")
    assert record.answers == dict.fromkeys(order, 6)
    assert record.item_order == order

    # Pictures.
    await tablet.open_form("How close you felt")
    assert await page.locator(".picture svg").count() == 7
    await tablet.press("Hand in")
    await page.get_by_text("Please answer this question.").wait_for()
    await page.locator(".picture").nth(4).tap()
    assert await page.get_by_role("radio", name="overlap by 60 percent").is_checked()
    await look("circles")
    await tablet.press("Hand in")
    await until(lambda: answers(stage, "ios"), "the circles")
    assert answers(stage, "ios").answers == {"closeness": 5}
    await tablet.open_form("How you feel now")
    for number in range(3):
        await page.locator(f"form[data-place='{number}']").wait_for()
        assert await page.locator(".picture").count() == 5
        await page.locator(".picture").nth(number).tap()
        await look(f"figures_{number}")
        await page.locator("button.forward").tap()
    await until(lambda: answers(stage, "sam"), "the figures")
    assert answers(stage, "sam").answers == {"pleasure": 1, "arousal": 2, "dominance": 3}

    # Sliders: an untouched one is no answer, and a tap on the middle is one.
    await tablet.open_form("How the task was for you")
    await tablet.press("Next")
    await page.get_by_text("Please answer this question.").wait_for()
    await look("slider")
    for number, share in enumerate((0.5, 0.0, 1.0, 0.25, 0.75, 0.5)):
        await page.locator(f"form[data-place='{number}']").wait_for()
        box = await page.get_by_role("slider").bounding_box()
        thumb = 52.0
        x = box["x"] + thumb / 2 + share * (box["width"] - thumb)
        await page.touchscreen.tap(x, box["y"] + box["height"] / 2)
        await look("slider_set")
        await page.locator("button.forward").tap()
    await until(lambda: answers(stage, "nasa_tlx"), "the sliders")
    assert list(answers(stage, "nasa_tlx").answers.values()) == [50, 0, 100, 25, 75, 50]

    # Something to read and nothing to answer.
    await tablet.open_form("What it was about")
    await tablet.press("Next")
    await look("debriefing")
    await tablet.press("Done")
    await until(lambda: answers(stage, "debriefing"), "the debriefing")
    assert answers(stage, "debriefing").answers == {}


async def test_every_kind_is_answered_by_keyboard_in_the_dark(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY})
    tablet = await sit_down(stage, "pt", dark=True)
    page = tablet.page

    async def begin(title: str) -> None:
        await page.get_by_role("heading", name=title, exact=True).wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")

    async def look(name: str) -> None:
        await picture(page, f"kinds_{name}_dark.png")
        await no_barrier(page, about=name)

    await begin("A sua participação")
    await page.get_by_role("heading", name="De que se trata").wait_for()
    await look("info")
    await page.locator("button.forward").press("Enter")
    for number in range(4):
        await page.locator(f"form[data-place='{number + 1}']").wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Space")
        await look("agreement")
        await page.keyboard.press("Enter")
    await until(lambda: answers(stage, "consent"), "the consent")
    assert answers(stage, "consent").answers["recording"] is True

    await begin("A tua impressão do robô")
    for number in range(3):
        await page.locator(f"form[data-place='{number}']").wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Space")
        await page.keyboard.press("ArrowRight")
        await look("opposites")
        await page.keyboard.press("Enter")
    await until(lambda: answers(stage, "godspeed"), "the opposites")
    assert set(answers(stage, "godspeed").answers.values()) == {2}

    await begin("Quão perto te sentiste")
    await page.locator("form[data-place='0']").wait_for()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await look("circles")
    # The page is loaded again: what was chosen is still there.
    await page.reload()
    assert await page.get_by_role("radio", name="sobrepõem em 30 por cento").is_checked()
    await page.locator("button.forward").press("Enter")
    await until(lambda: answers(stage, "ios"), "the circles")
    assert answers(stage, "ios").answers == {"closeness": 3}

    await begin("Como se sente agora")
    for number in range(3):
        await page.locator(f"form[data-place='{number}']").wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowLeft")
        await look(f"figures_{number}")
        await page.keyboard.press("Enter")
    await until(lambda: answers(stage, "sam"), "the figures")

    await begin("Como foi a tarefa para si")
    for number, key in enumerate(("Space", "Home", "End", "ArrowRight", "ArrowLeft", "Space")):
        await page.locator(f"form[data-place='{number}']").wait_for()
        slider = page.get_by_role("slider")
        assert await slider.get_attribute("aria-valuetext") == "ainda sem resposta"
        await slider.press(key)
        await look("slider")
        await page.locator("button.forward").press("Enter")
    await until(lambda: answers(stage, "nasa_tlx"), "the sliders")
    assert list(answers(stage, "nasa_tlx").answers.values()) == [50, 0, 100, 55, 45, 50]
