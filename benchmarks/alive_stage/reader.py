"""Has every line of lines.csv said, the next one when the gestures of the last are over."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

from sera import Module, on
from sera.messages import EngineState, PerformUtterance, UtteranceCancelled, UtteranceFinished
from sera.runtime import Role

PAUSE_S = 2.5


class Reader(Module):
    """Who orders the lines."""

    role = Role.DECISION

    async def start(self) -> None:
        self._engine, self._over = asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        await self._engine.wait()
        await self.clock.sleep(2.0)
        with (Path(self.context.folder or "") / "lines.csv").open(encoding="utf-8") as file:
            lines = [row["ID"] for row in csv.DictReader(file)]
        for line in lines:
            self._over.clear()
            await self.publish(PerformUtterance(line=line))
            await self._over.wait()
            await self.clock.sleep(PAUSE_S)
        await self.end_run("all lines were said")

    @on(EngineState)
    async def move(self, _: EngineState) -> None:
        self._engine.set()

    @on(UtteranceFinished, UtteranceCancelled)
    async def end(self, _: UtteranceFinished | UtteranceCancelled) -> None:
        self._over.set()
