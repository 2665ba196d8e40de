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
import shutil
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sera.recording import runs_folder
from sera.runtime.located import nearest_name
from sera.runtime.workspace import Workspace
from sera.study.data import Fate, Kind, Participation
from sera.study.design import LedgerEntry, LedgerError, draw, standings
from sera.study.journal import ASSIGNMENT_FILE, PSEUDONYM, digest_of_pseudonym, erased_in
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
from sera.study.sessions._slots import missing_draws, what_became
from sera.study.sessions._wish import Wish, check_wish
from sera.study.sessions.freeze import freeze
from sera.study.sessions.kept import (
    HEAD_FILE,
    KeptSession,
    SessionHead,
    drawn_conditions,
    has_begun,
    participant_in,
    read_session,
)
from sera.study.sessions.rows import take_rows

LEAST_FREE_BYTES = 100 * MEGABYTE
"""Without that much space no session begins."""
DRAWN_KINDS: tuple[Kind, ...] = ("study", "pilot")
"""Kinds whose slots are in the ledger."""
_PREFIXES: dict[Kind, str] = {"study": "p", "pilot": "pilot", "rehearsal": "r", "simulated": "s"}
_PATIENCE_S = 60.0


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
            if not has_begun(folder):
                continue
            try:
                found.append(read_session(folder))
            except SessionError as error:
                self.unreadable.append(str(error))
        return sorted(found, key=lambda one: (one.head.began_at, one.session))

    def open_session(self) -> KeptSession | None:
        """The newest session that has no end."""
        open_ones = [session for session in self.sessions() if session.is_open]
        return open_ones[-1] if open_ones else None

    def begun(self) -> list[Path]:
        """Folders of all sessions that began, also of those whose heads cannot be read."""
        return [one for one in sorted((self.path / "sessions").glob("*")) if has_begun(one)]

    def problems(self, sessions: Sequence[KeptSession]) -> list[str]:
        """What is wrong with what is kept, one sentence each.

        Args:
            sessions: as `sessions` gives them.
        """
        found = list(self.unreadable)
        found += [one.fate_problem for one in sessions if one.fate_problem is not None]
        found += [sentence for one in sessions for sentence in one.lost_recordings()]
        for kind in DRAWN_KINDS:
            try:
                missing = missing_draws(self.ledger(kind), sessions, kind)
            except (SessionError, LedgerError) as error:
                found.append(str(error))
                continue
            if missing:
                named = ", ".join(session.session for session in missing[:3])
                found.append(
                    f"{self.assignment_path} lacks what was drawn for {named}"
                    f"{' …' if len(missing) > 3 else ''}: it is written into it again from the "
                    "heads of these sessions when the next one begins"
                )
        return found

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
        names = [*(path.stem for path in self._journals()), *(one.name for one in self.begun())]
        used |= {found.lower() for name in names if (found := participant_in(name))}
        erased = erased_in(self.assignment_path)

        def is_used(name: str) -> bool:
            return name.lower() in used or digest_of_pseudonym(name) in erased

        if wanted is None:
            number = 1
            while is_used(name := f"{_PREFIXES[kind]}{number:02d}"):
                number += 1
            return name
        if PSEUDONYM.fullmatch(wanted) is None:
            raise SessionError(
                f"{wanted[:40]!r} is no pseudonym: write letters and digits with at least one "
                "digit, such as p07, and never a name"
            )
        if is_used(wanted):
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
        check_wish(plan, wish)
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
        alone: bool = False,
    ) -> KeptSession:
        """Draw, freeze and open a session.

        Args:
            plan: of the study, without problems.
            wish: what is asked for.
            scenario_file: the scenario that is frozen.
            workspace: where its modules and robots are found.
            now: time on the wall, with its zone.
            alone: refuse where another session is open, as somebody may have begun one meanwhile.

        Raises:
            SessionError: it cannot begin; nothing has been drawn.
        """
        self.check(plan, wish)
        with locked(self.path / "lock", patience_s=_PATIENCE_S):
            if alone and (other := self.open_session()) is not None:
                raise SessionError(
                    f"no session was begun: session {other.session} ({other.head.kind}) was begun "
                    f"at {other.head.began_at} and is open; end it before another one begins"
                )
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
        sessions = [one for one in self.sessions() if one.session not in gone]
        kept = {one.session: one for one in sessions}
        begun = {folder.name for folder in self.begun()} - set(gone)
        try:
            for session in missing_draws(self.ledger(kind), sessions, kind):
                self._draw_again(session, now)
            slots = standings(self.ledger(kind))
        except LedgerError as error:
            raise SessionError(f"{self.assignment_path}: {error}") from None
        for number, standing in slots.items():
            what = what_became(standing, kept.get(standing.session), begun, gone)
            if what != standing.what:
                self._add(LedgerEntry(what, number, standing.session), kind, now)

    def _draw_again(self, session: KeptSession, now: datetime) -> None:
        """Write a draw into the ledger that its session remembers and the ledger has lost."""
        head = session.head
        assert head.slot is not None
        entries = [LedgerEntry("drawn", head.slot, head.session, head.conditions)]
        if not session.takes_its_slot:
            entries.append(LedgerEntry("released", head.slot, head.session))
        for entry in entries:
            about = {"kind": head.kind, "at": now.isoformat(timespec="seconds"), "restored": True}
            add_line(self.assignment_path, entry.as_json() | about)

    def _add(self, entry: LedgerEntry, kind: Kind, now: datetime) -> None:
        about = {"kind": kind, "at": now.isoformat(timespec="seconds")}
        add_line(self.assignment_path, entry.as_json() | about)

    def _new_id(self, participant: str, now: datetime) -> str:
        base, number = f"{participant}_{now.strftime('%Y%m%dT%H%M%S')}", 1
        while True:
            name = base if number == 1 else f"{base}_{number}"
            taken = (self.path / f"{name}.jsonl").exists()
            if not taken and not has_begun(self.path / "sessions" / name):
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


def _seed(study: int, name: str) -> int:
    """A seed of its own for each session, which follows from the study's."""
    return int.from_bytes(hashlib.sha256(f"{study}/{name}".encode()).digest()[:4]) >> 1
