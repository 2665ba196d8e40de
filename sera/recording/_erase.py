"""Erasing the originals of one participant; the log itself keeps its pseudonyms and stays valid."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from sera.recording._format import json_line, participants_folder
from sera.recording._line_file import LineFile
from sera.recording._participants import (
    ERASED_NAME,
    erased_participants,
    list_participants,
    read_originals,
)


class Erasure(NamedTuple):
    """What was erased."""

    participant: str
    path: Path
    originals: int
    size_bytes: int


class UnknownParticipant(LookupError):
    """Nobody of that name has originals beside this log."""


def erase_participant(log_path: Path | str, participant: str) -> Erasure:
    """Delete the originals of a participant for good.

    The file is overwritten before it is deleted; on drives and file systems that keep old blocks
    (flash, snapshots, backups) copies may remain.

    Args:
        log_path: the log.
        participant: the id, or the label that pseudonyms begin with.

    Raises:
        UnknownParticipant: with those that are known.
    """
    folder = participants_folder(Path(log_path))
    known = list_participants(folder)
    found = next((one for one in known if participant in (one.participant, one.label)), None)
    if found is None:
        raise UnknownParticipant(_nobody(log_path, participant, folder))
    originals = list(read_originals(found.path))
    numbers = [re.match(r"~.*\.(\d+)", original.pseudonym) for original in originals]
    highest = max((int(number[1]) for number in numbers if number), default=0)
    entry = {"participant": found.participant, "label": found.label, "pseudonyms": highest}
    tombstone = LineFile(folder / ERASED_NAME, on_problem=_raise, stay_open=False)
    tombstone.add(json_line(entry))
    tombstone.close()
    size_bytes = found.path.stat().st_size
    _overwrite_and_delete(found.path)
    return Erasure(found.participant, found.path, len(originals), size_bytes)


def keeps_anything(folder: Path) -> bool:
    """Whether originals of an earlier log are there, or were."""
    return bool(list_participants(folder)) or (folder / ERASED_NAME).exists()


def forget_all(folder: Path) -> None:
    """Delete all originals of a log that is being replaced."""
    for one in list_participants(folder):
        _overwrite_and_delete(one.path)
    (folder / ERASED_NAME).unlink(missing_ok=True)


def _overwrite_and_delete(path: Path) -> None:
    with path.open("r+b") as file:
        left = path.stat().st_size
        while left > 0:
            left -= file.write(bytes(min(left, 65536)))
        file.flush()
        os.fsync(file.fileno())
    path.unlink()


def _raise(problem: str) -> None:
    raise OSError(problem)


def _nobody(log_path: Path | str, participant: str, folder: Path) -> str:
    if any(participant in gone[:2] for gone in erased_participants(folder)):
        return f"the originals of participant {participant!r} in {log_path} are erased already"
    known = [one.participant for one in list_participants(folder)]
    if not known:
        return f"{log_path} keeps no originals of anybody: there are none in {folder}"
    return f"no participant {participant!r} in {log_path}; originals are kept of {', '.join(known)}"
