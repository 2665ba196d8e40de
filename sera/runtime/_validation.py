"""Turn pydantic's complaints about a TOML file into problems with line and nearest name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from sera.messages._fields import fields_at, model_in
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, dotted, nearest_name

_UNITS = {
    "_deg_s": "degrees per second",
    "_rad_s": "radians per second",
    "_m_s": "metres per second",
    "_deg": "degrees",
    "_rad": "radians",
    "_ms": "milliseconds",
    "_s": "seconds",
    "_hz": "hertz",
    "_m": "metres",
    "_px": "pixels",
    "_bytes": "bytes",
}

Relocate = Callable[[KeyPath], KeyPath]
"""Maps a path of the validated data to the path in the file."""


def problems_of(
    error: ValidationError,
    document: LocatedToml,
    model: type[BaseModel],
    data: Any,
    *,
    relocate: Relocate = lambda path: path,
    also_known: tuple[str, ...] = (),
) -> list[FileProblem]:
    """One problem for each wrong place, in the order of the file.

    Args:
        error: what pydantic raised.
        document: the file that the data came from.
        model: the model that refused the data.
        data: the data as it was validated.
        relocate: maps a path in the data to the path in the file.
        also_known: names that are valid at the top beside the model's own fields.
    """
    by_path: dict[KeyPath, list[FileProblem]] = {}
    for details in error.errors(include_url=False):
        path = _path_in(data, details["loc"], details["type"])
        place = relocate(path)
        fields = fields_at(model, path[:-1])
        known = [*fields, *also_known] if len(path) == 1 else list(fields)
        message, nearest, fix = _explain(dict(details), path, known)
        if details["type"] == "missing" and model_in(fields.get(str(path[-1]))) is not None:
            message, fix = "this table is missing", f"add [{dotted(place)}]"
        problem = document.problem(place, message, nearest=nearest, fix=fix)
        by_path.setdefault(place, []).append(problem)
    problems = [_merge(found) for found in by_path.values()]
    return sorted(problems, key=lambda problem: problem.line or 0)


def _path_in(data: Any, location: tuple[int | str, ...], error_type: str) -> KeyPath:
    """Drop what pydantic adds to a location (names of union members) and keep the keys."""
    path: list[str | int] = []
    current = data
    for number, part in enumerate(location):
        is_last = number == len(location) - 1
        if holds(current, part):
            current = current[part]
        elif not (is_last and error_type == "missing"):
            continue
        path.append(part)
    return tuple(path)


def holds(container: Any, key: str | int) -> bool:
    """True where a table has the key, or an array the index."""
    if isinstance(container, list | tuple):
        return isinstance(key, int) and key < len(container)
    return isinstance(container, dict) and key in container


def _explain(
    details: dict[str, Any], path: KeyPath, known: list[str]
) -> tuple[str, str | None, str | None]:
    """The sentence, the nearest valid name, and the fix."""
    error_type: str = details["type"]
    # The name of an array is the name of its elements.
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    unit = next((unit for suffix, unit in _UNITS.items() if name.endswith(suffix)), None)
    if error_type == "extra_forbidden":
        listed = f"known here: {', '.join(known)}" if known else None
        return f"unknown key '{name}'", nearest_name(name, known), listed
    if error_type == "missing":
        advice = "add it" + (f", in {unit}" if unit else "")
        last = path[-1]
        lacks = "this key is missing"
        if isinstance(last, int):
            lacks = f"the list is too short, it lacks value {last + 1}"
        return lacks, None, advice
    value = details["input"]
    message: str = details["msg"]
    if error_type in ("value_error", "assertion_error"):
        return message.split(", ", 1)[-1], None, None
    if error_type in ("literal_error", "enum"):
        expected: str = details["ctx"]["expected"]
        choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
        return f"must be {expected}, not {value!r}", nearest_name(str(value), choices), None
    if error_type in ("model_type", "model_attributes_type", "dict_type"):
        return f"must be a table, not {value!r}", None, f"write [{dotted(path)}] and its keys below"
    message = message.replace("Input should be", "must be").split(", unable to")[0]
    return f"{message[:1].lower()}{message[1:]}, not {value!r}", None, _number_advice(details, unit)


def _number_advice(details: dict[str, Any], unit: str | None) -> str | None:
    if isinstance(details["input"], str) and details["type"].startswith(("float", "int")):
        return f"write the number{f' of {unit}' if unit else ''} alone, without quotes"
    return f"it is in {unit}" if unit else None


def _merge(problems: list[FileProblem]) -> FileProblem:
    """Several complaints about one place are one problem (pydantic tries each type of a union)."""
    messages = dict.fromkeys(problem.message for problem in problems)
    return problems[0].with_message("; or ".join(messages))
