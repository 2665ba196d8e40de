"""`make bench-console-hour`: memory of the console's server over an hour of a run in real time.

The scenario `rehearsal` (three simulated robots, every frame on the bus) runs in its own process.
Two consoles listen to everything over WebSockets, and a third client of the bus orders a line, a
gaze or an emotion every few seconds, as a Wizard would.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path

from websockets.asyncio.client import connect

from benchmarks._console_stage import ConsoleStage
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from benchmarks.console import MEMORY_MB
from sera.evaluation.erik.report import machine
from sera.messages import GazeAt, PerformUtterance, SetEmotion

ORDER_EVERY_S = 5.0
CHARACTERS = ("left", "middle", "right")
_ORDERS = (
    PerformUtterance(text="One more line of this long afternoon."),
    GazeAt(target="person"),
    SetEmotion(name="joy"),
    GazeAt(target="front"),
)


def _row(gone_s: float, memory_mb: float, heard: int) -> str:
    return f"| {gone_s / 60:.0f} min | {memory_mb:.0f} MB | {heard:,} |"


async def listen(stage: ConsoleStage, heard: list[int]) -> None:
    """A console that takes everything, as the page Bus does."""
    address = stage.url.replace("http", "ws", 1).split("/console")[0] + "/ws?role=observer"
    token = stage.url.partition("?token=")[2]
    async with connect(address + (f"&token={token}" if token else ""), max_size=None) as link:
        await link.send(json.dumps({"subscribe": {"types": ["*"]}}))
        async for _ in link:
            heard[0] += 1


async def measure(duration_s: float) -> list[str]:
    rows = ["| after | server | messages at two consoles |", "|---|---|---|"]
    heard = [0]
    async with ConsoleStage() as stage:
        listeners = [asyncio.create_task(listen(stage, heard)) for _ in range(2)]
        began_s = time.monotonic()
        look_s = 0.0
        orders = 0
        while (gone_s := time.monotonic() - began_s) < duration_s:
            if gone_s >= look_s:
                rows.append(_row(gone_s, stage.server_mb(), heard[0]))
                print(rows[-1], flush=True)
                look_s += duration_s / 6
            order = _ORDERS[orders % len(_ORDERS)]
            stage.bus.publish(order, character=CHARACTERS[orders % len(CHARACTERS)])
            orders += 1
            stage.heard.clear()
            await asyncio.sleep(ORDER_EVERY_S)
        memory_mb = stage.server_mb()
        for task in listeners:
            task.cancel()
        await asyncio.gather(*listeners, return_exceptions=True)
    return [
        *rows,
        _row(duration_s, memory_mb, heard[0]),
        "",
        f"{orders} orders were given. Bar {MEMORY_MB:g} MB: {verdict(memory_mb <= MEMORY_MB)}.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    lines = asyncio.run(measure(arguments.minutes * 60))
    text = "\n".join([f"{here['processor']}, {here['cores']} cores.", "", *lines])
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-console-hour")


if __name__ == "__main__":
    main()
