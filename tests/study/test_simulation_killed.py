"""A simulated study whose process is killed leaves nobody behind."""

from __future__ import annotations

import subprocess
import sys

import psutil

from tests.helpers import PATIENCE_S, wait_until

ASKS = """
import os, sys, time
from sera.study.simulation import players
if __name__ == "__main__":
    with players(2) as pool:
        pool.submit(os.mkdir, sys.argv[1])
        pool.submit(time.sleep, 600)
        pool.submit(time.sleep, 600)
        time.sleep(600)
"""


def test_players_end_when_whoever_asked_for_them_is_killed(tmp_path):
    script = tmp_path / "asks.py"
    script.write_text(ASKS, encoding="utf-8")
    asking = subprocess.Popen([sys.executable, str(script), str(tmp_path / "at_work")])
    try:
        parent = psutil.Process(asking.pid)
        wait_until((tmp_path / "at_work").exists)
        wait_until(lambda: len(parent.children()) >= 3)  # two players and their accountant
        left = parent.children()
    finally:
        asking.kill()
        asking.wait()
    gone, alive = psutil.wait_procs(left, timeout=PATIENCE_S)
    for each in alive:
        each.kill()
    assert alive == []
    assert len(gone) >= 3
