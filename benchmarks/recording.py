"""`make bench-recording`: the log as JSON lines beside MCAP, the same messages, one run.

Both write to a file what the recorder would: the JSON of every envelope with topic and time. Five
interleaved rounds, medians. The cut file is the same log without its second half.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from math import sin
from pathlib import Path
from typing import Any

from mcap.reader import make_reader
from mcap.writer import Writer

from benchmarks.bus import ROOT, write_into
from benchmarks.bus_worker import frame
from sera.bus import encode
from sera.messages import Envelope, JointFrame
from sera.recording import LogHeader, LogReader, LogWriter


def envelopes(count: int) -> list[Envelope]:
    """Frames of a body whose joints all move: equal ones would flatter a format that compresses."""
    names = list(frame().joints_rad)
    return [
        Envelope(
            JointFrame(joints_rad={name: sin(0.01 * n + k) for k, name in enumerate(names)}),
            f"ada.engine-1-{n}",
            n * 0.02,
            "ada.engine",
            "ada",
        )
        for n in range(1, count + 1)
    ]


def write_lines(path: Path, messages: list[Envelope]) -> None:
    log = LogWriter(path, header=LogHeader(run="bench"), clock_now=time.monotonic)
    for envelope in messages:
        log.write(envelope, envelope.time)
    log.close()


def write_mcap(path: Path, messages: list[Envelope]) -> None:
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("JointFrame", "jsonschema", b"{}")
        channel = writer.register_channel("sera/bench/ada/JointFrame/ada.engine", "json", schema)
        for envelope in messages:
            at_ns = int(envelope.time * 1e9)
            writer.add_message(channel, at_ns, encode(envelope), at_ns)
        writer.finish()


def read_lines(path: Path) -> int:
    return sum(1 for _ in LogReader(path))


def read_mcap(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in make_reader(file).iter_messages())


def after_a_cut(path: Path, read: Any) -> str:
    """How many messages the ordinary reader still finds in the first half of the file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    try:
        return f"{read(path):,}"
    except Exception as error:  # whatever it raises, the reader of a study gets nothing
        return f"none ({type(error).__name__})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    messages = envelopes(arguments.count)
    formats = {"JSON lines (SERA)": (write_lines, read_lines), "MCAP": (write_mcap, read_mcap)}
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in formats}
    lines = [
        f"{arguments.count:,} messages of 1 KB, median of {arguments.rounds} interleaved rounds.",
        "",
        "| format | written/s | read/s | size | found after losing the second half |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            for name, (write, read) in formats.items():
                path = Path(folder) / f"{number}-{name[:4]}"
                started_s = time.perf_counter()
                write(path, messages)
                written_s = time.perf_counter()
                assert read(path) == arguments.count
                rates[name].append((written_s - started_s, time.perf_counter() - written_s))
        for name, (_, read) in formats.items():
            path = Path(folder) / f"0-{name[:4]}"
            size_mb = path.stat().st_size / 1e6
            write_s, read_s = (
                statistics.median(column) for column in zip(*rates[name], strict=True)
            )
            lines.append(
                f"| {name} | {arguments.count / write_s:,.0f} | {arguments.count / read_s:,.0f} "
                f"| {size_mb:.1f} MB | {after_a_cut(path, read)} |"
            )
    print("\n".join(lines))
    if arguments.write:
        write_into(ROOT / "docs" / "benchmarks.md", "\n".join(lines), mark="bench-recording")


if __name__ == "__main__":
    main()
