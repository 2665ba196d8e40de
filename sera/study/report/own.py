"""Sections of a report that a study's own functions write: `[[analysis.tables]]`.

A function takes the rows that count and gives tables and sentences, `sera.study.report.Table` and
`Sentence`. Whatever it does wrong costs its section alone, which then says so.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sera.runtime.located import shown_path
from sera.study.data import Participation
from sera.study.design_tables import OwnTables
from sera.study.measures._functions import MeasureFailed, OwnFunctions
from sera.study.plan import StudyPlan
from sera.study.report.document import Block, Section, Sentence, Table


def own_sections(
    plan: StudyPlan, rows: Sequence[Participation], folder: Path | None
) -> list[Section]:
    """The sections that the plan asks for; never raises for what is wrong with one of them.

    Args:
        plan: of the study.
        rows: that count.
        folder: of the scenario, where the functions lie.
    """
    functions = OwnFunctions(folder or Path())
    made = []
    for wish in plan.analysis.tables:
        try:
            blocks = _blocks(functions, wish, rows, folder or Path())
        except MeasureFailed as failed:
            blocks = (Sentence(f"{failed}.", "warning"),)
        made.append(Section(wish.title, blocks))
    return made


def _blocks(
    functions: OwnFunctions, wish: OwnTables, rows: Sequence[Participation], folder: Path
) -> tuple[Block, ...]:
    function = functions.find(wish.function)
    place = f"{shown_path(folder / wish.function.split(':')[0])}, {wish.function.split(':')[1]}"
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the results may go to standard output
            given = function(list(rows))
            blocks = tuple(given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MeasureFailed(f"{place} failed: {type(error).__name__}: {error}") from error
    for one in blocks:
        _check(one, place)
    return blocks


def _check(one: Any, place: str) -> None:
    if isinstance(one, Sentence):
        return
    if not isinstance(one, Table):
        raise MeasureFailed(f"{place} gave {type(one).__name__}, where tables are expected")
    for row in one.rows:
        if len(row) != len(one.columns):
            raise MeasureFailed(
                f"{place}: the table '{one.caption}' has {len(one.columns)} columns, but a row "
                f"with {len(row)} cells"
            )
