"""TOML files that know where their keys stand, and problems that say so.

Every file that a person writes is read through `LocatedToml`, so that whatever is found wrong
later, by this package or by pydantic, is reported as file, line, key, what is wrong, the nearest
valid name, and what to do.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sera.runtime._toml_lines import LineIndex

KeyPath = tuple[str | int, ...]
"""The way to a value: keys of tables and indices of arrays."""

_TOO_DEEP = "brackets are nested too deeply to be read"
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")


class FileProblem(Exception):
    """One thing that is wrong in a file that a person wrote.

    Args:
        file: the file.
        message: what is wrong, one sentence without a full stop.
        line: the line, from 1; None where the problem is the file as a whole.
        column: the column, from 1, where it is known.
        key: the dotted key.
        nearest: the valid name that was probably meant.
        fix: what to do about it.
    """

    def __init__(
        self,
        file: Path,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        key: str = "",
        nearest: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.message = message
        self.nearest = nearest
        self.fix = fix
        super().__init__(str(self))

    def __str__(self) -> str:
        return self._at(shown_path(self.file)) + self._advice

    @property
    def for_pages(self) -> str:
        """The same without the folder, for people on other machines."""
        return self._at(self.file.name) + self._advice

    @property
    def without_fix(self) -> str:
        """The same for whoever shows the fix elsewhere."""
        return self._at(shown_path(self.file))

    @property
    def _advice(self) -> str:
        return f" ({self.fix})" if self.fix else ""

    def _at(self, place: str) -> str:
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        text = f"{place}: {self.key}: " if self.key else f"{place}: "
        text += self.message
        if self.nearest:
            text += f"; did you mean '{self.nearest}'?"
        return text

    def with_message(self, message: str) -> FileProblem:
        """The same place with another sentence."""
        return FileProblem(
            self.file,
            message,
            line=self.line,
            column=self.column,
            key=self.key,
            nearest=self.nearest,
            fix=self.fix,
        )

    def as_dict(self) -> dict[str, Any]:
        """The parts by name, for `--json`."""
        return {
            "file": str(self.file),
            "line": self.line,
            "column": self.column,
            "key": self.key,
            "message": self.message,
            "nearest": self.nearest,
            "fix": self.fix,
        }


class FileProblems(Exception):
    """Everything that is wrong in what a person wrote, in one message."""

    what = "file"

    def __init__(self, problems: Sequence[FileProblem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        title = f"{count} problem{'' if count == 1 else 's'} in the {self.what}"
        super().__init__("\n".join([f"{title}:", *(f"  {problem}" for problem in self.problems)]))


class LocatedToml:
    """A TOML file: its data, and the line of every key.

    Args:
        path: the file, for messages.
        text: what stands in it.

    Raises:
        FileProblem: the text is not valid TOML.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text.replace("\r\n", "\n")
        try:
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise _syntax_problem(path, self.text, str(error)) from None
        except RecursionError:
            raise FileProblem(path, _TOO_DEEP) from None

    @cached_property
    def _index(self) -> LineIndex:
        """Made for the first question only: most files have nothing wrong in them."""
        try:
            return LineIndex(self.text)
        except RecursionError:
            raise FileProblem(self.path, _TOO_DEEP) from None

    @classmethod
    def load(cls, path: Path) -> LocatedToml:
        """Read a file.

        Raises:
            FileProblem: it is missing, unreadable, not UTF-8 or not valid TOML.
        """
        return cls(path, read_text(path))

    def line_of(self, path: KeyPath) -> int:
        """The line of the key, or of the nearest table around it where the key is not there."""
        for length in range(len(path), 0, -1):
            line = self._index.line_of(path[:length])
            if line is not None:
                return line
        return 1

    def has(self, path: KeyPath) -> bool:
        """True where the file has that table, key or array element."""
        return path == () or self._index.line_of(path) is not None

    def problem(
        self, path: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> FileProblem:
        """A problem with the key at that path."""
        return FileProblem(
            self.path,
            message,
            line=self.line_of(path),
            key=dotted(path),
            nearest=nearest,
            fix=fix,
        )


def read_text(path: Path) -> str:
    """The text of a file that a person wrote, in UTF-8 with or without a byte order mark.

    Raises:
        FileProblem: the file is missing, unreadable or not UTF-8.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileProblem(path, "there is no such file") from None
    except IsADirectoryError:
        raise FileProblem(path, "this is a folder, not a file") from None
    except OSError as error:
        raise FileProblem(path, f"the file cannot be read: {error.strerror or error}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(
            path,
            f"the byte 0x{content[error.start]:02x} is not UTF-8 text",
            line=content[: error.start].count(b"\n") + 1,
            fix="save the file with the encoding UTF-8",
        ) from None


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, None where none is near."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.6)
    return by_lower_case[near[0]] if near else None


def dotted(path: KeyPath) -> str:
    """`characters.ada.modules`, with quotes where a key needs them and `[n]` for an index."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            quoted = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"'
            text += f".{quoted}" if text else quoted
    return text


def shown_path(path: Path) -> str:
    """A path as a person wants to read it: relative to the current folder where it is below."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def _syntax_problem(path: Path, text: str, error: str) -> FileProblem:
    lines = text.split("\n")
    match = _PLACE.search(error)
    reason = error[: match.start()] if match is not None else error
    line, column = _last_line(text, reason), None
    if match is not None and match[1]:
        line, column = int(match[1]), int(match[2])
    shown = lines[line - 1].strip() if line <= len(lines) else ""
    quoted = f": `{shown[:80]}`" if shown else ""
    return FileProblem(
        path,
        f"not valid TOML, {reason[:1].lower()}{reason[1:]}{quoted}",
        line=line,
        column=column,
        fix=_syntax_advice(reason, shown),
    )


def _last_line(text: str, reason: str) -> int:
    """Where an error "at the end of the document" began: an open quote, or the last words."""
    quotes = {'Expected "\'"': "'", "Expected \"'''\"": "'''", "Unterminated string": '"""'}
    opened_at = text.rfind(quotes[reason]) if reason in quotes else -1
    return (text[:opened_at] if opened_at >= 0 else text.rstrip()).count("\n") + 1


def _syntax_advice(reason: str, line: str) -> str | None:
    if reason.startswith("Invalid value") and re.match(r"[^=]+=\s*[A-Za-z]", line):
        return 'texts stand in quotes: key = "text"; true and false are lower-case'
    if reason.startswith(("Unterminated string", "Expected \"'")):
        return "the quote that opens here is not closed"
    if "twice" in reason or "overwrite" in reason.lower():
        return "each table and key may be given once; merge the two"
    return None
