"""Which recordings are meant: those of a study, of a scenario, or some that are named.

`<runs>/studies/<scenario>/sessions/<session>/runs/<n>/` are a study's; cases of one participant
belong together whatever sessions they come from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sera.recording import LogReader, RunFolder, UnknownRun, find_log, list_runs, runs_folder
from sera.study.policy.table import Recording

_SESSION = "session.json"


def find_recordings(names: Sequence[str], base: Path | None = None) -> list[Recording]:
    """The recordings behind names, each once.

    Args:
        names: of a study or scenario, ids or folders of runs, log files, or `last`.
        base: where runs are kept; None: the usual place.

    Raises:
        UnknownRun: there is nothing of that name.
    """
    found: dict[Path, Recording] = {}
    for name in names:
        some = _of_study(name, base) or _of_scenario(name, base)
        for one in some or [_recording(find_log(name, base))]:
            found.setdefault(one.log.resolve(), one)
    return list(found.values())


def scenario_of(recording: Recording) -> str | None:
    """The scenario that was recorded, where its folder or its log says so."""
    info = RunFolder(recording.log.parent).info()
    if info is not None and info.scenario:
        return info.scenario
    header = LogReader(recording.log).header
    return None if header is None else header.scenario or None


def _of_study(name: str, base: Path | None) -> list[Recording]:
    if not name or Path(name).name != name:
        return []
    folder = (runs_folder() if base is None else base) / "studies" / name / "sessions"
    if not folder.is_dir():
        return []
    logs = sorted(RunFolder(run).log_path for run in folder.glob("*/runs/*") if run.is_dir())
    return [_recording(log) for log in logs if log.is_file()]


def _of_scenario(name: str, base: Path | None) -> list[Recording]:
    runs = [
        run
        for run in list_runs(base)
        # A training has a trainee's choices among a recording's perceptions, once more.
        if (info := run.info()) and info.scenario == name and not info.training_of
    ]
    return [_recording(run.log_path) for run in reversed(runs) if run.log_path.is_file()]


def _recording(log: Path) -> Recording:
    if not log.is_file():
        raise UnknownRun(f"there is no log {log}")
    session = log.parent.parent.parent / _SESSION
    try:
        about = json.loads(session.read_bytes())
        participant = about.get("participant")
    except (OSError, ValueError, AttributeError):
        participant = None
    if isinstance(participant, str) and participant:
        return Recording(log, f"participant {participant}")
    # A log that was copied out of its run's folder stands for itself.
    in_folder = RunFolder(log.parent).info() is not None
    return Recording(log, log.parent.name if in_folder else log.stem)
