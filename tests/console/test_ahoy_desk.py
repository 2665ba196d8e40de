"""The pantomime's desks, wall and word list in real browsers: one Wizard, and two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sera.messages import ActivityCommand, SpeechHeard, find_message_type
from sera.study.policy import Recording, read_table
from sera.study.policy.table import SOONEST_S
from sera.web import PageRole, may_receive
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

PLAY = "c1"
ROUND_S = 600.0
"""A round, and the pause after it, are as long as a slow machine may need to look at them."""


async def press(page: Any, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def played(make: Any, condition: str = PLAY, **options: Any) -> Any:
    stage = await make("ahoy", condition=condition, **options)
    rules = game(stage)
    rules.time_limit_s = rules.pause_s = ROUND_S
    return stage


async def acted(share_stage: Any) -> Any:
    """A game whose first word is being acted, and nobody guesses it."""
    stage = await played(share_stage)
    stage.tell(ActivityCommand(command="begin"), character="adelino")
    await until(lambda: game(stage).phase == "guessing", "the first round")
    return stage


def game(stage: Any) -> Any:
    return next(module for module in stage.run.modules if module.source == "world.game")._game


async def beside(stage: Any, name: str, *, query: str = "", **options: Any) -> Any:
    """A page of the scenario, in a tab of its own."""
    url = f"{stage.origin}/pages/{name}.html{query}"
    return await stage.tab(url, viewport={"width": 1280, "height": 720}, **options)


def postures(stage: Any) -> list[str]:
    return [e.message.posture for e in stage.said("SetPosture")]


def ratings(stage: Any) -> list[str]:
    return [str(e.message.rating) for e in stage.said("GuessRated")]


async def test_one_wizard_plays_a_round_with_single_keys(make_stage: Any, picture: Any) -> None:
    stage = await played(make_stage)
    page = await stage.open("operate", dark=True)
    await press(page, "1")
    why = "the game has not begun"
    await until(lambda: any(why in e.message.summary for e in stage.said("ModuleFault")), why)
    await press(page, "c", "b")
    await until(lambda: stage.said("RoundBegan"), "the first round")
    await picture(page, "ahoy_desk_dark.png")
    for key, rating, posture in (
        ("1", "hot", "engaged"),
        ("2", "warm", "in_between"),
        ("3", "cold", "unengaged"),
    ):
        await press(page, key)
        await until(lambda wanted=rating: ratings(stage)[-1:] == [wanted], rating)
        await until(lambda wanted=posture: postures(stage)[-1:] == [wanted], posture)
    await press(page, "4")
    (ended,) = await until(lambda: stage.said("RoundEnded"), "the end of the round")
    assert (ended.message.outcome, ended.message.guesses) == ("correct", 4)
    animations = [e.message.animation for e in stage.said("PlayAnimation")]
    assert animations[0] == "snake"
    await until(lambda: stage.said("PlayAnimation")[-1].message.animation == "affirm", "the nod")
    decided = [e.message for e in stage.said("OperatorDecided")]
    assert {one.by for one in decided} == {"wizard"}
    assert [one.action_type for one in decided].count("RateGuess") == 5


async def test_two_wizards_share_the_work_and_neither_can_press_the_others_keys(
    make_stage: Any, picture: Any
) -> None:
    stage = await played(make_stage)
    judge = await stage.open("operate", query="?desk=judge")
    second = await stage.open("operate", query="?desk=posture", dark=True)
    await press(judge, "c", "b")
    await until(lambda: stage.said("RoundBegan"), "the first round")
    await until(
        lambda: (
            {seat.desk for e in stage.said("OperatorsPresent") for seat in e.message.operators}
            >= {"judge", "posture"}
        ),
        "both seats",
    )
    await picture(judge, "ahoy_judge.png")
    await picture(second, "ahoy_posture_dark.png")
    await until(lambda: stage.said("PlayAnimation"), "the word")
    before = len(postures(stage))
    await press(judge, "1")
    await until(lambda: ratings(stage) == ["hot"], "the rating")
    await press(second, "7")
    await until(lambda: postures(stage)[before:] == ["engaged"], "the posture")
    # Keys of the other desk do nothing.
    await press(second, "3")
    await press(judge, "9")
    await press(second, "9")
    await until(lambda: postures(stage)[before:] == ["engaged", "unengaged"], "the next one")
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
    make_stage: Any,
) -> None:
    stage = await played(make_stage, "c2")
    page = await stage.open("operate")
    labels = await page.locator(".custom-button").all_inner_texts()
    assert [label.split("\n")[0].rstrip("0123456789 ") for label in labels[:8]] == [
        *("Hot", "Warm", "Cold", "Correct"),
        *("Engaged", "In between", "Unengaged", "Neutral"),
    ]
    assert not await page.get_by_text("console.toml has mistakes").count()
    await press(page, "c", "b")
    await until(lambda: stage.said("RoundBegan"), "the first round")
    for key in ("1", "3", "7", "2"):
        await press(page, key)
    await until(lambda: ratings(stage) == ["hot", "cold", "warm"], "the ratings")
    await until(lambda: stage.said("ShowHint"), "the hint")
    assert set(postures(stage)) == {"neutral"}


async def test_the_wall_shows_category_round_and_time_and_the_list_shows_the_words(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await played(make_stage)
    wall, listed = await beside(stage, "ahoy"), await beside(stage, "wordlist", dark=True)
    await until(lambda: wall.locator("#category", has_text="Ahoy!").count(), "the wall")
    console = await stage.open("operate")
    await press(console, "c", "b")
    await until(lambda: wall.locator("#category", has_text="An animal").count(), "a category")
    assert await wall.inner_text("#round") == "Word 1 of 7"
    left = int(await wall.inner_text("#left"))
    # A page knows the run's clock to half of its slowest answer.
    assert 0 < left <= ROUND_S + 30
    await until(lambda: _less(wall, left), "the countdown")
    assert "snake" not in (await wall.content()).lower()
    await until(lambda: listed.locator("#answer", has_text="snake").count(), "the answer")
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
    await until(lambda: wall.locator("#category", has_text="An animal").count(), "it again")
    seats = stage.said("OperatorsPresent")[-1].message.operators
    assert {(seat.desk, seat.role) for seat in seats} == {
        *(("list", "observer"), ("wizard", "wizard"))
    }
    await press(console, "4")
    await until(lambda: wall.locator("#wall[data-phase=between]").count(), "the pause")
    await until(lambda: listed.locator("#lists[hidden]").count(), "the hidden list")


async def _less(wall: Any, left: int) -> bool:
    return int(await wall.inner_text("#left")) < left


async def test_a_list_that_opens_in_mid_round_counts_down_with_the_wall(share_stage: Any) -> None:
    stage = await acted(share_stage)
    ends_s = game(stage).round.began_s + ROUND_S
    wall = await beside(stage, "ahoy")
    # A list that began to count when it came would now be away by more than is forgiven below.
    await until(lambda: wall.locator("#category", has_text="An animal").count(), "the wall")
    await until(lambda: _less(wall, ROUND_S - 3), "the middle of the round")
    listed = await beside(stage, "wordlist")
    for _ in range(2):
        await until(lambda: listed.locator("#answer", has_text="snake").count(), "the list")
        await until(lambda: _agree(wall, listed, ends_s), "the same time on both")
        await listed.reload()


async def _agree(wall: Any, listed: Any, ends_s: float) -> bool:
    """Whether the list counts as the wall does just before and after, and as the run's clock."""
    before = int(await wall.inner_text("#left"))
    left, left_s = await listed.evaluate(
        "async (ends) => { const { connect } = await import('/sera.js');"
        " const sera = await connect({ role: 'observer' }); const now = sera.now(); sera.close();"
        " return [Number(document.getElementById('left').textContent), ends - now]; }",
        ends_s,
    )
    after = int(await wall.inner_text("#left"))
    return after - 1 <= left <= before + 1 and abs(left - left_s) <= 1.5


@pytest.mark.parametrize("size", [(393, 851), (851, 393), (1280, 720)])
async def test_on_small_screens_the_page_of_the_list_scrolls_and_no_list_in_it(
    share_stage: Any, picture: Any, size: tuple[int, int]
) -> None:
    stage = await acted(share_stage)
    listed = await beside(stage, "wordlist", query="?role=wizard")
    width, height = size
    await listed.set_viewport_size({"width": width, "height": height})
    await until(lambda: listed.locator("#answer", has_text="snake").count(), "the list")
    await picture(listed, f"ahoy_wordlist_{width}.png")
    hidden = "[...document.querySelectorAll('ol')].filter((one) => one.scrollHeight > "
    assert not await listed.evaluate(f"{hidden} one.clientHeight + 1).length")
    assert await listed.evaluate("document.documentElement.scrollWidth") <= width
    await listed.locator("#warm li").last.scroll_into_view_if_needed()
    for stays in ("#answer", "#left", "#keys"):
        box = await listed.locator(stays).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


async def test_no_page_of_a_player_may_be_told_the_words(share_stage: Any) -> None:
    await played(share_stage)
    for name in ("WordList", "RoundBegan", "GuessRated", "WordSpotted"):
        kind = find_message_type(name)
        assert not may_receive(PageRole.ACTIVITY, kind)
        assert not may_receive(PageRole.PARTICIPANT, kind)
        assert may_receive(PageRole.WIZARD, kind)


async def test_what_a_person_presses_in_restricted_perception_makes_cases_to_learn_from(
    make_stage: Any, tmp_path: Path, picture: Any, no_barrier: Any
) -> None:
    stage = await played(make_stage, f"{PLAY}+restricted", record=True)
    token = stage.gateway.engine.tokens.for_role(PageRole.WIZARD)
    page = await beside(stage, "wordlist", query=f"?role=wizard&token={token}")
    await page.wait_for_selector("#keys:not([hidden])")
    stage.tell(ActivityCommand(command="begin"), character="adelino")
    await until(lambda: page.locator("#answer", has_text="snake").count(), "the list")
    for number, (said, key) in enumerate(
        [("a viper", "1"), ("a bicycle", "3"), ("giraffe?", "2"), ("mumble", None), ("boa", "1")]
    ):
        stage.tell(SpeechHeard(text=said, confidence=0.2 if key is None else 0.9))
        await until(lambda many=number: len(stage.said("WordSpotted")) > many, "the ear")
        # What is pressed sooner was meant for what came before.
        earliest_s = stage.said("WordSpotted")[-1].time + SOONEST_S
        await until(lambda wait_s=earliest_s: stage.run.clock.now() > wait_s, "a reaction's time")
        if key is not None:
            many = len(ratings(stage))
            await press(page, key)
            await until(lambda many=many: len(ratings(stage)) > many, "the rating")
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
