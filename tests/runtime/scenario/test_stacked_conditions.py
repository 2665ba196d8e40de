"""Conditions laid over each other with `+`, and settings changed after a scenario was read."""

from __future__ import annotations

from typing import Any

import pytest

from sera.runtime.scenario import ScenarioError

TEXT = """\
[scenario]
title = "Hello"
duration_s = 60
[characters.ada.modules.greeter]
category = "greeting"
[modules.door]
module = "greeter"

[conditions.cool.characters.ada.modules.greeter]
style = "cool"
wait_s = 2
[conditions.slow.characters.ada.modules.greeter]
wait_s = 9
[conditions.short.scenario]
duration_s = 5
[conditions.closed.modules.door]
enabled = false
"""


def settings(scenario: Any, character: str = "ada", module: str = "greeter") -> Any:
    return scenario.plan(character, module).settings


def test_what_several_conditions_say_is_laid_one_over_the_other(lab: Any) -> None:
    scenario = lab.load(TEXT, "cool+short+closed")
    assert scenario.condition == "cool+short+closed"
    assert (settings(scenario).style, settings(scenario).wait_s) == ("cool", 2.0)
    assert settings(scenario).category == "greeting"
    assert scenario.duration_s == 5
    assert [plan.source for plan in scenario.plans] == ["ada.greeter"]
    assert scenario.conditions == ("cool", "slow", "short", "closed")


def test_of_two_that_say_something_about_the_same_the_later_one_holds(lab: Any) -> None:
    assert settings(lab.load(TEXT, "cool+slow")).wait_s == 9.0
    assert settings(lab.load(TEXT, "slow+cool")).wait_s == 2.0
    assert settings(lab.load(TEXT, "slow+cool")).style == "cool"


def test_the_same_condition_twice_is_as_good_as_once(lab: Any) -> None:
    assert settings(lab.load(TEXT, "cool+cool")) == settings(lab.load(TEXT, "cool"))


@pytest.mark.parametrize(
    ("condition", "unknown", "near"),
    [
        ("cool+shrt", "shrt", "; did you mean 'short'?"),
        ("coool+short", "coool", "; did you mean 'cool'?"),
        ("cool+", "", ""),
        ("+", "", ""),
        ("cool short", "cool short", ""),
    ],
)
def test_an_unknown_part_is_named_with_the_nearest_one(
    lab: Any, condition: str, unknown: str, near: str
) -> None:
    problems = lab.problems(TEXT, condition)
    assert f"the scenario has no condition '{unknown}'{near}" in problems[0]
    assert problems[0].endswith("(it has cool, slow, short, closed)")


def test_every_unknown_part_is_told(lab: Any) -> None:
    one, other = lab.problems(TEXT, "coool+slow+closd")
    assert "'coool'" in one
    assert "'closd'" in other


CLASHING = """\
[scenario]
title = "Hello"
[modules.door]
module = "greeter"
[conditions.plain.modules.door]
category = "a"
[conditions.wired.modules.door]
module = "needy"
port = "x"
[conditions.named.modules.door]
category = "b"
"""


def test_what_only_goes_wrong_together_is_told_at_the_line_that_holds(lab: Any) -> None:
    """Each condition is right for itself; the settings of one are not those of the other's module.

    Of two conditions that set the key, the later one's line is the one to look at.
    """
    assert lab.load(CLASHING, "plain+named").plan("world", "door").settings.category == "b"
    assert lab.load(CLASHING, "wired").plan("world", "door").settings.port == "x"
    (problem,) = lab.problems(CLASHING, "wired+plain")
    assert problem.startswith(":6: conditions.plain.modules.door.category: unknown key 'category'")
    (problem,) = lab.problems(CLASHING, "plain+wired+named")
    assert problem.startswith(":11: conditions.named.modules.door.category: unknown key 'category'")


def test_a_condition_that_is_wrong_alone_is_wrong_in_company(lab: Any) -> None:
    text = f"{TEXT}[conditions.odd.characters.ada.modules.greeter]\nstyl = 'x'\n"
    with pytest.raises(ScenarioError, match=r"conditions\.odd\.characters\.ada.*'styl'"):
        lab.load(text, "cool+odd")


# -- settings afterwards ----------------------------------------------------------------------


def test_settings_are_changed_in_a_scenario_that_was_read(lab: Any) -> None:
    scenario = lab.load(TEXT, "cool")
    other = scenario.with_settings({"ada.greeter": {"wait_s": 4}, "world.door": {"style": "cool"}})
    assert (settings(other).wait_s, settings(other).style) == (4.0, "cool")
    assert settings(other, "world", "door").style == "cool"
    assert settings(scenario).wait_s == 2.0  # the one that was read is as it was
    assert settings(scenario, "world", "door").style == "warm"
    assert scenario.with_settings({}).plans == scenario.plans
    assert [plan.source for plan in other.plans] == [plan.source for plan in scenario.plans]


@pytest.mark.parametrize(
    ("changes", "kind", "sentence"),
    [
        ({"ada.greter": {"wait_s": 1}}, LookupError, "'ada.greter'; did you mean 'ada.greeter'"),
        ({"ada.greeter": {"wait": 1}}, LookupError, "no setting 'wait'; did you mean 'wait_s'"),
        ({"ada.greeter": {"zzz": 1}}, LookupError, "it has category, wait_s, style"),
        ({"ada.greeter": {"wait_s": -1}}, ValueError, r"ada\.greeter\.wait_s: .*greater than 0"),
        ({"ada.greeter": {"style": "hot"}}, ValueError, r"ada\.greeter\.style: .*'warm' or 'cool'"),
        ({"greeter": {"wait_s": 1}}, LookupError, "starts no module 'world.greeter'"),
    ],
)
def test_settings_that_do_not_fit_get_a_sentence(
    lab: Any, changes: Any, kind: type[Exception], sentence: str
) -> None:
    scenario = lab.load(TEXT)
    with pytest.raises(kind, match=sentence):
        scenario.with_settings(changes)
