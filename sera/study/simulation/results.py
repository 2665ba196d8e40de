"""Rows of a simulated study on the disk: `rows.jsonl` and `meta.json` in a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sera.study.data import Participation

ROWS, META = "rows.jsonl", "meta.json"


def save_simulation(folder: Path, rows: Iterable[Participation], about: dict[str, Any]) -> Path:
    """Write a simulated study; an earlier one of the same name is replaced.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row.as_json(), ensure_ascii=False) + "\n" for row in rows)
    _replace(folder / ROWS, text)
    _replace(folder / META, json.dumps({**about, "simulated": True}, indent=2) + "\n")
    return folder


def load_simulation(folder: Path) -> tuple[list[Participation], dict[str, Any]]:
    """The rows of a simulated study, and what is known about it.

    Raises:
        FileNotFoundError: there is none.
        ValueError: a row is not a simulated one, or cannot be read.
    """
    rows = []
    for number, line in enumerate((folder / ROWS).read_text(encoding="utf-8").splitlines(), 1):
        try:
            written = json.loads(line)
            row, marked = participation_of(written), written.get("simulated")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{folder / ROWS}:{number}: no row of a study: {error}") from None
        if not (row.simulated and marked is True):
            raise ValueError(f"{folder / ROWS}:{number}: the row is not marked as simulated")
        rows.append(row)
    about: dict[str, Any] = json.loads((folder / META).read_text(encoding="utf-8"))
    return rows, about


def simulations_in(study: Path) -> Sequence[Path]:
    """Folders of simulated studies, newest first."""
    found = [path.parent for path in (study / "simulated").glob(f"*/{ROWS}")]
    return sorted(found, key=lambda folder: (folder / ROWS).stat().st_mtime, reverse=True)


def participation_of(row: dict[str, Any]) -> Participation:
    """The row that `Participation.as_json` wrote."""
    return Participation(
        participant=row["id"],
        session=row["session"],
        kind=row["kind"],
        fate=row["fate"],
        condition=row["condition"],
        factors=row.get("factors", {}),
        period=row.get("period", 1),
        seed=row.get("seed"),
        language=row.get("language"),
        measures=row["measures"],
        answers=row.get("answers", {}),
        exclusion=row.get("exclusion"),
        problems=tuple(row.get("problems", ())),
    )


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
