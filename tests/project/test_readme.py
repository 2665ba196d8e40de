"""What the README shows is what works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from sera.messages import Envelope, PerformUtterance
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

ARRIVAL = """
from sera import Module
from sera.messages import PersonDetected

class Arrival(Module):
    async def run(self) -> None:
        await self.clock.sleep(0.5)
        await self.publish(PersonDetected(person="visitor_1"))
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def commands() -> list[str]:
    """Every `sera …` of the README: lines of shell blocks, and in running text."""
    in_blocks = [
        line.split("#")[0].strip()
        for block in blocks("sh")
        for line in block.splitlines()
        if line.startswith("sera ")
    ]
    in_text = re.findall(r"`(sera [^`]+)`", README)
    return sorted({*in_blocks, *(text.split("\\|")[0] for text in in_text)})


def test_the_module_and_the_scenario_of_the_readme_run(tmp_path: Path) -> None:
    greeter, arrival = tmp_path / "modules" / "greeter", tmp_path / "modules" / "arrival"
    scenario = tmp_path / "scenarios" / "welcome"
    for folder in (greeter, arrival, scenario):
        folder.mkdir(parents=True)
    (greeter / "__init__.py").write_text(blocks("python")[0], encoding="utf-8")
    (arrival / "__init__.py").write_text(ARRIVAL, encoding="utf-8")
    (scenario / "scenario.toml").write_text(blocks("toml")[0], encoding="utf-8")
    workspace = Workspace.discover(tmp_path)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        loaded = load_scenario("welcome", workspace).overridden(duration_s=5.0)
        options = RunOptions(record=False, extra_modules={"arrival": {}})
        run = Run(loaded, workspace, options)
        run.observe(seen.append)
        return await run.execute()

    summary = run_with_clock(main(), clock="virtual")
    assert not summary.failed
    orders = [envelope for envelope in seen if isinstance(envelope.message, PerformUtterance)]
    assert [order.message for order in orders] == [
        PerformUtterance(category="greeting", words={"visitor": "visitor_1"})
    ]
    arrivals = [envelope.id for envelope in seen if envelope.type == "PersonDetected"]
    assert orders[0].cause == arrivals[0]
    assert orders[0].source == "ada.greeter"


def test_the_kinematics_of_the_readme_run(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(block for block in blocks("python") if "sera.kinematics" in block)
    names: dict[str, Any] = {}
    exec(code, names)
    solution, frames, chain = names["solution"], names["frames"], names["chain"]
    assert capsys.readouterr().out.startswith("True 0.0")
    assert chain.within_limits(solution.angles_rad)
    assert len(names["batch"]) == 1000
    assert len(frames) == 120
    assert abs(frames[-1] - solution.angles_rad).max() < 0.02


def test_the_readme_shows_some_commands() -> None:
    assert len(commands()) > 15


@pytest.mark.parametrize("text", commands())
def test_a_command_of_the_readme_exists_with_its_options(text: str) -> None:
    from sera.cli import app
    from sera.cli._animation import app as animation_app
    from sera.cli._camera import app as camera_app
    from sera.cli._dialogue import app as dialogue_app
    from sera.cli._emotion import app as emotion_app
    from sera.cli._evaluate import app as evaluate_app
    from sera.cli._gaze import app as gaze_app
    from sera.cli._log import app as log_app
    from sera.cli._space import app as space_app
    from sera.cli._study import app as study_app
    from sera.cli._utterances import app as utterances_app

    words = shlex.split(text.replace("|", " "))[1:]
    # Which the root loads when they are called.
    late = {
        "log": log_app,
        "evaluate": evaluate_app,
        "animation": animation_app,
        "utterances": utterances_app,
        "space": space_app,
        "camera": camera_app,
        "gaze": gaze_app,
        "dialogue": dialogue_app,
        "emotion": emotion_app,
        "study": study_app,
    }
    if words[0] in late:
        app = late[words.pop(0)]
    command: Any = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    assert not hasattr(command, "commands") or not words, f"there is no command for `{text}`"
    known = {option for parameter in command.params for option in parameter.opts}
    for word in words:
        if word.startswith("--"):
            assert word.split("=")[0] in known, f"`{text}` uses an option that is not there"


def test_every_file_that_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
