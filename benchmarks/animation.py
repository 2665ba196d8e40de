"""`make bench-animation`: frames, many robots, end to end, motion, limits and memory."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from benchmarks._animation_end_to_end import BAR_MS, measure_end_to_end
from benchmarks._animation_frames import (
    measure_buffers,
    measure_frames,
    measure_many,
    stage_set,
)
from benchmarks._animation_memory import BAR_MB, FLAT_MB, measure_memory
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine
from sera.evaluation.motion import (
    measure_gaze,
    measure_gestures,
    measure_limits,
    measure_postures,
)

CORE_BAR = 0.5
ROBOTS = sorted(file.parent.name for file in (Path(ROOT) / "robots").glob("*/body.toml"))


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def frame_lines(frames: int) -> list[str]:
    lines = ["| a frame | p50 | p99 | bar |", "|---|---|---|---|"]
    for timing in measure_frames(frames):
        bar = "" if timing.bar_us is None else f"p50 ≤ {timing.bar_us:g} µs: {verdict(timing.met)}"
        lines.append(f"| {timing.name} | {timing.p50_us:.0f} µs | {timing.p99_us:.0f} µs | {bar} |")
    kernels_us, buffers_us = measure_buffers(frames)
    lines += [
        "",
        (
            f"Blending NAO's eight layers takes {kernels_us:.1f} µs with kernels over rows and "
            f"{buffers_us:.0f} µs with copied buffers: {buffers_us / kernels_us:.0f} times as long."
        ),
    ]
    return lines


def many_lines(seconds: float) -> list[str]:
    share = measure_many(20, seconds)
    return [
        (
            f"Twenty Adelinos at 50 Hz in one process use {100 * share:.0f} % of a core "
            f"(bar 50 %: {verdict(share < CORE_BAR)})."
        ),
    ]


def end_to_end_lines(seconds: float) -> list[str]:
    broker = "mosquitto" if shutil.which("mosquitto") else "amqtt"
    found = measure_end_to_end(seconds, broker)
    return [
        f"| PersonMoved to JointFrame over {broker} | p50 | p90 | p99 | bar |",
        "|---|---|---|---|---|",
        (
            f"| {found.followed} of {found.steps} steps | {found.p50_ms:.1f} ms "
            f"| {found.p90_ms:.1f} ms "
            f"| {found.p99_ms:.1f} ms | p50 ≤ {BAR_MS:g} ms: {verdict(found.p50_ms <= BAR_MS)} |"
        ),
        "",
        (
            f"In the same {seconds:g} s the engine made {found.frames} frames, "
            f"{found.late} of them late "
            f"(bar 0: {verdict(found.late == 0)}); the slowest took {found.slowest_ms:.1f} ms."
        ),
    ]


def motion_lines(frames_each: int) -> list[str]:
    lines = [
        (
            "| body | gaze step | arrives within 2° | allowed | held within "
            "| least of nod, shake, affirm, "
            "wave | frames beyond a limit | bars |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in ROBOTS:
        found = stage_set(name)
        gaze, limits = measure_gaze(found), measure_limits(found, frames_each, seed=11)
        share = min(measure_gestures(found).values())
        met = gaze.met and share >= 0.9 and limits.exceeded == 0
        lines.append(
            f"| {name} | {gaze.step_deg:.0f}° | {gaze.arrives_s:.2f} s | {gaze.allowed_s:.2f} s "
            f"| {gaze.held_within_deg:.2f}° | {100 * share:.0f} % "
            f"| {limits.exceeded} of {limits.frames:,} | {verdict(met)} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    postures = measure_postures(stage_set("adelino"))
    lines += [
        "",
        (
            "Hot, neutral and cold of Adelino over yaw ±70° and pitch 0 to 80°: "
            f"{postures.right} of {postures.tried} poses told apart "
            f"(bar 95 %: {verdict(postures.share >= 0.95)})."
        ),
    ]
    return lines


def memory_lines(seconds: float) -> list[str]:
    memory = measure_memory(seconds)
    return [
        (
            f"A process with NAO's engine has {memory.early_mb:.0f} MB after a quarter and "
            f"{memory.late_mb:.0f} MB at the end of {seconds / 60:g} minutes of virtual time "
            f"(bars {BAR_MB:g} MB, and {FLAT_MB:g} MB more at most: {verdict(memory.met)})."
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=5000, help="of each timing")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the run end to end")
    parser.add_argument("--fuzzed", type=int, default=1_000_000, help="frames over all bodies")
    parser.add_argument("--minutes", type=float, default=60.0, help="virtual, for memory")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    parts = [
        [f"{here['processor']}, {here['cores']} cores; Python {here['python']}."],
        frame_lines(arguments.frames),
        many_lines(10.0),
        end_to_end_lines(arguments.seconds),
        memory_lines(60.0 * arguments.minutes),
        motion_lines(-(-arguments.fuzzed // len(ROBOTS))),
    ]
    text = "\n\n".join("\n".join(lines) for lines in parts)
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-animation")


if __name__ == "__main__":
    main()
