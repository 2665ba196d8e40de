"""`make bench-hello`: what the scenario `hello` needs, with either broker.

Memory is the proportional set size of all processes of the run (what is shared is counted once);
life is the first line that tells what a person or the robot does, counted from starting the
command. The first start warms the file caches; the figures are those of the starts after it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.bus import ROOT, write_into

MEMORY_BAR_MB = 150
ENGINE_BAR_MB = 250
ENGINE = "animation_engine"
"""In the command line of the process that animates."""
LIFE_BAR_S = 2.0
BRAND = "hello"


class Memory(NamedTuple):
    """Bytes of a process with its children, shared pages divided by those who share them."""

    engine: int
    others: int


def proportional_bytes(process: psutil.Process) -> Memory:
    engine = others = 0
    for each in [process, *process.children(recursive=True)]:
        try:
            full = each.memory_full_info()
            is_engine = ENGINE in each.cmdline()
        except psutil.Error:
            continue
        size = getattr(full, "pss", 0) or full.rss
        engine += size if is_engine else 0
        others += 0 if is_engine else size
    return Memory(engine, others)


def start_once(broker: str, watch_s: float) -> tuple[float, Memory, int]:
    """Seconds until the first sign of life, peak memory, and number of processes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SERA_RUNS": folder, "PYTHONUNBUFFERED": "1"}
        if broker == "amqtt":
            environment["SERA_PREFER_BROKER"] = "amqtt"
        started_s = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "sera", "run", BRAND, "--plain"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        life_s = None
        for line in process.stdout:
            if "arrives" in line or " says" in line:
                life_s = time.monotonic() - started_s
                break
        if life_s is None:
            raise RuntimeError("hello showed no sign of life")
        tree = psutil.Process(process.pid)
        peak, count = Memory(0, 0), 0
        deadline_s = time.monotonic() + watch_s
        while time.monotonic() < deadline_s:
            peak = Memory(*map(max, peak, proportional_bytes(tree)))
            count = max(count, 1 + len(tree.children(recursive=True)))
            time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        return life_s, peak, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--watch", type=float, default=6.0, help="seconds of watching memory")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    brokers = ["mosquitto", "amqtt"] if shutil.which("mosquitto") else ["amqtt"]
    lines = [
        (
            "| broker | first sign of life, second start on | processes | animation engine "
            "| all others | bars |"
        ),
        "|---|---|---|---|---|---|",
    ]
    for broker in brokers:
        results = [start_once(broker, arguments.watch) for _ in range(arguments.starts)][1:]
        life_s = statistics.median(result[0] for result in results)
        engine_mb = max(result[1].engine for result in results) / 1e6
        others_mb = max(result[1].others for result in results) / 1e6
        met = others_mb < MEMORY_BAR_MB and engine_mb < ENGINE_BAR_MB and life_s < LIFE_BAR_S
        lines.append(
            f"| {broker} | {life_s:.2f} s | {results[0][2]} | {engine_mb:.0f} MB "
            f"| {others_mb:.0f} MB | < {LIFE_BAR_S:g} s, < {ENGINE_BAR_MB} MB, "
            f"< {MEMORY_BAR_MB} MB: {'met' if met else 'MISSED'} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-hello")


if __name__ == "__main__":
    main()
