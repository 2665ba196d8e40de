"""The character's sheets: read, checked, read again when they were saved, and told on the bus.

Threading: `read` and `look` block and are called in a thread.
Safety: a sheet that cannot be used leaves the lines before it in force.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library import (
    Library,
    LibraryKeeper,
    LibraryReading,
    fingerprint,
    lint_library,
    read_libraries,
)
from sera.behaviour.markup import Abilities, MarkupSyntax, Vocabulary, lint_text
from sera.messages import LibraryFinding, LibraryLoaded

_TOLD = 50


@dataclass(frozen=True, slots=True)
class Read:
    """What came of reading."""

    loaded: LibraryLoaded
    problem: str | None
    """One sentence for the operator where something is wrong."""


class Sheets:
    """The files of one library.

    Args:
        files: .xlsx, .ods or .csv.
        syntax: verbs and tag signs that lines may use.
        abilities: animations, faces and sounds that the body knows.
    """

    def __init__(self, files: Sequence[Path], syntax: MarkupSyntax, abilities: Abilities) -> None:
        self.files = tuple(files)
        self.library = Library("none")
        self.abilities = abilities
        self._syntax = syntax
        # Targets come and go while a scenario runs, so that only performing can check them.
        self._vocabulary = Vocabulary(
            animations=abilities.animations, faces=abilities.faces, sounds=abilities.sounds
        )
        self._keeper: LibraryKeeper | None = None

    def read(self) -> Read | None:
        """Read for the first time; None where there are no files."""
        if not self.files:
            return None
        prints = {file: fingerprint(file) for file in self.files}
        reading = self._checked(self.files)
        self._keeper = LibraryKeeper(self.files, reading, prints, read=self._checked)
        self.library = reading.library
        return self._told(reading.findings, replaced=reading.usable, first=True)

    def look(self, now_s: float, *, hold: bool) -> Read | None:
        """Read again what was saved; None while there is nothing new, or it is held back."""
        if self._keeper is None:
            return None
        prints = {path: fingerprint(path) for path in self._keeper.paths}
        saved = self._keeper.look(prints, now_s, hold=hold)
        if saved is None:
            return None
        self.library = saved.library
        return self._told(saved.findings, replaced=saved.replaced, first=False)

    @property
    def has_unread_changes(self) -> bool:
        return self._keeper is not None and self._keeper.has_unread_changes

    def _checked(self, files: Sequence[Path]) -> LibraryReading:
        reading = read_libraries(files)
        found = lint_library(
            reading.library, lambda text: lint_text(text, self._vocabulary, self._syntax)
        )
        return LibraryReading(reading.library, (*reading.findings, *found), reading.usable)

    def _told(self, findings: Iterable[Finding], *, replaced: bool, first: bool) -> Read:
        by_severity = sorted(findings, key=lambda each: each.severity is not Severity.ERROR)
        errors = sum(each.severity is Severity.ERROR for each in by_severity)
        loaded = LibraryLoaded(
            library=self.library.name,
            files=[file.name for file in self.files],
            lines=len(self.library),
            replaced=replaced,
            errors=errors,
            warnings=len(by_severity) - errors,
            findings=[_told_one(each) for each in by_severity[:_TOLD]],
        )
        if not by_severity:
            return Read(loaded, None)
        names = ", ".join(loaded.files)
        problem = f"{names}: {_counted(len(by_severity))}; the first: {by_severity[0]}"
        if not replaced and not first:
            problem = f"a saved sheet cannot be used; the lines before it go on: {by_severity[0]}"
        return Read(loaded, problem)


def _counted(count: int) -> str:
    return f"{count} finding{'' if count == 1 else 's'} (sera utterances lint lists them)"


def _told_one(finding: Finding) -> LibraryFinding:
    row = "" if finding.row is None else f"row {finding.row}"
    place = ", ".join(part for part in (finding.sheet, row, finding.column) if part)
    return LibraryFinding(
        place=place,
        severity=finding.severity.value,
        code=finding.code,
        message=finding.message,
        fix=finding.fix,
    )
