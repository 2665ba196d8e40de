"""The runs of a session on the disk: which of the participant's conditions each is of.

A run that cannot be told apart any more, or whose log is gone, is said: what was measured in it is
not known, and must not count as nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sera.recording import RunFolder
from sera.study.sessions._files import WrittenAlready, write_json_once

NO_LOG_FILE = "no_log.json"
"""Stands in the folder of a run that died before it had a log."""


@dataclass(slots=True)
class RecordedRuns:
    """What there is of a session's runs."""

    logs: dict[int, list[Path]] = field(default_factory=dict)
    """By the participant's condition, from 1; in the order of the runs."""
    unusable: dict[int, list[str]] = field(default_factory=dict)
    """By condition: one sentence for each run that is there and cannot be used."""
    remarks: list[str] = field(default_factory=list)
    """Runs that are not there at all, or never came to a log, as far as that can be told."""

    @property
    def problems(self) -> list[str]:
        """Every sentence once."""
        told = (one for _, all_ in sorted(self.unusable.items()) for one in all_)
        return list(dict.fromkeys([*told, *self.remarks]))


def recorded_runs(folder: Path, periods: int) -> RecordedRuns:
    """Look at the runs of a session.

    Args:
        folder: in which they are, called by their numbers.
        periods: how many conditions the participant meets.
    """
    found = RecordedRuns()
    paths = [path for path in folder.glob("*") if path.is_dir()]
    runs = [RunFolder(path) for path in sorted(paths, key=lambda one: (len(one.name), one.name))]
    known = [_period_of(run) for run in runs]
    for place, (run, period) in enumerate(zip(runs, known, strict=True)):
        why = None
        if period is None:
            why = f"{run.path / 'run.json'} is missing or damaged"
        elif not run.log_path.is_file():
            if (run.path / NO_LOG_FILE).is_file():
                found.remarks.append(f"{run.path} had no log when the session went on after it")
                continue
            why = f"{run.log_path} is missing"
        if why is None and period is not None:
            found.logs.setdefault(period, []).append(run.log_path)
            continue
        for one in _possible_periods(known, place, periods):
            found.unusable.setdefault(one, []).append(str(why))
    found.remarks += _gaps(folder, [run.run_id for run in runs])
    return found


def note_runs_without_log(folder: Path, at: str) -> None:
    """Take note of runs that died before they had a log, so that it does not count as lost later.

    Args:
        folder: in which they are; none of them is under way.
        at: time on the wall.

    Raises:
        OSError: it cannot be written.
    """
    for path in folder.glob("*"):
        if path.is_dir() and not RunFolder(path).log_path.is_file():
            with contextlib.suppress(WrittenAlready):
                write_json_once(path / NO_LOG_FILE, {"noted_at": at})


def _period_of(run: RunFolder) -> int | None:
    info = run.info()
    if info is None:
        return None
    told = (info.model_extra or {}).get("period", 1)
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 1 else None


def _possible_periods(known: Sequence[int | None], place: int, periods: int) -> range:
    """Conditions are met one after the other: the runs beside it say where a run belongs."""
    if (own := known[place]) is not None:
        return range(own, own + 1)
    first = next((one for one in reversed(known[:place]) if one is not None), 1)
    last = next((one for one in known[place + 1 :] if one is not None), periods)
    return range(first, max(first, last) + 1)


def _gaps(folder: Path, names: Sequence[str]) -> list[str]:
    numbers = {int(name) for name in names if name.isdecimal()}
    missing = sorted(set(range(1, max(numbers, default=0))) - numbers)
    return [
        f"{folder / str(number)} is missing, although there were runs after it"
        for number in missing[:3]
    ]
