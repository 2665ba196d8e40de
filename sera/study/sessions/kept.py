"""What a study keeps of one session: its head, written when it begins, and its fate.

Units and frames: times are dates on the wall, ISO 8601, with their zone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from sera.study.data import Fate, Kind
from sera.study.design import AS_IT_STANDS, run_condition
from sera.study.design_tables import Condition
from sera.study.plan import StudyPlan
from sera.study.sessions._files import SessionError, read_json, write_json_once
from sera.study.sessions._lock import holder_of
from sera.study.sessions._recorded_runs import RecordedRuns, recorded_runs
from sera.study.sessions.freeze import Frozen, read_frozen

HEAD_FILE = "session.json"
LOCK_FILE = "lock"
NOT_KNOWN = "not_known"
"""What is told of a session whose fate cannot be read."""
_FATE_FILE = re.compile(r"fate(?:_([1-9][0-9]{0,8}))?\.json")
_ID = re.compile(r"(.+?)_\d{8}T\d{6}")
ENDED: tuple[Fate, ...] = ("completed", "aborted", "excluded", "replaced")
_COUNTS_AS_GIVEN_BACK: tuple[Fate, ...] = ("aborted", "excluded", "replaced")


@dataclass(frozen=True)
class SessionHead:
    """The contents of `session.json`."""

    session: str
    participant: str
    """Pseudonym."""
    kind: Kind
    conditions: tuple[str, ...]
    """In the order in which the participant meets them; one in a between-design."""
    slot: int | None
    """Place in the assignment; None where the condition was chosen by hand."""
    method: str
    """How it was drawn: `random`, `blocked`, `latin_square`, `by_hand`, `only_one`."""
    seed: int
    language: str | None
    began_at: str
    inputs: str
    """Digest of all inputs."""
    factors: tuple[Mapping[str, str], ...] = ()
    """Levels of each factor, by condition."""
    preflight: tuple[Mapping[str, str], ...] = ()
    """What the checks before the session found."""
    override: str | None = None
    """Why it was begun although a check was red."""

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            "session": self.session,
            "participant": self.participant,
            "kind": self.kind,
            "condition": self.conditions[0],
            "conditions": list(self.conditions),
            "factors": [dict(one) for one in self.factors],
            "slot": self.slot,
            "method": self.method,
            "seed": self.seed,
            "language": self.language,
            "began_at": self.began_at,
            "inputs": self.inputs,
            "preflight": [dict(one) for one in self.preflight],
            "override": self.override,
        }

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> SessionHead:
        """The head in a JSON object.

        Raises:
            ValueError, KeyError, TypeError: it is none.
        """
        if told["kind"] not in get_args(Kind):
            raise ValueError(f"there is no kind {told['kind']!r}")
        slot, conditions = told["slot"], told["conditions"]
        if slot is not None and (not isinstance(slot, int) or isinstance(slot, bool) or slot < 0):
            raise ValueError(f"there is no slot {slot!r}")
        if not isinstance(conditions, list) or not conditions:
            raise ValueError(f"{conditions!r} are no conditions")
        return cls(
            session=str(told["session"]),
            participant=str(told["participant"]),
            kind=told["kind"],
            conditions=tuple(map(str, conditions)),
            slot=slot,
            method=str(told["method"]),
            seed=int(told["seed"]),
            language=told["language"],
            began_at=str(told["began_at"]),
            inputs=str(told["inputs"]),
            factors=tuple(told.get("factors", ())),
            preflight=tuple(told.get("preflight", ())),
            override=told.get("override"),
        )


@dataclass
class KeptSession:
    """A session of a study, begun or over."""

    folder: Path
    head: SessionHead
    fate: Fate = "under_way"
    reason: str | None = None
    fate_history: list[dict[str, Any]] = field(default_factory=list)
    """Everything that was said about its fate, in order; the last one counts."""
    fate_files: int = 0
    """Number of the last file about its fate."""
    fate_problem: str | None = None
    """Why its fate is not known, in a sentence; then it neither counts nor is it open."""

    @property
    def session(self) -> str:
        return self.head.session

    @property
    def is_open(self) -> bool:
        return self.fate == "under_way" and self.fate_problem is None

    @property
    def told_fate(self) -> str:
        """Its fate, for people to read."""
        return self.fate if self.fate_problem is None else NOT_KNOWN

    @property
    def takes_its_slot(self) -> bool:
        """Whether its place in the assignment is taken; else it goes to somebody else."""
        return self.fate not in _COUNTS_AS_GIVEN_BACK

    @property
    def lock_path(self) -> Path:
        return self.folder / LOCK_FILE

    @property
    def media(self) -> Path:
        return self.folder / "media"

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def held_by(self) -> str | None:
        """The process in which it goes on now; None where it stands still."""
        return holder_of(self.lock_path)

    def frozen(self) -> Frozen | None:
        return read_frozen(self.folder)

    def recorded(self) -> RecordedRuns:
        """What there is of its runs, and what is wrong with it."""
        return recorded_runs(self.runs, len(self.head.conditions))

    def logs(self, period: int | None = None) -> list[Path]:
        """Logs of its runs in order; of one of the participant's conditions where it is given."""
        by_period = self.recorded().logs
        if period is not None:
            return by_period.get(period, [])
        return [log for _, logs in sorted(by_period.items()) for log in logs]

    def lost_recordings(self) -> list[str]:
        """What cannot be read of what was recorded, one sentence each."""
        if self.is_open and self.held_by() is not None:
            return []  # its log may be about to begin
        found = self.recorded()
        lost = [f"session {self.session}: {one}" for one in found.problems]
        if self.fate == "completed":
            periods = range(1, len(self.head.conditions) + 1)
            gone = [one for one in periods if one not in found.logs and one not in found.unusable]
            of = "" if len(periods) == 1 else f" of condition {', '.join(map(str, gone))}"
            lost += [f"session {self.session} is completed, but has no log{of}"] if gone else []
        return lost

    def write_fate(self, fate: Fate, reason: str | None, at: str) -> None:
        """Say what became of it. A later word stands beside the earlier one, never over it.

        Raises:
            SessionError: it has that fate already, or a completed session shall be aborted.
        """
        if fate not in ENDED:
            raise SessionError(f"{fate!r} is no end of a session: write {', '.join(ENDED)}")
        if fate == self.fate:
            raise SessionError(f"session {self.session} is {fate} already")
        may_end = self.is_open or self.fate_problem is not None
        if fate in ("completed", "aborted") and not may_end:
            raise SessionError(
                f"session {self.session} is {self.fate} and stays so: only excluded or replaced "
                "may be said of it now"
            )
        if fate in ("excluded", "replaced") and not (reason or "").strip():
            raise SessionError(f"say why session {self.session} is {fate}: give a reason")
        number = self.fate_files + 1
        told = {"fate": fate, "reason": reason, "ended_at": at}
        write_json_once(self.folder / _fate_file(number), told)
        self.fate_history.append(told)
        self.fate, self.reason = fate, reason
        self.fate_files, self.fate_problem = number, None


def read_session(folder: Path) -> KeptSession:
    """A session from its folder.

    Raises:
        SessionError: there is none, or its head is damaged.
    """
    told = read_json(folder / HEAD_FILE)
    if told is None:
        raise SessionError(f"{folder / HEAD_FILE} is missing or damaged")
    try:
        kept = KeptSession(folder, SessionHead.from_json(told))
    except (ValueError, KeyError, TypeError) as error:
        raise SessionError(f"{folder / HEAD_FILE} is no head of a session: {error}") from None
    for number in _fate_numbers(folder):
        kept.fate_files = number
        path = folder / _fate_file(number)
        ended = read_json(path)
        if ended is None or ended.get("fate") not in ENDED:
            # Neither the word before it counts nor that there was none: this one is not known.
            kept.fate, kept.reason = "under_way", None
            kept.fate_problem = (
                f"{path} is damaged: what became of session {kept.session} is not known, and it "
                "does not count until `sera study fate` says it again"
            )
            continue
        kept.fate_history.append(ended)
        kept.fate, kept.reason, kept.fate_problem = ended["fate"], ended.get("reason"), None
    return kept


def has_begun(folder: Path) -> bool:
    """Whether the folder is of a session that began, readable or not."""
    return (
        (folder / HEAD_FILE).exists()
        or bool(_fate_numbers(folder))
        or any((folder / "runs").glob("*"))
    )


def participant_in(session: str) -> str | None:
    """The pseudonym in the id of a session; None where it is no id."""
    found = _ID.match(session)
    return None if found is None else found[1]


def _fate_file(number: int) -> str:
    return "fate.json" if number == 1 else f"fate_{number}.json"


def _fate_numbers(folder: Path) -> list[int]:
    """Numbers of the words that were said about a session's fate, in order."""
    names = [_FATE_FILE.fullmatch(path.name) for path in folder.glob("fate*.json")]
    return sorted(int(one[1] or 1) for one in names if one is not None)


def conditions_of(plan: StudyPlan) -> list[Condition]:
    """The conditions of a study; one without a design has the scenario as it stands."""
    return [Condition(name=AS_IT_STANDS)] if plan.design is None else plan.design.conditions


def drawn_conditions(plan: StudyPlan) -> list[Condition]:
    """What a session may be drawn for: a condition, or the one run that shows all of them."""
    if plan.design is not None and plan.design.in_one_run:
        return [run_condition(plan.design)]
    return conditions_of(plan)


def scenario_condition(name: str) -> str | None:
    """What to lay over the scenario file for a condition of the study."""
    return None if name == AS_IT_STANDS else name
