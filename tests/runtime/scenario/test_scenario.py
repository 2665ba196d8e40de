"""Scenario files: everything is checked before the start and every problem has its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.runtime._scenario_check import merge
from sera.runtime.scenario import ScenarioError, load_scenario
from sera.runtime.workspace import UnknownName

DECISION = """
from sera import Module

class Decision(Module):
    class Settings(Module.Settings):
        courage: float = 0.5

class Other(Module): ...
"""
HEAD = '[scenario]\ntitle = "Hello"\n'


FULL = """\
[scenario]
title = "Hello"
description = "A visitor comes."
seed = 7
duration_s = 60

[characters.ada]
robot = "adelino"
voice = "slt"
language = "en"
position_m = [0.0, 0.8, -0.5]
yaw_deg = 10
autonomy = { speech = "suggest", gaze = "autonomous" }

[characters.ada.modules.greeter]     # modules/greeter/ of this workspace
category = "greeting"
wait_s = 2

[characters.ada.modules.decision]
module = "./decision.py"
process = "own"
courage = 0.9

[characters.bob.modules.mind]
module = "./decision.py:Other"

[modules.door]
module = "greeter"
[modules.unused]
module = "needy"
enabled = false

[people.visitor]
seat = "left"

[space.screens.table]
position_m = [0, 0.7, 0.4]
pitch_deg = -90
width_m = 1.2
height_m = 0.7
pixels = [3840, 2160]
[space.seats.left]
position_m = [0.3, 1.2, 1.0]
yaw_deg = 180
[space.objects.card_box]
size_m = [0.1, 0.05, 0.1]
marker = "aruco_4x4:17"

[activity]
title = "Cards"
page = "index.html"
rounds = 7

[conditions.expressive]
[conditions.neutral.characters.ada.modules.greeter]
style = "cool"
[conditions.neutral.activity]
rounds = 3
[conditions.silent.characters.ada.modules.greeter]
enabled = false

[broker]
url = "mqtts://lab.example:8884"
username = "ada"
password_env = "SERA_TEST_PASSWORD"
tls_ca_file = "ca.pem"

[recording]
enabled = false
"""


@pytest.fixture
def full(lab: Any) -> Any:
    lab.write("scenarios/hello/decision.py", DECISION)
    return lab


def test_a_full_scenario_is_read_with_classes_found_and_settings_checked(full: Any) -> None:
    scenario = full.load(FULL)
    assert (scenario.name, scenario.title, scenario.seed) == ("hello", "Hello", 7)
    assert scenario.duration_s == 60.0
    assert scenario.folder == full.root.resolve() / "scenarios" / "hello"
    assert scenario.path == scenario.folder / "scenario.toml"
    assert [(plan.source, plan.module_class.__name__, plan.process) for plan in scenario.plans] == [
        ("world.door", "Greeter", "shared"),
        ("ada.greeter", "Greeter", "shared"),
        ("ada.decision", "Decision", "own"),
        ("bob.mind", "Other", "shared"),
    ]
    assert scenario.plan("ada", "greeter").settings.model_dump() == {
        "category": "greeting",
        "wait_s": 2.0,
        "style": "warm",
    }
    assert scenario.plan("ada", "decision").settings.model_dump() == {"courage": 0.9}
    assert [(name, card.title) for name, card in scenario.robots.items()] == [("ada", "Adelino")]
    assert scenario.characters["bob"].robot is None
    assert scenario.characters["ada"].position_m == (0.0, 0.8, -0.5)
    assert scenario.characters["ada"].autonomy == {"speech": "suggest", "gaze": "autonomous"}
    assert scenario.space.screens["table"].pixels == (3840, 2160)
    assert scenario.space.objects["card_box"].marker == "aruco_4x4:17"
    assert scenario.people["visitor"].seat == "left"
    assert scenario.activity == {"title": "Cards", "page": "index.html", "rounds": 7}
    assert scenario.recording.enabled is False
    assert scenario.conditions == ("expressive", "neutral", "silent")


def test_a_condition_is_laid_over_the_file_table_by_table(full: Any) -> None:
    neutral = full.load(FULL, "neutral")
    assert neutral.condition == "neutral"
    assert neutral.plan("ada", "greeter").settings.model_dump() == {
        "category": "greeting",
        "wait_s": 2.0,
        "style": "cool",
    }
    assert neutral.activity == {"title": "Cards", "page": "index.html", "rounds": 3}
    silent = full.load(FULL, "silent")
    assert [plan.source for plan in silent.plans] == ["world.door", "ada.decision", "bob.mind"]
    with pytest.raises(LookupError, match=r"no module 'ada\.greeter'"):
        silent.plan("ada", "greeter")


def test_the_command_line_replaces_seed_and_duration_and_is_checked_too(full: Any) -> None:
    scenario = full.load(FULL)
    changed = scenario.overridden(seed=3, duration_s=5)
    assert (changed.seed, changed.duration_s, changed.title) == (3, 5.0, "Hello")
    assert (scenario.seed, scenario.overridden().seed) == (7, 7)
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        scenario.overridden(seed=-1)


def test_the_smallest_scenario_is_a_title_and_a_character_without_a_robot(lab: Any) -> None:
    scenario = lab.load(f"{HEAD}[characters.ada]\n")
    assert scenario.plans == ()
    assert scenario.robots == {}
    assert scenario.broker_address() is None


def test_a_scenario_is_found_by_name_folder_and_file(lab: Any, tmp_path: Path) -> None:
    by_name = lab.load(HEAD)
    folder = lab.root / "scenarios" / "hello"
    for way in (folder, str(folder), folder / "scenario.toml"):
        assert load_scenario(way, lab.workspace).path == by_name.path
    single = lab.write("elsewhere/one_file.toml", HEAD)
    assert load_scenario(single, lab.workspace).name == "one_file"
    with pytest.raises(UnknownName, match="unknown scenario 'helo'; did you mean 'hello'"):
        load_scenario("helo", lab.workspace)
    with pytest.raises(ScenarioError, match="there is no such file"):
        load_scenario(tmp_path / "nowhere", lab.workspace)
    odd = lab.write("elsewhere/two-words/scenario.toml", HEAD)
    with pytest.raises(ScenarioError, match="for example 'two_words'"):
        load_scenario(odd, lab.workspace)


def test_the_password_comes_from_the_environment_or_a_file_and_never_from_the_scenario(
    full: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = full.load(FULL)
    monkeypatch.delenv("SERA_TEST_PASSWORD", raising=False)
    with pytest.raises(ValueError, match="SERA_TEST_PASSWORD is not set"):
        scenario.broker_address()
    monkeypatch.setenv("SERA_TEST_PASSWORD", "open sesame")
    address = scenario.broker_address()
    assert address is not None
    assert (address.host, address.port, address.tls) == ("lab.example", 8884, True)
    assert (address.username, address.password) == ("ada", "open sesame")
    assert address.ca_file == str(scenario.folder / "ca.pem")
    text = f'{HEAD}[broker]\nurl = "mqtt://host"\npassword_file = "secret.txt"\n'
    scenario = full.load(text)
    with pytest.raises(ValueError, match=r"secret\.txt cannot be read"):
        scenario.broker_address()
    full.write("scenarios/hello/secret.txt", "word\n")
    address = scenario.broker_address()
    assert address is not None
    assert (address.password, address.port) == ("word", 1883)


def test_an_unknown_condition_comes_with_the_nearest_one(full: Any) -> None:
    (problem,) = full.problems(FULL, "nuetral")
    assert problem.endswith(
        "the scenario has no condition 'nuetral'; did you mean 'neutral'? "
        "(it has expressive, neutral, silent)"
    )
    (problem,) = full.problems(HEAD, "neutral")
    assert problem.endswith("the scenario has no condition 'neutral' (it has none)")


def test_classes_can_come_from_elsewhere(lab: Any) -> None:
    from sera import Module

    class Planned(Module):
        class Settings(Module.Settings):
            x: int = 1

    lab.write("scenarios/hello/scenario.toml", f"{HEAD}[modules.anything]\nx = 5\n")
    asked = []

    def loader(implementation: str, folder: Path) -> type[Module]:
        asked.append((implementation, folder.name))
        return Planned

    scenario = load_scenario("hello", lab.workspace, class_loader=loader)
    assert asked == [("anything", "hello")]
    assert scenario.plans[0].settings == Planned.Settings(x=5)


_trees = st.recursive(
    st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8
)
_tables = st.dictionaries(st.sampled_from("abc"), _trees)


@given(_tables, _tables)
def test_laying_a_table_over_another_keeps_both_and_the_overlay_wins(
    base: dict, over: dict
) -> None:
    merged = merge(base, over)
    assert merged.keys() == base.keys() | over.keys()
    assert merge(merged, over) == merged
    assert merge(base, {}) == base
    for key, value in over.items():
        if not isinstance(value, dict) or not isinstance(base.get(key), dict):
            assert merged[key] == value
