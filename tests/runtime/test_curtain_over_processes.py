"""Nobody acts before modules in processes of their own have started: no first order is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

SLOW = '''
import asyncio
from sera import Module, on
from sera.messages import Glance


class Slow(Module):
    """Takes its time to start, longer than a glance is worth giving."""

    async def start(self) -> None:
        await asyncio.sleep(2.5)

    @on(Glance)
    async def look(self, message: Glance) -> None:
        await self.end_run("looked")
'''
EAGER = '''
from sera import Module
from sera.messages import Glance


class Eager(Module):
    """Gives an order as soon as it may."""

    async def run(self) -> None:
        await self.publish(Glance(target="screen"))
'''
SCENARIO = """
[scenario]
title = "Curtain"
duration_s = 20
[characters.ada.modules.slow]
process = "own"
[characters.ada.modules.eager]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Any:
    for name, code in (("slow", SLOW), ("eager", EAGER)):
        folder = tmp_path / "modules" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f'"""A module."""\n{code}', encoding="utf-8")
    folder = tmp_path / "scenarios" / "curtain"
    folder.mkdir(parents=True)
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    workspace = Workspace.discover(folder)
    workspace.activate()
    return load_scenario(folder, workspace), workspace


def test_the_first_order_to_an_engine_that_loads_for_seconds_is_performed(scenario: Any) -> None:
    heard: list[Envelope] = []

    async def play() -> Any:
        run = Run(*scenario, RunOptions(record=False))
        run.observe(heard.append)
        return await run.execute()

    summary = run_in_loop(play(), clock="real")
    assert summary.reason == "looked"
    assert [one for one in heard if one.type == "ActionExpired"] == []
