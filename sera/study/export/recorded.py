"""Where the logs and media of participants lie, of people and of simulated ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sera.recording import RunFolder
from sera.study.data import Kind, Participation
from sera.study.measures import SessionLog
from sera.study.sessions import KeptSession


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded of one participant in one condition."""

    session: str
    participant: str
    kind: Kind
    condition: str
    period: int
    logs: tuple[Path, ...]
    """One, or several where the session was resumed."""
    media: Path | None = None
    """Folder of films and sounds."""

    def log(self) -> SessionLog:
        return SessionLog.from_files(self.logs)


def recorded_sessions(sessions: Sequence[KeptSession]) -> list[Recorded]:
    """What was recorded in sessions; those without a log are left out."""
    return [
        Recorded(
            session.session,
            session.head.participant,
            session.head.kind,
            condition,
            period,
            tuple(logs),
            session.media,
        )
        for session in sessions
        for period, condition in enumerate(session.head.conditions, start=1)
        if (logs := session.logs(period))
    ]


def recorded_simulation(folder: Path, rows: Sequence[Participation]) -> list[Recorded]:
    """The logs of a simulated study that was told to keep them."""
    found = []
    for row in rows:
        path = folder / "logs" / f"{row.participant}_{row.period}.jsonl"
        if path.is_file():
            found.append(
                Recorded(row.session, row.participant, row.kind, row.condition, row.period, (path,))
            )
    return found


def run_ids(session: str, log: Path) -> tuple[str, ...]:
    """Names under which a sidecar may know the run of a log."""
    info = RunFolder(log.parent).info()
    number = log.parent.name
    return (f"{session}_{number}", *(() if info is None else (info.run,)), number)
