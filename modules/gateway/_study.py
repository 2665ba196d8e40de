"""What the gateway asks of the study: what operators may know, and which answers a form takes."""

from __future__ import annotations

from pathlib import Path

from sera.messages import QuestionnaireAnswered
from sera.study import (
    PLAN_FILE,
    QuestionnaireError,
    StudyError,
    load_plan,
    study_form,
)


def reveals_condition(folder: Path | None) -> bool:
    """Whether operators may know the condition; where in doubt, they may not."""
    path = None if folder is None else folder / PLAN_FILE
    if path is None or not path.is_file():
        return False
    try:
        return "condition" in load_plan(path).study.reveal
    except StudyError:  # whoever guides the study reports it
        return False


def problems_of_sheet(folder: Path | None, record: QuestionnaireAnswered) -> list[str]:
    """What is wrong with answers by the form as the study uses it; nothing where it is not ours."""
    path = None if folder is None else folder / PLAN_FILE
    try:
        plan = load_plan(path) if path is not None and path.is_file() else None
    except StudyError:  # whoever guides the study reports it
        plan = None
    try:
        form = study_form(record.questionnaire, folder, plan)
    except (LookupError, QuestionnaireError, ValueError):
        return []
    return form.problems_with(record.answers, record.free_answers)
