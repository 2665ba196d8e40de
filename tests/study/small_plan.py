"""The beginning of a small study file, what is wrong with one that is made from it, and another."""

from __future__ import annotations

from pathlib import Path

from sera.runtime.located import FileProblem
from sera.study import StudyError, load_plan

WITH_FORM = """
[study]
title = "Play"
[[phases]]
name = "one"
[[phases.steps]]
name = "ask"
title = "Ask"
form = "rosas"
[[forms]]
name = "rosas"
points = 7
scales = ["RC"]
"""
HEAD = """
[study]
title = "T"
[[phases]]
name = "game"
[[phases.steps]]
name = "play"
title = "Play"
[[phases.steps]]
name = "ask"
title = "Ask"
form = "rosas"
[[measures]]
name = "Wrong"
how = "count"
message = "GuessJudged"
[[measures]]
name = "Time"
how = "time_between"
message = "A"
until = "B"
"""
BETWEEN = """
[design]
[[design.factors]]
name = "hints"
levels = ["some", "none"]
[[design.conditions]]
name = "helped"
levels = { hints = "some" }
[[design.conditions]]
name = "control"
levels = { hints = "none" }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[FileProblem]:
    try:
        load_plan(write(folder, text))
    except StudyError as error:
        return list(error.problems)
    return []


def the_problem(folder: Path, text: str) -> FileProblem:
    found = problems(folder, text)
    assert len(found) == 1, [str(one) for one in found]
    return found[0]
