"""Find the line on which every key of a TOML text stands.

`tomllib` reads values but forgets where they stood. This scanner walks the same text once more
and only notes places. It runs after `tomllib` has accepted the text, so it may assume that the
text is valid TOML and needs no checks of its own.
"""

from __future__ import annotations

import bisect
import re
import tomllib

Path = tuple[str | int, ...]
"""The way to a value: keys of tables and indices of arrays."""

_SPACE = re.compile(r"[ \t]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_REST_OF_SCALAR = re.compile(r"[^,\]}#\n]*")
_STRINGS = (
    # Up to two more quotes may belong to the text right before the closing three.
    re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\]|\\.)*"'),
    re.compile(r"'[^']*'"),
)


class LineIndex:
    r"""The lines of all tables, keys and array elements of one valid TOML text.

    Args:
        text: the text, with line ends as a single `\n`.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self._written: dict[Path, int] = {}
        self._implied: dict[Path, int] = {}
        self._tables_in_array: dict[Path, int] = {}
        self._scan_document()

    def line_of(self, path: Path) -> int | None:
        """The line (from 1) on which the key stands, None where the text has no such key.

        A table that is only implied (`a` in `[a.b]`) stands where it is first implied.
        """
        return self._written.get(path, self._implied.get(path))

    def _scan_document(self) -> None:
        table: Path = ()
        self._skip(_SPACE_AND_COMMENTS)
        while self._at < len(self._text):
            if self._text.startswith("[", self._at):
                table = self._scan_header()
            else:
                self._scan_pair(table)
            self._skip(_SPACE_AND_COMMENTS)

    def _scan_header(self) -> Path:
        line = self._line()
        opening = 2 if self._text.startswith("[[", self._at) else 1
        self._at += opening
        keys = self._scan_keys()
        self._at += opening  # as many brackets close it
        path: Path = ()
        for key in keys[:-1]:
            path = self._into_last_table((*path, key))
            self._implied.setdefault(path, line)
        path = (*path, keys[-1])
        if opening == 1:
            self._written[path] = line
            return path
        index = self._tables_in_array.get(path, 0)
        self._tables_in_array[path] = index + 1
        self._written.setdefault(path, line)
        self._written[*path, index] = line
        return (*path, index)

    def _into_last_table(self, path: Path) -> Path:
        """`[a.b]` below `[[a]]` speaks of the last table of the array `a`."""
        count = self._tables_in_array.get(path, 0)
        return (*path, count - 1) if count else path

    def _scan_pair(self, table: Path) -> None:
        line = self._line()
        path = table
        keys = self._scan_keys()
        for key in keys[:-1]:
            path = (*path, key)
            self._implied.setdefault(path, line)
        path = (*path, keys[-1])
        self._written[path] = line
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._scan_value(path)

    def _scan_keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            string = self._match_string()
            if string is None:
                keys.append(self._skip(_BARE_KEY))
            else:
                keys.append(str(tomllib.loads(f"key = {string}")["key"]))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _scan_value(self, path: Path) -> None:
        if self._text.startswith("[", self._at):
            self._scan_array(path)
        elif self._text.startswith("{", self._at):
            self._scan_inline_table(path)
        elif self._match_string() is None:
            self._skip(_REST_OF_SCALAR)

    def _scan_array(self, path: Path) -> None:
        self._at += 1
        index = 0
        self._skip(_SPACE_AND_COMMENTS)
        while not self._text.startswith("]", self._at):
            self._written[*path, index] = self._line()
            self._scan_value((*path, index))
            index += 1
            self._skip_to_next_element()
        self._at += 1

    def _scan_inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip(_SPACE_AND_COMMENTS)
        while not self._text.startswith("}", self._at):
            self._scan_pair(path)
            self._skip_to_next_element()
        self._at += 1

    def _skip_to_next_element(self) -> None:
        self._skip(_SPACE_AND_COMMENTS)
        if self._text.startswith(",", self._at):
            self._at += 1
        self._skip(_SPACE_AND_COMMENTS)

    def _match_string(self) -> str | None:
        for pattern in _STRINGS:
            match = pattern.match(self._text, self._at)
            if match is not None:
                self._at = match.end()
                return match.group()
        return None

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise AssertionError(f"not valid TOML at character {self._at}")
        self._at = match.end()
        return match.group()

    def _line(self) -> int:
        return bisect.bisect_right(self._line_starts, self._at)
