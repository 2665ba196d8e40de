"""Live reload: decides when changed files are read again, and keeps the last good library.

Design overview: whoever owns the clock calls `LibraryKeeper.look` now and then with what the files
look like at that moment. Spreadsheet programs save in steps (write, delete, rename), so a change
counts when the files have looked the same for a while. Units and frames: seconds of the caller's
clock. Threading: none of its own; one caller. Safety: a save that cannot be read never takes the
words out of a running robot's mouth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sera.behaviour.findings import Finding
from sera.behaviour.library.compose import read_libraries
from sera.behaviour.library.library import Library
from sera.behaviour.library.read import LibraryReading


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells one save of a file from the next."""

    modified_ns: int
    size_bytes: int
    file_number: int = 0
    """Changes where a program saves by renaming another file to this name."""


Fingerprints = Mapping[Path, Fingerprint | None]
"""What the files look like; None: there is none at the moment."""


@dataclass(frozen=True, slots=True)
class Reload:
    """What came of a save."""

    library: Library
    """What counts from now on: the new one, or the last good one after a broken save."""
    findings: tuple[Finding, ...]
    replaced: bool
    """False where the save was broken and the last good library goes on."""


def fingerprint(path: Path) -> Fingerprint | None:
    """What the file looks like now, None where it is missing or out of reach."""
    try:
        state = path.stat()
    except OSError:
        return None
    return Fingerprint(state.st_mtime_ns, state.st_size, state.st_ino)


class LibraryKeeper:
    """The library in use, and the decision when to read it again.

    Args:
        paths: the files of the library.
        first: what they gave at the start.
        prints: what they looked like just before they were read.
        settle_s: how long they must look the same before a save counts as finished.
        missing_s: how long a file may be missing before that is reported.
        read: reads the files.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        first: LibraryReading,
        prints: Fingerprints,
        *,
        settle_s: float = 0.3,
        missing_s: float = 3.0,
        read: Callable[[Sequence[Path]], LibraryReading] = read_libraries,
    ) -> None:
        self.paths = tuple(paths)
        self.library = first.library
        self._settle_s = settle_s
        self._missing_s = missing_s
        self._read = read
        self._done = self._of(prints)
        self._seen = self._done
        self._seen_since_s: float | None = None

    @property
    def has_unread_changes(self) -> bool:
        """Whether the files differ from what was read, as far as the last look knows."""
        return self._seen != self._done

    def look(self, prints: Fingerprints, now_s: float, *, hold: bool = False) -> Reload | None:
        """What came of a save that is finished, None while there is nothing new.

        Args:
            prints: what the files look like now.
            now_s: the time now.
            hold: read nothing, as in a running study; the change is read after the hold.
        """
        seen = self._of(prints)
        if seen != self._seen or self._seen_since_s is None:
            self._seen = seen
            self._seen_since_s = now_s
        if seen == self._done or hold:
            return None
        wait_s = self._missing_s if None in seen else self._settle_s
        if now_s - self._seen_since_s < wait_s:
            return None
        self._done = seen
        reading = self._read(self.paths)
        if reading.usable:
            self.library = reading.library
        return Reload(self.library, reading.findings, replaced=reading.usable)

    def _of(self, prints: Fingerprints) -> tuple[Fingerprint | None, ...]:
        return tuple(prints.get(path) for path in self.paths)
