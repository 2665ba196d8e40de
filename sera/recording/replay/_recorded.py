"""The recording that is to be played again: which scenario it was, and every message of it.

What was frozen beside a recording (a session of a study) stands before what the files say today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sera.messages import Handled
from sera.recording._format import RUN_INFO_NAME
from sera.recording._pseudonyms import PSEUDONYM
from sera.recording._reader import LogReader, Record
from sera.recording._run_folder import RunFolder, RunInfo

INPUTS = "inputs"
BOOK_KEEPING = frozenset(
    {
        *("Receipt", "Handled", "ModuleCounters", "ModulePresence"),
        *("ClockProbe", "ClockReply", "ClockOffset"),
    }
)
"""What modules say about their work; it follows from the machine and decides nothing."""
_STARTED = ("starting", "present")


class ReplayError(ValueError):
    """A recording cannot be played again as it was asked for; says why and what to do."""


@dataclass(frozen=True)
class RecordedRun:
    """One recording, read whole."""

    path: Path
    scenario: str
    condition: str | None
    seed: int | None
    clock: str
    origin_s: float
    """Beginning of the run on the clock of the log."""
    duration_s: float
    """From the beginning to the end of the run, or to the last message where it was cut."""
    robots: dict[str, str] | None
    records: list[Record]
    frozen: Path | None
    """The frozen workspace beside the recording."""
    handled: dict[str, list[str]] = field(default_factory=dict)
    """By source: the ids of what it handled, in its order."""
    handled_until_s: dict[str, float] = field(default_factory=dict)
    """By source: until when that is known, on the clock of the log."""
    notes: list[str] = field(default_factory=list)
    """What is not as it should be, in sentences."""

    @property
    def name(self) -> str:
        """What people call it: the id of its run, or the name of its file."""
        in_folder = (self.path.parent / RUN_INFO_NAME).is_file()
        return self.path.parent.name if in_folder else self.path.name

    @property
    def exact(self) -> bool:
        """Whether it was made in virtual time, so that a replay must be identical."""
        return self.clock == "virtual"

    def sources(self) -> list[str]:
        """Everybody who said something, in the order of their first word."""
        return list(dict.fromkeys(record.source for record in self.records))

    def lives(self, source: str) -> int:
        """How often a source began: more than once where it died and was started again."""
        return sum(
            record.type == "ModulePresence"
            and record.source == source
            and record.data.get("status") == "starting"
            for record in self.records
        )

    def first_s(self, source: str, *statuses: str) -> float | None:
        """When a source first had one of these statuses of presence, on the clock of the log."""
        for record in self.records:
            is_word = record.type == "ModulePresence" and record.source == source
            if is_word and record.data.get("status") in statuses:
                return record.received_s
        return None


def read_recording(log_path: Path) -> RecordedRun:
    """Read a recording.

    Raises:
        FileNotFoundError: there is no such file.
        ReplayError: it is no recording, or does not say which scenario it is of.
    """
    log = LogReader(log_path, restore=True)
    if log.header is None:
        raise ReplayError(
            f"{log_path} does not begin with the header of a log, so that nobody knows which "
            "scenario it is of: give the log of a run (`sera log stats` shows what is in it)"
        )
    info = _info_beside(log_path)
    origin_s = log.origin_s()
    records = [one for one in log if isinstance(one.id, str) and one.id]
    if not records:
        raise ReplayError(f"{log_path} holds no messages: there is nothing to play again")
    scenario = log.header.scenario or (info.scenario if info else "")
    if not scenario:
        raise ReplayError(f"{log_path} does not say which scenario it is of")
    if Path(scenario).name != scenario:
        raise ReplayError(f"{log_path} says that it is of '{scenario[:60]}', which is no scenario")
    run = RecordedRun(
        path=log_path,
        scenario=scenario,
        condition=log.header.condition or (info.condition if info else None),
        seed=log.header.seed if log.header.seed is not None else (info.seed if info else None),
        clock=log.header.clock,
        origin_s=origin_s,
        duration_s=_end_s(log, records) - origin_s,
        robots=log.header.robots,
        records=records,
        frozen=_frozen_beside(log_path),
    )
    _take_order(run)
    _take_notes(run, log)
    return run


def _end_s(log: LogReader, records: list[Record]) -> float:
    """When the run was over: everybody stops after the word of its end."""
    for record in records:
        if record.type == "RunEnding":
            return record.received_s
    end = log.end.get("end") if log.end is not None else None
    return float(end) if isinstance(end, int | float) else records[-1].received_s


def _take_order(run: RecordedRun) -> None:
    gaps: set[str] = set()
    known: dict[str, int] = {}
    for record in run.records:
        if record.type != "Handled":
            continue
        try:
            handled = Handled.model_validate(record.data, extra="ignore")
        except ValueError:
            gaps.add(record.source)
            continue
        ids = handled.ids
        if handled.first not in (0, known.get(record.source, 0)):
            gaps.add(record.source)
        known[record.source] = handled.first + len(ids)
        run.handled.setdefault(record.source, []).extend(ids)
        run.handled_until_s[record.source] = record.received_s
    for source in sorted(gaps):
        run.notes.append(f"the order in which {source} handled its messages has a gap")


def _take_notes(run: RecordedRun, log: LogReader) -> None:
    if log.end is None:
        last = "minute of virtual time" if run.exact else "second"
        run.notes.append(
            "the recording has no end: the run was killed, and the order in which modules handled "
            f"their messages is not known for up to the last {last}"
        )
    elif not run.handled:
        run.notes.append(
            "no module has told in which order it handled its messages (an older recording): the "
            "order of the log is followed"
        )
    if log.damaged:
        run.notes.append(f"{log.damaged} lines of the log are damaged and were left out")
    if log.lost:
        run.notes.append(f"{log.lost} messages are missing because the disk was full")
    hidden = sum(
        any(isinstance(one, str) and PSEUDONYM.fullmatch(one) for one in record.data.values())
        for record in run.records
    )
    if hidden:
        run.notes.append(
            f"{hidden} messages hold pseudonyms whose originals are gone (erased, or the file was "
            "moved without its participants): what hung on these words may come out otherwise"
        )
    lives: dict[str, set[int]] = {}
    for record in run.records:
        boot = record.data.get("boot")
        if record.type == "ModulePresence" and record.data.get("status") in _STARTED:
            lives.setdefault(record.source, set()).add(boot if isinstance(boot, int) else 0)
    for source, boots in lives.items():
        if len(boots) > 1:
            run.notes.append(f"{source} was started {len(boots)} times; a replay has one life")


def _info_beside(log_path: Path) -> RunInfo | None:
    return RunFolder(log_path.parent).info()


def _frozen_beside(log_path: Path) -> Path | None:
    """The frozen inputs of the session to which a recording belongs."""
    if not (log_path.parent / RUN_INFO_NAME).is_file():
        return None
    for folder in _around(log_path):
        if (folder / f"{INPUTS}.json").is_file() and (folder / INPUTS).is_dir():
            try:
                json.loads((folder / f"{INPUTS}.json").read_bytes())
            except ValueError:
                continue
            return folder / INPUTS
    return None


def _around(log_path: Path) -> Iterator[Path]:
    run = log_path.resolve().parent
    yield run
    yield run.parent.parent  # <session>/runs/<n>/
