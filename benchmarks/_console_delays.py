"""From a key to the bus, to the joints, to the sound; from the bus to the eye; opening; load."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from typing import Any

from benchmarks._console_stage import ConsoleStage, clock_ahead_s
from sera.messages import ActivityEvent, Clicked, Envelope, JointFrame, SpeechStarted

KEYS_JS = """() => {
  window.__keys = [];
  addEventListener("keydown", (event) => window.__keys.push(event.timeStamp), { capture: true });
}"""
SEEN_JS = """(words) => new Promise((done) => {
  const panel = document.querySelector(".perceptions");
  const afterPaint = new MessageChannel();
  afterPaint.port1.onmessage = () => done(performance.now());
  const watcher = new MutationObserver(() => {
    if (!panel.textContent.includes(words)) return;
    watcher.disconnect();
    afterPaint.port2.postMessage(0);
  });
  watcher.observe(panel, { subtree: true, childList: true, characterData: true });
  setTimeout(() => { watcher.disconnect(); done(null); }, 3000);
})"""
STILL_JS = """async () => {
  await seraDesk.order("SetLayer", { layer: "life", active: false, fade_s: 0.2 });
  await seraDesk.order("AutonomyChanged", { channel: "gaze", mode: "wizard", by: "bench" });
  await seraDesk.order("GazeAt", { target: "table" });
}"""
STILL_STEP_RAD = 5e-4
LEAST_STEP_RAD = 1e-4
"""What the motion filter still settles in a body that stands still."""
FRAMES_JS = """(seconds) => new Promise((done) => {
  const canvases = [...document.querySelectorAll("canvas")];
  const stage = canvases.find((one) => one.seraMeasured).seraMeasured;
  const [before, began] = [stage.drawn, performance.now()];
  const rate = () => (stage.drawn - before) / ((performance.now() - began) / 1000);
  setTimeout(() => done(rate()), seconds * 1000);
})"""
"""Counts pictures that the 3-D view has drawn, not what the page could have drawn."""


async def pressed_ms(tab: Any) -> float:
    """When the page saw the last key, in milliseconds of its own clock."""
    return float(await tab.evaluate("window.__keys.at(-1)"))


async def keys_to_actions(stage: ConsoleStage, tab: Any, times: int) -> list[float]:
    """Key → Action on the bus (arrived at another client), milliseconds."""
    ahead_s = await clock_ahead_s(tab)
    found = []
    for _ in range(times):
        since_s = time.time()
        await tab.keyboard.press("n")
        at_s = await stage.heard_after(since_s, lambda one: one.type == "PlayAnimation")
        if at_s is not None:
            found.append((at_s - ahead_s) * 1000 - await pressed_ms(tab))
        await asyncio.sleep(0.15)
    return found


async def keys_to_motion(stage: ConsoleStage, tab: Any, times: int) -> list[float]:
    """Key → the first frame in which a joint moves, milliseconds; the body stands still before."""
    who = await tab.evaluate("seraDesk.character")
    await tab.evaluate(STILL_JS)
    ahead_s = await clock_ahead_s(tab)
    found = []
    for _ in range(times):
        usual = await _standing(stage, who)
        since_s = time.time()
        await tab.keyboard.press("n")
        await asyncio.sleep(0.6)
        pressed_s = await pressed_ms(tab) / 1000 + ahead_s
        for at_s, step in _steps(stage, who, since_s - 0.1):
            if at_s > pressed_s and step > 2.0 * usual + LEAST_STEP_RAD:
                found.append((at_s - pressed_s) * 1000)
                break
    return found


async def _standing(stage: ConsoleStage, who: str) -> float:
    """Wait until the body stands still, as far as it does; its largest step then, radians."""
    usual = float("inf")
    for _ in range(40):
        await asyncio.sleep(0.25)
        usual = _largest_step(stage, who, time.time() - 0.5, time.time())
        if usual < STILL_STEP_RAD:
            break
    return usual


def _steps(stage: ConsoleStage, who: str, since_s: float) -> list[tuple[float, float]]:
    frames = [
        (at_s, envelope.message.joints_rad)
        for at_s, envelope in stage.heard
        if at_s >= since_s
        and envelope.character == who
        and isinstance(envelope.message, JointFrame)
    ]
    return [
        (at_s, max(abs(after[name] - before.get(name, after[name])) for name in after))
        for (_, before), (at_s, after) in itertools.pairwise(frames)
    ]


def _largest_step(stage: ConsoleStage, who: str, from_s: float, to_s: float) -> float:
    return max((step for at_s, step in _steps(stage, who, from_s) if at_s <= to_s), default=0.0)


async def keys_to_sound(stage: ConsoleStage, tab: Any, times: int) -> list[float]:
    """Key → the first sound of a line (SpeechStarted), milliseconds."""
    ahead_s = await clock_ahead_s(tab)
    who = await tab.evaluate("seraDesk.character")
    await tab.evaluate('seraDesk.order("PerformUtterance", { text: "Good morning." })')
    found = []

    def begins(envelope: Envelope) -> bool:
        return envelope.character == who and isinstance(envelope.message, SpeechStarted)

    for _ in range(times):
        await asyncio.sleep(2.5)
        since_s = time.time()
        await tab.keyboard.press("r")
        at_s = await stage.heard_after(since_s, begins)
        if at_s is not None:
            found.append((at_s - ahead_s) * 1000 - await pressed_ms(tab))
    return found


async def bus_to_eye(stage: ConsoleStage, tab: Any, times: int) -> list[float]:
    """A message on the bus → shown on the page, milliseconds."""
    ahead_s = await clock_ahead_s(tab)
    found = []
    for number in range(times):
        words = f"thing_{number}_{time.monotonic_ns() % 100_000}"
        seen = asyncio.create_task(tab.evaluate(SEEN_JS, words))
        await asyncio.sleep(0.05)
        said_s = time.time()
        stage.bus.publish(Clicked(element=words))
        seen_ms = await seen
        if seen_ms is not None:
            found.append(seen_ms - (said_s - ahead_s) * 1000)
    return found


async def opening(stage: ConsoleStage, times: int) -> list[float]:
    """From asking for the page to a page that can be used, seconds; each in a fresh browser."""
    found = []
    for _ in range(times):
        context = await stage.browser.new_context(viewport={"width": 1440, "height": 900})
        tab = await context.new_page()
        began_s = time.perf_counter()
        await tab.goto(f"{stage.url}#/operate", wait_until="commit")
        await tab.wait_for_selector("html[data-page=operate]")
        found.append(time.perf_counter() - began_s)
        await context.close()
    return found


async def frames_under_load(stage: ConsoleStage, tab: Any, per_s: int, seconds: float) -> float:
    """Frames a second of the page with the 3-D view while the bus carries so many messages."""
    task = asyncio.create_task(_load(stage, per_s, seconds + 1.0)) if per_s else None
    await asyncio.sleep(0.5)
    frames = float(await tab.evaluate(FRAMES_JS, seconds))
    if task is not None:
        await task
    return frames


async def _load(stage: ConsoleStage, per_s: int, seconds: float) -> None:
    began_s = time.perf_counter()
    sent = 0
    while (elapsed_s := time.perf_counter() - began_s) < seconds:
        while sent < elapsed_s * per_s:
            stage.bus.publish(ActivityEvent(event="load", data={"number": sent}))
            sent += 1
        await asyncio.sleep(0.005)


async def many_consoles(stage: ConsoleStage, consoles: int, times: int) -> tuple[list[float], bool]:
    """A message on the bus → at each of so many consoles (WebSocket clients), milliseconds.

    Returns:
        The delays, and whether every console heard every message.
    """
    import json

    from websockets.asyncio.client import connect

    address = stage.url.replace("http", "ws", 1).split("/console")[0] + "/ws"
    token = stage.url.partition("?token=")[2]
    query = "?role=observer" + (f"&token={token}" if token else "")
    links = [await connect(address + query, max_size=None) for _ in range(consoles)]
    delays: list[float] = []
    said: dict[str, float] = {}

    async def listen(link: Any) -> None:
        await link.send(json.dumps({"subscribe": {"types": ["*"]}}))
        async for text in link:
            message = json.loads(text).get("message")
            if message and message["type"] == "Clicked" and message["id"] in said:
                delays.append((time.time() - said[message["id"]]) * 1000)

    tasks = [asyncio.create_task(listen(link)) for link in links]
    await asyncio.sleep(1.0)
    for number in range(times):
        said_s = time.time()
        said[stage.bus.publish(Clicked(element=f"card_{number}")).id] = said_s
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    for task, link in zip(tasks, links, strict=True):
        task.cancel()
        await link.close()
    return delays, len(delays) == consoles * times


def percentile(values: list[float], share: float) -> float:
    """By the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: list[float]) -> float:
    return statistics.median(values)
