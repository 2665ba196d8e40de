"""One sentence on why data is no message: what, where, the nearest valid name.

The sentences name fields and valid choices but never repeat a value: they also end up in the
run's log as faults, where the words of a participant have no business.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sera.messages._fields import fields_at

_SHOWN = 3
_LISTED = 12
_LONGEST_NAME = 60

Path = tuple[str | int, ...]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, None where none is near."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    asked = name[:_LONGEST_NAME].lower()
    for candidate, spelled in by_lower_case.items():
        if asked and candidate.startswith(f"{asked}_"):  # the unit was forgotten
            return spelled
    near = difflib.get_close_matches(asked, by_lower_case, n=1, cutoff=0.6)
    return by_lower_case[near[0]] if near else None


def hint(name: str, known: Iterable[str]) -> str:
    """`; did you mean Clicked?`, or the valid names where there are few, or nothing."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f"; did you mean {near}?"
    if names and len(names) <= _LISTED:
        return f"; valid: {', '.join(names)}"
    return ""


def shown(name: object) -> str:
    """A name that a page gave, in quotes, short and on one line."""
    text = str(name)
    if len(text) > _LONGEST_NAME:
        text = text[: _LONGEST_NAME - 1] + "…"
    return repr(text)


def explain(error: ValidationError, model: type[BaseModel], data: Any, what: str) -> str:
    """One sentence on what pydantic found wrong with the data of a message.

    Args:
        error: what it raised.
        model: the model that refused the data.
        data: the data.
        what: name for the whole, such as the message type.
    """
    found: dict[Path, list[str]] = {}
    # A misspelt field comes first: it explains the one that is missing.
    for details in sorted(error.errors(include_url=False), key=_is_known_field):
        path = _path_in(data, details["loc"], details["type"])
        complaint = _complaint(dict(details), path, list(fields_at(model, path[:-1])))
        complaints = found.setdefault(path, [])
        if complaint not in complaints:
            complaints.append(complaint)
    parts = [
        f"{_dotted(what, path)}: {', or '.join(complaints[:_SHOWN])}"
        for path, complaints in found.items()
    ]
    more = f" (and {len(parts) - _SHOWN} more)" if len(parts) > _SHOWN else ""
    return "; ".join(parts[:_SHOWN]) + more


def _is_known_field(details: ErrorDetails) -> bool:
    return details["type"] != "extra_forbidden"


def _complaint(details: dict[str, Any], path: Path, known: list[str]) -> str:
    error_type: str = details["type"]
    name = str(path[-1]) if path else ""
    if error_type == "extra_forbidden":
        return f"no such field{hint(name, known)}"
    if error_type == "missing":
        return "this field is missing"
    message: str = details["msg"]
    if error_type in ("value_error", "assertion_error"):
        return message.split(", ", 1)[-1]
    message = message.replace("Input should be", "must be").split(", unable to")[0]
    if error_type in ("literal_error", "enum"):
        choices = [choice.strip("'") for choice in _choices(details["ctx"]["expected"])]
        near = nearest(str(details["input"]), choices)
        message += f"; did you mean {near}?" if near is not None else ""
    return message[:1].lower() + message[1:]


def _choices(expected: str) -> list[str]:
    return expected.replace(" or ", ", ").split(", ")


def _path_in(data: Any, location: tuple[int | str, ...], error_type: str) -> Path:
    """Drop what pydantic adds to a location (names of union members) and keep the keys."""
    path: list[str | int] = []
    current = data
    for number, part in enumerate(location):
        if _holds(current, part):
            current = current[part]
        elif not (number == len(location) - 1 and error_type == "missing"):
            continue
        path.append(part)
    return tuple(path)


def _holds(container: Any, key: str | int) -> bool:
    if isinstance(container, list):
        return isinstance(key, int) and key < len(container)
    return isinstance(container, dict) and key in container


def _dotted(what: str, path: Path) -> str:
    text = what
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part[:_LONGEST_NAME]}"
    return text
