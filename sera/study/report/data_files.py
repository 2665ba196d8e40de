"""The data beside a report: a row a participant and condition, each with `simulated`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from sera.study.analysis import Analysis
from sera.study.data import Participation
from sera.study.export.safe_csv import csv_text
from sera.study.questionnaire import Questionnaire

Known = set[tuple[str, str]]


def data_rows(
    analysis: Analysis, forms: Mapping[str, Questionnaire] | None = None
) -> list[dict[str, Any]]:
    """All rows, flat; what people typed stays out, since it may tell who wrote it."""
    chosen = {
        (name, item.id)
        for name, form in (forms or {}).items()
        for item in form.items
        if item.kind != "text"
    }
    scores = _scores(analysis)
    columns = list(dict.fromkeys(column for own in scores.values() for column in own))
    counted = {id(row) for row in analysis.counted}
    return [
        {
            **_facts(row, fake=analysis.simulated, counts=id(row) in counted),
            **{f"measure.{name}": _plain(value) for name, value in row.measures.items()},
            **dict.fromkeys(columns),
            **(scores.get((row.participant, row.condition), {}) if id(row) in counted else {}),
            **_answers(row, chosen),
        }
        for row in analysis.rows
    ]


def _scores(analysis: Analysis) -> dict[tuple[str, str], dict[str, float | None]]:
    """Scores by person and condition, in the columns of the export.

    The analysis has turned negatively scored scales round, the column `scale.NAME` is not.
    """
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for variable in analysis.variables:
        if variable.kind != "scale":
            continue
        name = f"scale.{variable.name}"
        for point in variable.points:
            own = found.setdefault((point.participant, point.condition), {})
            own[name] = point.value
            if variable.inverted:
                assert variable.lowest is not None
                assert variable.highest is not None
                own[f"{name}.inverted"] = point.value
                if point.value is not None:
                    own[name] = variable.lowest + variable.highest - point.value
    return found


def _answers(row: Participation, chosen: Known) -> dict[str, Any]:
    """Numbers and choices; a text that no form of the study offers may have been typed."""
    return {
        f"{form}.{item}": _plain(value)
        for form, given in row.answers.items()
        for item, value in given.items()
        if (form, item) in chosen or value is None or isinstance(value, int | float)
    }


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
    return csv_text(list(dict.fromkeys(key for row in rows for key in row)), rows)


def json_of(rows: list[dict[str, Any]]) -> str:
    """Rows as JSON."""
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False, default=str) + "\n"
