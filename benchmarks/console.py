"""`make bench-console`: from key to bus, joints and sound, from bus to eye, 3-D under load, memory.

The scenario `rehearsal` (three simulated robots) runs in its own process over loopback; the
console is open in Chromium, which renders in software. Times are taken on one machine's clock.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from benchmarks import _console_delays as delays
from benchmarks._console_stage import ConsoleStage
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine
from sera.messages import Clicked

ACTION_P50_MS, ACTION_P95_MS = 8.0, 25.0
MOTION_P95_MS, SOUND_P95_MS = 80.0, 300.0
VISIBLE_P50_MS = 20.0
OPEN_S = 1.5
FRAMES_HZ = 30.0
CONSOLES = 20
MEMORY_MB = 150.0
HOUR_MESSAGES = 90_000
"""About what an hour of `tutor` says besides its streams, many times over."""


def row(name: str, values: list[float], bars: str, *, met: bool) -> str:
    p50, p95 = delays.median(values), delays.percentile(values, 0.95)
    return (
        f"| {name} ({len(values)}) | {p50:.1f} ms | {p95:.1f} ms | {max(values):.1f} ms "
        f"| {bars}: {verdict(met)} |"
    )


async def measure(times: int, seconds: float) -> list[str]:
    async with ConsoleStage() as stage:
        await asyncio.sleep(4.0)
        opened = await delays.opening(stage, max(3, times // 10))
        tab = await stage.open("operate")
        await tab.evaluate(delays.KEYS_JS)
        await asyncio.sleep(4.0)
        actions = await delays.keys_to_actions(stage, tab, times)
        motion = await delays.keys_to_motion(stage, tab, max(5, times // 3))
        sound = await delays.keys_to_sound(stage, tab, max(5, times // 3))
        visible = await delays.bus_to_eye(stage, tab, times)
        await tab.context.close()
        watch = await stage.open("watch")
        await asyncio.sleep(5.0)
        calm = await delays.frames_under_load(stage, watch, 0, seconds)
        loaded = await delays.frames_under_load(stage, watch, 500, seconds)
        await watch.context.close()
        consoles, all_heard = await delays.many_consoles(stage, CONSOLES, times)
        memory_mb = await hour_of_messages(stage)
    p95 = delays.percentile
    first = opened[0]
    lines = ["| loopback, simulated robots | p50 | p95 | most | bar |", "|---|---|---|---|---|"]
    lines += [
        row(
            "key to Action at another client of the bus",
            actions,
            f"p50 ≤ {ACTION_P50_MS:g}, p95 ≤ {ACTION_P95_MS:g} ms",
            met=delays.median(actions) <= ACTION_P50_MS and p95(actions, 0.95) <= ACTION_P95_MS,
        ),
        row(
            "key to the first joint motion",
            motion,
            f"p95 ≤ {MOTION_P95_MS:g} ms",
            met=p95(motion, 0.95) <= MOTION_P95_MS,
        ),
        row(
            "key to the first sound",
            sound,
            f"p95 ≤ {SOUND_P95_MS:g} ms",
            met=p95(sound, 0.95) <= SOUND_P95_MS,
        ),
        row(
            "message on the bus to visible",
            visible,
            f"p50 ≤ {VISIBLE_P50_MS:g} ms",
            met=delays.median(visible) <= VISIBLE_P50_MS,
        ),
        row(
            f"message on the bus to each of {CONSOLES} consoles",
            consoles,
            f"all {CONSOLES} hear everything",
            met=all_heard,
        ),
    ]
    usual_s = delays.median(opened)
    return [
        *lines,
        "",
        (
            f"The page is usable {usual_s:.2f} s after it was asked for (the first time "
            f"{first:.2f} s; bar {OPEN_S:g} s: {verdict(max(usual_s, first) <= OPEN_S)}). Watch "
            f"with three robots draws {calm:.0f} frames a second in software, and {loaded:.0f} "
            f"while the bus carries 500 messages/s (bar {FRAMES_HZ:g}: "
            f"{verdict(min(calm, loaded) >= FRAMES_HZ)}). After {HOUR_MESSAGES:,} messages with "
            f"two consoles the serving process has {memory_mb:.0f} MB (bar {MEMORY_MB:g}: "
            f"{verdict(memory_mb <= MEMORY_MB)})."
        ),
    ]


async def hour_of_messages(stage: ConsoleStage) -> float:
    """Memory of the server after as many messages as an hour brings, with two consoles open."""
    tabs = [await stage.open("operate"), await stage.open("bus")]
    for number in range(HOUR_MESSAGES):
        stage.bus.publish(Clicked(element=f"card_{number % 50}"))
        if number % 20 == 0:
            await asyncio.sleep(0.02)
    await asyncio.sleep(2.0)
    memory_mb = stage.server_mb()
    for tab in tabs:
        await tab.context.close()
    return memory_mb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=60, help="of each key and message")
    parser.add_argument("--seconds", type=float, default=10.0, help="of counting frames")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    began_s = time.perf_counter()
    lines = asyncio.run(measure(arguments.times, arguments.seconds))
    took_s = time.perf_counter() - began_s
    about = f"{here['processor']}, {here['cores']} cores; Python {here['python']}; {took_s:.0f} s."
    text = "\n".join([about, "", *lines])
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-console")


if __name__ == "__main__":
    main()
