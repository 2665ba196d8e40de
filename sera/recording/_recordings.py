"""Every recording that is kept, each under a name: runs, sessions of studies, simulated people.

Design overview
    A run is called by its id; a run of a session `<study>:<session>:<run>`; a recorded simulated
    participant `<study>:simulated:<simulation>:<participant>_<period>`. No id of a run has a colon,
    so that these names never meet.

Safety
    A name is taken apart and each part must look like the name of one folder, so that none leads
    elsewhere. `Recording.lies_within` asks the disk as well, because a link may lead anywhere.
    Nothing here tells the condition of a session.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sera.recording._format import RUN_INFO_NAME
from sera.recording._run_folder import LAST, RunFolder, RunInfo, is_run_id, runs_folder

SIMULATED = "simulated"
_STUDIES, _SESSIONS, _RUNS, _LOGS = "studies", "sessions", "runs", "logs"
_PART = re.compile(r"[A-Za-z0-9_-]{1,120}\Z")
_PARTICIPANT = re.compile(r"(.+?)_\d{8}T\d{6}(?:_\d+)?\Z")
_SIMULATED_LOG = re.compile(r"(?P<participant>[A-Za-z0-9_-]{1,110})_\d{1,4}\Z")


class UnknownRun(LookupError):
    """There is no run or log of that name."""


class InStudy(NamedTuple):
    """Which part of which study a recording is."""

    study: str
    participant: str
    """Pseudonym."""
    kind: str
    """`study`, `pilot`, `rehearsal` or `simulated`; empty where its folder does not say."""
    session: str
    """Of a simulated participant: what the simulation is called."""
    run: str
    """Which run of the session."""

    def __str__(self) -> str:
        words = f"participant {self.participant} of {self.study}"
        return f"{words}, {self.kind}" if self.kind else words


class Recording(NamedTuple):
    """One recording."""

    name: str
    log_path: Path
    info: RunInfo | None
    """None where nothing tells of the run, or what does is damaged."""
    started_s: float
    """On the clock on the wall."""
    in_study: InStudy | None = None

    @property
    def run_id(self) -> str:
        """The id that the run had on the bus."""
        part = self.in_study
        return self.name if part is None else f"{part.session}_{part.run}"

    @property
    def scenario(self) -> str:
        if self.info is None:
            return "" if self.in_study is None else self.in_study.study
        return self.info.scenario

    @property
    def frozen_inputs(self) -> Path | None:
        """The workspace that was frozen for the session; None where there is none."""
        if self.in_study is None or self.in_study.kind == SIMULATED:
            return None
        folder = self.log_path.parents[2] / "inputs"
        return folder if folder.is_dir() else None

    def lies_within(self, base: Path) -> bool:
        """Whether the log itself, links followed, is inside a folder."""
        return self.log_path.resolve().is_relative_to(base.resolve())


def list_recordings(base: Path | str | None = None) -> list[Recording]:
    """Everything that was recorded, newest first."""
    folder = runs_folder() if base is None else Path(base)
    found = [*_runs(folder), *_sessions(folder), *_simulated(folder)]
    return sorted(found, key=lambda one: (one.started_s, one.name), reverse=True)


def find_recording(name: str, base: Path | str | None = None) -> Recording | None:
    """The recording of that name; None: there is none, or the name is none."""
    folder = runs_folder() if base is None else Path(base)
    parts = name.split(":")
    if len(parts) == 1:
        return _of_run(folder / name) if is_run_id(name) else None
    if not all(map(_PART.match, parts)):
        return None
    study = folder / _STUDIES / parts[0]
    if len(parts) == 3:
        return _of_session(study, parts[1], parts[2])
    if len(parts) == 4 and parts[1] == SIMULATED:
        return _of_simulated(study, parts[2], parts[3])
    return None


def find_log(what: Path | str = LAST, base: Path | str | None = None) -> Path:
    """The log file meant by `last`, the name of a recording, the folder of a run, or a file.

    Raises:
        UnknownRun: nothing of that name; says what there is.
    """
    path = Path(what)
    if path.is_file():
        return path
    if path.is_dir() and (path / RUN_INFO_NAME).is_file():
        return RunFolder(path).log_path
    folder = runs_folder() if base is None else Path(base)
    kept = list_recordings(folder)
    if str(what) == LAST:
        # Whoever simulates hundreds of participants still means the run of a moment ago.
        kept = [one for one in kept if one.in_study is None or one.in_study.kind != SIMULATED]
        if kept:
            return kept[0].log_path
    named = next((one for one in kept if one.name == str(what)), None)
    if named is not None:
        return named.log_path
    if not kept:
        raise UnknownRun(
            f"no log {str(what)!r}: there are no runs in {folder.absolute()}; "
            "`sera run NAME` makes one, or give the path of a log file"
        )
    names = [one.name for one in kept]
    near = difflib.get_close_matches(str(what), names, n=3, cutoff=0.5) or names[:3]
    raise UnknownRun(
        f"no log or run {str(what)!r} in {folder.absolute()}; nearest: {', '.join(near)} "
        f"({LAST!r} is the newest run)"
    )


def _runs(folder: Path) -> Iterator[Recording]:
    for path in _folders(folder):
        if (one := _of_run(path)) is not None:
            yield one


def _sessions(folder: Path) -> Iterator[Recording]:
    for study in _folders(folder / _STUDIES):
        for session in _folders(study / _SESSIONS):
            for run in _folders(session / _RUNS):
                if (one := _of_session(study, session.name, run.name)) is not None:
                    yield one


def _simulated(folder: Path) -> Iterator[Recording]:
    for study in _folders(folder / _STUDIES):
        for simulation in _folders(study / SIMULATED):
            logs = simulation / _LOGS
            for log in logs.glob("*.jsonl") if logs.is_dir() else ():
                if (one := _of_simulated(study, simulation.name, log.stem)) is not None:
                    yield one


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _of_run(path: Path) -> Recording | None:
    if not (path / RUN_INFO_NAME).is_file():
        return None
    run = RunFolder(path)
    info = run.info()
    return Recording(run.run_id, run.log_path, info, _started_s(info, path / RUN_INFO_NAME))


def _of_session(study: Path, session: str, number: str) -> Recording | None:
    path = study / _SESSIONS / session / _RUNS / number
    plain = _of_run(path)
    if plain is None or not all(map(_PART.match, (study.name, session, number))):
        return None
    known = _PARTICIPANT.match(session)
    kind = "" if plain.info is None else str((plain.info.model_extra or {}).get("kind") or "")
    part = InStudy(study.name, known[1] if known else session, kind, session, number)
    return plain._replace(name=f"{study.name}:{session}:{number}", in_study=part)


def _of_simulated(study: Path, simulation: str, stem: str) -> Recording | None:
    log = study / SIMULATED / simulation / _LOGS / f"{stem}.jsonl"
    known = _SIMULATED_LOG.match(stem)
    if known is None or not all(map(_PART.match, (study.name, simulation))) or not log.is_file():
        return None
    part = InStudy(study.name, known["participant"], SIMULATED, simulation, stem)
    name = f"{study.name}:{SIMULATED}:{simulation}:{stem}"
    return Recording(name, log, None, log.stat().st_mtime, part)


def _started_s(info: RunInfo | None, file: Path) -> float:
    return file.stat().st_mtime if info is None else info.started.timestamp()
