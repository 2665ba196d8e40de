"""Which of several rows is taken, in which words, and what its tags stand for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import BaseModel

from sera.behaviour.dialogue._fields import field_paths, value_at
from sera.behaviour.dialogue.script import ScriptRow
from sera.behaviour.markup import MarkupSyntax, parse
from sera.behaviour.selection import ShuffleBag
from sera.messages import Message, personal_fields

LONGEST_VALUE = 200
_DEEPEST = 4


class Wording:
    """Draws rows and fills in what messages have told.

    Args:
        random: where chance comes from.
        language: of the texts; None: the first that a row has.
        style: rows of this style are preferred, then those without any.
        syntax: how texts are written.
    """

    def __init__(
        self, random: Random, language: str | None, style: str | None, syntax: MarkupSyntax
    ) -> None:
        self._language = language
        self._style = (style or "").strip().casefold()
        self._syntax = syntax
        self._bag = ShuffleBag(random)
        self._last: dict[tuple[str, object], str] = {}
        self._tags: dict[str, str] = {}
        self._personal: set[str] = set()

    def learn(self, message: Message) -> None:
        """Remember what a message says, for the tags of this line and of those after it."""
        told = tags_of(message)
        # What the last one said and this one does not is no longer known: another visitor's name.
        for name in field_paths(type(message)):
            for known in [tag for tag in self._tags if tag == name or tag.startswith(f"{name}.")]:
                del self._tags[known]
                self._personal.discard(known.casefold())
        self._tags.update(told)
        marked = personal_fields(type(message))
        self._personal.update(tag.casefold() for tag in told if tag.partition(".")[0] in marked)

    def is_personal(self, tag: str) -> bool:
        """Whether what a tag stands for is about a person and stays out of recordings."""
        return tag.casefold() in self._personal

    def forget_tags(self) -> None:
        self._tags.clear()

    def draw(self, rows: Sequence[ScriptRow]) -> tuple[ScriptRow, list[str]]:
        """One of the rows, and what stood in the way of a better one."""
        problems: list[str] = []
        fitting = self._of_style(rows, problems)
        speakable = [row for row in fitting if row.row.text_in(self._language) or not row.row.texts]
        fitting = speakable or fitting
        told = [row for row in fitting if not self._untold(row)]
        fitting = told or fitting
        pool = (rows[0].state, rows[0].when)
        by_name = {str(row.number): row for row in fitting}
        last = self._last.get(pool)
        if len(by_name) == 1:
            (chosen,) = by_name
        else:
            chosen, _ = self._bag.draw(dict.fromkeys(by_name, 1.0), last)
        self._last[pool] = chosen
        return by_name[chosen], problems

    def line(self, row: ScriptRow) -> tuple[str, dict[str, str], str | None]:
        """The text of a row, the values of its tags, and what is wrong with it."""
        problem = None
        text = row.row.text_in(self._language)
        if text is None:
            text = row.row.text_in()
            if text is not None:
                problem = (
                    f"{row.place}: the line has no text in '{self._language}' and is said as it "
                    "stands in another language; translate it"
                )
        if text is None:
            return "", {}, None
        untold = self._untold(row)
        if untold:
            signs = ", ".join(self._syntax.delimiters.around(name) for name in untold)
            problem = f"{row.place}: nothing has told yet what stands for {signs}"
        known = {name.casefold(): value for name, value in self._tags.items()}
        used = {use.name: known.get(use.name.casefold()) for use in self._uses(text)}
        return text, {name: value for name, value in used.items() if value is not None}, problem

    def _of_style(self, rows: Sequence[ScriptRow], problems: list[str]) -> list[ScriptRow]:
        if not self._style:
            return list(rows)
        own = [row for row in rows if row.row.style.strip().casefold() == self._style]
        plain = [row for row in rows if not row.row.style.strip()]
        if not own and not plain:
            problems.append(
                f"{rows[0].place}: no row is of the style '{self._style}' or of none; one of "
                "another style is taken"
            )
        return own or plain or list(rows)

    def _untold(self, row: ScriptRow) -> list[str]:
        text = row.row.text_in(self._language) or row.row.text_in() or ""
        known = {name.casefold() for name in self._tags}
        missing = (use.name for use in self._uses(text) if use.name.casefold() not in known)
        return list(dict.fromkeys(missing))

    def _uses(self, text: str) -> Sequence[Any]:
        return parse(text, self._syntax).tag_uses


def tags_of(message: Message) -> dict[str, str]:
    """What a message says, by dotted field name, as a voice can say it."""
    found: dict[str, str] = {}
    for name in type(message).model_fields:
        _gather(found, (name,), value_at(message, (name,)))
    return found


def _gather(found: dict[str, str], path: tuple[str, ...], value: Any) -> None:
    if isinstance(value, BaseModel) and len(path) < _DEEPEST:
        for name in type(value).model_fields:
            _gather(found, (*path, name), value_at(value, (name,)))
    elif isinstance(value, dict) and len(path) < _DEEPEST:
        for name, inner in value.items():
            _gather(found, (*path, str(name)), inner)
    elif isinstance(value, bool):
        found[".".join(path)] = "yes" if value else "no"
    elif isinstance(value, int):
        found[".".join(path)] = str(value)
    elif isinstance(value, float):
        found[".".join(path)] = f"{value:.10g}"
    elif isinstance(value, str) and value.strip():
        found[".".join(path)] = value.strip()[:LONGEST_VALUE]
