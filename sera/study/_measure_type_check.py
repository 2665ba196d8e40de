"""Whether the messages that measures count are types of this scenario.

A mistyped name is found otherwise only when the first session is over and counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sera.messages import message_types
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name

_KEYS = ("message", "until")


def measure_type_problems(document: LocatedToml, folder: Path) -> list[FileProblem]:
    """Measures of a study file whose type of message nobody declares.

    Args:
        document: the study file.
        folder: of the scenario; its own files and the modules beside it may declare types, and are
            read without being run.
    """
    wanted = list(_names(document.data))
    if not wanted:
        return []
    from sera.study.measures._own_types import types_declared_in

    known = set(message_types()) | types_declared_in(folder)
    if any(name not in known for _, name in wanted):
        known |= types_declared_in(folder.absolute().parent.parent / "modules")
    problems = []
    for path, name in wanted:
        if name not in known:
            problems.append(
                document.problem(
                    path,
                    f"there is no message type '{name[:60]}'",
                    nearest=nearest_name(name[:60], known),
                    fix="`sera messages` lists all types",
                )
            )
    return problems


def _names(data: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    measures = data.get("measures")
    for number, measure in enumerate(measures if isinstance(measures, list) else []):
        for key in _KEYS if isinstance(measure, dict) else ():
            if isinstance(measure.get(key), str):
                yield ("measures", number, key), measure[key]
