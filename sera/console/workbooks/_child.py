"""The child process that reads and writes workbooks: `python -m sera.console.workbooks._child`.

It takes one task as JSON from its standard input and says on its standard output how it went:
`{"done": true}` or `{"status": …, "why": "…"}`. What it made lies in the file `out`.

Safety
    It limits its own memory before it opens anything; the parent limits its time. Whatever a file
    makes go wrong ends in a sentence.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sera.console.workbooks._checked import UPLOAD_LIMITS, check, document
from sera.console.workbooks._names import wording_for
from sera.runtime.located import FileProblem, FileProblems

MEMORY_BYTES = 1_500_000_000
ANSWER_BYTES = 48_000_000
"""What a page is sent at most."""
_TOO_MUCH = "the workbook needs too much memory; copy the lines alone into a new workbook"


class Task(BaseModel):
    """What is to be done."""

    do: str
    out: Path
    file: Path | None = None
    label: str = ""
    scenario: Path | None = None
    condition: str | None = None
    character: str | None = None


class Refused(Exception):
    """The task cannot be done; the sentence says why."""


def main() -> None:
    """Do what standard input says."""
    answer: dict[str, Any] = {"done": True}
    try:
        _step_back()
        task = Task.model_validate_json(sys.stdin.buffer.read())
        with redirect_stdout(sys.stderr):  # modules of a scenario may print when imported
            _do(task)
    except (Refused, FileProblem, FileProblems) as problem:
        answer = {"status": 422, "why": str(problem)}
    except MemoryError:
        answer = {"status": 413, "why": _TOO_MUCH}
    except RecursionError:
        answer = {"status": 422, "why": "the workbook is nested too deeply to be read"}
    print(json.dumps(answer))


def _do(task: Task) -> None:
    wording = wording_for(task.scenario, task.condition, task.character)
    if task.do == "template":
        from sera.behaviour.library import write_template

        names = wording.vocabulary
        write_template(
            task.out,
            verbs=sorted(wording.syntax.verbs.names),
            targets=sorted(names.targets or ()),
            animations=sorted(names.animations or ()),
            categories=wording.library.categories,
            languages=wording.library.languages,
        )
        return
    assert task.file is not None
    checked = check(task.file, task.label, wording)
    if task.do == "check":
        told = json.dumps(document(checked), ensure_ascii=False)
        written = told.encode("utf-8", errors="replace")
        if len(written) > ANSWER_BYTES:
            raise Refused("its cells hold too much text to be shown; split the workbook")
        task.out.write_bytes(written)
        return
    if not checked.sheets:
        why = checked.findings[0] if checked.findings else None
        raise Refused("it cannot be read" if why is None else f"{why.message} ({why.fix})")
    _refuse_if_huge(task.file)
    from sera.behaviour.library import write_comments

    write_comments(task.file, checked.findings, task.out)
    if any(sheet.name == task.file.stem for sheet in checked.sheets):
        _rename_sheet(task.out, task.file.stem, checked.called.stem)


def _rename_sheet(path: Path, name: str, wanted: str) -> None:
    """Call the sheet of a text file as its author called the file."""
    from openpyxl import load_workbook

    book = load_workbook(path)
    allowed = "".join("_" if letter in "[]:*?/\\" else letter for letter in wanted)
    for sheet in book.worksheets:
        if sheet.title == name[:31]:
            sheet.title = allowed.strip("'")[:31] or "Lines"
    book.save(path)


def _refuse_if_huge(path: Path) -> None:
    """Pictures and whatever else the checking leaves unread is read for a copy."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as package:
        unpacked = sum(part.file_size for part in package.infolist())
    if unpacked > 2 * UPLOAD_LIMITS.unpacked_bytes:
        raise Refused(
            f"it would unfold to {unpacked / 1e6:.0f} MB; copy the lines alone into a new workbook"
        )


def _step_back() -> None:
    """Take the processor after the robot, and less memory than harms."""
    with suppress(AttributeError, OSError):
        os.nice(1)
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
