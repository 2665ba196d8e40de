"""Collects what is wrong in a study file, with lines and the names that were probably meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name


class Complaints:
    """What was found in one file."""

    def __init__(self, document: LocatedToml) -> None:
        self._document = document
        self.found: list[FileProblem] = []

    def say(
        self, path: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> None:
        """Something is wrong with the key at that path."""
        self.found.append(self._document.problem(path, message, nearest=nearest, fix=fix))

    def unknown(
        self, path: KeyPath, name: str, known: Collection[str], what: str, where: str = ""
    ) -> bool:
        """Complain of a name that is none of those known; True where it is one.

        Args:
            path: to the name.
            name: that was written.
            known: all that could have been meant.
            what: such as `condition`.
            where: that it should be, such as `in the scenario file`.
        """
        if name in known:
            return False
        listed = f"there {'is only' if len(known) == 1 else 'are'} {', '.join(sorted(known))}"
        self.say(
            path,
            f"there is no {what} '{name}'{' ' if where else ''}{where}",
            nearest=nearest_name(name, known),
            fix=listed if known else "there are none",
        )
        return True

    def twice(self, named: Iterable[tuple[KeyPath, Any]]) -> None:
        """Complain of each name that was taken before."""
        self.found += taken_twice(self._document, named)


def taken_twice(document: LocatedToml, named: Iterable[tuple[KeyPath, Any]]) -> list[FileProblem]:
    """A problem for each name that an earlier one has."""
    first: dict[Any, KeyPath] = {}
    problems = []
    for path, name in named:
        if first.setdefault(name, path) != path:
            line = document.line_of(first[name])
            problems.append(
                document.problem(path, f"'{name}' is taken by the one on line {line}", fix="rename")
            )
    return problems


def either(numbers: Iterable[int]) -> str:
    """`18 or 24`."""
    return " or ".join(str(number) for number in numbers)


def nearest_multiples(number: int, of: int) -> list[int]:
    """The multiples around a number, without 0."""
    below = number // of * of
    return [one for one in (below, below + of) if one > 0]


def in_words(problem: FileProblem) -> FileProblem:
    """A problem that quotes a regular expression, in words that people understand."""
    for pattern, words in _PATTERNS.items():
        quoted = f"string should match pattern '{pattern}'"
        if quoted in problem.message:
            return problem.with_message(problem.message.replace(quoted, words))
    return problem


_PATTERNS = {
    r"^[A-Za-z][A-Za-z0-9_-]*$": (
        "a name begins with a letter, and has only letters, digits, _ and - after it"
    ),
    r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$": "a language is written like en, de or pt-BR",
    r"^[a-z0-9]$": "a key is one small letter or one digit",
    r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$": (
        "a field is written by its name, with dots for what lies inside, like result or "
        "direction.horizontal_rad"
    ),
    r"^[\w-]+\.py:\w+$": "a function is written with its file, like measures.py:time_guessing",
}
