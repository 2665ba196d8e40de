"""The file of a dialogue: read and checked, and read again when it was saved.

Threading: everything here blocks and is called in a thread.
Safety: a save that cannot be played changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sera.behaviour.dialogue import Script, lint_dialogue, unknown_messages
from sera.behaviour.findings import Finding
from sera.behaviour.library import Library, LibraryKeeper, fingerprint, read_libraries
from sera.behaviour.markup import MarkupSyntax, TagDelimiters
from sera.behaviour.own_files import verbs_of
from sera.runtime.own_messages import import_own_messages
from sera.runtime.workspace import Workspace

MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class Read:
    """What came of reading."""

    script: Script | None
    """None where the file cannot be played."""
    findings: tuple[Finding, ...]


class DialogueSheet:
    """One dialogue sheet.

    Args:
        file: .xlsx, .ods or .csv.
        folder: of the scenario, whose verbs and messages count; None without one.
        sign: around tags.
    """

    def __init__(self, file: Path, folder: Path | None, sign: str) -> None:
        self.file = file
        self._folder = folder
        self.syntax = MarkupSyntax(verbs=verbs_of(folder), delimiters=TagDelimiters(sign, sign))
        self._keeper: LibraryKeeper | None = None
        self.findings: tuple[Finding, ...] = ()
        """Of the first reading."""

    def read(self) -> Script:
        """Read for the first time.

        Raises:
            RuntimeError: it cannot be played; with everything that is wrong in it.
        """
        prints = {self.file: fingerprint(self.file)}
        reading = read_libraries([self.file])
        self._keeper = LibraryKeeper([self.file], reading, prints)
        read = self._checked(reading.library, reading.findings)
        self.findings = read.findings
        if read.script is None:
            raise RuntimeError(_unusable(self.file, read.findings))
        return read.script

    def look(self, now_s: float, *, hold: bool) -> Read | None:
        """What came of a save that is finished; None while there is nothing new."""
        assert self._keeper is not None
        saved = self._keeper.look({self.file: fingerprint(self.file)}, now_s, hold=hold)
        if saved is None:
            return None
        if not saved.replaced:
            return Read(None, saved.findings)
        return self._checked(saved.library, saved.findings)

    def _checked(self, library: Library, findings: tuple[Finding, ...]) -> Read:
        rows = library.dialogue
        if any(unknown_messages(row.when) for row in rows) and self._folder is not None:
            # Messages that a laboratory's modules define are known once those are imported.
            import_own_messages(Workspace.discover(self._folder))
        script = Script(rows)
        found = (*findings, *lint_dialogue(script, syntax=self.syntax))
        return Read(script if script.start else None, found)


def _unusable(file: Path, findings: tuple[Finding, ...]) -> str:
    said = "\n".join(f"  {finding}" for finding in findings[:MOST_TOLD])
    if not said:
        said = "  there is no row with Current State, Next State and Utterance"
    return f"{file} cannot be used as a dialogue:\n{said}"
