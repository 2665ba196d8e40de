"""What a study keeps of its sessions: one file a session, written once and never changed.

Design overview
    `<folder>/<session>.jsonl` begins with the plan as it was when the session began, then one
    line for each press; the last line of a session that is over says how it ended. Lines are
    only ever added, and each is on the disk before it counts. A session whose file has no last
    line is still under way: the same presses lead a new guide to the same place.

    A line `told` follows once the records of a press were published; a press without it is told
    again, since a record twice is better than none.

Units and frames
    Seconds on the clock of the run.

Threading
    Calls block for as long as the disk does; one writer a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from sera.study.guide import Guide, NotNow, Outcome, Press
from sera.study.plan import StudyPlan

PSEUDONYM = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9_-]{1,24}")
_COUNTED = re.compile(r"p(\d+)")
ASSIGNMENT_FILE = "assignment.jsonl"
"""The ledger of drawn conditions, which lies beside the sessions."""
ERASED = "erased"
PSEUDONYM_USED = "pseudonym_used"
"""In the line that erasure leaves: a digest, by which a pseudonym is known to be used."""


class UnknownPlan(ValueError):
    """The plan that a session's file begins with cannot be read; the message says which file."""


class WrongParticipant(Exception):
    """A pseudonym that cannot be used; the message says why."""


@dataclass(slots=True)
class SessionFile:
    """A session that was read or begun."""

    session: str
    participant: str
    language: str | None
    plan: dict[str, Any]
    presses: list[Press] = field(default_factory=list)
    told: int = 0
    """Of how many presses the records were published."""
    outcome: Outcome | None = None
    path: Path | None = None
    """None: it is kept in memory only."""
    period: int = 1
    """Which of the participant's conditions it is, where there are several."""


class Journal:
    """The sessions of one study.

    Args:
        folder: where their files are; None: nothing outlives the run.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._sessions: list[SessionFile] = []
        self.unreadable: list[str] = []
        """Files that are no sessions; they are left alone."""
        self.problems: list[str] = []
        """The same with their whole paths, for those who are not in the folder."""
        if folder is not None and folder.is_dir():
            self._read_all(folder)

    @property
    def sessions(self) -> tuple[SessionFile, ...]:
        """All sessions, oldest first."""
        return tuple(self._sessions)

    @property
    def done(self) -> int:
        """How many sessions are complete."""
        return sum(session.outcome == "completed" for session in self._sessions)

    def under_way(self) -> SessionFile | None:
        """The newest session that has no end."""
        open_ones = [session for session in self._sessions if session.outcome is None]
        return open_ones[-1] if open_ones else None

    def find(self, session: str, period: int = 1) -> SessionFile | None:
        """A session by its id, in one of the participant's conditions."""
        for one in self._sessions:
            if (one.session, one.period) == (session, period):
                return one
        return None

    def participant(self, wanted: str | None) -> str:
        """The pseudonym of the next session: the wanted one, or the next free one.

        Raises:
            WrongParticipant: it cannot be used.
        """
        erased = set() if self.folder is None else erased_in(self.folder / ASSIGNMENT_FILE)
        if wanted is None:
            numbers = [_COUNTED.fullmatch(session.participant) for session in self._sessions]
            number = max((int(one[1]) for one in numbers if one), default=0) + 1
            while digest_of_pseudonym(name := f"p{number:02d}") in erased:
                number += 1
            return name
        if PSEUDONYM.fullmatch(wanted) is None:
            raise WrongParticipant(
                f"{wanted[:40]!r} is no pseudonym: write letters and digits with at least one "
                "digit, such as p07, and never a name"
            )
        same = [s for s in self._sessions if s.participant.lower() == wanted.lower()]
        used = digest_of_pseudonym(wanted) in erased
        if used or any(session.outcome != "aborted" for session in same):
            raise WrongParticipant(
                f"participant {wanted} has had a session already: choose another pseudonym, or "
                "leave it out for the next free one"
            )
        return wanted

    def begin(
        self,
        plan: StudyPlan,
        participant: str,
        language: str | None,
        at_s: float,
        *,
        session: str | None = None,
        period: int = 1,
    ) -> SessionFile:
        """Open the file of a new session.

        Args:
            plan: the session goes by it, whatever becomes of the study file.
            participant: pseudonym.
            language: of the forms.
            at_s: now, on the clock of the run.
            session: its id; None: one that is new in this folder.
            period: which of the participant's conditions it is.

        Raises:
            OSError: the file cannot be written.
        """
        name = session or self._new_id(participant, at_s)
        made = SessionFile(name, participant, language, plan.model_dump(mode="json"))
        made.period = period
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            made.path = self.folder / f"{name}{'' if period == 1 else f'_c{period}'}.jsonl"
            about: dict[str, Any] = {
                "session": name,
                "participant": participant,
                "language": language,
            }
            about |= {} if period == 1 else {"period": period}
            # A file in which nothing is complete is of a run that died while it began.
            new = not (made.path.exists() and _holds_nothing(made.path))
            _add_line(made.path, {"begins": about | {"plan": made.plan}}, new=new)
        self._sessions.append(made)
        return made

    def _new_id(self, participant: str, at_s: float) -> str:
        stamp = datetime.fromtimestamp(at_s, UTC).strftime("%Y%m%dT%H%M%S")
        base, number = f"{participant}_{stamp}", 1
        taken = {session.session for session in self._sessions}
        while (name := base if number == 1 else f"{base}_{number}") in taken:
            number += 1
        return name

    def add(self, session: SessionFile, press: Press) -> None:
        """Keep a press; its reason, in which names may stand, is left to the recorder.

        Raises:
            OSError: it could not be written, and does not count.
        """
        if session.path is not None:
            kept = asdict(press) | {"reason": None}
            said = {name: value for name, value in kept.items() if value is not None}
            _add_line(session.path, {"press": said})
        session.presses.append(press)

    def tell(self, session: SessionFile) -> None:
        """The records of all presses were published."""
        session.told = len(session.presses)
        if session.path is not None:
            _add_line(session.path, {"told": session.told})

    def end(self, session: SessionFile, outcome: Outcome) -> None:
        """The session is over."""
        if session.path is not None:
            _add_line(session.path, {"ends": outcome})
        session.outcome = outcome

    def _read_all(self, folder: Path) -> None:
        for path in sorted(folder.glob("*.jsonl")):
            if path.name == ASSIGNMENT_FILE:
                continue
            try:
                self._sessions.append(_read(path))
            except (ValueError, KeyError, TypeError, OSError) as error:
                self.unreadable.append(f"{path.name} is no session file: {error}")
                self.problems.append(f"{path} is no session file: {error}")
        self._sessions.sort(key=lambda one: one.presses[0].at_s if one.presses else 0.0)


def digest_of_pseudonym(pseudonym: str) -> str:
    """What stays of an erased participant's pseudonym, so that nobody gets it again."""
    return hashlib.sha256(f"pseudonym/{pseudonym.lower()}".encode()).hexdigest()[:16]


def erased_in(ledger: Path) -> set[str]:
    """Digests of the pseudonyms whose participants were erased, from the ledger's lines."""
    try:
        lines = ledger.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return set()
    found = set()
    for line in lines:
        if ERASED in line:
            with contextlib.suppress(ValueError, RecursionError):
                told = json.loads(line)
                if isinstance(told, dict) and told.get(ERASED) is True:
                    found.add(str(told.get(PSEUDONYM_USED)))
    return found


def guide_again(session: SessionFile) -> tuple[Guide, list[Any]]:
    """The guide of a session that was interrupted, and the records that were not yet told.

    Raises:
        UnknownPlan: the file begins with no plan that is known today.
    """
    try:
        plan = StudyPlan.model_validate(session.plan)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnknownPlan(
            f"the plan in {session.path or session.session} cannot be read ({place}: "
            f"{first['msg'][:1].lower()}{first['msg'][1:]})"
        ) from None
    guide = Guide(
        plan,
        session=session.session,
        participant=session.participant,
        language=session.language,
    )
    untold: list[Any] = []
    for number, press in enumerate(session.presses):
        try:
            records = guide.take(press)
        except NotNow:  # only what could be done was kept: somebody has edited the file
            continue
        if number >= session.told:
            untold += records
    return guide, untold


def _add_line(path: Path, content: dict[str, Any], *, new: bool = False) -> None:
    line = json.dumps(content, ensure_ascii=False).encode() + b"\n"
    with path.open("xb" if new else "ab+") as file:
        if not new and not _ends_in_a_line(file):
            line = b"\n" + line  # after a line that a crash has cut off
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _holds_nothing(path: Path) -> bool:
    """Whether a file has no complete line: what a crash has cut off never counted."""
    for line in path.read_bytes().split(b"\n"):
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            continue
        return False
    return True


def _ends_in_a_line(file: IO[bytes]) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _read(path: Path) -> SessionFile:
    session: SessionFile | None = None
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            continue  # empty, or cut off by a crash: it never counted
        try:
            session = _take_line(session, content, path)
        except (KeyError, TypeError, AttributeError):
            raise ValueError(f"line {number} is none that a session writes") from None
    if session is None:
        raise ValueError("it is empty")
    return session


def _take_line(session: SessionFile | None, content: Any, path: Path) -> SessionFile:
    """The session after one more line of its file.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it is no such line.
    """
    if "begins" in content:
        about = content["begins"]
        session = SessionFile(
            about["session"], about["participant"], about["language"], about["plan"], path=path
        )
        session.period = int(about.get("period", 1))
    elif session is None:
        raise ValueError("its first line does not begin a session")
    elif "press" in content:
        session.presses.append(Press(**content["press"]))
    elif "told" in content:
        session.told = int(content["told"])
    elif "ends" in content:
        session.outcome = content["ends"]
    return session
