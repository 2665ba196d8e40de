"""The Study page in a real browser: a session from its beginning to its end, by keys alone."""

from __future__ import annotations

from typing import Any

import pytest

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
STUDY = """
[study]
title = "Does it look?"
sessions_planned = 12
hypothesis = "Secret words"
languages = ["en", "pt"]
[[phases]]
name = "before"
title = "Before"
[[phases.steps]]
name = "welcome"
title = "Welcome <b>the</b> participant"
planned_s = 120
note = "Offer a chair."
[[phases.steps]]
name = "about"
title = "Form: about you"
form = "demographics"
planned_s = 60
[[phases]]
name = "after"
title = "After"
[[phases.steps]]
name = "play"
title = "Play"
planned_s = 0.2
late_after_s = 0.4
[[phases.steps]]
name = "thank"
title = "Thank"
[[marks]]
label = "laughter"
title = "Laughter"
key = "l"
"""


async def step(page: Any) -> str | None:
    line = page.locator(".steps [aria-current=step] .name")
    return await line.text_content() if await line.count() else None


async def test_a_session_is_led_with_keys_and_everything_is_recorded(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY})
    page = await stage.open("study")
    observer = await stage.open("study", query="?role=observer", dark=True)
    await page.get_by_role("button", name="Begin a session").wait_for()
    await picture(page, "study_before.png")
    await page.get_by_label("Participant (pseudonym)").fill("Anna")
    await page.get_by_role("button", name="Begin a session").click()
    await page.locator(".toast", has_text="'Anna' is no pseudonym").wait_for()
    await page.keyboard.press("B")
    await until(lambda: step(page), "the first step")
    assert await step(page) == "Welcome <b>the</b> participant", "titles are text"
    assert await page.get_by_text("Offer a chair.").is_visible()

    # The space bar presses what has the focus, and else goes on.
    await page.get_by_role("button", name="Pause").focus()
    await page.keyboard.press("Space")
    await page.get_by_role("button", name="Resume").wait_for()
    await page.keyboard.press("Space")
    await page.get_by_role("button", name="Pause").wait_for()
    assert stage.said("SessionState")[-1].message.participant == "p01"
    await page.evaluate("document.activeElement.blur()")

    # A note is saved with the time at which it was opened, and keys do nothing meanwhile.
    await page.keyboard.press("k")
    await page.keyboard.type("lap lap S")
    await page.keyboard.press("Enter")
    await page.keyboard.press("l")
    await until(lambda: len(stage.said("SessionMark")) == 2, "the marks")
    note, laughter = (envelope.message for envelope in stage.said("SessionMark"))
    assert (note.label, note.note) == ("note", "lap lap S")
    assert (laughter.label, laughter.session) == ("laughter", note.session)

    await page.keyboard.press("Space")
    await until(lambda: step_is(page, "Form: about you"), "the form's step")
    await page.get_by_text("Form offered: About you (en)").wait_for()
    await picture(page, "study_light.png")
    await no_barrier(page)
    await page.keyboard.press("Space")  # the form was not handed in: it asks
    await page.get_by_role("button", name="Go on without it").wait_for()
    await page.keyboard.press("Escape")
    await page.keyboard.press("S")
    await page.get_by_label("Why (optional)").wait_for()
    await page.keyboard.type("no tablet <i>here</i>")
    await picture(page, "study_dialog.png")
    await page.keyboard.press("Enter")
    await until(lambda: step_is(page, "Play"), "the skip")
    await page.locator(".clock[data-kind=bad]").wait_for()
    assert "late" in (await page.locator(".against").text_content() or "")
    await until(lambda: page.get_by_text("2 deviations").is_visible(), "two deviations")

    # An extra step, from a list, and back.
    await page.keyboard.press("E")
    await page.get_by_label("Which step").select_option("welcome")
    await page.get_by_role("button", name="Begin it").click()
    await page.get_by_text("Extra: Welcome").wait_for()
    await observer.locator(".steps .chip", has_text="interrupted").wait_for()
    await picture(observer, "study_observer_dark.png")
    await no_barrier(observer)

    # An observer sees it all and cannot press.
    await observer.keyboard.press("Space")
    await observer.get_by_role("button", name="Back to: Play").click(force=True)
    disabled = observer.get_by_role("button", name="Abort")
    assert await disabled.get_attribute("aria-disabled") == "true"
    assert await observer.get_by_text("no tablet <i>here</i>").is_visible()
    assert await observer.locator("a[href*=tablet]").count() == 0

    await page.keyboard.press("Space")
    await until(lambda: step_is(page, "Play"), "the way back")
    await page.keyboard.press("Space")
    await page.get_by_role("button", name="Finish the session").wait_for()
    await page.keyboard.press("Space")
    await page.get_by_text("1 of 12 sessions done").wait_for()
    await page.get_by_text("The last session is complete.").wait_for()
    said = [
        (e.message.step, str(e.message.status))
        for e in stage.said("SessionPhase")
        if e.message.step
    ]
    assert said == [
        ("welcome", "started"),
        ("welcome", "finished"),
        ("about", "started"),
        ("about", "skipped"),
        ("play", "started"),
        ("play", "paused"),
        ("welcome", "started"),
        ("welcome", "finished"),
        ("play", "resumed"),
        ("play", "finished"),
        ("thank", "started"),
        ("thank", "finished"),
    ]
    deviations = [e.message for e in stage.said("SessionMark") if e.message.label == "deviation"]
    assert len(deviations) == 3
    for shown in (page, observer):
        assert "Secret words" not in await shown.content()

    # The next one: on a tablet in portrait, a page that is opened late knows the marks.
    await page.keyboard.press("B")
    await until(lambda: stage.said("SessionState")[-1].message.participant == "p02", "p02")
    await page.keyboard.press("l")
    late = await stage.open("study", tablet=True)
    await late.locator(".marks li", has_text="Laughter").wait_for()
    width = await late.evaluate("document.documentElement.scrollWidth")
    assert width <= 820
    await picture(late, "study_tablet.png")
    await late.keyboard.press("A")
    await late.get_by_label("Why").fill("felt ill")
    await late.get_by_role("button", name="Abort the session").click()
    await late.get_by_text("The last session was aborted.").wait_for()
    assert stage.said("SessionMark")[-1].message.note == "The session was aborted: felt ill."


async def test_a_whole_phase_is_repeated_skipped_and_aborted_with_the_same_keys(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY})
    page = await stage.open("study")
    await page.get_by_role("button", name="Begin a session").wait_for()
    await page.keyboard.press("B")
    await until(lambda: step(page), "the first step")
    await page.keyboard.press("Space")
    await until(lambda: step_is(page, "Form: about you"), "the form's step")

    await page.keyboard.press("R")
    await page.get_by_label("What").select_option(label="The whole phase “Before”")
    await picture(page, "study_phase.png")
    await no_barrier(page)
    await page.get_by_role("button", name="Repeat it").click()
    await until(lambda: step_is(page, "Welcome <b>the</b> participant"), "the repetition")

    await page.keyboard.press("S")
    await page.get_by_label("What").select_option("before")
    await page.get_by_label("Why (optional)").fill("late already")
    await page.get_by_role("button", name="Skip it").click()
    await until(lambda: step_is(page, "Play"), "the skip")

    await page.keyboard.press("A")
    await page.get_by_role("button", name="Abort the session").wait_for()
    await page.get_by_label("What").select_option("after")
    await page.get_by_role("button", name="Abort the phase").click()
    await page.get_by_text("1 of 12 sessions done").wait_for()
    notes = [e.message.note for e in stage.said("SessionMark") if e.message.label == "deviation"]
    assert [note for note in notes if note.startswith("Phase")] == [
        "Phase 'before' repeated (2 of 2 steps begun).",
        "Phase 'before' skipped (1 of 2 steps not begun): late already.",
        "Phase 'after' ended early (1 of 2 steps not begun).",
    ]


async def step_is(page: Any, title: str) -> bool:
    return await step(page) == title


async def test_without_a_study_the_page_says_how_to_write_one(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    quiet = '[scenario]\ntitle = "Quiet"\n[characters.ada]\nrobot = "adelino"\n'
    stage = await make_stage(quiet)
    page = await stage.open("study")
    await page.get_by_role("heading", name="No study yet").wait_for()
    await picture(page, "study_empty.png")
    await no_barrier(page)
    folder = stage.run.scenario.folder
    example = await page.locator("pre").first.text_content()
    (folder / "study.toml").write_text(example, encoding="utf-8")
    await page.reload()
    await page.get_by_text("nobody guides through it").wait_for()
    (folder / "study.toml").write_text("[study]\ntitel = 'x'\n", encoding="utf-8")
    await page.reload()
    await page.get_by_text("did you mean 'title'?").wait_for()


async def test_forms_are_found_by_name_and_a_hostile_name_finds_nothing(ask_console: Any) -> None:
    client, _ = ask_console()
    form = (await client.get("/console/api/forms/comments?language=pt")).json()
    assert form["title"] == "Os seus comentários"
    assert all("reversed" not in item for item in form["items"])
    for name in ("..%2F..%2Fsecret", "%3Cscript%3E", "coments", "a" * 500):
        answer = await client.get(f"/console/api/forms/{name}")
        assert answer.status_code == 404
    assert (
        "did you mean 'comments'" in (await client.get("/console/api/forms/coments")).json()["why"]
    )
    participant, _ = ask_console(role="participant")
    for path in ("forms/comments", "study", "study/tablets"):
        assert (await participant.get(f"/console/api/{path}")).status_code == 403
    wrong = await participant.get("/console/api/forms/comments/received?duration_s=x")
    assert wrong.status_code == 400
