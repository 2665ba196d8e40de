"""What is wrong in the text of a line, against the names that a scenario has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.markup.parsed import ParsedLine, parse
from sera.behaviour.markup.steps import Step
from sera.behaviour.markup.syntax import DEFAULT_SYNTAX, MarkupSyntax
from sera.behaviour.markup.tokens import Instruction, Literal, shown
from sera.behaviour.markup.verbs import Kind
from sera.runtime.located import nearest_name

_LONGEST_COMPARED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The names that lines may use. None: not known here, so not checked."""

    targets: Collection[str] | None = None
    animations: Collection[str] | None = None
    faces: Collection[str] | None = None
    sounds: Collection[str] | None = None
    actions: Collection[str] | None = None
    """What the activity can be told with GAME."""
    tags: Collection[str] | None = None

    def names_of(self, kind: Kind) -> Collection[str] | None:
        """The names that a parameter of this kind may have."""
        return {
            Kind.TARGET: self.targets,
            Kind.ANIMATION: self.animations,
            Kind.FACE: self.faces,
            Kind.SOUND: self.sounds,
            Kind.ACTION: self.actions,
        }.get(kind)


def lint_text(
    text: str,
    vocabulary: Vocabulary,
    syntax: MarkupSyntax = DEFAULT_SYNTAX,
    *,
    sheet: str = "",
    row: int | None = None,
    column: str = "",
) -> list[Finding]:
    """Everything that is wrong in the text of one cell, by place.

    Args:
        text: the cell.
        vocabulary: the names of the scenario.
        syntax: verbs and tag delimiters in use.
        sheet: where the cell is, for the findings.
        row: the same.
        column: the same.
    """
    return lint_line(parse(text, syntax), vocabulary, sheet=sheet, row=row, column=column)


def lint_line(
    line: ParsedLine,
    vocabulary: Vocabulary,
    *,
    sheet: str = "",
    row: int | None = None,
    column: str = "",
) -> list[Finding]:
    """The same for a line that is parsed already."""
    found = [
        *line.problems,
        *_names(line, vocabulary),
        *_tags(line, vocabulary),
        *_unread_tags(line, vocabulary),
    ]
    found.sort(key=lambda finding: finding.start or 0)
    return [replace(finding, sheet=sheet, row=row, column=column) for finding in found]


def _names(line: ParsedLine, vocabulary: Vocabulary) -> Iterator[Finding]:
    seen: set[tuple[int, Kind, str]] = set()
    for step in line.steps:
        # What a tag stands for is known when the line is performed, and checked then.
        if step.open_tags:
            continue
        for kind, name in _named(line, step):
            known = vocabulary.names_of(kind)
            # Joined verbs share their target: one finding is enough.
            if known is None or (step.start, kind, name) in seen or _knows(known, name):
                continue
            seen.add((step.start, kind, name))
            yield _unknown(kind.value, name, known, start=_place(line, step, name), text=name)


def _named(line: ParsedLine, step: Step) -> Iterator[tuple[Kind, str]]:
    verb = line.syntax.verbs.find(step.verb)
    assert verb is not None
    for parameter in verb.parameters:
        value = step.arguments[parameter.name]
        if isinstance(value, str):
            yield parameter.kind, value


def _place(line: ParsedLine, step: Step, name: str) -> int:
    """Where the name stands in the cell."""
    for token in line.tokens:
        if token.start == step.start and isinstance(token, Instruction):
            for argument in token.arguments:
                if argument.value and shown(argument.value) == name:
                    return argument.value[0].start
    return step.start


def _tags(line: ParsedLine, vocabulary: Vocabulary) -> Iterator[Finding]:
    if vocabulary.tags is None:
        return
    for use in line.tag_uses:
        if _knows(vocabulary.tags, use.name):
            continue
        written = line.syntax.delimiters.around(use.name)
        finding = _unknown("tag", use.name, vocabulary.tags, start=use.start, text=written)
        sign = line.syntax.delimiters.opening[0]
        yield replace(finding, fix=f"{finding.fix}, or \\{sign} for the sign itself")


def _unread_tags(line: ParsedLine, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Tags of the scenario that touch a word, so that they are ordinary text."""
    delimiters = line.syntax.delimiters
    if not delimiters.stands_apart or not vocabulary.tags:
        return
    for token in line.tokens:
        if not isinstance(token, Literal) or not token.is_raw:
            continue
        for found in delimiters.tag.finditer(token.text):
            if found[1] in vocabulary.tags:
                yield Finding(
                    code="tag-beside-word",
                    message=f"{found[0]} touches a word and is read out as it stands",
                    fix=r"put a blank between them, or \- where there must be none",
                    severity=Severity.WARNING,
                    text=found[0],
                    start=token.start + found.start(),
                )


def _knows(known: Collection[str], name: str) -> bool:
    if name in known:
        return True
    folded = name.casefold()
    return any(one.casefold() == folded for one in known)


def _unknown(what: str, name: str, known: Collection[str], *, start: int, text: str) -> Finding:
    nearest = nearest_name(name[:_LONGEST_COMPARED], known)
    some = ", ".join(sorted(known)[:8]) + (" …" if len(known) > 8 else "")
    none = f"none is known: add the {what} to the scenario"
    return Finding(
        code=f"unknown-{what}",
        message=f"there is no {what} {name}" + (f"; did you mean {nearest}?" if nearest else ""),
        fix=f"write {nearest}" if nearest else (f"use one of {some}" if some else none),
        text=text,
        start=start,
    )
