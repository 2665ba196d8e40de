"""`make bench-bus`: this bus beside bare MQTT clients, on the same broker, in one run.

Five interleaved rounds; medians; ratios against bare paho-mqtt in the same rounds, because the
machine's speed drifts. The table is written into docs/benchmarks.md between its marks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from sera.bus import EmbeddedBroker

ROOT = Path(__file__).resolve().parent.parent
PEERS = ["paho", "gmqtt", "aiomqtt", "sera", "sera_plain"]
NAMES = {
    "paho": "paho-mqtt, bare",
    "gmqtt": "gmqtt, bare",
    "aiomqtt": "aiomqtt, bare",
    "sera": "**SERA bus, typed**",
    "sera_plain": "SERA bus, typed, plain asyncio",
}
BARS = {"sera": (0.8, 1.3), "sera_plain": (0.7, 1.5)}


class Worker:
    """One process of the benchmark."""

    def __init__(self, peer: str, role: str, port: int, count: int, clients: int = 1) -> None:
        numbers = (port, count, clients)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.bus_worker", peer, role, *map(str, numbers)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ready(self) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError("a benchmark process did not start")

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def result(self) -> dict[str, float]:
        assert self._process.stdout is not None
        answer: dict[str, float] = json.loads(self._process.stdout.readline())
        self._process.wait(10)
        return answer


def throughput(peer: str, port: int, count: int, clients: int) -> tuple[float, float]:
    """Deliveries a second, and CPU time of sender and receivers for one delivery."""
    sink = Worker(peer, "sink", port, count, clients)
    sink.ready()
    source = Worker(peer, "source", port, count)
    source.ready()
    sink.go()
    source.go()
    received = sink.result()
    source.go()
    sent = source.result()
    deliveries = count * clients
    seconds = received["last_s"] - sent["first_s"]
    return deliveries / seconds, (received["cpu_s"] + sent["cpu_s"]) / deliveries


def round_trip(peer: str, port: int, count: int) -> tuple[float, float]:
    echo = Worker(peer, "echo", port, count)
    echo.ready()
    echo.go()
    ping = Worker(peer, "ping", port, count)
    ping.ready()
    ping.go()
    answer = ping.result()
    echo.go()
    echo.result()
    return answer["p50_s"], answer["p99_s"]


def one_round(peer: str, port: int, arguments: argparse.Namespace) -> dict[str, float]:
    p50_s, p99_s = round_trip(peer, port, arguments.round_trips)
    many = arguments.messages if peer != "aiomqtt" else arguments.messages // 4
    rate, cpu_s = throughput(peer, port, many, 1)
    rate8, cpu8_s = throughput(peer, port, many // 4, 8)
    return {
        "p50_s": p50_s,
        "p99_s": p99_s,
        "rate": rate,
        "cpu_s": cpu_s,
        "rate8": rate8,
        "cpu8_s": cpu8_s,
    }


def table(rounds: dict[str, list[dict[str, float]]], broker: str, count: int) -> str:
    """The table, in Markdown."""

    def median(peer: str, key: str) -> float:
        return statistics.median(result[key] for result in rounds[peer])

    def ratio(peer: str, key: str) -> float:
        pairs = zip(rounds[peer], rounds["paho"], strict=True)
        return statistics.median(own[key] / other[key] for own, other in pairs)

    about = (
        f"Broker: {broker}; 1 KB messages; median of {count} interleaved rounds; "
        f"Python {platform.python_version()}; ratios against bare paho in the same round."
    )
    head = (
        "| client | round trip p50 | ÷ paho | p99 | 1→1 msg/s | ÷ paho | 1→8 deliveries/s | ÷ paho "
        "| CPU a message 1→1 |"
    )
    lines = [about, "", head, "|---|---|---|---|---|---|---|---|---|"]
    for peer, results in rounds.items():
        if not results:
            continue
        lines.append(
            f"| {NAMES[peer]} | {median(peer, 'p50_s') * 1e6:.0f} µs | {ratio(peer, 'p50_s'):.2f} "
            f"| {median(peer, 'p99_s') * 1e6:.0f} µs | {median(peer, 'rate'):,.0f} "
            f"| {ratio(peer, 'rate'):.2f} | {median(peer, 'rate8'):,.0f} "
            f"| {ratio(peer, 'rate8'):.2f} | {median(peer, 'cpu_s') * 1e6:.0f} µs |"
        )
    lines.append("")
    for peer, (least, most) in BARS.items():
        rate, trip = ratio(peer, "rate"), ratio(peer, "p50_s")
        verdict = "met" if rate >= least and trip <= most else "MISSED"
        lines.append(
            f"Bar for {NAMES[peer].strip('*')}: throughput ≥ {least} of paho ({rate:.2f}), "
            f"round trip p50 ≤ {most} of paho ({trip:.2f}): {verdict}."
        )
    return "\n".join(lines)


async def measure(arguments: argparse.Namespace) -> str:
    rounds: dict[str, list[dict[str, float]]] = {peer: [] for peer in PEERS}
    async with EmbeddedBroker(prefer=arguments.broker) as broker:
        for number in range(arguments.rounds):
            for peer in PEERS:
                result: Any = await asyncio.to_thread(one_round, peer, broker.port, arguments)
                rounds[peer].append(result)
                print(
                    f"round {number + 1} {peer:11s} p50 {result['p50_s'] * 1e6:6.0f} µs  "
                    f"1→1 {result['rate']:8,.0f}/s  1→8 {result['rate8']:8,.0f}/s",
                    file=sys.stderr,
                    flush=True,
                )
        return table(rounds, broker.kind, arguments.rounds)


def write_into(path: Path, text: str, mark: str = "bench-bus") -> None:
    """Replace what stands between the marks of a page."""
    begin, end = f"<!-- {mark} begin -->", f"<!-- {mark} end -->"
    page = path.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    path.write_text(pattern.sub(f"{begin}\n{text}\n{end}", page), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--round-trips", type=int, default=2_000)
    parser.add_argument("--broker", choices=["mosquitto", "amqtt"], default="mosquitto")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    text = asyncio.run(measure(arguments))
    print(text)
    if arguments.write:
        write_into(ROOT / "docs" / "benchmarks.md", text)


if __name__ == "__main__":
    main()
