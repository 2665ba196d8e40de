"""`make bench-faults`: how soon SERA answers to stops, kills and lost brokers.

`sera run hello` with its body in a process of its own, over loopback, on each kind of broker. Tests
show that it happens; how soon is measured here, the worst of some tries.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.bus import BrokerAddress, BrokerUnreachable, EmbeddedBroker, Identity, MqttBus
from sera.messages import (
    BodyState,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    JointFrame,
    ModulePresence,
    PresenceStatus,
)
from sera.runtime.live_runs import list_live_runs

PATIENCE_S = 60.0
KILLS = 3
"""A module that dies more than five times in a minute is given up."""
APART = ("--condition", "apart", "--plain")
BODY, ENGINE = "ada.body", "ada.engine"
# What is promised, in seconds.
BARS_S = {
    "stop to a body that stands": 0.05,
    "killed engine: last frame to the safe state": 0.6,
    "killed module process to its return": 5.0,
    "killed broker to everybody's return": 1.5,
    "broker killed three times to everybody's return": 5.0,
    "leaving without a broker": 0.5,
    "no broker at an address: told after": 2.0,
    "Ctrl-C to the end of the run": 2.0,
    "killed run: log that is lost": 1.0,
    "sera --help": 0.4,
}


async def until(condition: Callable[[], Any], what: str) -> Any:
    deadline_s = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        if time.monotonic() > deadline_s:
            raise RuntimeError(f"{what} did not happen within {PATIENCE_S:g} s")
        await asyncio.sleep(0.001)
    return value


class LiveHello:
    """`async with LiveHello("mosquitto") as hello`: a run, and an operator on its bus."""

    def __init__(self, broker: str) -> None:
        self._broker = broker
        self.heard: list[Envelope] = []

    async def __aenter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        self.log = Path(self._folder.name) / "log.jsonl"
        self.process = subprocess.Popen(  # noqa: ASYNC220  # nothing else runs yet
            [sys.executable, "-m", "sera", "run", "hello", *APART, "--log", str(self.log)],
            env={**os.environ, "SERA_PREFER_BROKER": self._broker},
            stdout=subprocess.DEVNULL,
        )
        run = await until(
            lambda: next((one for one in list_live_runs() if one.pid == self.process.pid), None),
            "the run",
        )
        identity = Identity(run.run, "world", "bench")
        self.bus = MqttBus(identity, BrokerAddress.parse(run.broker), now=time.time)
        await self.bus.connect()
        kinds = [BodyState, JointFrame, ModulePresence]
        await self.bus.subscribe(kinds, self.heard.append, everyone=True)
        await until(lambda: self.of(JointFrame) and self.of(BodyState), "a moving body")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.bus.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        await asyncio.to_thread(self.process.wait, PATIENCE_S)
        self._folder.cleanup()

    def of(self, kind: type[Any], after_s: float = 0.0) -> list[Envelope]:
        return [e for e in self.heard if isinstance(e.message, kind) and e.time >= after_s]

    async def body(self, health: str, after_s: float) -> float:
        """When the body first said that it is so."""

        def found() -> float | None:
            said = self.of(BodyState, after_s)
            return next((e.time for e in said if str(e.message.health) == health), None)

        return float(await until(found, f"a body that is {health}"))

    def process_of(self, source: str) -> int:
        present = [e.message for e in self.of(ModulePresence) if e.source == source]
        return int(next(one.process_id for one in reversed(present) if one.process_id))

    async def killed(self, source: str) -> float:
        """Kill a module's process; gives how long it took until it was present again."""
        os.kill(self.process_of(source), signal.SIGKILL)
        killed_s = time.time()

        def back() -> float | None:
            said = [e for e in self.of(ModulePresence, killed_s) if e.source == source]
            here = [e.time for e in said if e.message.status is PresenceStatus.PRESENT]
            return here[0] if here else None

        return float(await until(back, f"the return of {source}")) - killed_s


async def stops_and_kills(broker: str, tries: int) -> dict[str, list[float]]:
    stops, safe, returns = [], [], []
    async with LiveHello(broker) as hello:
        for _ in range(tries):
            stop = hello.bus.publish(EmergencyStop(by="bench"), character="ada")
            stops.append(await hello.body("stopped", stop.time) - stop.time)
            release = hello.bus.publish(EmergencyRelease(), character="ada")
            await hello.body("ok", release.time)
        for _ in range(KILLS):
            os.kill(hello.process_of(ENGINE), signal.SIGKILL)
            killed_s = time.time()
            warned_s = await hello.body("warning", killed_s)
            frames = [e.time for e in hello.of(JointFrame) if e.time <= warned_s]
            safe.append(warned_s - frames[-1])
            await hello.body("ok", warned_s)
        returns += [await hello.killed(BODY) for _ in range(KILLS)]
        hello.process.send_signal(signal.SIGINT)
        asked_s = time.monotonic()
        await asyncio.to_thread(hello.process.wait, PATIENCE_S)
        ended_s = time.monotonic() - asked_s
    async with LiveHello(broker) as hello:
        await asyncio.sleep(2.0)
        children = psutil.Process(hello.process.pid).children(recursive=True)
        killed_s = time.time()
        hello.process.kill()
        hello.process.wait()
        last = hello.log.read_bytes().splitlines()[-1]
        lost_s = killed_s - float(json.loads(last)["time"])
        psutil.wait_procs(children, PATIENCE_S)
    return {
        "stop to a body that stands": stops,
        "killed engine: last frame to the safe state": safe,
        "killed module process to its return": returns,
        "Ctrl-C to the end of the run": [ended_s],
        "killed run: log that is lost": [lost_s],
    }


async def kill(broker: EmbeddedBroker) -> None:
    pid = broker.pid
    os.kill(pid, signal.SIGKILL)
    await until(lambda: broker.pid != pid, "a new broker")


def is_back(bus: MqttBus, known: int) -> bool:
    """Whether a bus has connected since it had so many connections."""
    return bus.connected and bus.counters.connections > known


async def lost_brokers(kind: Any, tries: int) -> dict[str, list[float]]:
    backs, thrice, leaving, refused = [], [], [], []
    for _ in range(tries):
        broker = EmbeddedBroker(prefer=kind)
        await broker.start()
        address = BrokerAddress(broker.host, broker.port)
        names = ("voice", "mind", "body")
        buses = [MqttBus(Identity("run", "ada", one), address, now=time.time) for one in names]
        for bus in buses:
            await bus.connect()
        for kills, times in ((1, backs), (3, thrice)):
            began_s = time.monotonic()
            for _ in range(kills):
                known = [bus.counters.connections for bus in buses]
                await kill(broker)
            await until(lambda: all(map(is_back, buses, known)), "the return")  # noqa: B023
            times.append(time.monotonic() - began_s)
        await broker.stop()
        await until(lambda buses=buses: not any(bus.connected for bus in buses), "the loss")
        for bus in buses:
            began_s = time.monotonic()
            await bus.close()
            leaving.append(time.monotonic() - began_s)
        began_s = time.monotonic()
        try:
            await MqttBus(Identity("run", "ada", "late"), address, now=time.time).connect()
        except BrokerUnreachable:
            refused.append(time.monotonic() - began_s)
    return {
        "killed broker to everybody's return": backs,
        "broker killed three times to everybody's return": thrice,
        "leaving without a broker": leaving,
        "no broker at an address: told after": refused,
    }


def helped() -> float:
    began_s = time.monotonic()
    subprocess.run([sys.executable, "-m", "sera", "--help"], capture_output=True, check=True)
    return time.monotonic() - began_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    lines = ["| broker | what | median | worst | bar |", "|---|---|---|---|---|"]
    results = [("", {"sera --help": [helped() for _ in range(arguments.tries + 1)][1:]})]
    for broker in ("mosquitto", "amqtt") if shutil.which("mosquitto") else ("amqtt",):
        results += [
            (broker, asyncio.run(measure(broker, arguments.tries)))
            for measure in (stops_and_kills, lost_brokers)
        ]
    for broker, measured in results:
        for what, times in measured.items():
            middle, worst, bar = sorted(times)[len(times) // 2], max(times), BARS_S[what]
            lines.append(
                f"| {broker} | {what} ({len(times)}) | {middle:.3f} s | {worst:.3f} s "
                f"| {bar:g} s: {verdict(worst <= bar)} |"
            )
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-faults")


if __name__ == "__main__":
    main()
