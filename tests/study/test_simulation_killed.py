"""A simulated study whose process is killed leaves nobody behind."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil

ASKS = """
import time
from sera.study.simulation import players
if __name__ == "__main__":
    with players(2) as pool:
        pool.submit(time.sleep, 60)
        pool.submit(time.sleep, 60)
        time.sleep(60)
"""


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_players_end_when_whoever_asked_for_them_is_killed(tmp_path):
    script = tmp_path / "asks.py"
    script.write_text(ASKS, encoding="utf-8")
    asking = subprocess.Popen([sys.executable, str(script)])
    try:
        parent = psutil.Process(asking.pid)
        wait_until(lambda: len(parent.children()) >= 3, 20)  # two players and their accountant
        left = parent.children()
        time.sleep(1.0)
    finally:
        asking.kill()
        asking.wait()
    gone, alive = psutil.wait_procs(left, timeout=10)
    for each in alive:
        each.kill()
    assert alive == []
    assert len(gone) >= 3
