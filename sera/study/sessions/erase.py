"""Takes one participant out of a study: everything that was kept, wherever it lies.

What remains is a line without content, so that it can be told later that somebody was erased, and
that the slot of the assignment went back. Files are overwritten before they are deleted; on drives
and file systems that keep old blocks (flash, snapshots, backups) copies may remain.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sera.behaviour.selection.memory_file import memory_path
from sera.recording import erase_participant, list_participants, list_runs, participants_folder
from sera.study.journal import (
    ERASED,
    PSEUDONYM_USED,
    Journal,
    SessionFile,
    digest_of_pseudonym,
)
from sera.study.sessions._files import SessionError, add_line, lines_of, replace_file
from sera.study.sessions._lock import holder_of, locked
from sera.study.sessions._slots import nameless
from sera.study.sessions.folder import DRAWN_KINDS, StudyFolder
from sera.study.sessions.kept import LOCK_FILE, KeptSession, participant_in

_PATIENCE_S = 60.0


@dataclass
class Erased:
    """What was erased."""

    sessions: int = 0
    files: int = 0
    originals: list[str] = field(default_factory=list)
    """Runs outside of the study's folder whose originals of this participant are gone."""
    still_named: list[Path] = field(default_factory=list)
    """Files that still hold the pseudonym, such as tables that were exported before."""


def erase(
    folder: StudyFolder,
    participant: str,
    *,
    scenario: str,
    runs: Path,
    memory_folders: list[Path],
    now: datetime,
) -> Erased:
    """Erase everything of one participant.

    Args:
        folder: of the study.
        participant: pseudonym.
        scenario: name of the scenario, for runs outside of the study's sessions.
        runs: where runs are kept.
        memory_folders: where memories of participants are kept.
        now: time on the wall.

    Raises:
        SessionError: nobody of that name took part, or a session of theirs is under way.
    """
    done = Erased()
    with locked(folder.path / "lock", patience_s=_PATIENCE_S):
        sessions = [s for s in folder.sessions() if _same(s.head.participant, participant)]
        folders = _folders_of(folder, participant, sessions)
        files = [f for f in Journal(folder.path).sessions if _same(f.participant, participant)]
        journals = _journals_of(folder, participant, files)
        # As it was written then: memories are found by name.
        spellings = {participant, *(s.head.participant for s in sessions)}
        spellings |= {str(participant_in(one.name)) for one in folders if participant_in(one.name)}
        spellings |= {file.participant for file in files}
        memories = [
            path
            for base in memory_folders
            for name in sorted(spellings)
            for path in _memories(base, name)
        ]
        for one in folders:
            if (holder := holder_of(one / LOCK_FILE)) is not None:
                raise SessionError(
                    f"session {one.name} goes on in {holder}: end it first, then erase"
                )
        done.originals = _erase_originals(runs, scenario, participant)
        if not (folders or journals or memories or done.originals):
            raise _nobody(folder, participant)
        # The ledger first: it is all that would still name the participant after a crash here.
        ids = {one.name for one in folders}
        _forget_in_ledger(folder, ids, participant, now)
        for path in (*journals, *memories):
            _overwrite_and_delete(path)
            done.files += 1
        for one in folders:
            done.files += _delete_folder(one)
            done.sessions += 1
        for kind in DRAWN_KINDS:
            # Slots go back; a ledger that contradicts itself must not keep anybody's data.
            with contextlib.suppress(SessionError):
                folder.put_in_order(kind, now, gone=ids)
    done.still_named = list(_naming(folder.path, participant))
    return done


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _folders_of(folder: StudyFolder, participant: str, sessions: list[KeptSession]) -> list[Path]:
    """Folders of the participant's sessions; a damaged head does not hide what lies beside it."""
    known = {session.folder for session in sessions}
    named = {
        one
        for one in (folder.path / "sessions").glob("*")
        if one.is_dir() and _same(participant_in(one.name) or "", participant)
    }
    return sorted(known | named)


def _journals_of(folder: StudyFolder, participant: str, files: list[SessionFile]) -> list[Path]:
    known = {file.path for file in files if file.path is not None}
    named = {
        one
        for one in folder.path.glob("*.jsonl")
        if _same(participant_in(one.stem) or "", participant)
    }
    return sorted(known | named)


def _memories(base: Path, participant: str) -> Iterator[Path]:
    path = memory_path(base, participant)
    for one in (path, path.with_name(f"{path.name}.broken"), path.with_name(f"{path.name}.draft")):
        if one.is_file():
            yield one


def _erase_originals(runs: Path, scenario: str, participant: str) -> list[str]:
    """In recordings of the same scenario that an operator made without `sera study run`."""
    found = []
    for run in list_runs(runs):
        info = run.info()
        if info is None or info.scenario != scenario:
            continue
        known = list_participants(participants_folder(run.log_path))
        for one in known:
            if _same(one.participant, participant):
                erase_participant(run.log_path, one.participant)
                found.append(run.run_id)
    return found


def _forget_in_ledger(
    folder: StudyFolder, ids: Collection[str], participant: str, now: datetime
) -> None:
    """Write the ledger again without the ids of these sessions."""
    lines = list(lines_of(folder.assignment_path))
    number = sum(ERASED in line for line in lines)
    names: dict[str, str] = {}
    kept: list[dict[str, Any]] = []
    for line in lines:
        told = dict(line)
        if told.get("session") in ids:
            known = names.setdefault(str(told["session"]), nameless(number + len(names) + 1))
            told["session"] = known
        kept.append(told)
    about = {ERASED: True, "at": now.isoformat(timespec="seconds")}
    if names:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept)
        replace_file(folder.assignment_path, text.encode())
    for _ in range(max(1, len(names))):
        add_line(folder.assignment_path, about | {PSEUDONYM_USED: digest_of_pseudonym(participant)})


def _nobody(folder: StudyFolder, participant: str) -> SessionError:
    from sera.runtime.located import nearest_name

    known = sorted({session.head.participant for session in folder.sessions()})
    near = nearest_name(participant, known)
    hint = f"; did you mean '{near}'?" if near else ""
    there = f" (there are {', '.join(known)})" if known and not near else ""
    return SessionError(
        f"nobody called '{participant[:40]}' took part in this study, or is erased already"
        f"{hint}{there}"
    )


def _delete_folder(folder: Path) -> int:
    count = 0
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place) / name
            # Frozen inputs are shared with other sessions and hold nothing of the participant.
            if path.stat().st_nlink == 1 and not path.is_symlink():
                _overwrite(path)
            count += 1
    shutil.rmtree(folder)
    return count


def _overwrite_and_delete(path: Path) -> None:
    _overwrite(path)
    path.unlink()


def _overwrite(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.chmod(0o600)
        left = path.stat().st_size
        with path.open("r+b") as file:
            while left > 0:
                left -= file.write(bytes(min(left, 1 << 16)))
            file.flush()
            os.fsync(file.fileno())


def _naming(folder: Path, participant: str) -> Iterator[Path]:
    """Files that still hold the pseudonym as a word of its own, or in their names."""
    name = re.escape(participant.encode())
    word = re.compile(rb"(?<![A-Za-z0-9])" + name + rb"(?![A-Za-z0-9])", re.IGNORECASE)
    for path in sorted(folder.rglob("*")):
        # Simulated participants are other ones, whatever they are called.
        if not path.is_file() or path.relative_to(folder).parts[0] == "simulated":
            continue
        with contextlib.suppress(OSError, EOFError, gzip.BadGzipFile):
            content = path.read_bytes()
            if path.suffix == ".gz":
                content = gzip.decompress(content)
            if word.search(content) or word.search(path.name.encode()):
                yield path
