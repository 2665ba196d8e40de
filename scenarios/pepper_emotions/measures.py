"""What is measured of one greeting: how it was rated, and whether its emotion was named.

The log is that of one greeting, from its beginning to the next one's.
"""

from __future__ import annotations

from typing import Any

from sera.emotion import sam_score
from sera.study.measures import SessionLog

RATING, NAMING = "pepper_sam", "emotion_choice"


def pleasure(log: SessionLog) -> float | None:
    """How pleased the robot seemed, from -1 to 1."""
    return _rated(log, "pleasure")


def arousal(log: SessionLog) -> float | None:
    """How aroused the robot seemed, from -1 to 1."""
    return _rated(log, "arousal")


def dominance(log: SessionLog) -> float | None:
    """How dominant the robot seemed, from -1 to 1."""
    return _rated(log, "dominance")


def recognised(log: SessionLog) -> int | None:
    """1 where the emotion was named rightly, 0 where not."""
    answered = _answers(log, NAMING).get("emotion")
    shown = [one.data.get("shown") for one in log.messages("GreetingBegan")]
    if answered is None or not shown:
        return None
    return int(answered == shown[-1])


def _rated(log: SessionLog, axis: str) -> float | None:
    place = _answers(log, RATING).get(axis)
    # The rows of our form all grow from left to right.
    return None if place is None else sam_score(int(place), axis, layout="rising")


def _answers(log: SessionLog, form: str) -> dict[str, Any]:
    filled = log.messages("QuestionnaireAnswered", where={"questionnaire": form})
    return dict(filled[-1].data["answers"]) if filled else {}
