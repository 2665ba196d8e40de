"""`make bench-perception`: faces, crossings, head direction, voices, sides and the own voice.

Everything is measured on generated pictures and sounds whose truth is known; people, real rooms
and real devices are other questions.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine
from sera.evaluation.perception import measure_sound, measure_video
from sera.evaluation.perception.measure_video import EngineMaker
from sera.evaluation.perception.video import Actor, Clip, standing, swaying, walking
from sera.vision.face_engine import FaceEngine
from sera.vision.haar_detector import HaarDetector

PORTRAITS = ("astronaut", "mirrored")
YAWS_DEG = (-30.0, -20.0, -10.0, 10.0, 20.0, 30.0)
CROSSINGS = 20
HIDDEN_S = (1.2, 1.8)


def haar(clip: Clip) -> FaceEngine:
    """OpenCV's cascade in place of the network: the peer."""
    return FaceEngine(clip.camera, HaarDetector(), None)


def direction_clips(count: int) -> list[Clip]:
    """One person at several distances who sways or walks, in changing light."""
    clips = []
    for seed in range(count):
        far_m = 0.9 + 0.3 * (seed % 4)
        middle = (0.1 * (seed % 3 - 1), 0.0, far_m)
        path = swaying(middle, (0.25 * far_m, 0.05, 0.0), 3.0)
        if seed % 2:
            path = walking((0.35 * far_m, 0.0, far_m), (-0.35 * far_m, 0.0, far_m), 3.0)
        actor = Actor("model", PORTRAITS[seed % 2], path)
        clips.append(Clip([actor], duration_s=3.0, seed=seed))
    return clips


def _is_hidden(time_s: float) -> bool:
    return HIDDEN_S[0] <= time_s < HIDDEN_S[1]


def hidden_clip(seed: int) -> Clip:
    """Somebody who stands still and is hidden for a while."""
    actor = Actor("model", PORTRAITS[seed % 2], standing(0.1, 0.0, 1.2))
    return Clip([actor], duration_s=3.5, seed=seed, curtain=_is_hidden)


def delay_line() -> str:
    """From the picture to its message, in a run over a real bus with the robot following."""
    path = swaying((0.0, 0.0, 1.2), (0.3, 0.0, 0.0), 4.0)
    clip = Clip([Actor("model", "astronaut", path)], duration_s=16.0)
    with tempfile.TemporaryDirectory() as folder:
        video = clip.write(Path(folder) / "clip.mp4")
        log = Path(folder) / "log.jsonl"
        command = [sys.executable, "-m", "sera", "run", "hello", "--plain"]
        command += ["--camera", str(video), "--log", str(log)]
        subprocess.run(
            command,
            check=True,
            env={**os.environ, "SERA_RUNS": folder},
            stdout=subprocess.DEVNULL,
            timeout=90,
        )
        records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    # From the time of the picture, which the envelope carries, to its arrival at the recorder.
    delays_ms = [
        1000.0 * (each["received"] - each["time"])
        for each in records
        if each.get("type") == "PersonMoved"
    ]
    p50 = statistics.median(delays_ms)
    return (
        f"| picture to message at another module, p50 of {len(delays_ms)} | {p50:.0f} ms | "
        f"| ≤ 60 ms: {verdict(p50 <= 60.0)} |"
    )


def speed_lines(make: EngineMaker, name: str) -> str:
    clip = Clip([Actor("model", "astronaut", standing(0.0, 0.0, 1.0))], duration_s=4.0)
    speed = measure_video.measure_speed(clip, time.perf_counter, make)
    return f"{speed.rate_hz:.0f} Hz, p50 {1000 * speed.p50_s:.0f} ms a picture ({name})"


def seeing_lines(clips: int) -> list[str]:
    lines = ["| seeing | SERA | OpenCV's Haar cascade | bar |", "|---|---|---|---|"]
    own, peer = (
        measure_video.measure_direction(direction_clips(clips), make)
        for make in (measure_video.new_engine, haar)
    )
    lines.append(
        f"| direction, p95 | {own.p95_deg:.1f}° (followed {100 * own.found:.0f} %) "
        f"| {peer.p95_deg:.1f}° (followed {100 * peer.found:.0f} %) "
        f"| ≤ 3°: {verdict(own.p95_deg <= 3.0)} |"
    )
    yaws = measure_video.measure_head_yaw(PORTRAITS, YAWS_DEG)
    worst = max(yaws.values())
    lines.append(
        f"| head yaw on rendered turns up to 30°, worst | {worst:.1f}° | not told "
        f"| ≤ 8°: {verdict(worst <= 8.0)} |"
    )
    returns = [measure_video.measure_return(hidden_clip(seed), HIDDEN_S[1]) for seed in range(6)]
    lines.append(
        f"| back after being hidden, longest of {len(returns)} | {max(returns):.2f} s | "
        f"| ≤ 1 s: {verdict(max(returns) <= 1.0)} |"
    )
    swapped = sum(
        measure_video.id_swaps(measure_video.crossing_clip(seed)) > 0 for seed in range(CROSSINGS)
    )
    lines.append(
        f"| crossings without a swap | {CROSSINGS - swapped} of {CROSSINGS} | "
        f"| all: {verdict(not swapped)} |"
    )
    own_speed = speed_lines(measure_video.new_engine, "640 x 480, one face")
    peer_speed = speed_lines(haar, "the same")
    fast = float(own_speed.split(maxsplit=1)[0])
    lines.append(f"| speed | {own_speed} | {peer_speed} | ≥ 15 Hz: {verdict(fast >= 15.0)} |")
    lines.append(delay_line())
    return lines


def hearing_lines(seeds: int) -> list[str]:
    lines = ["| hearing | SERA | webrtcvad | bar |", "|---|---|---|---|"]
    own = measure_sound.measure_activity(seeds=range(seeds)).value
    peer = measure_sound.measure_peer(seeds=range(seeds)).value
    lines.append(
        f"| voice activity at 10 dB, F1 | {own:.2f} | {peer:.2f} | ≥ 0.9: {verdict(own >= 0.9)} |"
    )
    sides = measure_sound.measure_sides(range(seeds))
    lines.append(
        f"| left, right or both | {100 * sides:.0f} % | | ≥ 95 %: {verdict(sides >= 0.95)} |"
    )
    errors = measure_sound.measure_direction()
    lines.append(
        f"| direction of a voice, pair of 0.15 m | median {statistics.median(errors):.1f}°, "
        f"worst {max(errors):.1f}° | | |"
    )
    voice = measure_sound.measure_own_voice(range(100, 100 + 2 * seeds))
    met = voice.false_alarms == 0 and voice.found_share >= 0.9
    lines.append(
        f"| own voice at 0 dB, 50-400 ms late: false alarms; people found within 300 ms "
        f"| {voice.false_alarms} in {voice.scenes + voice.interruptions} scenes; "
        f"{voice.found} of {voice.interruptions} | | 0; ≥ 90 %: {verdict(met)} |"
    )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=8, help="of one person")
    parser.add_argument("--seeds", type=int, default=7, help="of sound scenes")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    parts = [[f"{here['processor']}, {here['cores']} cores; Python {here['python']}."]]
    for part in (seeing_lines(arguments.clips), hearing_lines(arguments.seeds)):
        print("\n".join(part), file=sys.stderr, flush=True)
        parts.append(part)
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-perception")


if __name__ == "__main__":
    main()
