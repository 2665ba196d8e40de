"""From PersonMoved on the bus to the JointFrame that follows it, over mosquitto, in real processes.

The engine has a process of its own, as in the scenarios; the stop-watch stands where the bridge
is. A frame is known to follow a step by the chain of causes in the envelopes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STAGE = Path(__file__).parent / "animation_stage"
FRAME_MS = 20.0
BAR_MS = FRAME_MS + 3.0


@dataclass(frozen=True)
class EndToEnd:
    """What the stop-watch saw."""

    p50_ms: float
    p90_ms: float
    p99_ms: float
    steps: int
    followed: int
    frames: int
    late: int
    slowest_ms: float


def measure_end_to_end(seconds: float, broker: str = "mosquitto") -> EndToEnd:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {
            **os.environ,
            "SERA_RUNS": folder,
            "SERA_BENCH_REPORT": str(report),
            "SERA_BENCH_SECONDS": str(seconds),
        }
        subprocess.run(
            [
                sys.executable,
                "-m",
                "sera",
                "run",
                str(STAGE),
                "--plain",
                "--no-record",
                "--embedded",
                broker,
            ],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=seconds + 60.0,
        )
        found = json.loads(report.read_text(encoding="utf-8"))
    taken = np.array(found["taken_ms"])
    p50, p90, p99 = np.percentile(taken, [50, 90, 99])
    return EndToEnd(
        p50_ms=float(p50),
        p90_ms=float(p90),
        p99_ms=float(p99),
        steps=found["steps"],
        followed=len(taken),
        frames=found["made"],
        late=found["late"],
        slowest_ms=found["slowest_ms"],
    )
