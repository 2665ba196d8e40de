"""The engines of the behaviour manager: sheets, gaze with many people, an hour of a scenario."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from openpyxl import Workbook, load_workbook

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazeMachine
from sera.behaviour.library import read_library
from sera.behaviour.targets import TargetTable

ROWS = 5000
LOAD_BAR_S = 0.5
PEOPLE, RATE_HZ = 100, 30.0
GAZE_BAR = 0.05
HOUR_BAR_S = 20.0


def measure_loading(repeats: int = 5) -> tuple[float, float]:
    """Seconds for a workbook of 5,000 lines: by SERA, and by openpyxl alone (median)."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Utterances"
    sheet.append(["ID", "CATEGORY", "TEXT", "QUESTION", "REPETITIONS"])
    for number in range(ROWS):
        text = f"<GAZE(person)> This is line {number}, <HEADNOD(2)> with /name/ in it."
        sheet.append([f"id-{number}", f"category:{number % 40}", text, "no", "any"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.xlsx"
        book.save(file)
        own = [_seconds(lambda: read_library(file)) for _ in range(repeats)]
        plain = [_seconds(lambda: list(load_workbook(file).active.values)) for _ in range(repeats)]
    return sorted(own)[repeats // 2], sorted(plain)[repeats // 2]


def measure_gaze_load(seconds: float) -> float:
    """Share of a core for the gaze at 100 people who all move 30 times a second."""
    source = random.Random(1)
    machine = GazeMachine(TargetTable(), source, BUILT_IN_POLICIES["mutual_joint"])
    steps = round(seconds * RATE_HZ)
    began_s = time.process_time()
    for step in range(steps):
        now_s = step / RATE_HZ
        for number in range(PEOPLE):
            angle = 0.02 * number + 0.3 * math.sin(now_s + number)
            place = (2.0 * math.sin(angle), 1.5, 2.0 * math.cos(angle))
            machine.person_seen(f"person_{number}", now_s, position_m=place)
        machine.step(now_s)
    return (time.process_time() - began_s) / seconds


def measure_hour(scenario: str, condition: str) -> float:
    """Seconds that an hour of virtual time takes, from the command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "sera", "run", scenario, "--virtual", "--plain"]
        command += ["--condition", condition, "--log", str(Path(folder) / "log.jsonl")]
        return _seconds(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=600)
        )


def _seconds(work: object) -> float:
    began_s = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began_s
