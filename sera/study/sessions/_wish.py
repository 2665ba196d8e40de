"""What is asked of a new session, and whether the study can have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sera.runtime.located import nearest_name
from sera.study.data import Kind
from sera.study.plan import StudyPlan
from sera.study.sessions._files import SessionError
from sera.study.sessions.kept import drawn_conditions


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


def check_wish(plan: StudyPlan, wish: Wish) -> None:
    """See whether a study can have such a session.

    Raises:
        SessionError: it cannot.
    """
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
