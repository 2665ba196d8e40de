"""`make bench-alive`: looking, resting, not sinking, strokes on words: every bar, before and after.

    make bench-alive BENCH_ARGUMENTS="--quick --seeds 7 --only gaze rest"

Rows are kept in benchmarks/results/alive.json as soon as each is measured, and the page is made of
what is kept, so that a section can be measured alone. `alive_before.json` was measured in the same
way at revision 7e82373, before the work that this measures.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks._alive_gaze import fixation_rows, gaze_rows
from benchmarks._alive_motion import behind_rows, contact_rows, rest_rows, seam_rows
from benchmarks._alive_runs import EXCHANGED, Row, Stage, tell
from benchmarks._alive_strokes import gesture_rows, stroke_rows
from benchmarks._animation_frames import measure_frames, measure_many
from benchmarks._behaviour_bus import FLOOR_BAR_MS, measure_bus, percentiles
from benchmarks._behaviour_engines import measure_hour
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from benchmarks.study import timed
from sera.evaluation.erik.report import machine
from sera.evaluation.motion import measure_limits

RESULTS = Path(__file__).parent / "results"
BEFORE, AFTER = RESULTS / "alive_before.json", RESULTS / "alive.json"
QUICK = ("adelino", "nao")
FRAMES, FUZZED = 5000, 1_000_000


def speed_rows(stage: Stage) -> Iterator[Row]:
    for timing in measure_frames(FRAMES):
        bar_us = 310.0 if timing.name.startswith("NAO, three") else math.inf
        figures = f"p50 {timing.p50_us:.0f} µs, p99 {timing.p99_us:.0f} µs"
        yield Row(f"a frame: {timing.name}", figures, timing.p50_us <= bar_us)
    share = measure_many(20, 3.0 if stage.quick else 10.0)
    yield Row("twenty Adelinos", f"{share:.0%} of a core", share <= 0.5)
    if stage.quick:
        return
    hour_s = measure_hour("tutor", "hour")
    yield Row("an hour of tutor", f"{hour_s:.1f} s", hour_s <= 20.0)
    took = re.search(r"take (\d+) s", timed()[0])
    study_s = float(took[1]) if took else math.inf
    yield Row("a study of AvantSatie", f"{study_s:.0f} s", study_s <= 90.0)
    found = measure_bus(25, "mosquitto" if shutil.which("mosquitto") else "amqtt")
    _, p95_ms, _ = percentiles(found.floor_to_sound_ms)
    yield Row("free floor to sound", f"p95 {p95_ms:.0f} ms", p95_ms <= FLOOR_BAR_MS)


def limit_rows(stage: Stage) -> Iterator[Row]:
    frames = (FUZZED // 50 if stage.quick else FUZZED) // len(stage.robots)
    for robot, stage_set in stage.robots.items():
        found = measure_limits(stage_set, frames, stage.seeds[0])
        figures = f"{found.exceeded} of {found.frames:,} frames beyond a limit"
        yield Row(robot, figures, found.exceeded == 0)


SECTIONS: dict[str, tuple[str, Callable[[Stage], Iterator[Row]]]] = {
    "gaze": ("Face to what the label names; bar: median ≤ 2°, p95 ≤ 5°", gaze_rows),
    "fixations": ("Short looks, and nods in gaze shifts; bar: none, ≥ 80 %", fixation_rows),
    "rest": ("Constant input comes to rest, eight emotions; bar: ≤ 2 s", rest_rows),
    "contacts": ("Mixed orders; bar: 0 below the ground, ≤ 5 mm in itself", contact_rows),
    "seams": ("Hands at seams; bar: max(1.2 of its own, 1.0 m/s)", seam_rows),
    "behind": ("Behind itself, and fading tasks; bar: ≤ 20°/s, 0, falls as 1/n", behind_rows),
    "gestures": ("Strokes after their order; bar: 0.6 s if common, else 0.9", gesture_rows),
    "strokes": ("Strokes to words, -0.25 … +0.08 s; bar: ≥ 85 %, ≥ 95 %", stroke_rows),
    "speed": ("Time; bar: 310 µs, half a core, 20 s, 90 s, 150 ms", speed_rows),
    "limits": ("Fuzzed orders; bar: never", limit_rows),
}


def read_kept(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def measure(section: str, stage: Stage) -> None:
    """Measure a section; each row is kept as soon as it is there."""
    drawn = f"seeds {' and '.join(map(str, stage.seeds))}{', quick' * stage.quick}"
    rows: list[Row] = []
    for row in SECTIONS[section][1](stage):
        rows.append(row)
        tell(f"{section}: {row.what}: {row.figures}")
        kept = read_kept(AFTER) | {section: {"rows": rows, "draw": drawn}}
        text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True)
        AFTER.write_text(f"{text}\n", encoding="utf-8")


def lines_of(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """All sections that were measured, as tables."""
    lines: list[str] = []
    for section, (title, _) in SECTIONS.items():
        sides = [side.get(section, {"rows": []}) for side in (before, after)]
        was, now = ({row[0]: row[1:] for row in side["rows"]} for side in sides)
        draws = "; before: ".join(side["draw"] for side in reversed(sides) if side["rows"])
        lines += [f"**{title}** (`--only {section}`; {draws})", ""]
        lines += ["| | before | after | bar |", "|---|---|---|---|"]
        for what in {**was, **now}:
            figures, *met = now.get(what, [""])
            bar = "".join(map(verdict, met))
            lines.append(f"| {what} | {was.get(what, [''])[0]} | {figures} | {bar} |")
        lines.append("")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[41, 42])
    parser.add_argument("--robots", nargs="+", help="that are exchanged into the scenarios")
    parser.add_argument("--quick", action="store_true", help="a smaller draw, some minutes")
    parser.add_argument("--logs", type=Path, help="keep runs there; those that are there count")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    given = parser.parse_args()
    robots, seeds = (QUICK, given.seeds[:1]) if given.quick else (EXCHANGED, given.seeds)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.logs or Path(temporary)
        stage = Stage(folder, seeds, given.robots or robots, quick=given.quick)
        for section in given.only:
            measure(section, stage)
    here = machine()
    head = f"{here['processor']}, {here['cores']} cores; Python {here['python']}."
    text = "\n".join([head, "", *lines_of(read_kept(BEFORE), read_kept(AFTER))]).rstrip()
    print(text)
    if given.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-alive")


if __name__ == "__main__":
    main()
