"""What reaches a module that is still starting is done when it has started, if that is soon."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import Envelope
from sera.runtime._delivery import Delivery
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

SLOW = '''
import asyncio
LOADS_S = 2.5

from sera import Module, on
from sera.messages import Glance


class Slow(Module):
    """Takes its time to start, longer than a glance is worth giving."""

    async def start(self) -> None:
        await asyncio.sleep(LOADS_S)

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
title = "Loading"
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
    folder = tmp_path / "scenarios" / "loading"
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


async def test_what_is_too_old_for_a_moment_that_has_passed_is_not_done() -> None:
    now_s = [100.0]
    bus = MemoryBus(Identity("r", "ada", "slow"), MemoryBroker(), now=lambda: now_s[0])
    await bus.connect()
    delivery = Delivery(bus, now=lambda: now_s[0])
    await delivery.open()

    def counts_from(sent_s: float) -> float:
        return delivery._counts_from_s(SimpleNamespace(time=sent_s))

    now_s[0] = 103.0
    delivery.has_started()
    assert counts_from(101.0) == 103.0, "it came while the module was loading"
    assert counts_from(104.0) == 104.0, "it came later"
    assert counts_from(99.0) == 99.0, "it was meant for an earlier life"
    now_s[0] = 120.0
    delivery.has_started()
    assert counts_from(101.0) == 101.0, "loading took too long"
    await bus.close()
