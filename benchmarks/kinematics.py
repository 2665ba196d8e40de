"""`make bench-kinematics`: ERIK, inverse kinematics beside its peers, and the motion filter.

Everything in one run on one machine, written into docs/benchmarks.md between its marks. The peers
need the extra `bench`; without them the other tables are written all the same.
"""

from __future__ import annotations

import argparse
import platform
import sys

from benchmarks._kinematics_erik import measure_erik
from benchmarks._kinematics_filter import P50_BAR_US, P99_BAR_US, measure_filter
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine


def filter_lines(steps: int) -> list[str]:
    lines = [
        "| one step of 25 joints with the guard | p50 | p99 | joints held back in a step | bars |",
        "|---|---|---|---|---|",
    ]
    for timing in measure_filter(steps):
        verdict = "met" if timing.within_bars else "MISSED"
        lines.append(
            f"| {timing.name} | {timing.p50_us:.1f} µs | {timing.p99_us:.1f} µs "
            f"| {timing.held_back:.2f} "
            f"| p50 ≤ {P50_BAR_US:g} µs, p99 ≤ {P99_BAR_US:g} µs: {verdict} |"
        )
    return lines


def peer_lines(targets: int) -> list[str]:
    try:
        from benchmarks._kinematics_peers import measure_peers, table_of
    except ImportError as error:
        return [f'The peers are not installed ({error.name}): `pip install "sera-hri[bench]"`.']
    rows = measure_peers(targets)
    lines = table_of(rows)
    for arm in dict.fromkeys(row.arm for row in rows):
        ours, toolbox = (row for row in rows if row.arm == arm and "CLIK" not in row.solver)
        met = ours.success_percent == 100.0 and ours.p50_us <= toolbox.p50_us
        ratio = ours.p50_us / toolbox.p50_us
        verdict = f"success 100 %, p50 at most that of the toolbox ({ratio:.2f} of it)"
        lines += ["", f"Bar on {arm}: {verdict}: {'met' if met else 'MISSED'}."]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fraction", type=float, default=0.01, help="of ERIK's samples")
    parser.add_argument("--floor", type=int, default=400, help="samples of the long search")
    parser.add_argument("--targets", type=int, default=2000, help="of the inverse kinematics")
    parser.add_argument("--steps", type=int, default=20_000, help="of the motion filter")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    python = f"Python {platform.python_version()}, numba {here['numba']}"
    lines = [
        f"{here['processor']}, {here['cores']} cores; {python}.",
        "",
        f"**ERIK**, {100 * arguments.fraction:g} % of the document's samples:",
        "",
        *measure_erik(arguments.fraction, arguments.floor),
        "",
        "**Inverse kinematics** (position and orientation) beside its peers:",
        "",
    ]
    print("inverse kinematics", file=sys.stderr, flush=True)
    lines += [*peer_lines(arguments.targets), "", "**Motion filter:**", ""]
    print("motion filter", file=sys.stderr, flush=True)
    lines += filter_lines(arguments.steps)
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        write_into(ROOT / "docs" / "benchmarks.md", text, mark="bench-kinematics")


if __name__ == "__main__":
    main()
