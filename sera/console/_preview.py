"""What would be said and done for an order, before it is given."""

from __future__ import annotations

from typing import Any, Protocol

from sera.behaviour.library import Library
from sera.behaviour.markup import (
    Abilities,
    FilledLine,
    MarkupSyntax,
    Resolution,
    Vocabulary,
    fill,
    lint_line,
    resolve,
)
from sera.runtime.located import nearest_name

_SHOWN = 60
"""Characters of an id that does not exist which are repeated to whoever asked."""


class Order(Protocol):
    """What is asked about, as in PerformUtterance."""

    @property
    def line(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...
    @property
    def tags(self) -> dict[str, str]: ...
    @property
    def words(self) -> dict[str, str]: ...
    @property
    def language(self) -> str | None: ...


def preview_of(
    library: Library,
    syntax: MarkupSyntax,
    abilities: Abilities,
    order: Order,
    language: str | None,
) -> dict[str, Any] | str:
    """The words, the steps at each and what the body cannot do; one sentence without a line.

    Args:
        library: where a line is looked for.
        syntax: verbs and tag signs in use.
        abilities: what the body can do.
        order: a line or a text, with values for its tags.
        language: of the character; the order's own comes first.
    """
    language = order.language or language
    text, question = order.text or "", False
    if order.line is not None:
        line = library.by_id.get(order.line)
        if line is None:
            near = nearest_name(order.line[:_SHOWN], library.by_id)
            hint = f"; did you mean '{near}'?" if near else ""
            return f"there is no line '{order.line[:_SHOWN]}'{hint}"
        text, question = line.text_in(language) or "", line.question
        if not text and any(line.texts.values()):
            spoken = ", ".join(tag for tag, words in line.texts.items() if words)
            return f"the line '{line.id}' has no text in '{language}', only in {spoken}"
    filled = fill(text, {**order.words, **order.tags}, syntax)
    known = resolve(filled, abilities)
    said = filled.line
    return {
        "text": said.text,
        "question": question,
        "words": [word.text for word in said.words],
        "steps": _steps(filled, known),
        "substitutions": [
            {"wanted": each.wanted, "done": each.done, "why": each.why}
            for each in known.substitutions
        ],
        "problems": _problems(filled, abilities),
    }


def _steps(filled: FilledLine, known: Resolution) -> list[dict[str, Any]]:
    """What happens beside speaking, in the order of the words."""
    line = filled.line
    found = [(step.word, step.start, f"{step}") for step in known.steps]
    found += [(each.word, each.start, f"pause {each.duration_s:g} s") for each in line.pauses]
    found += [(each.word, each.start, f"speak at {each.rate:.0%}") for each in line.rates]
    found.sort(key=lambda one: one[:2])
    return [{"at_word": word, "what": what} for word, _, what in found]


def _problems(filled: FilledLine, abilities: Abilities) -> list[str]:
    names = Vocabulary(
        animations=abilities.animations, faces=abilities.faces, sounds=abilities.sounds
    )
    found = [*filled.missing, *lint_line(filled.line, names)]
    sentences = (
        f"{each.message}{f' ({each.fix})' if each.fix else ''}"
        for each in found
        if each.code != "unknown-tag"
    )
    return list(dict.fromkeys(sentences))
