"""How long sessions, their phases and their forms took.

Units and frames: seconds; pauses do not count for phases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sera.study.measures import SessionLog, answers_of
from sera.study.measures.log import PHASE_TYPE
from sera.study.questionnaire import Questionnaire


@dataclass(frozen=True, slots=True)
class Durations:
    """How long one participant in one condition took."""

    whole_s: float | None = None
    phases_s: Mapping[str, float] = field(default_factory=dict)
    """By name of the phase or step."""
    forms_s: Mapping[str, float] = field(default_factory=dict)
    """By name of the form, from opening it to sending it."""


def durations_of(
    log: SessionLog, forms: Mapping[str, Questionnaire] | None = None, session: str | None = None
) -> Durations:
    """What a log says about times.

    Args:
        log: of one participant in one condition.
        forms: of the study, which say when a form is complete.
        session: only forms of this session.
    """
    answered = answers_of(log, forms, session)
    # Where the record of a beginning or an end is lost, no time between two of them is right.
    phases = {} if log.lacks(PHASE_TYPE) else log.phases.intervals
    return Durations(
        whole_s=round(log.duration_s, 3),
        phases_s={
            name: round(sum(stop_s - start_s for start_s, stop_s in spans), 3)
            for name, spans in phases.items()
        },
        forms_s={
            name: filled.duration_s
            for name, filled in answered.forms.items()
            if filled.duration_s is not None
        },
    )
