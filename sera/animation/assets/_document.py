"""Asset files as TOML or JSON, with the line of every key in both."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from pathlib import Path
from typing import Any, Protocol

from sera.runtime.located import FileProblem, KeyPath, LocatedToml, dotted, read_text

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^,\]}\s]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Document(Protocol):
    """What both kinds of file offer."""

    path: Path
    data: dict[str, Any]

    def line_of(self, path: KeyPath) -> int: ...

    def problem(
        self, path: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> FileProblem: ...


def read_document(path: Path, text: str | None = None) -> Document:
    """The file, as TOML or, with the suffix .json, as JSON.

    Raises:
        FileProblem: it cannot be read, or is not valid.
    """
    text = read_text(path) if text is None else text
    if path.suffix == ".json":
        return LocatedJson(path, text)
    try:
        return LocatedToml(path, text)
    except (ValueError, OverflowError) as error:  # numbers beyond what Python reads, dates
        raise FileProblem(path, f"not valid TOML, {error}") from None


class LocatedJson:
    """A JSON file: its data, and the line of every key."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._lines: dict[KeyPath, int] = {}
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        try:
            data = json.loads(text)
            self._scan(text, 0, ())
        except json.JSONDecodeError as error:
            what = f"{error.msg[:1].lower()}{error.msg[1:]}"
            raise FileProblem(
                path, f"not valid JSON, {what}", line=error.lineno, column=error.colno
            ) from None
        except RecursionError:
            raise FileProblem(path, "brackets are nested too deeply to be read") from None
        except ValueError as error:  # a number with thousands of digits
            raise FileProblem(path, f"not valid JSON, {error}") from None
        if not isinstance(data, dict):
            raise FileProblem(path, "the file must hold one object: { … }", line=1)
        self.data: dict[str, Any] = data

    def line_of(self, path: KeyPath) -> int:
        """The line of the key, or of the nearest object around it where the key is not there."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1

    def problem(
        self, path: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> FileProblem:
        """A problem with the key at that path."""
        line = self.line_of(path)
        return FileProblem(
            self.path, message, line=line, key=dotted(path), nearest=nearest, fix=fix
        )

    def _scan(self, text: str, at: int, path: KeyPath) -> int:
        """Note where the value at `at` and all inside it stand; where it ends. JSON is valid."""
        at = _after(_SPACE, text, at)
        self._lines[path] = bisect_right(self._line_starts, at)
        if text[at] == '"':
            return _after(_STRING, text, at)
        if text[at] not in "{[":
            return _after(_SCALAR, text, at)
        is_object = text[at] == "{"
        at = _after(_SPACE, text, at + 1)
        index = 0
        while text[at] not in "}]":
            key: str | int = index
            if is_object:
                end = _after(_STRING, text, at)
                key = json.loads(text[at:end])
                at = _after(_SPACE, text, end) + 1  # the colon
            at = _after(_SPACE, text, self._scan(text, at, (*path, key)))
            if text[at] == ",":
                at = _after(_SPACE, text, at + 1)
            index += 1
        return at + 1


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None, f"not valid JSON at character {at}"
    return match.end()
