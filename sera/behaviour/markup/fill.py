"""Tags get their values when a line is performed.

A value is text and nothing else: brackets, backslashes and delimiters in it never become markup,
and nothing in the line changes its case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sera.behaviour.findings import Finding
from sera.behaviour.markup.parsed import ParsedLine, parse
from sera.behaviour.markup.syntax import DEFAULT_SYNTAX, MarkupSyntax
from sera.behaviour.markup.tokens import (
    Fragment,
    Instruction,
    Literal,
    SpeechControl,
    TagUse,
    Template,
    Token,
)
from sera.runtime.located import nearest_name


@dataclass(frozen=True, slots=True)
class FilledLine:
    """A line with values for its tags."""

    line: ParsedLine
    """Tags without a value are still in it: the voice says their names, and `resolve` leaves out
    steps that need them and says so."""
    missing: tuple[Finding, ...]
    """One for each tag without a value, at its first use."""

    @property
    def text(self) -> str:
        """What the voice says."""
        return self.line.text


def fill(
    line: ParsedLine | str, tags: Mapping[str, str], syntax: MarkupSyntax = DEFAULT_SYNTAX
) -> FilledLine:
    """Replace tags by their values, in the text and inside parameters.

    Args:
        line: a parsed line, or the text of one.
        tags: values by name. A name in another case serves where the exact one is not there.
        syntax: how to read `line` where it is text.
    """
    parsed = parse(line, syntax) if isinstance(line, str) else line
    values = _Values(tags)
    tokens = tuple(values.token(token) for token in parsed.tokens)
    filled = ParsedLine(tokens, parsed.syntax, parsed.form_problems)
    return FilledLine(filled, tuple(values.missing(parsed)))


class _Values:
    def __init__(self, tags: Mapping[str, str]) -> None:
        self._exact = tags
        self._folded = {name.casefold(): value for name, value in tags.items()}

    def token(self, token: Token) -> Token:
        if isinstance(token, Literal | TagUse):
            return self._fragment(token)
        if isinstance(token, SpeechControl):
            return replace(token, value=self._template(token.value))
        arguments = tuple(
            replace(argument, value=self._template(argument.value)) for argument in token.arguments
        )
        return Instruction(token.verb, arguments, token.start, token.end)

    def missing(self, line: ParsedLine) -> list[Finding]:
        findings: dict[str, Finding] = {}
        for use in line.tag_uses:
            if self._value(use.name) is not None or use.name in findings:
                continue
            nearest = nearest_name(use.name, self._exact)
            written = line.syntax.delimiters.around(use.name)
            findings[use.name] = Finding(
                code="missing-tag",
                message=f"the tag {written} was given no value"
                + (f"; did you mean {nearest}?" if nearest else ""),
                fix=f"give a value for {use.name} with the order to perform the line",
                text=written,
                start=use.start,
            )
        return list(findings.values())

    def _value(self, name: str) -> str | None:
        value = self._exact.get(name)
        return value if value is not None else self._folded.get(name.casefold())

    def _fragment(self, part: Fragment) -> Fragment:
        if isinstance(part, TagUse) and (value := self._value(part.name)) is not None:
            return Literal(value, part.start, part.end)
        return part

    def _template(self, template: Template) -> Template:
        return tuple(self._fragment(part) for part in template)
