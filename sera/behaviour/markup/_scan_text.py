"""What text and parameters have in common: tags, escapes and speech controls at a place."""

from __future__ import annotations

import re

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.markup.controls import CONTROLS, LONGEST_VALUE
from sera.behaviour.markup.syntax import MarkupSyntax
from sera.behaviour.markup.tokens import Fragment, Literal, SpeechControl, TagUse
from sera.runtime.located import nearest_name

_CONTROL = re.compile(rf"\\([A-Za-z]+)=(\s?[^\s\\<>=]{{0,{LONGEST_VALUE}}}\s?)\\")
_BROKEN_CONTROL = re.compile(
    rf"\\({'|'.join(CONTROLS)})(?![A-Za-z])(?:\s?=\s?[\d.]*)?\\?", re.IGNORECASE
)


class TextScanner:
    """A place in a text, and the problems met so far."""

    def __init__(self, text: str, syntax: MarkupSyntax, place: int = 0) -> None:
        self.text = text
        self.syntax = syntax
        self.place = place
        self.problems: list[Finding] = []
        self._apart_at = place
        """Here the character before does not keep a tag from being one: it belongs to another
        tag or an escape."""

    def problem(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        fix: str,
        *,
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.problems.append(
            Finding(
                code=code,
                message=message,
                fix=fix,
                severity=severity,
                text=self.text[start:end],
                start=start,
            )
        )

    def tag_here(self) -> TagUse | None:
        """The tag that begins here, and the place moves behind it."""
        delimiters = self.syntax.delimiters
        found = delimiters.tag.match(self.text, self.place)
        if found is None:
            return None
        if delimiters.stands_apart:
            before = self.text[self.place - 1] if self.place > self._apart_at else ""
            after = self.text[found.end() : found.end() + 1]
            if before and delimiters.binds(before):
                return None
            # A tag may follow directly, a letter may not.
            if after and after not in delimiters.signs and delimiters.binds(after):
                return None
        self.place = self._apart_at = found.end()
        return TagUse(found[1], found.start(), found.end())

    def escape_here(self, *, in_parameters: bool) -> Literal | None:
        """The escape that begins at this backslash, and the place moves behind it."""
        start = self.place
        escaped = self.text[start + 1 : start + 2]
        if escaped not in self.syntax.escapable and not (in_parameters and escaped.isspace()):
            return None
        self.place = self._apart_at = start + 2
        return Literal("" if escaped == "-" else escaped, start, start + 2)

    def control_here(self) -> SpeechControl | str | None:
        """The control at this backslash; its text where it is faulty; None where there is none."""
        start = self.place
        found = _CONTROL.match(self.text, start)
        if found is not None:
            self.place = found.end()
            name = found[1].lower()
            if name in CONTROLS:
                value = self._template(found.start(2), found.end(2))
                return SpeechControl(name, value, start, found.end())
            nearest = nearest_name(name, CONTROLS)
            self.problem(
                "unknown-control",
                f"there is no speech control {found[1]}"
                + (f"; did you mean {nearest}?" if nearest else ""),
                start,
                found.end(),
                r"write \pau=milliseconds\ or \rspd=percent\, or \\ for a backslash",
            )
            return found[0]
        broken = _BROKEN_CONTROL.match(self.text, start)
        if broken is None:
            return None
        self.place = broken.end()
        name = broken[1].lower()
        self.problem(
            "bad-control",
            f"the speech control {name} is not whole",
            start,
            broken.end(),
            f"write \\{name}={CONTROLS[name].example}\\",
        )
        return broken[0]

    def stray_backslash(self) -> None:
        """Notes a backslash that escapes nothing, and steps over it."""
        self.place += 1
        self.problem(
            "stray-backslash",
            "this backslash begins neither a speech control nor an escape",
            self.place - 1,
            self.place,
            r"write \\ for a backslash, or take it away",
            severity=Severity.WARNING,
        )

    def _template(self, start: int, end: int) -> tuple[Fragment, ...]:
        """The value of a control: text with tags, no escapes."""
        inner = TextScanner(self.text[:end], self.syntax, start)
        parts: list[Fragment] = []
        while inner.place < end:
            place = inner.place
            tag = inner.tag_here()
            if tag is not None:
                parts.append(tag)
                continue
            found = self.syntax.plain_in_text.match(inner.text, place)
            inner.place = found.end() if found is not None else place + 1
            parts.append(Literal(inner.text[place : inner.place], place, inner.place))
        return tuple(parts)
