"""Whole runs with an animation engine in them, in virtual time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from sera.messages import BodyState, Envelope, JointFrame
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
BODY = """
[characters.{name}]
{robot}
[characters.{name}.modules.engine]
module = "animation_engine"
[characters.{name}.modules.body]
module = "robot_bridge"
"""


def perform(folder: Path, scenario: str, **overridden: Any) -> tuple[RunSummary, list[Envelope]]:
    """Run a scenario of a workspace of its own; returns all that was said."""
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(
        '[scenario]\ntitle = "Play"\nduration_s = 3\n' + scenario, encoding="utf-8"
    )
    workspace = Workspace.discover(folder)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        loaded = load_scenario("play", workspace).overridden(**overridden)
        run = Run(loaded, workspace, RunOptions(record=False))
        run.observe(seen.append)
        return await run.execute()

    return run_with_clock(main(), clock="virtual"), seen


def test_two_characters_with_two_robots_move_side_by_side(tmp_path: Path):
    summary, seen = perform(
        tmp_path,
        BODY.format(name="ada", robot='robot = "adelino"')
        + BODY.format(name="ben", robot='robot = "nao"'),
    )
    assert not summary.failed, summary.faults
    for name, joint, count in (("ada", "base", 5), ("ben", "HeadYaw", 23)):
        own = [e.message for e in seen if e.character == name]
        frames = [message for message in own if isinstance(message, JointFrame)]
        assert len(frames) > 120
        assert joint in frames[0].joints_rad
        assert len(frames[0].joints_rad) >= count
        bodies = [message for message in own if isinstance(message, BodyState)]
        assert str(bodies[-1].health) == "ok"
        assert bodies[-1].counts.get("unknown", 0) == 0


def test_a_character_without_a_robot_fails_with_a_sentence_that_says_what_to_write(tmp_path: Path):
    summary, _ = perform(tmp_path, BODY.format(name="ada", robot=""), duration_s=30.0)
    assert summary.failed
    said = " ".join(fault["summary"] for fault in summary.faults)
    assert "the character 'ada' has no robot to animate; write robot = \"adelino\"" in said


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("program.toml", '[[layers]]\nname = "a"\nmode = "ad"\n', "program.toml:3"),
        ("animations/fly.toml", '[animation]\ntitle = "Fly"\nlop = true\n', "fly.toml:3"),
        ("controllers/odd.py", "x = 1\nraise ValueError('no')\n", "odd.py:2"),
    ],
)
def test_what_is_broken_in_a_robots_folder_is_named_with_its_line_and_the_run_fails(
    tmp_path: Path, file: str, text: str, place: str
):
    robot = tmp_path / "robots" / "mine"
    shutil.copytree(ROOT / "robots" / "adelino", robot)
    (robot / file).parent.mkdir(exist_ok=True)
    (robot / file).write_text(text, encoding="utf-8")
    scenario = BODY.format(name="ada", robot='robot = "mine"')
    summary, seen = perform(tmp_path, scenario, duration_s=30.0)
    assert summary.failed
    assert summary.outcome == "completed", "the rest of the run went on to its end"
    assert any(place in fault["summary"] for fault in summary.faults), summary.faults
    assert not any(isinstance(e.message, JointFrame) for e in seen)


def test_two_runs_of_hello_write_the_same_log(tmp_path: Path):
    workspace = Workspace.discover(ROOT)
    workspace.activate()

    def log(name: str) -> bytes:
        async def main() -> RunSummary:
            scenario = load_scenario("hello", workspace).overridden(seed=5)
            options = RunOptions(log=tmp_path / name)
            return await Run(scenario, workspace, options).execute()

        assert not run_with_clock(main(), clock="virtual").failed
        return (tmp_path / name).read_bytes()

    first = log("first.jsonl")
    assert first.count(b'"JointFrame"') > 500
    assert first == log("second.jsonl")
