"""Behaviour manager and voice on a real bus: from a word to its gesture, from floor to sound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STAGE = Path(__file__).parent / "behaviour_stage"
WORD_BAR_MS = 30.0
FLOOR_BAR_MS = 150.0


@dataclass(frozen=True, slots=True)
class Delays:
    """What was measured in one run."""

    word_to_action_ms: list[float]
    floor_to_sound_ms: list[float]
    voices: list[str]


def measure_bus(rounds: int, broker: str) -> Delays:
    """Play the stage for so many rounds in real time."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {
            **os.environ,
            "SERA_BENCH_ROUNDS": str(rounds),
            "SERA_BENCH_REPORT": str(report),
            "SERA_RUNS": folder,
        }
        command = [sys.executable, "-m", "sera", "run", str(STAGE), "--plain", "--embedded", broker]
        subprocess.run(
            command, check=True, env=environment, stdout=subprocess.DEVNULL, timeout=60 * rounds
        )
        return Delays(**json.loads(report.read_text(encoding="utf-8")))


def percentiles(values: list[float]) -> tuple[float, float, float]:
    """p50, p95 and the largest."""
    return (*np.percentile(values, [50, 95]).tolist(), max(values))
