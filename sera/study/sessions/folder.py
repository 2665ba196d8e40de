"""The folder of a study: begins sessions, draws their conditions, and keeps what became of them.

Design overview
    `assignment.jsonl` is the ledger of `sera.study.design`: one line for each slot that was drawn,
    filled or given back. `sessions/<session>/` has a session's head, fate, frozen inputs, runs and
    media. A session counts from the moment at which its slot is in the ledger and its head is
    written; what a crash left behind before that is given back with the next draw.

    Draws of pilots and of the study are apart: a pilot takes no slot of the study. Rehearsals take
    none at all.

Threading
    Calls block for as long as the disk does. Draws are made under a lock of the operating system,
    so that two that start at the same moment do not get the same slot.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sera.recording import runs_folder
from sera.runtime.located import nearest_name
from sera.runtime.workspace import Workspace
from sera.study.data import Fate, Kind, Participation
from sera.study.design import LedgerEntry, LedgerError, draw, standings
from sera.study.design.ledger import What
from sera.study.journal import ASSIGNMENT_FILE, PSEUDONYM
from sera.study.plan import StudyPlan
from sera.study.sessions._files import (
    MEGABYTE,
    SessionError,
    add_line,
    free_bytes,
    lines_of,
    write_json_once,
)
from sera.study.sessions._inputs import gather
from sera.study.sessions._lock import locked
from sera.study.sessions.freeze import freeze
from sera.study.sessions.kept import (
    HEAD_FILE,
    KeptSession,
    SessionHead,
    drawn_conditions,
    read_session,
)
from sera.study.sessions.rows import take_rows

LEAST_FREE_BYTES = 100 * MEGABYTE
"""Without that much space no session begins."""
DRAWN_KINDS: tuple[Kind, ...] = ("study", "pilot")
"""Kinds whose slots are in the ledger."""
_PREFIXES: dict[Kind, str] = {"study": "p", "pilot": "pilot", "rehearsal": "r", "simulated": "s"}
_PATIENCE_S = 60.0
_ID = re.compile(r"(.+?)_\d{8}T\d{6}")


@dataclass(frozen=True)
class Wish:
    """What is asked of a new session."""

    kind: Kind
    participant: str | None = None
    """Pseudonym; None: the next free one."""
    condition: str | None = None
    """Chosen by hand, in a rehearsal; None: drawn."""
    language: str | None = None
    preflight: Sequence[Mapping[str, str]] = ()
    override: str | None = None


class StudyFolder:
    """What is kept of one study.

    Args:
        path: the folder, which need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unreadable: list[str] = []
        """Sentences about sessions whose heads are damaged; they are left alone."""

    @classmethod
    def of(cls, scenario: str) -> StudyFolder:
        """The folder of a scenario's study, where runs are kept."""
        return cls(runs_folder() / "studies" / scenario)

    @property
    def assignment_path(self) -> Path:
        return self.path / ASSIGNMENT_FILE

    # -- what is there ----------------------------------------------------------------------

    def sessions(self) -> list[KeptSession]:
        """All sessions in the order in which they began."""
        found = []
        self.unreadable = []
        for folder in sorted((self.path / "sessions").glob("*")):
            if not (folder / HEAD_FILE).exists():
                continue  # it never began
            try:
                found.append(read_session(folder))
            except SessionError as error:
                self.unreadable.append(str(error))
        return sorted(found, key=lambda one: (one.head.began_at, one.session))

    def open_session(self) -> KeptSession | None:
        """The newest session that has no end."""
        open_ones = [session for session in self.sessions() if session.is_open]
        return open_ones[-1] if open_ones else None

    def find(self, wanted: str) -> KeptSession:
        """A session by its id or by its participant's pseudonym; the newest of several.

        Raises:
            SessionError: with the nearest one.
        """
        sessions = self.sessions()
        for session in reversed(sessions):
            if wanted.lower() in (session.session.lower(), session.head.participant.lower()):
                return session
        known = [session.head.participant for session in sessions]
        near = nearest_name(wanted, [*known, *(session.session for session in sessions)])
        hint = f"; did you mean '{near}'?" if near else ""
        there = f" (there are {', '.join(known[-10:])})" if known and not near else ""
        raise SessionError(f"no session of this study is called '{wanted[:60]}'{hint}{there}")

    def ledger(self, kind: Kind = "study") -> list[LedgerEntry]:
        """What happened to the slots of that kind of session, oldest first.

        Raises:
            SessionError: a line is no entry.
        """
        entries = []
        for told in lines_of(self.assignment_path):
            if "what" in told and told.get("kind", "study") == kind:
                try:
                    entries.append(LedgerEntry.from_json(told))
                except LedgerError as error:
                    raise SessionError(f"{self.assignment_path}: {error}") from None
        return entries

    def rows(
        self,
        plan: StudyPlan,
        scenario: Path | None = None,
        *,
        kinds: Collection[Kind] | None = None,
    ) -> list[Participation]:
        """One row a participant and condition, taken from the logs.

        Args:
            plan: of the study.
            scenario: its folder, for the functions of measures and its own forms.
            kinds: of sessions; None: all. Each row says its kind and its fate.
        """
        sessions = [one for one in self.sessions() if kinds is None or one.head.kind in kinds]
        return take_rows(plan, sessions, scenario)

    # -- beginning --------------------------------------------------------------------------

    def participant(self, wanted: str | None, kind: Kind) -> str:
        """The pseudonym of a new session: the wanted one, or the next free one of its kind.

        Raises:
            SessionError: it is no pseudonym, or somebody has it.
        """
        used = {session.head.participant.lower() for session in self.sessions()}
        used |= {found[1].lower() for path in self._journals() if (found := _ID.match(path.stem))}
        if wanted is None:
            number = 1
            while (name := f"{_PREFIXES[kind]}{number:02d}") in used:
                number += 1
            return name
        if PSEUDONYM.fullmatch(wanted) is None:
            raise SessionError(
                f"{wanted[:40]!r} is no pseudonym: write letters and digits with at least one "
                "digit, such as p07, and never a name"
            )
        if wanted.lower() in used:
            raise SessionError(
                f"participant {wanted} has had a session in this study already: choose another "
                "pseudonym, or leave it out for the next free one"
            )
        return wanted

    def check(self, plan: StudyPlan, wish: Wish) -> None:
        """See whether a session could begin like that.

        Raises:
            SessionError: it could not.
        """
        _check_wish(plan, wish)
        self._check_space()
        self.participant(wish.participant, wish.kind)

    def begin(
        self,
        plan: StudyPlan,
        wish: Wish,
        *,
        scenario_file: Path,
        workspace: Workspace,
        now: datetime,
    ) -> KeptSession:
        """Draw, freeze and open a session.

        Args:
            plan: of the study, without problems.
            wish: what is asked for.
            scenario_file: the scenario that is frozen.
            workspace: where its modules and robots are found.
            now: time on the wall, with its zone.

        Raises:
            SessionError: it cannot begin; nothing has been drawn.
        """
        self.check(plan, wish)
        with locked(self.path / "lock", patience_s=_PATIENCE_S):
            participant = self.participant(wish.participant, wish.kind)
            session = self._new_id(participant, now)
            entry, facts = self._draw(plan, wish, session, now)
            folder = self.path / "sessions" / session
            seed = _seed(0 if plan.design is None else plan.design.seed, session)
            inputs = gather(scenario_file, plan, workspace)
            shutil.rmtree(folder, ignore_errors=True)  # of a beginning that was cut off
            try:
                frozen = freeze(inputs, folder, seed=seed, earlier=self._earlier())
                if entry is not None:
                    self._add(entry, wish.kind, now)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            head = SessionHead(
                session=session,
                participant=participant,
                kind=wish.kind,
                language=wish.language,
                seed=seed,
                began_at=now.isoformat(timespec="seconds"),
                inputs=frozen.digest,
                preflight=tuple(wish.preflight),
                override=wish.override,
                **facts,
            )
            write_json_once(folder / HEAD_FILE, head.as_json())
        return KeptSession(folder, head)

    def end(self, session: KeptSession, fate: Fate, reason: str | None, now: datetime) -> None:
        """Say what became of a session; a slot that is not filled goes back to the assignment.

        Raises:
            SessionError: it cannot be so.
        """
        with locked(self.path / "lock", patience_s=_PATIENCE_S):
            session.write_fate(fate, reason, now.isoformat(timespec="seconds"))
            self.put_in_order(session.head.kind, now)

    # -- pieces -----------------------------------------------------------------------------

    def _draw(
        self, plan: StudyPlan, wish: Wish, session: str, now: datetime
    ) -> tuple[LedgerEntry | None, dict[str, Any]]:
        known = {one.name: one for one in drawn_conditions(plan)}
        if wish.condition is not None or plan.design is None:
            name = wish.condition or next(iter(known))
            method = "only_one" if wish.condition is None else "by_hand"
            levels = (dict(known[name].levels),)
            return None, {"conditions": (name,), "factors": levels, "slot": None, "method": method}
        counts = wish.kind in DRAWN_KINDS
        if counts:
            self.put_in_order(wish.kind, now)
        # Pilots and rehearsals must not tell which conditions the study will have next.
        seed = plan.design.seed
        if wish.kind != "study":
            seed = _seed(seed, wish.kind if counts else session)
        try:
            slot = draw(plan.design, seed, self.ledger(wish.kind) if counts else [])
        except LedgerError as error:
            raise SessionError(f"{self.assignment_path}: {error}") from None
        facts = {"conditions": slot.conditions, "factors": slot.factors, "method": slot.method}
        if not counts:
            return None, facts | {"slot": None}
        return slot.drawn_for(session), facts | {"slot": slot.number}

    def put_in_order(self, kind: Kind, now: datetime, *, gone: Collection[str] = ()) -> None:
        """Write into the ledger what the fates say and a crash kept from being written.

        Args:
            kind: of the sessions.
            now: time on the wall.
            gone: sessions that are about to be erased.

        Raises:
            SessionError: the ledger contradicts itself.
        """
        if kind not in DRAWN_KINDS:
            return
        kept = {one.session: one for one in self.sessions() if one.session not in gone}
        try:
            slots = standings(self.ledger(kind))
        except LedgerError as error:
            raise SessionError(f"{self.assignment_path}: {error}") from None
        for number, standing in slots.items():
            session = kept.get(standing.session)
            what: What = standing.what
            if session is None:
                what = "released"  # it was drawn, and never began
            elif session.fate == "completed":
                what = "filled"
            elif not session.takes_its_slot:
                what = "released"
            if what != standing.what:
                self._add(LedgerEntry(what, number, standing.session), kind, now)

    def _add(self, entry: LedgerEntry, kind: Kind, now: datetime) -> None:
        about = {"kind": kind, "at": now.isoformat(timespec="seconds")}
        add_line(self.assignment_path, entry.as_json() | about)

    def _new_id(self, participant: str, now: datetime) -> str:
        base, number = f"{participant}_{now.strftime('%Y%m%dT%H%M%S')}", 1
        while True:
            name = base if number == 1 else f"{base}_{number}"
            taken = (self.path / f"{name}.jsonl").exists()
            if not taken and not (self.path / "sessions" / name / HEAD_FILE).exists():
                return name
            number += 1

    def _earlier(self) -> Path | None:
        sessions = self.sessions()
        return sessions[-1].folder if sessions else None

    def _journals(self) -> list[Path]:
        return [path for path in self.path.glob("*.jsonl") if path.name != ASSIGNMENT_FILE]

    def _check_space(self) -> None:
        free = free_bytes(self.path)
        if free < LEAST_FREE_BYTES:
            raise SessionError(
                f"only {free / MEGABYTE:.0f} MB are free on the disk of {self.path.absolute()}: "
                f"a session needs at least {LEAST_FREE_BYTES / MEGABYTE:.0f} MB; free some space"
            )


def _check_wish(plan: StudyPlan, wish: Wish) -> None:
    languages = plan.study.languages
    if wish.language is not None and wish.language not in languages:
        raise SessionError(
            f"the study has no language '{wish.language}' (it has {', '.join(languages)})"
        )
    if wish.condition is None:
        return
    if wish.kind != "rehearsal":
        raise SessionError(
            f"the condition of a {wish.kind} session is drawn and cannot be chosen: leave out "
            "--condition, or make it a rehearsal"
        )
    known = [one.name for one in drawn_conditions(plan)]
    if wish.condition not in known:
        near = nearest_name(wish.condition, known)
        hint = f"; did you mean '{near}'?" if near else ""
        raise SessionError(
            f"the study has no condition '{wish.condition}'{hint} (it has {', '.join(known)})"
        )


def _seed(study: int, name: str) -> int:
    """A seed of its own for each session, which follows from the study's."""
    return int.from_bytes(hashlib.sha256(f"{study}/{name}".encode()).digest()[:4]) >> 1
