"""A small study with logs, for exports."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sera.messages import (
    AnimationFinished,
    Gaze,
    Message,
    PlayAnimation,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
    SetPosture,
    SpeechActivity,
    SpeechFinished,
    SpeechStarted,
)
from sera.messages import Envelope as Said
from sera.recording import LogHeader, LogWriter
from sera.study.data import Participation
from sera.study.export import Recorded
from sera.study.form_wish import forms_of_plan
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAN = """
[study]
title = "Olá, <robô> & \\"amigos\\""
languages = ["en", "pt"]
[design]
[[design.factors]]
name = "hints"
kind = "KIND"
levels = ["yes", "no"]
[[design.conditions]]
name = "a"
title = "With hints"
levels = { hints = "yes" }
[[design.conditions]]
name = "b"
title = "Without"
levels = { hints = "no" }
[[phases]]
name = "before"
conditions = "first"
[[phases.steps]]
name = "consent"
title = "Consent"
form = "consent"
[[phases]]
name = "game"
[[phases.steps]]
name = "play"
title = "Play"
form = "rosas"
[[phases.steps]]
name = "say"
title = "Say"
form = "comments"
[[phases.steps]]
name = "you"
title = "You"
form = "demographics"
[[measures]]
name = "Wrong"
title = "Wrong guesses"
unit = "guesses"
how = "count"
message = "GuessJudged"
better = "lower"
[[measures]]
name = "Time"
unit = "s"
how = "sum"
message = "GuessJudged"
value = "x"
"""


def plan_of(kind: str) -> StudyPlan:
    return StudyPlan.model_validate(tomllib.loads(PLAN.replace("KIND", kind)))


@pytest.fixture
def plan() -> StudyPlan:
    return plan_of("between")


@pytest.fixture
def within_plan() -> StudyPlan:
    return plan_of("within")


@pytest.fixture
def forms(plan: StudyPlan) -> dict[str, Questionnaire]:
    return forms_of_plan(plan, None)


@pytest.fixture
def row() -> Callable[..., Participation]:
    def make(participant: str = "p01", condition: str = "a", **more: object) -> Participation:
        told: dict[str, object] = {
            "participant": participant,
            "session": f"{participant}_20260301T120000",
            "kind": "study",
            "fate": "completed",
            "condition": condition,
            "factors": {"hints": {"a": "yes", "b": "no"}.get(condition, "?")},
            "language": "pt",
            "seed": 7,
            "measures": {"Wrong": 3, "Time": None},
            "answers": {
                "consent": {"taking_part": True, "recording": False},
                "rosas": {"happy": 4, "scary": 2, "strange": 4, "awkward": 3, "feeling": None},
            },
        }
        return Participation(**(told | more))  # type: ignore[arg-type]

    return make


def told(at_s: float, message: Message, who: str = "world") -> tuple[float, Message, str]:
    return at_s, message, who


def course(session: str) -> list[tuple[float, Message, str]]:
    """What happens in a session of a minute; it begins at 1000 on the run's clock."""

    def phase(at_s: float, name: str, status: str, step: str | None = None) -> tuple:
        message = SessionPhase(session=session, phase=name, status=status, step=step)
        return told(at_s, message)

    return [
        phase(0, "before", "started"),
        phase(0, "before", "started", "consent"),
        told(
            9.5,
            QuestionnaireAnswered(
                questionnaire="consent",
                participant="p01",
                session=session,
                answers={"taking_part": True, "recording": True},
                duration_s=8.25,
            ),
        ),
        phase(10, "before", "finished", "consent"),
        phase(10, "before", "finished"),
        phase(10, "game", "started"),
        phase(10, "game", "started", "play"),
        told(12, Gaze(direction={"horizontal_deg": 1, "vertical_deg": 2}, target="player"), "ada"),
        told(
            12.2, Gaze(direction={"horizontal_deg": 3, "vertical_deg": 2}, target="player"), "ada"
        ),
        told(15.25, Gaze(direction={"horizontal_deg": 0, "vertical_deg": 0}, target="d4"), "ada"),
        told(13, SpeechStarted(speech="s1", text='Olá <amigo> & "você"'), "ada"),
        told(14.5, SpeechFinished(speech="s1", duration_s=1.5), "ada"),
        told(16, SetPosture(posture="hot"), "ada"),
        told(18, SetPosture(posture="cold"), "ada"),
        told(20, PlayAnimation(animation="nod"), "ada"),
        told(21.004, AnimationFinished(animation="nod", action="id-20", duration_s=1.004), "ada"),
        told(22, SpeechActivity(speaking=True, person="player")),
        told(23.5, SpeechActivity(speaking=False, person="player")),
        told(25, SessionMark(label="problem", note="Maria Silva fell", by="wizard")),
        told(
            30,
            QuestionnaireAnswered(
                questionnaire="comments",
                participant="p01",
                session=session,
                answers={},
                free_answers={"liked": "My name is Maria Silva"},
            ),
        ),
        phase(60, "game", "finished", "play"),
        phase(60, "game", "finished"),
    ]


@pytest.fixture
def write_log() -> Callable[..., Path]:
    def write(
        path: Path, said: Sequence[tuple[float, Message, str]], origin_s: float = 1000.0
    ) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        header = LogHeader(run="run_1", started=origin_s)
        writer = LogWriter(path, header=header, clock_now=lambda: origin_s)
        for at_s, message, who in sorted(said, key=lambda one: one[0]):
            envelope = Said(message, f"id-{at_s:g}", origin_s + at_s, f"{who}.module", who)
            writer.write(envelope, origin_s + at_s)
        writer.close()
        return path

    return write


@pytest.fixture
def recorded(tmp_path: Path, write_log: Callable[..., Path]) -> Recorded:
    session = "p01_20260301T120000"
    path = write_log(tmp_path / "sessions" / session / "runs" / "1" / "log.jsonl", course(session))
    media = tmp_path / "sessions" / session / "media"
    return Recorded(session, "p01", "study", "a", 1, (path,), media)
