"""Small robots stand on tables in the scenarios that ship, whichever robot is cast."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.animation.body import load_body
from sera.animation.body.shapes import shapes_of
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

REPOSITORY = Path(__file__).parents[2]
SCENARIOS = ("ahoy", "avantsatie", "hello", "reception", "rehearsal", "tutor")
ROBOTS = ("adelino", "emys", "keepon", "mybot_ksr", "nao", "nao_t14", "pepper", "romeo")
SMALL = {"emys", "keepon", "nao", "nao_t14"}


@pytest.fixture(scope="module")
def grounds():
    """How far below the frame of its body each robot ends."""
    return {name: shapes_of(load_body(REPOSITORY / "robots" / name), {})[2] for name in ROBOTS}


@pytest.mark.parametrize("name", SCENARIOS)
def test_whoever_is_cast_stands_on_the_floor_or_on_a_table(name, grounds):
    workspace = Workspace((REPOSITORY,))
    scenario = load_scenario(REPOSITORY / "scenarios" / name, workspace)
    for robot in ROBOTS:
        cast = scenario.overridden(robots=scenario.cast([robot], workspace))
        for character, card in cast.robots.items():
            foot_m = cast.characters[character].position_m[1] + grounds[card.name]
            if robot in SMALL:
                assert 0.7 <= foot_m <= 0.95, (character, robot)
            else:
                assert abs(foot_m) < 0.02, (character, robot)


def test_the_scenarios_own_robot_stands_where_the_file_says(grounds):
    workspace = Workspace((REPOSITORY,))
    rehearsal = load_scenario(REPOSITORY / "scenarios" / "rehearsal", workspace)
    for character, card in rehearsal.robots.items():
        foot_m = rehearsal.characters[character].position_m[1] + grounds[card.name]
        assert (foot_m > 0.7) == (card.name in SMALL), character
