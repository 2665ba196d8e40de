"""The gaze of one character, read from a recording: looks, orders, and who speaks meanwhile.

Design overview: one pass over the file, whatever state it is in; only the few messages that matter
are looked at, as plain data, so that logs of other versions and of other labs' messages open too.

Units and frames: seconds since the start of the run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from sera.behaviour.gaze import (
    TimelineBand,
    TimelineEntry,
    TimelineLook,
    TimelineMark,
    looks_of,
)
from sera.cli._errors import CommandError
from sera.recording import LogReader, Record, find_log
from sera.runtime.located import nearest_name

NAMELESS = "(a direction)"
"""Target of a look whose order names none."""


@dataclass
class GazeLog:
    """What a recording says about one gaze, within a window of time."""

    title: str
    end_s: float
    entries: list[TimelineEntry]
    looks: list[TimelineLook]
    marks: list[TimelineMark]
    bands: list[TimelineBand]
    remarks: list[str] = field(default_factory=list)


def read_gaze(log: str, character: str | None, from_s: float | None, to_s: float | None) -> GazeLog:
    """Read the gaze of a character.

    Raises:
        CommandError: there is no such log, nobody looks in it, or it is not clear whose gaze.
    """
    try:
        reader = LogReader(find_log(log))
    except (LookupError, FileNotFoundError) as error:
        raise CommandError(str(error.args[0])) from None
    gathered = _Gathered(reader.origin_s())
    for record in reader:
        gathered.take(record)
    _require_log(reader, gathered)
    who = _whose(reader, gathered, character)
    remarks = []
    if reader.damaged:
        remarks.append(f"{reader.damaged:,} damaged lines were left out")
    if reader.lost:
        remarks.append(f"{reader.lost:,} messages are missing: the disk was full")
    begin_s = -math.inf if from_s is None else from_s
    end_s = gathered.end_s if to_s is None else min(to_s, gathered.end_s)
    entries = _within(gathered.looks[who], begin_s, end_s)
    if not entries:
        first_s, last_s = gathered.looks[who][0].time_s, gathered.end_s
        raise CommandError(
            f"{who} looks nowhere in that time: the looks of the log go from {first_s:.1f} s to "
            f"{last_s:.1f} s"
        )
    begin_s = entries[0].time_s
    return GazeLog(
        title=f"Gaze of {who}" + (f" in {reader.header.run}" if reader.header else ""),
        end_s=end_s,
        entries=entries,
        looks=looks_of(entries, end_s),
        marks=[mark for mark in gathered.marks.get(who, []) if begin_s <= mark.time_s <= end_s],
        bands=_clipped(gathered.all_bands(who), begin_s, end_s),
        remarks=remarks,
    )


class _Gathered:
    """Everything of interest in a log, by character."""

    def __init__(self, origin_s: float) -> None:
        self.end_s = 0.0
        self.records = 0
        self.looks: dict[str, list[TimelineEntry]] = {}
        self.marks: dict[str, list[TimelineMark]] = {}
        self.types: dict[str, None] = {}
        self._origin_s = origin_s
        self._bands: list[tuple[str | None, TimelineBand]] = []
        """With the character whose voice it is; None: a person's."""
        self._open: dict[tuple[str | None, str], tuple[float, str]] = {}

    def take(self, record: Record) -> None:
        self.records += 1
        self.types.setdefault(str(record.type))
        now_s = record.received_s - self._origin_s
        if not math.isfinite(now_s):
            return
        self.end_s = max(self.end_s, now_s)
        who, data = str(record.character), record.data
        if record.type == "Gaze":
            target = _text(data.get("target")) or NAMELESS
            entry = TimelineEntry(now_s, target, _text(data.get("reason")))
            self.looks.setdefault(who, []).append(entry)
        elif record.type in ("GazeAt", "Glance"):
            mark = TimelineMark(now_s, _text(data.get("target")), record.type)
            self.marks.setdefault(who, []).append(mark)
        elif record.type == "SpeechStarted":
            self._open.setdefault((who, _text(data.get("speech"))), (now_s, f"{who} speaks"))
        elif record.type == "SpeechFinished":
            self._close((who, _text(data.get("speech"))), now_s)
        elif record.type == "SpeechActivity":
            person = _text(data.get("person")) or "somebody"
            if data.get("speaking") is True:
                self._open.setdefault((None, person), (now_s, f"{person} speaks"))
            else:
                self._close((None, person), now_s)

    def all_bands(self, character: str) -> list[TimelineBand]:
        """Who speaks when: the character first, then people."""
        for key in list(self._open):
            self._close(key, self.end_s)
        own = [band for whose, band in self._bands if whose == character]
        return own + [band for whose, band in self._bands if whose is None]

    def _close(self, key: tuple[str | None, str], now_s: float) -> None:
        if key in self._open:
            begun_s, row = self._open.pop(key)
            self._bands.append((key[0], TimelineBand(begun_s, now_s, row)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _require_log(reader: LogReader, gathered: _Gathered) -> None:
    if gathered.records:
        return
    if reader.header is None and reader.damaged:
        raise CommandError(f"{reader.path} is no SERA log: its first line is no header")
    raise CommandError(f"{reader.path} holds no messages, so nobody looks anywhere")


def _whose(reader: LogReader, gathered: _Gathered, character: str | None) -> str:
    known = list(gathered.looks)
    if not known:
        orders = ", ".join(sorted(gathered.marks))
        hint = f" ({orders} was told where to look)" if orders else ""
        kinds = ", ".join(list(gathered.types)[:8])
        raise CommandError(
            f"{reader.path} holds no Gaze, so nobody looks anywhere{hint}; it holds {kinds}"
        )
    if character is None and len(known) > 1:
        raise CommandError(f"whose gaze? Choose with --character: {', '.join(known)}")
    if character is None:
        return known[0]
    if character not in known:
        near = nearest_name(character, known)
        meant = f"; did you mean '{near}'?" if near else ""
        raise CommandError(
            f"'{character}' looks nowhere in {reader.path}{meant} (there are: {', '.join(known)})"
        )
    return character


def _within(entries: list[TimelineEntry], begin_s: float, end_s: float) -> list[TimelineEntry]:
    """The looks of a window; the one that is under way when it begins is cut."""
    entries = sorted(entries, key=lambda entry: entry.time_s)
    before = [entry for entry in entries if entry.time_s < begin_s]
    inside = [entry for entry in entries if begin_s <= entry.time_s <= end_s]
    if before and begin_s <= end_s:
        # Of a look that is kept up with, the reason is that of its beginning.
        under_way = looks_of(before)[-1]
        inside.insert(0, TimelineEntry(begin_s, under_way.target, under_way.reason))
    return inside


def _clipped(bands: list[TimelineBand], begin_s: float, end_s: float) -> list[TimelineBand]:
    return [
        band._replace(time_s=max(band.time_s, begin_s), until_s=min(band.until_s, end_s))
        for band in bands
        if band.until_s > begin_s and band.time_s < end_s
    ]
