"""`make bench-behaviour`: words and gestures on the bus, sheets, gaze, markup, a tutor's hour."""

from __future__ import annotations

import argparse
import random
import shutil
import time
from pathlib import Path

from benchmarks._behaviour_bus import FLOOR_BAR_MS, WORD_BAR_MS, measure_bus, percentiles
from benchmarks._behaviour_engines import (
    GAZE_BAR,
    HOUR_BAR_S,
    LOAD_BAR_S,
    PEOPLE,
    RATE_HZ,
    ROWS,
    measure_gaze_load,
    measure_hour,
    measure_loading,
)
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.behaviour.markup.fuzz import fuzz
from sera.evaluation.erik.report import machine


def bus_lines(rounds: int) -> list[str]:
    broker = "mosquitto" if shutil.which("mosquitto") else "amqtt"
    found = measure_bus(rounds, broker)
    lines = [f"| over {broker}, voice {', '.join(found.voices)} | p50 | p95 | most | bar |"]
    lines.append("|---|---|---|---|---|")
    for name, values, bar_ms in (
        ("a word's event to its step at another module", found.word_to_action_ms, WORD_BAR_MS),
        ("free floor to the first sound", found.floor_to_sound_ms, FLOOR_BAR_MS),
    ):
        p50, p95, most = percentiles(values)
        lines.append(
            f"| {name} ({len(values)}) | {p50:.1f} ms | {p95:.1f} ms | {most:.1f} ms "
            f"| p95 ≤ {bar_ms:g} ms: {verdict(p95 <= bar_ms)} |"
        )
    return lines


def engine_lines(seconds: float) -> list[str]:
    own_s, plain_s = measure_loading()
    share = measure_gaze_load(seconds)
    return [
        (
            f"A workbook of {ROWS:,} lines is read in {own_s:.2f} s "
            f"(bar {LOAD_BAR_S:g} s: {verdict(own_s < LOAD_BAR_S)}), "
            f"{own_s / plain_s:.2f} of what openpyxl takes for its cells alone."
        ),
        "",
        (
            f"The gaze with {PEOPLE} people at {RATE_HZ:g} Hz uses {100 * share:.1f} % of a core "
            f"(bar {100 * GAZE_BAR:g} %: {verdict(share < GAZE_BAR)})."
        ),
    ]


def fuzz_lines(strings: int) -> list[str]:
    began_s = time.perf_counter()
    report = fuzz(strings, random.Random(11))
    took_s = time.perf_counter() - began_s
    return [
        (
            f"{report.strings:,} random strings went through the markup in {took_s:.0f} s: "
            f"{report.steps:,} steps and {report.problems:,} findings, no exception."
        ),
    ]


def hour_lines() -> list[str]:
    took_s = measure_hour("tutor", "hour")
    return [
        (
            f"An hour of the scenario `tutor` in virtual time takes {took_s:.1f} s "
            f"(bar {HOUR_BAR_S:g} s: {verdict(took_s < HOUR_BAR_S)})."
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="of lines on the bus")
    parser.add_argument("--seconds", type=float, default=20.0, help="of gaze")
    parser.add_argument("--fuzzed", type=int, default=1_000_000, help="strings")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    parts = [
        [f"{here['processor']}, {here['cores']} cores; Python {here['python']}."],
        bus_lines(arguments.rounds),
        engine_lines(arguments.seconds),
        hour_lines(),
        fuzz_lines(arguments.fuzzed),
    ]
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-behaviour")


if __name__ == "__main__":
    main()
