"""How long a recording of an hour takes to open for review: `python -m benchmarks.study_review`.

The question is answered by the console's own child process, from its start to its last byte. Two
recordings are read: an hour of the tutor in virtual time, whose motion is logged twice a second
(`sera run tutor --condition hour --virtual`), and the same hour with motion at 50 Hz, as a real
session logs it. The bar is 2 s; the figure is the median of five.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into

BAR_S = 2.0
TIMES = 5
FRAMES_HZ = 50


def make_hour(path: Path) -> None:
    """An hour of the tutor."""
    command = [sys.executable, "-m", "sera", "run", "tutor", "--condition", "hour", "--virtual"]
    subprocess.run([*command, "--log", str(path), "--json"], check=True, stdout=subprocess.DEVNULL)


def with_fine_motion(log: Path, fine: Path) -> None:
    """The same log with every recorded pose repeated up to 50 a second."""
    with log.open("rb") as lines, fine.open("wb") as out:
        for line in lines:
            out.write(line)
            if b'"type":"JointFrame"' not in line:
                continue
            fields = json.loads(line)
            for step in range(1, FRAMES_HZ // 2):
                fields["received"] = fields["time"] = fields["received"] + 1 / FRAMES_HZ
                fields["data"]["frame"] += step
                out.write(json.dumps(fields, separators=(",", ":")).encode() + b"\n")


def seconds_to_open(log: Path) -> float:
    """From asking to the last byte of the answer, the median of some."""
    question = json.dumps({"ask": "overview", "log": str(log), "hide_condition": True}) + "\n"
    program = [sys.executable, "-m", "sera.console._recording_process"]
    taken_s = []
    for _ in range(TIMES):
        begun_s = time.perf_counter()
        subprocess.run(program, input=question.encode(), capture_output=True, check=True)
        taken_s.append(time.perf_counter() - begun_s)
    return statistics.median(taken_s)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "hour.jsonl"
        make_hour(log)
        fine = Path(folder) / "fine.jsonl"
        with_fine_motion(log, fine)
        for name, path in (("motion twice a second", log), ("motion at 50 Hz", fine)):
            taken_s = seconds_to_open(path)
            size_mb = path.stat().st_size / 1e6
            lines.append(
                f"An hour, {name} ({size_mb:.0f} MB): {taken_s:.2f} s to open for review "
                f"(bar {BAR_S:g} s: {verdict(taken_s < BAR_S)})."
            )
    print("\n".join(lines))
    if arguments.write:
        write_into(ROOT / "docs" / "benchmarks.md", "\n".join(lines), mark="bench-review")


if __name__ == "__main__":
    main()
