"""How a study stands: its sessions by kind, fate and condition, what is missing, what differs.

Safety: conditions are told only where the study file reveals them or somebody asks for them, which
is written down: an operator who knows the condition is no longer blind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sera.study.design import planned_sample, sample_sentence
from sera.study.journal import Journal, UnknownPlan, guide_again
from sera.study.plan import StudyPlan
from sera.study.sessions._files import add_line, lines_of
from sera.study.sessions.folder import StudyFolder
from sera.study.sessions.freeze import FILE as FROZEN_FILE
from sera.study.sessions.freeze import differences
from sera.study.sessions.kept import KeptSession, drawn_conditions

REVEALED = "conditions_revealed"


@dataclass(frozen=True)
class SessionLine:
    """One session, in a list."""

    session: str
    participant: str
    kind: str
    fate: str
    reason: str | None
    began_at: str
    deviations: int
    conditions: tuple[str, ...] | None
    """None: they are not told."""
    differs: tuple[str, ...] = ()
    """Inputs that are not the same as those of the study's first session whose inputs are known."""
    overridden: str | None = None
    held_by: str | None = None
    """The process in which it goes on now."""


@dataclass(frozen=True)
class StudyStatus:
    """How a study stands."""

    study: str
    sessions: tuple[SessionLine, ...]
    counts: dict[str, dict[str, int]]
    """Sessions by kind and fate."""
    cells: dict[str, int] | None
    """Completed sessions of the study by condition; None: they are not told."""
    completed: int
    planned: int | None
    """Planned sessions, in all conditions together."""
    planned_per_condition: int | None
    power: str | None = None
    """What the planned sample can show, in a sentence; None: the file asks for no power."""
    revealed: tuple[str, ...] = ()
    """When somebody has asked for the conditions."""
    problems: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            "study": self.study,
            "counts": self.counts,
            "completed": self.completed,
            "planned": self.planned,
            "planned_per_condition": self.planned_per_condition,
            "power": self.power,
            "cells": self.cells,
            "sessions": [
                {
                    "session": line.session,
                    "participant": line.participant,
                    "kind": line.kind,
                    "fate": line.fate,
                    "reason": line.reason,
                    "began_at": line.began_at,
                    "deviations": line.deviations,
                    "conditions": None if line.conditions is None else list(line.conditions),
                    "inputs_that_differ": list(line.differs),
                    "override": line.overridden,
                    "under_way_in": line.held_by,
                }
                for line in self.sessions
            ],
            "conditions_revealed": list(self.revealed),
            "problems": list(self.problems),
        }


def look_at(folder: StudyFolder, plan: StudyPlan, *, reveal: bool = False) -> StudyStatus:
    """How a study stands.

    Args:
        folder: of the study.
        plan: of the study.
        reveal: tell conditions even where the study file does not; `note_revealing` before.
    """
    sessions = folder.sessions()
    journal = Journal(folder.path)
    problems = [*folder.problems(sessions), *journal.problems]
    tell = reveal or "condition" in plan.study.reveal
    counts: dict[str, Counter[str]] = {}
    for session in sessions:
        counts.setdefault(session.head.kind, Counter())[session.told_fate] += 1
    completed = [s for s in sessions if s.head.kind == "study" and s.fate == "completed"]
    sample = None if plan.design is None else planned_sample(plan.design)
    planned = plan.study.sessions_planned if sample is None else sample.participants
    return StudyStatus(
        study=plan.study.title,
        sessions=tuple(_lines(sessions, journal, problems, tell=tell)),
        counts={kind: dict(fates) for kind, fates in counts.items()},
        cells=_cells(plan, completed) if tell else None,
        completed=len(completed),
        planned=planned,
        planned_per_condition=None if sample is None else sample.per_condition,
        power=None if plan.design is None else sample_sentence(plan.design),
        revealed=tuple(
            str(line.get("at", "a day that is not known"))
            for line in lines_of(folder.assignment_path)
            if REVEALED in line
        ),
        problems=tuple(dict.fromkeys(problems)),
    )


def note_revealing(folder: StudyFolder, now: datetime) -> None:
    """Write down that somebody asked for the conditions."""
    add_line(folder.assignment_path, {REVEALED: True, "at": now.isoformat(timespec="seconds")})


def _cells(plan: StudyPlan, completed: Sequence[KeptSession]) -> dict[str, int]:
    cells = {condition.name: 0 for condition in drawn_conditions(plan)}
    for session in completed:
        for condition in session.head.conditions:
            cells[condition] = cells.get(condition, 0) + 1
    return cells


def _lines(
    sessions: Sequence[KeptSession], journal: Journal, problems: list[str], *, tell: bool
) -> list[SessionLine]:
    """All sessions; what cannot be said of one goes to the problems."""
    frozen = {session.session: session.frozen() for session in sessions}
    of_study = [session for session in sessions if session.head.kind == "study"]
    problems += [
        f"{session.folder / FROZEN_FILE} is missing or damaged: whether the inputs of session "
        f"{session.session} differ from those of others is not known"
        for session in of_study
        if frozen[session.session] is None
    ]
    known = (frozen[session.session] for session in of_study)
    first = next((one for one in known if one is not None), None)
    lines = []
    for session in sessions:
        head = session.head
        own = frozen[session.session]
        compared = head.kind == "study" and first is not None and own is not None
        lines.append(
            SessionLine(
                session=head.session,
                participant=head.participant,
                kind=head.kind,
                fate=session.told_fate,
                reason=session.reason,
                began_at=head.began_at,
                deviations=_deviations(journal, session, problems),
                conditions=head.conditions if tell else None,
                differs=tuple(differences(first, own)) if compared and first and own else (),
                overridden=head.override,
                held_by=session.held_by() if session.is_open else None,
            )
        )
    return lines


def _deviations(journal: Journal, session: KeptSession, problems: list[str]) -> int:
    """Steps that were skipped, late, extra or repeated, and a check that was overruled."""
    count = int(session.head.override is not None)
    for period in range(1, len(session.head.conditions) + 1):
        file = journal.find(session.session, period)
        if file is None:
            continue
        try:
            count += guide_again(file)[0].deviations
        except UnknownPlan as error:
            problems.append(f"{error}: its deviations are not counted")
    return count
