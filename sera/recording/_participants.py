"""The originals behind the pseudonyms: one file a participant, which can be erased alone.

A file begins with `{"sera_participant", "participant", "label"}`; each further line is one
original: `{"pseudonym", "kind", "field", "original"}`. What was erased leaves one line in
`erased.jsonl`: whose data it was and how many pseudonyms were given out, so that none of them is
ever given out a second time.

Safety: a participant's id becomes a file name, so everything but letters, digits, `_` and `-`
is replaced, and ids that differ only in what was replaced or in case get files of their own.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sera.recording._format import json_line
from sera.recording._line_file import LineFile

Scalar = str | int | float | bool
UNASSIGNED = "unassigned"
"""Stands for the participant before the first one is known."""
ERASED_NAME = "erased.jsonl"

# Names that Windows keeps for devices, and the one of our own list.
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d|erased)\Z")


class Original(NamedTuple):
    """One entry of a participant's file."""

    pseudonym: str
    kind: str
    field: str
    original: Scalar


class Participant(NamedTuple):
    """Somebody whose originals are kept."""

    participant: str
    label: str
    path: Path


class ParticipantFiles:
    """The writing side: labels, numbers, and the files of all participants of one log."""

    def __init__(self, folder: Path, on_problem: Callable[[str], None]) -> None:
        self.folder = folder
        self._on_problem = on_problem
        self._files: dict[str, LineFile] = {}
        self._labels: dict[str, str] = {}
        self._taken: set[str] = set()
        self._last_number: dict[str, int] = {}
        self.must_keep = False
        """While True, what is added is kept in memory however much waits there."""

    @property
    def paths(self) -> list[Path]:
        """Files of everybody whose originals were added."""
        return [file.path for file in self._files.values()]

    @property
    def lost(self) -> int:
        """Originals that were given up because the disk was full."""
        return sum(file.lost for file in self._files.values())

    def resume(self) -> list[tuple[str, Original]]:
        """Go on where an earlier writer of the same log stopped: its originals, by participant."""
        known: list[tuple[str, Original]] = []
        for participant, label, count in erased_participants(self.folder):
            self._adopt(participant, label, count)
        for found in list_participants(self.folder):
            self._adopt(found.participant, found.label, 0)
            for original in read_originals(found.path):
                number = re.match(rf"~{re.escape(found.label)}\.(\d+)", original.pseudonym)
                if number:
                    self._adopt(found.participant, found.label, int(number[1]))
                known.append((found.participant, original))
        return known

    def label(self, participant: str, *, wish: str | None = None) -> str:
        """The short form of a participant's id that pseudonyms and the file's name begin with.

        Args:
            participant: the id.
            wish: what the label is made from, where the id itself must not be seen.
        """
        known = self._labels.get(participant)
        if known is not None:
            return known
        stem = re.sub(r"[^A-Za-z0-9_-]", "_", participant if wish is None else wish)[:40] or "_"
        if _RESERVED.match(stem):
            stem += "_"
        label, count = stem, 1
        while label.lower() in self._taken:
            count += 1
            label = f"{stem}_{count}"
        self._adopt(participant, label, 0)
        return label

    def new_pseudonym(self, participant: str) -> str:
        """The next pseudonym of a participant, such as `~P07.3`."""
        label = self.label(participant)
        number = self._last_number[participant] + 1
        self._last_number[participant] = number
        return f"~{label}.{number}"

    def add(self, participant: str, original: Original) -> None:
        """Keep an original; it is written with the next flush."""
        file = self._files.get(participant)
        if file is None:
            label = self.label(participant)
            head = {"sera_participant": 1, "participant": participant, "label": label}
            file = self._files[participant] = LineFile(
                self.folder / f"{label}.jsonl",
                on_problem=self._on_problem,
                stay_open=False,  # so that it can be erased while the run goes on
                private=True,
                first_line=json_line(head),
            )
        file.add(json_line(original._asdict()), must_keep=self.must_keep)

    def flush(self) -> bool:
        """Hand all originals to the operating system; False where it refused some."""
        taken = [file.flush() for file in self._files.values()]
        return all(taken)

    def close(self) -> None:
        """Flush and close."""
        for file in self._files.values():
            file.close()

    def _adopt(self, participant: str, label: str, number: int) -> None:
        self._labels[participant] = label
        self._taken.add(label.lower())
        self._last_number[participant] = max(number, self._last_number.get(participant, 0))


def list_participants(folder: Path) -> list[Participant]:
    """Whose originals are kept in a folder, by file name."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        head = next(_objects(path), {})
        if "sera_participant" in head and path.name != ERASED_NAME:
            label = str(head.get("label", path.stem))
            found.append(Participant(str(head.get("participant", label)), label, path))
    return found


def read_originals(path: Path) -> Iterator[Original]:
    """The entries of a participant's file; a line that was cut is left out."""
    for entry in _objects(path):
        with contextlib.suppress(TypeError):
            yield Original(**entry)


def erased_participants(folder: Path) -> list[tuple[str, str, int]]:
    """Participant, label and number of pseudonyms of everybody who was erased."""
    return [
        (str(entry["participant"]), str(entry["label"]), int(entry["pseudonyms"]))
        for entry in _objects(folder / ERASED_NAME)
        if {"participant", "label", "pseudonyms"} <= entry.keys()
    ]


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as lines:
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry
