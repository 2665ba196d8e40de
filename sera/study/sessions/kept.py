"""What a study keeps of one session: its head, written when it begins, and its fate.

Units and frames: times are dates on the wall, ISO 8601, with their zone.
"""

from __future__ import annotations

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
from sera.study.sessions.freeze import Frozen, read_frozen

HEAD_FILE = "session.json"
LOCK_FILE = "lock"
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
        return cls(
            session=str(told["session"]),
            participant=str(told["participant"]),
            kind=told["kind"],
            conditions=tuple(map(str, told["conditions"])),
            slot=told["slot"],
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

    @property
    def session(self) -> str:
        return self.head.session

    @property
    def is_open(self) -> bool:
        return self.fate == "under_way"

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

    def logs(self, period: int | None = None) -> list[Path]:
        """Logs of its runs in order; of one of the participant's conditions where it is given."""
        from sera.recording import RunFolder

        found = []
        for path in sorted(self.runs.glob("*"), key=lambda one: (len(one.name), one.name)):
            folder = RunFolder(path)
            info = folder.info()
            if info is None or not folder.log_path.is_file():
                continue
            of_period = int((info.model_extra or {}).get("period", 1))
            if period is None or of_period == period:
                found.append(folder.log_path)
        return found

    def write_fate(self, fate: Fate, reason: str | None, at: str) -> None:
        """Say what became of it. A later word stands beside the earlier one, never over it.

        Raises:
            SessionError: it has that fate already, or a completed session shall be aborted.
        """
        if fate not in ENDED:
            raise SessionError(f"{fate!r} is no end of a session: write {', '.join(ENDED)}")
        if fate == self.fate:
            raise SessionError(f"session {self.session} is {fate} already")
        if fate in ("completed", "aborted") and not self.is_open:
            raise SessionError(
                f"session {self.session} is {self.fate} and stays so: only excluded or replaced "
                "may be said of it now"
            )
        if fate in ("excluded", "replaced") and not (reason or "").strip():
            raise SessionError(f"say why session {self.session} is {fate}: give a reason")
        number = len(self.fate_history) + 1
        name = "fate.json" if number == 1 else f"fate_{number}.json"
        told = {"fate": fate, "reason": reason, "ended_at": at}
        write_json_once(self.folder / name, told)
        self.fate_history.append(told)
        self.fate, self.reason = fate, reason


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
    number = 1
    while True:
        name = "fate.json" if number == 1 else f"fate_{number}.json"
        ended = read_json(folder / name)
        if ended is None or ended.get("fate") not in ENDED:
            return kept
        kept.fate_history.append(ended)
        kept.fate, kept.reason = ended["fate"], ended.get("reason")
        number += 1


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
