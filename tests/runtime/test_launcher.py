"""Runs as a whole: the same log for the same seed, deaths survived, two runs on one broker."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.bus import BrokerAddress
from sera.messages import Envelope, RunOutcome
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.bus.brokers import retained_topics
from tests.helpers import so_many, until

HELLO = Path(__file__).resolve().parents[2] / "scenarios" / "hello"

RUN_HELLO = """
import sys
from pathlib import Path
from sera.runtime.clock import run
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

folder, log, seed, condition, duration_s = sys.argv[1:]
workspace = Workspace.discover()
workspace.activate()
scenario = load_scenario(Path(folder), workspace, condition or None)
scenario = scenario.overridden(seed=int(seed), duration_s=float(duration_s) or None)

async def main():
    return await Run(scenario, workspace, RunOptions(log=Path(log))).execute()

assert not run(main(), clock="virtual").failed
"""


BUSY_S = so_many(90, 600)


def run_hello(log: Path, *, seed: int, condition: str = "", duration_s: float = 0.0) -> bytes:
    """Run hello in virtual time in a process of its own; returns the bytes of its log."""
    arguments = map(str, (HELLO, log, seed, condition, duration_s))
    hash_seed = str(seed + 1)  # an order of sets and of texts that is not ours
    subprocess.run(
        [sys.executable, "-c", RUN_HELLO, *arguments],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    return log.read_bytes()


def run_hello_here(log: Path, *, seed: int, condition: str = "", duration_s: float = 0.0) -> bytes:
    """The same in this process."""
    workspace = Workspace.discover()
    workspace.activate()
    scenario = load_scenario(HELLO, workspace, condition or None)
    scenario = scenario.overridden(seed=seed, duration_s=duration_s or None)

    async def main() -> RunSummary:
        return await Run(scenario, workspace, RunOptions(log=log)).execute()

    assert not run_with_clock(main(), clock="virtual").failed
    return log.read_bytes()


def test_the_same_seed_writes_the_identical_log_in_another_process(tmp_path: Path) -> None:
    first = run_hello(tmp_path / "first.jsonl", seed=7)
    again = run_hello_here(tmp_path / "again.jsonl", seed=7)
    other = run_hello_here(tmp_path / "other.jsonl", seed=8)
    assert first == again
    assert first != other
    assert len(first.splitlines()) > 200


def test_a_long_run_in_virtual_time_writes_the_identical_log(tmp_path: Path) -> None:
    busy: Any = {"seed": 3, "condition": "busy", "duration_s": BUSY_S}
    first = run_hello(tmp_path / "first.jsonl", **busy)
    again = run_hello_here(tmp_path / "again.jsonl", **busy)
    assert first == again
    assert f'"end":{BUSY_S:g}'.encode() in first.splitlines()[-1]


def _workspace(folder: Path, modules: dict[str, str], scenario: str) -> Workspace:
    for name, source in modules.items():
        package = folder / "modules" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(textwrap.dedent(source), encoding="utf-8")
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(textwrap.dedent(scenario), encoding="utf-8")
    workspace = Workspace.discover(folder)
    workspace.activate()
    return workspace


def _play(workspace: Workspace, **options: Any) -> tuple[RunSummary, list[Envelope]]:
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        run = Run(load_scenario("play", workspace), workspace, RunOptions(record=False, **options))
        run.observe(seen.append)
        return await run.execute()

    return run_with_clock(main(), clock="virtual"), seen


TICKER = """
    from sera import Module
    from sera.messages import ActivityEvent

    class Ticker(Module):
        async def run(self) -> None:
            while True:
                await self.clock.sleep(1.0)
                await self.publish(ActivityEvent(event="tick"))
"""


def test_a_module_that_dies_is_restarted_while_the_rest_keeps_running(tmp_path: Path) -> None:
    workspace = _workspace(
        tmp_path,
        {
            "ticker": TICKER,
            "mortal": """
                from sera import Module

                class Mortal(Module):
                    async def run(self) -> None:
                        await self.clock.sleep(20.0)
                        raise RuntimeError("the camera was unplugged")
            """,
        },
        """
        [scenario]
        title = "Play"
        duration_s = 50.5
        [modules.ticker]
        [modules.mortal]
        """,
    )
    summary, seen = _play(workspace)
    ticks = [envelope.time for envelope in seen if envelope.type == "ActivityEvent"]
    assert summary.restarts == {"world.mortal": 2}
    assert summary.failed
    assert any("the camera was unplugged" in fault["summary"] for fault in summary.faults)
    assert ticks == pytest.approx([float(n) for n in range(1, 51)])
    assert summary.duration_s == pytest.approx(50.5, abs=0.5)


def test_a_module_that_dies_again_and_again_is_given_up_and_named(tmp_path: Path) -> None:
    workspace = _workspace(
        tmp_path,
        {
            "ticker": TICKER,
            "hopeless": """
                from sera import Module

                class Hopeless(Module):
                    async def start(self) -> None:
                        raise RuntimeError("no such device")
            """,
        },
        """
        [scenario]
        title = "Play"
        duration_s = 60.5
        [modules.hopeless]
        [modules.ticker]
        """,
    )
    summary, seen = _play(workspace)
    assert summary.restarts == {"world.hopeless": 6}
    assert any("given up" in fault["summary"] for fault in summary.faults)
    assert sum(envelope.type == "ActivityEvent" for envelope in seen) == 60


def test_a_character_without_a_robot_is_legal(tmp_path: Path) -> None:
    workspace = _workspace(
        tmp_path,
        {"ticker": TICKER},
        """
        [scenario]
        title = "Mock-up with people only"
        duration_s = 3
        [characters.teacher.modules.ticker]
        """,
    )
    summary, _ = _play(workspace)
    assert not summary.failed
    assert summary.modules == ["teacher.ticker"]


async def test_two_runs_of_one_scenario_share_a_broker_without_crosstalk(
    broker_kind: str, shared_brokers: Callable[[str], BrokerAddress], tmp_path: Path
) -> None:
    workspace = Workspace.discover()
    workspace.activate()
    scenario = load_scenario(HELLO, workspace)
    address = shared_brokers(broker_kind)

    async def play(number: int) -> RunSummary:
        options = RunOptions(
            broker=address, run_id=f"hello_{number}", log=tmp_path / f"{number}.jsonl"
        )
        run = Run(scenario, workspace, options)

        def end_soon(envelope: Envelope) -> None:
            if envelope.type == "UtteranceStarted":
                run.stop("enough was said", RunOutcome.COMPLETED)

        run.observe(end_soon)
        return await run.execute()

    summaries = await asyncio.gather(play(1), play(2))
    assert not any(summary.failed for summary in summaries), summaries
    for number, other in ((1, 2), (2, 1)):
        text = (tmp_path / f"{number}.jsonl").read_text(encoding="utf-8")
        assert f"sera/hello_{number}/world/PersonDetected" in text
        assert f"hello_{other}" not in text
        # A busy broker clears its State after everybody has left.
        await until(lambda: _is_clear(address, f"hello_{number}"), "the end of all State")  # noqa: B023


async def _is_clear(address: BrokerAddress, run: str) -> bool:
    return await asyncio.to_thread(retained_topics, address, run) == []


@pytest.mark.parametrize("named_by", ["command line", "environment", "scenario file"])
async def test_the_broker_is_taken_from_the_command_line_then_the_environment_then_the_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared_brokers: Callable[[str], BrokerAddress],
    named_by: str,
) -> None:
    nobody, here = "mqtt://127.0.0.1:1", shared_brokers("amqtt").url
    workspace = _workspace(
        tmp_path,
        {"ticker": TICKER},
        f"""
        [scenario]
        title = "Play"
        duration_s = 0.3
        [broker]
        url = "{here if named_by == "scenario file" else nobody}"
        [modules.ticker]
        """,
    )
    monkeypatch.delenv("SERA_BROKER", raising=False)
    if named_by != "scenario file":
        monkeypatch.setenv("SERA_BROKER", here if named_by == "environment" else nobody)
    chosen = BrokerAddress.parse(here) if named_by == "command line" else None
    options = RunOptions(record=False, broker=chosen)
    run = Run(load_scenario("play", workspace), workspace, options)
    summary = await run.execute()
    assert not summary.failed
    assert run.broker is None, "it must not start a broker of its own"
    assert summary.broker == here
