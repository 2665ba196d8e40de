"""A run at many times the speed of life, where every delay of the machine counts as many times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def test_scaled_time_runs_faster_over_a_real_broker(tmp_path: Path) -> None:
    started_s = time.monotonic()
    finished = subprocess.run(
        [sys.executable, "-m", "sera", "run", "hello", "--speed", "20", "--json"],
        env={**os.environ, "SERA_RUNS": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
    summary = json.loads(finished.stdout)
    assert summary["clock"] == "scaled"
    assert summary["duration_s"] > 18
    # Loading Python takes its time, whatever the speed; loading modules counts twenty times, too.
    assert summary["duration_s"] > 3 * (time.monotonic() - started_s)
