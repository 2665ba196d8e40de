"""The prompter: which line is said for an order, with which words, and with which gestures.

Threading: the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sera.behaviour.library import Library, Line, split_language
from sera.behaviour.markup import Abilities, MarkupSyntax, fill, resolve
from sera.behaviour.performing import Perform, PlainLine
from sera.behaviour.selection import Memory, Selector, Wish
from sera.messages import PerformUtterance
from sera.runtime.located import nearest_name

from ._lines import Utterance
from ._steps import lasts_s, with_eyes


@dataclass(frozen=True, slots=True)
class Prepared:
    """A line that is ready for its turn."""

    entry: Utterance
    perform: Perform


class Prompter:
    """Finds words for orders.

    Args:
        selector: chooses among lines.
        syntax: verbs and tag signs in use.
        abilities: what the body can do.
        language: of the character; None: the first text of a line.
        waits: whether words may wait for a gesture.
    """

    def __init__(
        self,
        selector: Selector,
        syntax: MarkupSyntax,
        abilities: Abilities,
        language: str | None,
        *,
        waits: bool = True,
    ) -> None:
        self._waits = waits
        self._selector, self._syntax, self.abilities = selector, syntax, abilities
        self._language = language
        self.library = Library("none")

    def prepare(
        self,
        message: PerformUtterance,
        utterance: str,
        source: str,
        hearers: Sequence[Memory] = (),
        *,
        backchannel: bool = False,
    ) -> Prepared | str:
        """The line for an order, or why there is none."""
        language = message.language or self._language
        choice, line, text = None, None, message.text or ""
        if message.text is None:
            wish = Wish(message.line, message.category, message.subcategory, message.metadata)
            lines = self._lines_of(message.library)
            if isinstance(lines, str):
                return lines
            choice = self._selector.choose(lines, wish, hearers)
            line = choice.line
            if line is None:
                return choice.detail
            text = line.text_in(language) or ""
            if not text and any(line.texts.values()):
                self._selector.give_back(line.id, hearers)
                spoken = ", ".join(tag for tag, words in line.texts.items() if words)
                return f"the line '{line.id}' has no text in '{language}', only in {spoken}"
        filled = fill(text, {**message.words, **message.tags}, self._syntax)
        known = resolve(filled, self.abilities)
        said = filled.line
        entry = Utterance.of(utterance, said.text, known, line, choice)
        entry = replace(entry, language=language, source=source, priority=message.priority)
        steps = known.steps
        if "gaze" in self.abilities.channels:
            steps = with_eyes(steps)
        performable = PlainLine(said.text, steps, tuple(said.pauses), tuple(said.rates))
        return Prepared(
            entry,
            Perform(
                utterance,
                performable,
                priority=message.priority,
                source=source,
                same_order=_order_of(message),
                is_question=entry.question,
                is_backchannel=backchannel,
                lasts_s=tuple(lasts_s(step) for step in steps),
                waits=self._waits and (line is None or line.waits),
            ),
        )

    def give_back(self, line: str, hearers: Sequence[Memory] = ()) -> None:
        """A line that never began may be chosen again."""
        self._selector.give_back(line, hearers)

    def _lines_of(self, library: str | None) -> Sequence[Line] | str:
        """The lines of one library of a composite, or of all; a sentence where there is none."""
        if library is None:
            return self.library.lines
        names: dict[str, list[Line]] = {self.library.name.casefold(): list(self.library.lines)}
        for line in self.library.lines:
            stem, _language = split_language(Path(line.origin.file))
            names.setdefault(stem.casefold(), []).append(line)
        found = names.get(library.casefold())
        if found is not None:
            return found
        near = nearest_name(library, names)
        hint = f"; did you mean '{near}'?" if near else ""
        return f"there is no library '{library}'{hint}"


def _order_of(message: PerformUtterance) -> str:
    """What two modules may order at the same time by mistake."""
    if message.line is not None:
        return f"line:{message.line}"
    if message.category is None:
        return f"text:{message.text}"
    return f"category:{message.category}"
