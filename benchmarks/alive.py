"""`make bench-alive`: looking, resting, not sinking, strokes on words: every bar, before and after.

    make bench-alive BENCH_ARGUMENTS="--quick --seeds 7 --only gaze rest"

Sections are kept in benchmarks/results/alive.json as soon as each is measured, and the page is
made of what is kept, so that a section can be measured alone. `alive_before.json` was measured
by the same code at revision 7e82373, before the work that this measures; `--before` measures it
again in a checkout of that revision with these files laid over it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._alive_runs import EXCHANGED, URDF_MADE, Stage
from benchmarks._alive_sections import SECTIONS, Draw, Row
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine

RESULTS = Path(__file__).parent / "results"
BEFORE, AFTER = RESULTS / "alive_before.json", RESULTS / "alive.json"
Kept = dict[str, dict[str, Any]]


def read_kept(path: Path) -> Kept:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def keep(path: Path, section: str, found: dict[str, Any]) -> None:
    """Put a section into a file of results."""
    kept = read_kept(path) | {section: found}
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def measure(section: str, draw: Draw, path: Path) -> None:
    """Measure a section; each row is kept as soon as it is there."""
    began_s = time.perf_counter()
    drawn = f"seeds {' and '.join(map(str, draw.stage.seeds))}, {draw.minutes:g} minutes"
    rows: list[Row] = []
    for row in SECTIONS[section][1](draw):
        rows.append(row)
        tell(f"{section}: {row.what}: {row.figures}")
        took_s = round(time.perf_counter() - began_s)
        keep(
            path, section, {"rows": rows, "draw": drawn + ", quick" * draw.quick, "took_s": took_s}
        )


def lines_of(before: Kept, after: Kept) -> list[str]:
    """All sections that were measured, as tables."""
    lines: list[str] = []
    for section, (title, _) in SECTIONS.items():
        sides = [side[section] for side in (before, after) if section in side]
        if not sides:
            continue
        tables = [
            {row[0]: row[1:] for row in side.get(section, {}).get("rows", [])}
            for side in (before, after)
        ]
        draws = "; before: ".join(dict.fromkeys(side["draw"] for side in reversed(sides)))
        lines += [
            f"**{title}** (`--only {section}`, {draws})",
            "",
            "| | before | after | bar |",
            "|---|---|---|---|",
        ]
        for what in {**tables[0], **tables[1]}:
            was, now = (table.get(what, ["", None]) for table in tables)
            bar = verdict(now[1]) if now[1] is not None else ""
            lines.append(f"| {what} | {was[0]} | {now[0]} | {bar} |")
        lines.append("")
    return lines


def tell(sentence: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {sentence}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[41, 42])
    parser.add_argument("--robots", nargs="+", help="that are exchanged into the scenarios")
    parser.add_argument("--quick", action="store_true", help="a smaller draw, some minutes")
    parser.add_argument("--minutes", type=float, help="of mixed orders for each body; an hour")
    parser.add_argument("--logs", type=Path, help="keep runs there; those that are there count")
    parser.add_argument("--before", action="store_true", help="keep as what was before")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    robots = arguments.robots or (("adelino", "nao") if arguments.quick else EXCHANGED + URDF_MADE)
    seeds = arguments.seeds[: 1 if arguments.quick else None]
    with tempfile.TemporaryDirectory() as temporary:
        stage = Stage(arguments.logs or Path(temporary), seeds, robots, tell)
        draw = Draw(stage, arguments.quick, arguments.minutes or (3 if arguments.quick else 60))
        for section in arguments.only:
            measure(section, draw, BEFORE if arguments.before else AFTER)
    here = machine()
    head = f"{here['processor']}, {here['cores']} cores; Python {here['python']}."
    text = "\n".join([head, "", *lines_of(read_kept(BEFORE), read_kept(AFTER))]).rstrip()
    print(text)
    if arguments.write:
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark="bench-alive")


if __name__ == "__main__":
    main()
