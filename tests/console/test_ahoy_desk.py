"""The pantomime's desks, wall and word list in real browsers: one Wizard, and two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sera.messages import ActivityCommand, SpeechHeard, find_message_type
from sera.study.policy import Recording, read_table
from sera.web import PageRole, may_receive

pytestmark = pytest.mark.needs_program("chromium")

PLAY = "c1"


async def press(page: Any, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def beside(stage: Any, name: str, *, dark: bool = False, query: str = "") -> Any:
    """A page of the scenario, in a tab of its own."""
    context = await stage.browser.new_context(
        color_scheme="dark" if dark else "light", viewport={"width": 1280, "height": 720}
    )
    opened = await context.new_page()
    opened.on("pageerror", lambda error: stage.problems.append(str(error)))
    opened.on("request", lambda request: stage.asked.append(request.url))
    stage.pages.append(opened)
    await opened.goto(f"{stage.origin}/pages/{name}.html{query}")
    return opened


def postures(stage: Any) -> list[str]:
    return [e.message.posture for e in stage.said("SetPosture")]


def ratings(stage: Any) -> list[str]:
    return [str(e.message.rating) for e in stage.said("GuessRated")]


async def test_one_wizard_plays_a_round_with_single_keys(
    make_stage: Any, eventually: Any, picture: Any
) -> None:
    stage = await make_stage("ahoy", condition=PLAY)
    page = await stage.open("operate", dark=True)
    await press(page, "1")
    faults = await eventually(lambda: stage.said("ModuleFault"), "a word about it")
    assert "the game has not begun" in faults[-1].message.summary
    await press(page, "c", "b")
    await eventually(lambda: stage.said("RoundBegan"), "the first round")
    await picture(page, "ahoy_desk_dark.png")
    for key, rating, posture in (
        ("1", "hot", "engaged"),
        ("2", "warm", "in_between"),
        ("3", "cold", "unengaged"),
    ):
        await press(page, key)
        await eventually(lambda wanted=rating: ratings(stage)[-1:] == [wanted], rating)
        await eventually(lambda wanted=posture: postures(stage)[-1:] == [wanted], posture)
    await press(page, "4")
    (ended,) = await eventually(lambda: stage.said("RoundEnded"), "the end of the round")
    assert (ended.message.outcome, ended.message.guesses) == ("correct", 4)
    animations = [e.message.animation for e in stage.said("PlayAnimation")]
    assert animations[0] == "snake"
    await eventually(
        lambda: stage.said("PlayAnimation")[-1].message.animation == "affirm", "the nod"
    )
    decided = [e.message for e in stage.said("OperatorDecided")]
    assert {one.by for one in decided} == {"wizard"}
    assert [one.action_type for one in decided].count("RateGuess") == 5


async def test_two_wizards_share_the_work_and_neither_can_press_the_others_keys(
    make_stage: Any, eventually: Any, picture: Any
) -> None:
    stage = await make_stage("ahoy", condition=PLAY)
    judge = await stage.open("operate", query="?desk=judge")
    second = await stage.open("operate", query="?desk=posture", dark=True)
    await press(judge, "c", "b")
    await eventually(lambda: stage.said("RoundBegan"), "the first round")
    await eventually(
        lambda: (
            {seat.desk for e in stage.said("OperatorsPresent") for seat in e.message.operators}
            >= {"judge", "posture"}
        ),
        "both seats",
    )
    await picture(judge, "ahoy_judge.png")
    await picture(second, "ahoy_posture_dark.png")
    await eventually(lambda: stage.said("PlayAnimation"), "the word")
    before = len(postures(stage))
    await press(judge, "1")
    await eventually(lambda: ratings(stage) == ["hot"], "the rating")
    await press(second, "7")
    await eventually(lambda: postures(stage)[before:] == ["engaged"], "the posture")
    # Keys of the other desk do nothing.
    await press(second, "3")
    await press(judge, "9")
    await press(second, "9")
    await eventually(lambda: postures(stage)[before:] == ["engaged", "unengaged"], "the next one")
    assert ratings(stage) == ["hot"]
    # Nor does the usual posture panel get past the layout of the two desks.
    with pytest.raises(Exception, match="sends no SetPosture"):
        await second.evaluate(
            "async () => { const { connect } = await import('/sera.js');"
            " const sera = await connect({ role: 'wizard', desk: 'posture' });"
            " try { await sera.send('SetPosture', { posture: 'hot' }); }"
            " finally { sera.close(); } }"
        )
    by = {(e.message.by, e.message.action_type) for e in stage.said("OperatorDecided")}
    assert by == {("judge", "ActivityCommand"), ("judge", "RateGuess"), ("posture", "ShowHint")}


async def test_in_c2_keys_have_the_same_names_and_are_logged_and_the_robot_stays_neutral(
    make_stage: Any, eventually: Any
) -> None:
    stage = await make_stage("ahoy", condition="c2")
    page = await stage.open("operate")
    labels = await page.locator(".custom-button").all_inner_texts()
    assert [label.split("\n")[0].rstrip("0123456789 ") for label in labels[:8]] == [
        *("Hot", "Warm", "Cold", "Correct"),
        *("Engaged", "In between", "Unengaged", "Neutral"),
    ]
    assert not await page.get_by_text("console.toml has mistakes").count()
    await press(page, "c", "b")
    await eventually(lambda: stage.said("RoundBegan"), "the first round")
    for key in ("1", "3", "7", "2"):
        await press(page, key)
    await eventually(lambda: ratings(stage) == ["hot", "cold", "warm"], "the ratings")
    await eventually(lambda: stage.said("ShowHint"), "the hint")
    assert set(postures(stage)) == {"neutral"}


async def test_the_wall_shows_category_round_and_time_and_the_list_shows_the_words(
    make_stage: Any, eventually: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage("ahoy", condition=PLAY)
    wall, listed = await beside(stage, "ahoy"), await beside(stage, "wordlist", dark=True)
    await eventually(lambda: wall.locator("#category", has_text="Ahoy!").count(), "the wall")
    console = await stage.open("operate")
    await press(console, "c", "b")
    await eventually(lambda: wall.locator("#category", has_text="An animal").count(), "a category")
    assert await wall.inner_text("#round") == "Word 1 of 7"
    left = int(await wall.inner_text("#left"))
    assert 30 <= left <= 40
    await eventually(lambda: _less(wall, left), "the countdown")
    assert "snake" not in (await wall.content()).lower()
    await eventually(lambda: listed.locator("#answer", has_text="snake").count(), "the answer")
    hot = await listed.locator("#hot li span").all_inner_texts()
    assert hot == sorted(hot)
    assert "viper" in hot
    assert "giraffe" in await listed.locator("#warm li span").all_inner_texts()
    await picture(wall, "ahoy_wall.png")
    await picture(listed, "ahoy_wordlist_dark.png")
    await no_barrier(wall)
    await no_barrier(listed)
    # Who comes late sees the same; who looks on at the list takes no seat of a wizard.
    await wall.reload()
    await eventually(lambda: wall.locator("#category", has_text="An animal").count(), "it again")
    seats = stage.said("OperatorsPresent")[-1].message.operators
    assert {(seat.desk, seat.role) for seat in seats} == {
        *(("list", "observer"), ("wizard", "wizard"))
    }
    await press(console, "4")
    await eventually(lambda: wall.locator("#wall[data-phase=between]").count(), "the pause")
    await eventually(lambda: listed.locator("#lists[hidden]").count(), "the hidden list")


async def _less(wall: Any, left: int) -> bool:
    return int(await wall.inner_text("#left")) < left


async def test_a_list_that_opens_in_mid_round_counts_down_with_the_wall(
    make_stage: Any, eventually: Any
) -> None:
    stage = await make_stage("ahoy", condition=PLAY)
    stage.tell(ActivityCommand(command="begin"), character="adelino")
    await eventually(lambda: stage.said("RoundBegan"), "the first round")
    began_s = stage.said("RoundBegan")[0].time
    wall = await beside(stage, "ahoy")
    await wall.wait_for_timeout(4000)
    listed = await beside(stage, "wordlist")
    await eventually(lambda: listed.locator("#answer", has_text="snake").count(), "the list")
    for _ in range(2):
        away = int(await wall.inner_text("#left")) - int(await listed.inner_text("#left"))
        assert abs(away) <= 1
        left_s = 40.0 - await listed.evaluate(
            "async (began) => { const { connect } = await import('/sera.js');"
            " const sera = await connect({ role: 'observer' });"
            " const now = sera.now(); sera.close(); return now - began; }",
            began_s,
        )
        assert abs(int(await listed.inner_text("#left")) - left_s) <= 1.5
        await listed.reload()
        await eventually(lambda: listed.locator("#answer", has_text="snake").count(), "it again")


@pytest.mark.parametrize("size", [(393, 851), (851, 393), (1280, 720)])
async def test_on_small_screens_the_page_of_the_list_scrolls_and_no_list_in_it(
    make_stage: Any, eventually: Any, picture: Any, size: tuple[int, int]
) -> None:
    stage = await make_stage("ahoy", condition=PLAY)
    listed = await beside(stage, "wordlist", query="?role=wizard")
    width, height = size
    await listed.set_viewport_size({"width": width, "height": height})
    stage.tell(ActivityCommand(command="begin"), character="adelino")
    await eventually(lambda: listed.locator("#answer", has_text="snake").count(), "the list")
    await picture(listed, f"ahoy_wordlist_{width}.png")
    hidden = "[...document.querySelectorAll('ol')].filter((one) => one.scrollHeight > "
    assert not await listed.evaluate(f"{hidden} one.clientHeight + 1).length")
    assert await listed.evaluate("document.documentElement.scrollWidth") <= width
    await listed.locator("#warm li").last.scroll_into_view_if_needed()
    for stays in ("#answer", "#left", "#keys"):
        box = await listed.locator(stays).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


async def test_no_page_of_a_player_may_be_told_the_words(make_stage: Any) -> None:
    await make_stage("ahoy", condition=PLAY)
    for name in ("WordList", "RoundBegan", "GuessRated", "WordSpotted"):
        kind = find_message_type(name)
        assert not may_receive(PageRole.ACTIVITY, kind)
        assert not may_receive(PageRole.PARTICIPANT, kind)
        assert may_receive(PageRole.WIZARD, kind)


async def test_what_a_person_presses_in_restricted_perception_makes_cases_to_learn_from(
    make_stage: Any, eventually: Any, tmp_path: Path, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage("ahoy", condition=f"{PLAY}+restricted", record=True)
    token = stage.gateway.engine.tokens.for_role(PageRole.WIZARD)
    page = await beside(stage, "wordlist", query=f"?role=wizard&token={token}")
    await page.wait_for_selector("#keys:not([hidden])")
    stage.tell(ActivityCommand(command="begin"), character="adelino")
    await eventually(lambda: page.locator("#answer", has_text="snake").count(), "the list")
    for number, (said, key) in enumerate(
        [("a viper", "1"), ("a bicycle", "3"), ("giraffe?", "2"), ("mumble", None), ("boa", "1")]
    ):
        stage.tell(SpeechHeard(text=said, confidence=0.2 if key is None else 0.9))
        await eventually(lambda many=number: len(stage.said("WordSpotted")) > many, "the ear")
        await page.wait_for_timeout(600)
        if key is not None:
            await press(page, key)
            await page.wait_for_timeout(100)
    await picture(page, "ahoy_judging.png")
    await no_barrier(page)
    assert {e.message.by for e in stage.said("OperatorDecided")} == {"judge"}
    stage.run.stop("all is pressed")
    await stage.task
    table = read_table([Recording(tmp_path / "log.jsonl", "one")])
    assert table.acts_on == "WordSpotted"
    assert [
        (row.moment.facts["WordSpotted"]["listed"], row.choice.label.rpartition("=")[2])
        for row in table.rows
    ] == [
        ("hot", "hot"),
        ("unlisted", "cold"),
        ("warm", "warm"),
        ("unlisted", "(nothing)"),
        ("hot", "hot"),
    ]
