"""The curtain: nobody acts before everybody who shares the process is ready."""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path

from sera.messages import ActivityEvent, Envelope
from sera.runtime._curtain import Curtain
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.helpers import PATIENCE_S

ACTORS = """
    from sera import Module
    from sera.messages import ActivityEvent

    class Slow(Module):
        class Settings(Module.Settings):
            fails: bool = False

        async def start(self) -> None:
            await self.clock.sleep(4.0)
            if self.settings.fails:
                raise RuntimeError("no camera")

        async def run(self) -> None:
            await self.publish(ActivityEvent(event="slow acts"))

    class Quick(Module):
        async def run(self) -> None:
            await self.publish(ActivityEvent(event="quick acts"))
"""


def acts(folder: Path, slow: str = "") -> dict[str, float]:
    """When which actor began to act, by what it said."""
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "actors.py").write_text(textwrap.dedent(ACTORS), encoding="utf-8")
    (place / "scenario.toml").write_text(
        '[scenario]\ntitle = "Play"\nduration_s = 10\n'
        '[modules.quick]\nmodule = "./actors.py:Quick"\n'
        f'[modules.slow]\nmodule = "./actors.py:Slow"\n{slow}',
        encoding="utf-8",
    )
    workspace = Workspace.discover(folder)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> None:
        run = Run(load_scenario("play", workspace), workspace, RunOptions(record=False))
        run.observe(seen.append)
        await run.execute()

    run_with_clock(main(), clock="virtual")
    said = [each for each in seen if isinstance(each.message, ActivityEvent)]
    return {each.message.event: each.time for each in reversed(said)}


def test_who_is_quick_waits_for_who_is_slow(tmp_path):
    begun_s = acts(tmp_path)
    assert begun_s["slow acts"] == begun_s["quick acts"] >= 4.0


def test_who_never_gets_ready_keeps_nobody_waiting(tmp_path):
    begun_s = acts(tmp_path, "fails = true\n")
    assert 4.0 <= begun_s["quick acts"] < 5.0
    assert "slow acts" not in begun_s


async def test_it_is_up_where_nobody_is_waited_for_and_stays_up():
    await asyncio.wait_for(Curtain([]).up(), PATIENCE_S)
    curtain = Curtain(["ada.body", "ada.mind"])
    curtain.ready("ada.body")
    waiting = asyncio.ensure_future(curtain.up())
    await asyncio.sleep(0)
    assert not waiting.done()
    curtain.ready("ada.mind")
    await asyncio.wait_for(waiting, PATIENCE_S)
    curtain.ready("ada.mind")
    await asyncio.wait_for(curtain.up(), PATIENCE_S)
