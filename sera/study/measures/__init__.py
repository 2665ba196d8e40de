"""What is measured in a session: numbers and answers, taken from its log.

`SessionLog` looks at the log of a session, of several runs or in memory; `take_measures` takes what
the study file asks for; `answers_of` collects what was answered, `unanswered_share` says how much
is missing, and `exclude` whether the session counts.
"""

from sera.study.measures._phases import Phases
from sera.study.measures._runs import LogEntry
from sera.study.measures.answers import Answers, FilledForm, answers_of, unanswered_share
from sera.study.measures.exclusions import exclude
from sera.study.measures.log import Period, SessionLog, Stretch
from sera.study.measures.take import TakenMeasures, take_measures

__all__ = [
    "Answers",
    "FilledForm",
    "LogEntry",
    "Period",
    "Phases",
    "SessionLog",
    "Stretch",
    "TakenMeasures",
    "answers_of",
    "exclude",
    "take_measures",
    "unanswered_share",
]
