"""Studies: the plan of a session, the guide through it, questionnaires, and what is kept.

`load_plan` reads `study.toml`; a `Guide` turns what operators press into records; a `Journal`
keeps each session so that it survives a crash; `load_questionnaire` reads a form.
"""

from sera.study.guide import Guide, NotNow, Outcome, Press
from sera.study.journal import Journal, SessionFile, WrongParticipant, guide_again
from sera.study.plan import (
    PLAN_FILE,
    MarkKind,
    Phase,
    PlannedStep,
    StudyError,
    StudyFacts,
    StudyPlan,
    load_plan,
)
from sera.study.questionnaire import (
    Questionnaire,
    QuestionnaireError,
    find_questionnaire,
    known_questionnaires,
    load_questionnaire,
)

__all__ = [
    "PLAN_FILE",
    "Guide",
    "Journal",
    "MarkKind",
    "NotNow",
    "Outcome",
    "Phase",
    "PlannedStep",
    "Press",
    "Questionnaire",
    "QuestionnaireError",
    "SessionFile",
    "StudyError",
    "StudyFacts",
    "StudyPlan",
    "WrongParticipant",
    "find_questionnaire",
    "guide_again",
    "known_questionnaires",
    "load_plan",
    "load_questionnaire",
]
