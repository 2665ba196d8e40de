"""A small study on the disk, for days on which its files are lost or damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Clicked, Envelope, Message, QuestionnaireAnswered, SessionMark
from sera.recording import LogHeader, LogWriter, RunFolder
from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.data import Participation
from sera.study.plan import StudyPlan
from sera.study.sessions import KeptSession, StudyFolder, StudyStatus, Wish, look_at, take_rows

SCENARIO = """
[scenario]
title = "Small"
[conditions.a]
[conditions.b]
"""
STUDY = """
[study]
title = "Small"
[design]
assignment = "blocked"
seed = 3
[[design.factors]]
name = "f"
kind = "KIND"
levels = ["x", "y"]
[[design.conditions]]
name = "a"
levels = { f = "x" }
[[design.conditions]]
name = "b"
levels = { f = "y" }
[[measures]]
name = "Clicks"
how = "count"
message = "Clicked"
[[measures]]
name = "Marks"
how = "count"
message = "SessionMark"
[[measures]]
name = "Own"
function = "own.py:clicks"
[[phases]]
name = "all"
[[phases.steps]]
name = "play"
title = "Play"
form = "kind"
"""
OWN = """
def clicks(log):
    return len(log.messages("Clicked"))
"""
FORM = """
[questionnaire]
title = { en = "Kind" }
source = "ours"
licence = "CC0"
[languages.en]
[[items]]
id = "kind"
kind = "scale"
text = { en = "It was kind." }
points = 7
anchors = { en = ["no", "yes"] }
[[items]]
id = "rude"
kind = "scale"
text = { en = "It was rude." }
points = 7
anchors = { en = ["no", "yes"] }
reversed = true
[[scales]]
name = "Kindness"
title = { en = "Kindness" }
items = ["kind", "rude"]
"""
ANSWERED = QuestionnaireAnswered(
    questionnaire="kind", participant="p01", answers={"kind": 6, "rude": 2}
)
MESSAGES: list[Message] = [
    Clicked(element="key"),
    SessionMark(label="note"),
    SessionMark(label="note"),
    ANSWERED,
]


class Lab:
    """A workspace with a study, and what its sessions leave behind."""

    def __init__(self, base: Path, kind: str = "between") -> None:
        self.base = base
        self.scenario = base / "lab" / "scenarios" / "small"
        (self.scenario / "questionnaires").mkdir(parents=True)
        (self.scenario / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
        study = STUDY.replace("KIND", kind)
        (self.scenario / "study.toml").write_text(study, encoding="utf-8")
        (self.scenario / "own.py").write_text(OWN, encoding="utf-8")
        self.form = self.scenario / "questionnaires" / "kind.toml"
        self.form.write_text(FORM, encoding="utf-8")
        self.workspace = Workspace.discover(base / "lab")
        self.folder = StudyFolder(base / "runs" / "studies" / "small")
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    @property
    def plan(self) -> StudyPlan:
        return load_plan(self.scenario / "study.toml")

    def begin(self, *, alone: bool = False, **wish: Any) -> KeptSession:
        self.now += timedelta(minutes=1)
        return self.folder.begin(
            self.plan,
            Wish(**({"kind": "study"} | wish)),
            scenario_file=self.scenario / "scenario.toml",
            workspace=self.workspace,
            now=self.now,
            alone=alone,
        )

    def end(self, session: KeptSession, fate: Any = "completed", reason: str | None = None) -> None:
        self.folder.end(session, fate, reason, self.now)

    def completed(self, messages: list[Message] | None = None) -> KeptSession:
        """A session that was recorded and came to its end."""
        session = self.begin()
        for period, _ in enumerate(session.head.conditions, start=1):
            record(session, period, period, MESSAGES if messages is None else messages)
        self.end(session)
        return session

    def rows(self) -> list[Participation]:
        return take_rows(self.plan, self.folder.sessions(), self.scenario)

    def status(self) -> StudyStatus:
        return look_at(self.folder, self.plan)

    def ledger(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.folder.assignment_path.open(encoding="utf-8")]


def record(
    session: KeptSession, number: int, period: int, messages: list[Message], *, ends: bool = True
) -> Path:
    """The recording of one run of a session; without an end where it was killed."""
    run = RunFolder.create(str(number), base=session.runs, scenario="small", period=period)
    writer = LogWriter(run.log_path, header=LogHeader(run="r"), clock_now=lambda: 0.0)
    for place, message in enumerate(messages):
        envelope = Envelope(
            id=f"world.x-{number}-{place}",
            time=float(place),
            source="world.x",
            character="world",
            message=message,
        )
        writer.write(envelope, float(place))
    writer.close()
    if not ends:
        lines = run.log_path.read_bytes().splitlines(keepends=True)
        run.log_path.write_bytes(b"".join(lines[:-1]))
    return run.log_path


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def within_lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, "within")


@pytest.fixture
def record_run() -> Callable[..., Path]:
    return record
