"""The data beside a report: a row a participant and condition, each with `simulated`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

from sera.study.analysis import Analysis
from sera.study.data import Participation
from sera.study.questionnaire import Questionnaire

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def data_rows(
    analysis: Analysis, forms: Mapping[str, Questionnaire] | None = None
) -> list[dict[str, Any]]:
    """All rows, flat; free text stays out, since it may tell who wrote it."""
    private = {
        (name, item.id)
        for name, form in (forms or {}).items()
        for item in form.items
        if item.kind == "text"
    }
    scores = {
        (variable.name, point.participant, point.condition): point.value
        for variable in analysis.variables
        if variable.kind == "scale"
        for point in variable.points
    }
    scales = [variable.name for variable in analysis.variables if variable.kind == "scale"]
    counted = {id(row) for row in analysis.counted}
    return [
        {
            **_facts(row, fake=analysis.simulated, counts=id(row) in counted),
            **{f"measure.{name}": _plain(value) for name, value in row.measures.items()},
            **{
                f"scale.{name}": scores.get((name, row.participant, row.condition))
                if id(row) in counted
                else None
                for name in scales
            },
            **{
                f"{form}.{item}": _plain(value)
                for form, given in row.answers.items()
                for item, value in given.items()
                if (form, item) not in private
            },
        }
        for row in analysis.rows
    ]


def _facts(row: Participation, *, fake: bool, counts: bool) -> dict[str, Any]:
    return {
        "participant": row.participant,
        "simulated": fake or row.simulated,
        "session": row.session,
        "kind": row.kind,
        "fate": row.fate,
        "analysed": counts,
        "condition": row.condition,
        **{f"factor.{name}": level for name, level in row.factors.items()},
        "period": row.period,
        "seed": row.seed,
        "language": row.language,
        "exclusion": row.exclusion,
    }


def _plain(value: Any) -> Any:
    """The value, unless it is a number that files have no letters for."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_of(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV; every column that any row has."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return buffer.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A spreadsheet must not take an answer for a formula.
        return f"'{value}" if value.startswith(_FORMULA) else value
    return repr(value) if isinstance(value, float) else str(value)


def json_of(rows: list[dict[str, Any]]) -> str:
    """Rows as JSON."""
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False, default=str) + "\n"
