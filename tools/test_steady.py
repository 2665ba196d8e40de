"""Runs `make test` again and again in fresh copies, idle and beside busy loops.

    python tools/test_steady.py [--idle 3] [--busy 2]

Each run is a clone of what is committed, set-up included, as `.ci/run` does it. A run that takes
longer than `MOST_MINUTES` is ended and counts as failed. Prints a table, and the end of what each
failed run said.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_MINUTES = 45
BUSY_LOOPS = 2
BUSY = "import os\nours = os.getppid()\nwhile os.getppid() == ours: pass"
"""Ends with whoever started it, however that ends."""


def clone_and_test(folder: Path) -> tuple[float, str, str]:
    """One run from nothing: minutes, verdict, and what was printed."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    began_s = time.monotonic()
    process = subprocess.Popen(
        ["bash", ".ci/run"],
        cwd=folder,
        env={**os.environ, "CI": "true"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=MOST_MINUTES * 60)
        verdict = "green" if process.returncode == 0 else "FAILED"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        said, _ = process.communicate()
        verdict = f"ended after {MOST_MINUTES} minutes"
    return (time.monotonic() - began_s) / 60, verdict, said


def main() -> None:
    """Run, and print a row for each run as it ends."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--idle", type=int, default=3)
    parser.add_argument("--busy", type=int, default=2)
    asked = parser.parse_args()
    failed = 0
    print("| run | beside it | minutes | verdict | stages | tests |\n|---|---|---|---|---|---|")
    for number in range(asked.idle + asked.busy):
        is_busy = number >= asked.idle
        loops = [
            subprocess.Popen([sys.executable, "-c", BUSY])
            for _ in range(BUSY_LOOPS if is_busy else 0)
        ]
        try:
            with tempfile.TemporaryDirectory(prefix="sera-steady-") as made:
                minutes, verdict, said = clone_and_test(Path(made) / "copy")
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        stages = "; ".join(re.findall(r"^-- (.*: [\d.]+) minutes$", said, re.MULTILINE))
        tests = ", ".join(re.findall(r"(\d+ (?:passed|failed|error)[^=]*?) in ", said))
        beside = f"{BUSY_LOOPS} busy loops" if is_busy else "nothing"
        print(f"| {number + 1} | {beside} | {minutes:.1f} | {verdict} | {stages} | {tests} |")
        sys.stdout.flush()
        if verdict != "green":
            failed += 1
            print("\n".join(said.splitlines()[-60:]), file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
