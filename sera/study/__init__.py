"""Studies: the plan of a session, the guide through it, questionnaires, and what is kept.

`load_plan` reads `study.toml`; a `Guide` turns what operators press into records; a `Journal`
keeps each session so that it survives a crash; `load_questionnaire` reads a form; `study_problems`
checks a study file with its forms.
"""

from sera.study.check import study_problems
from sera.study.form_wish import adapted, forms_of_plan, study_form, wish_problems
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
from sera.study.scoring import Scale, ScaleItem, item_matrix, scales_of, score

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
    "Scale",
    "ScaleItem",
    "SessionFile",
    "StudyError",
    "StudyFacts",
    "StudyPlan",
    "WrongParticipant",
    "adapted",
    "find_questionnaire",
    "forms_of_plan",
    "guide_again",
    "item_matrix",
    "known_questionnaires",
    "load_plan",
    "load_questionnaire",
    "scales_of",
    "score",
    "study_form",
    "study_problems",
    "wish_problems",
]
