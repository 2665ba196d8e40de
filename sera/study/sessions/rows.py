"""The rows of a study: one a participant and condition, always taken from the logs.

Nothing is remembered from an earlier look: a measure whose function was mended is right in the next
row, and nobody can mend a row by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sera.study.data import Participation
from sera.study.form_wish import study_form
from sera.study.measures import SessionLog, answers_of, exclude, unanswered_share
from sera.study.measures.answers import ANSWERED_TYPE
from sera.study.measures.log import PHASE_TYPE
from sera.study.measures.rows import rows_of_run, unanswered_in_run
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire, QuestionnaireError
from sera.study.sessions._form_changes import changes_of_forms
from sera.study.sessions.kept import KeptSession

PHASE_OVER = ("finished", "skipped")


def take_rows(
    plan: StudyPlan, sessions: Sequence[KeptSession], folder: Path | None = None
) -> list[Participation]:
    """The rows of sessions, of whatever kind and fate: each row says which.

    Args:
        plan: of the study.
        sessions: which ones.
        folder: of the scenario, for the functions of measures and its forms.
    """
    return [row for session in sessions for row in rows_of(plan, session, folder)]


def rows_of(
    plan: StudyPlan, session: KeptSession, folder: Path | None = None
) -> list[Participation]:
    """The rows of one session: one for each of the participant's conditions."""
    head = session.head
    recorded = session.recorded()
    rows: list[Participation] = []
    for period, condition in enumerate(head.conditions, start=1):
        logs, unusable = recorded.logs.get(period, []), recorded.unusable.get(period, [])
        if not logs and not unusable and period > 1 and session.fate != "completed":
            continue  # it never came to that
        levels: Mapping[str, str] = head.factors[period - 1] if head.factors else {}
        row = Participation(
            participant=head.participant,
            session=head.session,
            kind=head.kind,
            fate=session.fate,
            condition=condition,
            factors=dict(levels),
            period=period,
            seed=head.seed,
            language=plan.language(head.language),
            exclusion=session.reason if session.fate == "excluded" else None,
            problems=tuple(recorded.remarks),
        )
        if not logs:
            why = unusable or [f"session {session.session} has no log"]
            rows.append(_without_measures(plan, row, why))
            continue
        log = SessionLog.from_files(logs)
        forms = _forms(plan, session, period, folder)
        found = rows_of_run(row, plan, log, forms, folder)
        if session.fate == "completed" and _breaks_off(plan, session, period, log):
            unusable = [*unusable, f"{logs[-1]} breaks off before the end of the session"]
        if unusable:
            found = [_without_measures(plan, one, unusable) for one in found]
        changes = changes_of_forms(plan, session, forms, folder)
        rows += [changes.applied(one) for one in found]
    return rows


def why_excluded(plan: StudyPlan, session: KeptSession, folder: Path | None = None) -> str | None:
    """The reason of the first rule of the study file by which a session does not count."""
    in_one_run = plan.design is not None and plan.design.in_one_run
    for row in rows_of(plan, session, folder):
        period = 1 if in_one_run else row.period
        forms = _forms(plan, session, period, folder)
        log = SessionLog.from_files(session.logs(period))
        share: float | None
        if log.lacks(ANSWERED_TYPE) is not None or session.recorded().unusable.get(period):
            share = None  # what cannot be read is not what was left unanswered
        elif in_one_run:
            share = unanswered_in_run(plan, forms, log)
        else:
            answered = answers_of(log, forms)
            share = unanswered_share(forms, answered.given, answered.free)
        reason = exclude(plan.design, row.measures, share)
        if reason is not None:
            return reason
    return None


def _without_measures(plan: StudyPlan, row: Participation, why: Sequence[str]) -> Participation:
    """What was measured is not known, which is not the same as nothing."""
    told = tuple(f"{one}: measures are left empty" for one in why)
    empty = dict.fromkeys((measure.name for measure in plan.measures), None)
    return replace(row, measures=empty, problems=(*told, *row.problems))


def _breaks_off(plan: StudyPlan, session: KeptSession, period: int, log: SessionLog) -> bool:
    """Whether a log lacks its end, and the end of the session's last phase with it."""
    if log.has_end:
        return False
    last = plan.for_period(period, len(session.head.conditions)).phases[-1]
    told = log.messages(PHASE_TYPE, {"phase": last.name, "step": None, "status": list(PHASE_OVER)})
    return not told


def _forms(
    plan: StudyPlan, session: KeptSession, period: int, folder: Path | None
) -> dict[str, Questionnaire]:
    """Forms of one of the participant's conditions; one with a wrong file is left out."""
    forms: dict[str, Questionnaire] = {}
    for _, step in plan.for_period(period, len(session.head.conditions)).steps():
        if step.form is not None and step.form not in forms:
            try:
                forms[step.form] = study_form(step.form, folder, plan)
            except (LookupError, QuestionnaireError, ValueError):
                continue  # the check of the study says so
    return forms
