"""What a developer runs while working: style, types and engines' tests of what changed.

    python tools/test_quick.py [REVISION]

What changed since the revision (HEAD unless one is named; files that git does not know yet count)
is checked for style and types, and the tests that mirror it run on all cores: for
`sera/behaviour/gaze/_machine.py` those in `tests/behaviour/gaze`. Tests that start programs,
browsers or brokers (`SLOW`) run only if they themselves changed. `make test` runs everything.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SLOW = {"bus", "cli", "console", "faults", "feeds", "pages", "project", "scenarios", "web"}


def changed_files(since: str) -> list[str]:
    """Python files that are there and differ from the revision."""
    names: set[str] = set()
    for command in (
        ["git", "diff", "--name-only", since],
        ["git", "ls-files", "--others", "--exclude-standard"],
    ):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"git knows no revision {since!r}: {done.stderr.strip()}")
        names.update(done.stdout.splitlines())
    return sorted(name for name in names if name.endswith(".py") and (ROOT / name).is_file())


def tests_of(changed: list[str]) -> list[str]:
    """Changed tests, and the nearest folder or file of tests that mirrors each changed file."""
    chosen: set[Path] = set()
    for name in changed:
        room, *inner = Path(name).parts
        if room == "tests" and inner[-1].startswith("test_"):
            chosen.add(Path(name))
        elif room == "modules":
            chosen.update(path.relative_to(ROOT) for path in _of_module(inner[0]))
        elif room in ("sera", "tests") and len(inner) > 1 and inner[0] not in SLOW:
            folder = Path("tests", *inner[:-1])
            while not (ROOT / folder).is_dir():
                folder = folder.parent
            if folder != Path("tests"):
                chosen.add(folder)
    return sorted(str(path) for path in chosen if not chosen.intersection(path.parents))


def _of_module(name: str) -> list[Path]:
    return sorted((ROOT / "tests" / "modules").glob(f"test_{name}*.py"))


def main() -> None:
    """Style and types beside the tests: two cores have both done at the same time."""
    began_s = time.monotonic()
    changed = changed_files(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    if not changed:
        print("nothing changed")
        return
    python = [sys.executable, "-m"]
    typed = [name for name in changed if name.startswith(("sera/", "modules/"))]
    checks = [
        subprocess.Popen([*python, "ruff", "check", *changed], cwd=ROOT),
        subprocess.Popen([*python, "ruff", "format", "--check", *changed], cwd=ROOT),
    ]
    if typed:
        checks.append(subprocess.Popen([*python, "mypy", "--strict", *typed], cwd=ROOT))
    tests = tests_of(changed)
    if tests:
        print(f"tests: {' '.join(tests)}", flush=True)
        checks.append(subprocess.Popen([*python, "pytest", "-q", "-n", "auto", *tests], cwd=ROOT))
    codes = [check.wait() for check in checks]
    print(f"{len(changed)} changed files in {time.monotonic() - began_s:.0f} s")
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
