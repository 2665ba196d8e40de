"""What a page is told of a character's abilities: names from files, targets, markup."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Position, TargetRemoved, TargetUpdated
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

TWO = """
[scenario]
title = "Two"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[characters.voice]
[people.guest]
position_m = [0.0, 1.2, 1.0]
[space.objects.vase]
position_m = [0.3, 0.7, 0.6]
[space.screens.wall]
position_m = [0.0, 1.5, 2.0]
width_m = 1.0
height_m = 0.5
pixels = [1920, 1080]
[activity]
actions = ["open_door"]
"""


@pytest.fixture
def two(tmp_path: Path) -> Scenario:
    (tmp_path / "scenario.toml").write_text(TWO, encoding="utf-8")
    workspace = Workspace.discover(Path(__file__))
    workspace.activate()
    return load_scenario(tmp_path, workspace)


def put(folder: Path, name: str, text: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


async def test_the_scenarios_own_files_come_over_the_robots_and_the_shared_ones(
    two: Scenario, ask_console: Any
) -> None:
    put(
        two.folder,
        "animations/wave.toml",
        '[animation]\ntitle = "Mine"\n[[channels]]\nname = "Gazing.Vertical"\n'
        "keys = [[0, 0], [9, 5], [12.5, 0]]\n",
    )
    put(two.folder, "postures/asleep.toml", '[values]\n"Gazing.Vertical" = -20\n')
    put(two.folder, "policies.toml", '[policies.shy]\nbased_on = "mutual"\nbreaking = true\n')
    feeling = '[emotions.stage_fright]\npad = [-0.4, 0.8, -0.5]\nsource = "ours"\n'
    put(two.folder, "emotions.toml", feeling)
    client, _ = ask_console(two)
    told = (await client.get("/console/api/repertoire?character=ada")).json()
    animations = {each["name"]: each["duration_s"] for each in told["animations"]}
    assert animations["wave"] == 12.5
    assert {"nod", "shake"} <= animations.keys()
    assert all(each is None or each > 0 for each in animations.values())
    assert {"asleep", "proud", "thinking"} <= set(told["postures"])
    assert {"joy", "sadness"} <= set(told["faces"])
    assert {"shy", "mutual"} <= set(told["gaze_policies"])
    assert told["emotions"][:2] == ["happiness", "sadness"]
    assert "neutral" not in told["emotions"]
    assert told["problems"] == []


async def test_targets_say_what_they_are_and_come_and_go_with_the_run(
    two: Scenario, ask_console: Any
) -> None:
    client, hear = ask_console(two)
    before = (await client.get("/console/api/repertoire")).json()["targets"]
    kinds = {each["name"]: each["kind"] for each in before}
    expected = {"guest": "person", "vase": "object", "wall": "screen", "voice": "character"}
    assert kinds.items() >= expected.items()
    assert kinds["person1"] == "person"
    assert kinds["top"] == "angle"
    assert "ada" not in kinds, "nobody looks at itself"
    place = Position(x_m=1, y_m=1, z_m=1)
    hear(TargetUpdated(target="ball", position=place), "world")
    hear(TargetUpdated(target="her_own", alias_of="vase"), "voice")
    hear(TargetUpdated(target="lost", alias_of="ball"), "ada")
    told = (await client.get("/console/api/repertoire")).json()["targets"]
    now = {each["name"]: each["kind"] for each in told}
    assert now["ball"] == now["lost"] == "position"
    assert "her_own" not in now
    hear(TargetRemoved(target="ball"), "world")
    told = (await client.get("/console/api/repertoire")).json()["targets"]
    assert "ball" not in {each["name"] for each in told}


async def test_every_verb_comes_with_an_example_that_can_be_performed(
    two: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(two)
    told = (await client.get("/console/api/repertoire?character=ada")).json()
    forms = {each["name"]: each for each in told["verbs"]}
    assert forms["GLANCE"]["form"] == "<GLANCE(target[, seconds])>"
    assert forms["GAME"]["example"] == "<GAME(open_door)>"
    assert forms["ANIMATE"]["example"] == "<ANIMATE(nod)>"
    examples = " ".join(f"word {each['example']}" for each in (*told["verbs"], *told["controls"]))
    previewed = await client.post("/console/api/library/preview", json={"text": examples})
    assert previewed.json()["problems"] == []
    assert all(each["about"] for each in told["verbs"])


async def test_a_file_that_cannot_be_used_is_told_and_the_others_are_there(
    two: Scenario, ask_console: Any
) -> None:
    put(two.folder, "animations/broken.toml", "[animation\n")
    put(two.folder, "postures/odd.toml", "[values]\n")
    put(two.folder, "policies.toml", "[policies.shy]\nbreakin = true\n")
    client, _ = ask_console(two)
    told = (await client.get("/console/api/repertoire")).json()
    for part in ("broken.toml", "odd.toml", "policies.toml"):
        assert any(part in sentence for sentence in told["problems"]), part
    assert "nod" in {each["name"] for each in told["animations"]}
    assert "mutual" in told["gaze_policies"]
    (two.folder / "animations" / "broken.toml").unlink()
    again = (await client.get("/console/api/repertoire")).json()
    assert not any("broken.toml" in sentence for sentence in again["problems"])


async def test_who_is_unknown_is_answered_with_the_nearest_name(
    two: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(two)
    wrong = await client.get("/console/api/repertoire?character=adda")
    assert wrong.status_code == 404
    assert "did you mean 'ada'?" in wrong.json()["why"]
    hostile = await client.get("/console/api/library", params={"character": "../" * 500})
    assert hostile.status_code == 404
    assert len(hostile.json()["why"]) < 200


async def test_without_a_scenario_or_a_body_the_lists_are_empty(
    two: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(None)
    alone = (await client.get("/console/api/repertoire?character=ada")).json()
    assert set(alone) >= {"postures", "animations", "targets", "verbs", "languages"}
    assert not any(alone.values())
    client, _ = ask_console(two)
    bodiless = (await client.get("/console/api/repertoire?character=voice")).json()
    assert bodiless["animations"] == bodiless["postures"] == []
    assert bodiless["verbs"]


async def test_participants_are_told_nothing(two: Scenario, ask_console: Any) -> None:
    client, _ = ask_console(two, role="participant")
    for path in ("repertoire", "library"):
        assert (await client.get(f"/console/api/{path}")).status_code == 403
    assert (await client.post("/console/api/library/preview", json={})).status_code == 403


def test_the_gateways_process_stays_light() -> None:
    code = """
import sys
from pathlib import Path
from sera.console._cast import Cast
from sera.console import repertoire, library
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
workspace = Workspace.discover(Path.cwd())
workspace.activate()
cast = Cast("nao", load_scenario("tutor", workspace), tuple(workspace.roots))
found = repertoire.abilities_of(cast)
assert found.animations and not found.problems, found.problems
assert len(library._read(cast, None).library) > 10
print([heavy for heavy in ("numba", "scipy", "cv2", "openpyxl") if heavy in sys.modules])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
