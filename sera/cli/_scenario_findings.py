"""What is wrong with a scenario and with `console.toml` and `study.toml` beside it, without a run.

Two ways: `quick_problems` for lists, which reads the two files alone and imports no module where
they are right, and `thorough_problems` for the doctor, which also loads the scenario and reads its
sheets of lines.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from sera.runtime.located import FileProblem

Severity = Literal["error", "warning"]
Told = tuple[Severity, FileProblem]

PATIENCE_S = 60.0
LAYOUT_FILE = "console.toml"
PLAN_FILE = "study.toml"


class NotChecked(Exception):
    """A scenario could not be checked; the message says why."""


def beside_problems(folder: Path, further_plans: Iterable[str] = ()) -> list[Told]:
    """What is wrong in the files beside a scenario.

    A mistake in the layout takes away one button, so it is a warning; a study whose plan cannot be
    read cannot be led.

    Args:
        folder: of the scenario.
        further_plans: study files with other names.
    """
    found: list[Told] = []
    if _is_there(folder / LAYOUT_FILE):
        from sera.console._scenario_tables import characters_of
        from sera.console.layout import load_layout

        characters = characters_of(folder / "scenario.toml")
        layout = load_layout(folder, characters=characters)
        found += [("warning", problem) for problem in layout.problems]
    plans = [PLAN_FILE] if _is_there(folder / PLAN_FILE) else []
    for plan in sorted({*plans, *further_plans}):
        from sera.study.check import study_problems

        found += [("error", problem) for problem in study_problems(folder, plan)]
    return found


def quick_problems(folder: Path) -> list[Told]:
    """The same for a list of scenarios; a module is imported only where something seems wrong."""
    found = beside_problems(folder)
    if not any(severity == "warning" for severity, _ in found):
        return found
    # A button may send a message that only the scenario's own modules define.
    try:
        told = ask(folder, libraries=False)
    except NotChecked:
        return found
    beside = {problem.file for _, problem in found}
    return [one for one in told if one[1].file in beside]


def thorough_problems(folder: Path) -> list[Told]:
    """Everything that is wrong with a scenario.

    Raises:
        NotChecked: its modules kept that from being known.
    """
    return ask(folder, libraries=True)


def ask(folder: Path, *, libraries: bool, around: Path | None = None) -> list[Told]:
    """Check a scenario in a process of its own.

    Args:
        folder: of the scenario.
        libraries: whether sheets of lines are read.
        around: a folder of its workspace; None: the current one.

    Raises:
        NotChecked: the process failed or took too long.
    """
    question = json.dumps({"scenario": str(folder), "libraries": libraries})
    command = [sys.executable, "-P", "-m", "sera.cli._scenario_check_process"]
    try:
        done = subprocess.run(
            command,
            input=question + "\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE_S,
            cwd=around,
            check=False,
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise NotChecked(f"its modules were not imported within {PATIENCE_S:g} s") from None
    except (OSError, ValueError) as error:
        last = done.stderr.strip().rpartition("\n")[2] if isinstance(error, ValueError) else ""
        raise NotChecked(last or str(error)) from None
    return [_problem(one) for one in answer]


def _problem(told: dict[str, str | int | None]) -> Told:
    severity: Severity = "error" if told.pop("severity") == "error" else "warning"
    file, message = Path(str(told.pop("file"))), str(told.pop("message"))
    return severity, FileProblem(file, message, **told)  # type: ignore[arg-type]


def _is_there(file: Path) -> bool:
    """Also where it is a folder, or a link that leads nowhere: then it cannot be read."""
    return file.exists() or file.is_symlink()
