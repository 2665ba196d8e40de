"""What is in a log, in figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from sera.recording._format import MALFORMED_TYPE, participants_folder
from sera.recording._participants import list_participants
from sera.recording._reader import LogReader


class LogSummary(NamedTuple):
    """The figures of one log."""

    path: Path
    header: dict[str, Any] | None
    complete: bool
    """False where the run was killed: there is no last line."""
    messages: int
    duration_s: float
    """From the first record to the last."""
    types: dict[str, int]
    sources: dict[str, int]
    characters: dict[str, int]
    malformed: int
    damaged_lines: list[int]
    lost: int
    originals_of: list[str]
    """Participants whose originals are still kept."""


def summarise(log: LogReader) -> LogSummary:
    """Count everything in a log, in one pass."""
    types: dict[str, int] = {}
    sources: dict[str, int] = {}
    characters: dict[str, int] = {}
    first_s = last_s = None
    malformed = 0
    for record in log:
        first_s = record.received_s if first_s is None else first_s
        last_s = record.received_s
        if record.type == MALFORMED_TYPE:
            malformed += 1
            continue
        types[record.type] = types.get(record.type, 0) + 1
        sources[record.source] = sources.get(record.source, 0) + 1
        characters[record.character] = characters.get(record.character, 0) + 1
    header = log.header
    return LogSummary(
        path=log.path,
        header=None if header is None else dict(vars(header)),
        complete=log.end is not None,
        messages=sum(types.values()),
        duration_s=0.0 if first_s is None or last_s is None else last_s - first_s,
        types=_most_first(types),
        sources=_most_first(sources),
        characters=_most_first(characters),
        malformed=malformed,
        damaged_lines=list(log.damaged_lines),
        lost=log.lost,
        originals_of=[one.participant for one in list_participants(participants_folder(log.path))],
    )


def _most_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
