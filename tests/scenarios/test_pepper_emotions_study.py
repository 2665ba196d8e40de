"""The study of Pepper's greetings: rows of simulated participants, a led session, the tables."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sera import Module, on
from sera.console.layout import load_layout
from sera.emotion.published import CORNERS, EMOTIONS, published_study
from sera.emotion.tables import sam_table
from sera.messages import (
    WORLD,
    FormOffered,
    GuideSession,
    ModuleFault,
    QuestionnaireAnswered,
    RunOutcome,
    SessionPhase,
    SessionState,
    find_message_type,
)
from sera.runtime import Role
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import ModulePlan, load_scenario
from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.analysis import analyse
from sera.study.check import study_problems
from sera.study.data import Participation
from sera.study.form_wish import forms_of_plan
from sera.study.measures import SessionLog
from sera.study.measures.rows import rows_of_run
from sera.study.report import document_of, own_sections, text_of
from sera.study.simulation import simulate

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scenarios" / "pepper_emotions"
PLAN = load_plan(FOLDER / "study.toml")
SAM = ("Pleasure", "Arousal", "Dominance")


def beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"pepper_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tables = beside("tables")


def test_study_and_desk_are_in_order():
    assert study_problems(FOLDER) == []
    Workspace.discover(ROOT).activate()
    load_scenario("pepper_emotions", Workspace.discover(ROOT))  # its own messages are known now
    assert load_layout(FOLDER, characters=["pepper"]).problems == ()


def test_the_desk_has_a_button_for_every_corner_and_emotion():
    text = (FOLDER / "console.toml").read_text(encoding="utf-8")
    assert all(f'greeting = "{name}"' in text for name in (*CORNERS, *EMOTIONS))


# -- simulated participants -------------------------------------------------------------------


@pytest.fixture(scope="module")
def simulated() -> list[Participation]:
    with pytest.MonkeyPatch.context() as here:
        here.chdir(ROOT)
        results = simulate("pepper_emotions", 2, 5)
    return [row for result in results for row in result.rows]


def test_each_participant_gives_a_row_for_every_corner_and_two_emotions(simulated):
    by_person = {
        name: [row for row in simulated if row.participant == name] for name in ("s01", "s02")
    }
    for rows in by_person.values():
        shown = [row.condition for row in rows]
        assert sorted(shown[:8]) == sorted(CORNERS)
        assert len(set(shown[8:]) & set(EMOTIONS)) == 2
        assert [row.period for row in rows] == list(range(1, 11))
        assert all(row.problems == () for row in rows)
    orders = [[row.condition for row in rows[:8]] for rows in by_person.values()]
    assert orders[0] != orders[1]


def test_rows_hold_scores_and_answers_of_their_own_greeting(simulated):
    for row in simulated:
        if row.condition in CORNERS:
            scores = [row.measures[name] for name in SAM]
            given = row.answers["pepper_sam"]
            places = [given[name.lower()] for name in SAM]
            assert scores == [(place - 5) / 4 for place in places]
            assert row.measures["Recognised"] is None
        else:
            named = row.answers["emotion_choice"]["emotion"]
            assert row.measures["Recognised"] == int(named == row.condition)
            assert [row.measures[name] for name in SAM] == [None] * 3
    assert [("demographics" in row.answers) for row in simulated] == ([True] + [False] * 9) * 2


def test_the_same_seed_gives_the_same_rows(simulated, monkeypatch):
    monkeypatch.chdir(ROOT)
    again = [row for result in simulate("pepper_emotions", 1, 5) for row in result.rows]
    assert again == simulated[:10]


# -- a session that is led --------------------------------------------------------------------


class Operator(Module):
    """Begins the session, goes on where nobody else does, and fills in what is not about Pepper."""

    role = Role.WIZARD

    async def run(self) -> None:
        await self.publish(GuideSession(do="begin", participant="p01", by="operator"))

    @on(SessionState)
    async def look(self, message: SessionState) -> None:
        going = [one for one in message.steps if one.status == "under_way"]
        if going and going[0].form is None and not going[0].step.startswith("show_"):
            await self.publish(GuideSession(do="next", by="operator"))

    @on(FormOffered)
    async def fill_in(self, message: FormOffered) -> None:
        if message.questionnaire in ("consent", "demographics", "debriefing"):
            await self.publish(
                QuestionnaireAnswered(
                    questionnaire=message.questionnaire,
                    participant="p01",
                    session=message.session,
                    answers={"age": 30} if message.questionnaire == "demographics" else {},
                )
            )

    @on(SessionPhase)
    async def leave(self, message: SessionPhase) -> None:
        if message.step == "debrief" and message.status == "started":
            await self.clock.sleep(1.0)
            await self.end_run("the session is over")


@pytest.fixture(scope="module")
def led() -> tuple[Any, list[Any]]:
    """A whole session in virtual time: guide, steps, forms, and the perceiver at the tablet."""
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    seen: list[Any] = []

    async def main() -> Any:
        scenario = load_scenario("pepper_emotions", workspace, "session")
        guests = load_scenario("pepper_emotions", workspace).plan(WORLD, "perceiver")
        operator = ModulePlan(
            WORLD, "operator", "operator", "shared", Operator, Operator.Settings()
        )
        coarse = scenario.with_settings({"pepper.engine": {"rate_hz": 10.0, "send_hz": 10.0}})
        plans = [plan for plan in coarse.plans if plan.name != "body"]
        plans = [*plans, replace(guests, process="shared"), operator]
        coarse = replace(coarse, plans=tuple(plans)).overridden(seed=9, duration_s=1200.0)
        run = Run(coarse, workspace, RunOptions(record=False))
        run.observe(seen.append)
        return await run.execute()

    return run_with_clock(main(), clock="virtual"), seen


def test_steps_lead_through_all_greetings_and_forms(led):
    summary, seen = led
    assert summary.outcome == RunOutcome.COMPLETED
    assert summary.reason == "the session is over"
    assert [one.message for one in seen if isinstance(one.message, ModuleFault)] == []
    steps = [
        one.message.step
        for one in seen
        if isinstance(one.message, SessionPhase) and one.message.status == "started"
    ]
    planned = [step.name for _, step in PLAN.steps()]
    assert [step for step in steps if step is not None] == planned
    forms = Counter(
        one.message.questionnaire for one in seen if isinstance(one.message, QuestionnaireAnswered)
    )
    assert forms["pepper_sam"] == 10
    assert forms["emotion_choice"] == 2


def test_a_form_is_offered_when_the_hand_is_down_again(led):
    _, seen = led
    began = find_message_type("GreetingBegan")
    last = "form"
    for envelope in seen:
        message = envelope.message
        if isinstance(message, began):
            last = "greeting"
        elif envelope.type == "AnimationFinished":
            last = "hand"
        elif isinstance(message, FormOffered) and message.questionnaire in (
            "pepper_sam",
            "emotion_choice",
        ):
            assert last == "hand"


def test_a_led_session_gives_the_same_kind_of_rows(led):
    _, seen = led
    log = SessionLog.from_memory([one for one in seen if one.type != "JointFrame"])
    row = Participation("p01", "s1", "study", "completed", "session")
    rows = rows_of_run(row, PLAN, log, forms_of_plan(PLAN, FOLDER), FOLDER)
    assert sorted(one.condition for one in rows[:8]) == sorted(CORNERS)
    assert len(rows) == 10
    assert all(one.measures["Pleasure"] is not None for one in rows[:8])
    assert all(one.measures["Recognised"] in (0, 1) for one in rows[8:])
    assert rows[0].answers["demographics"] == {"age": 30}


# -- tables -----------------------------------------------------------------------------------


def as_published() -> list[Participation]:
    """Rows of fifteen people whose answers are the published ones to the four emotions."""
    rows = []
    for shown, answers in published_study().recognition.items():
        given = [name for name, count in answers.items() for _ in range(count)]
        rows += [
            Participation(
                f"p{number}", f"s{number}", "study", "completed", shown,
                answers={"emotion_choice": {"emotion": answer}},
            )
            for number, answer in enumerate(given)
        ]  # fmt: skip
    for number, corner in itertools.product(range(30), CORNERS):
        mean = published_study().cells[corner].mean
        away = 0.3 if number % 2 else -0.3
        scores = {name: one + away for name, one in zip(SAM, mean, strict=True)}
        rows.append(
            Participation(f"p{number}", f"s{number}", "study", "completed", corner, measures=scores)
        )
    return rows


def test_answers_like_the_published_ones_give_the_published_tables():
    named = tables.recognition(as_published())
    for line in named.rows:
        assert line[2:5] == line[5:8]
    by_shown = {(line[0], line[1]): line for line in named.rows}
    assert by_shown["calm", "calm"][2:5] == ("5 of 15 (33 %)", "9 to 57 %", ".164")
    assert by_shown["fear", "happiness"][4] == "< .001"
    rated = tables.ratings(as_published())
    for line in rated.rows:
        assert line[2] == line[6], line  # the means
    assert [line[2] for line in rated.rows[:3]] == ["-.59", "-.30", "-.52"]
    pooled = tables.pooled(as_published())
    assert [line[1] for line in pooled.rows] == [line[5] for line in pooled.rows]
    assert [line[5] for line in pooled.rows] == [".00", ".03", "-.10"]


def test_signs_are_counted_as_the_table_has_them():
    said = tables.signs(as_published()).text
    assert "pleasure in 4 of 8 corners (published 4)" in said
    assert "arousal in 8 of 8 corners (published 8)" in said
    assert "dominance in 4 of 8 corners (published 4)" in said


def test_correlations_go_the_way_of_the_published_ones():
    table = tables.correlations(as_published())
    by_row = {(line[0], line[1]): line for line in table.rows}
    assert len(by_row) == 15
    assert by_row["activity low", "gaze"][7].startswith(".48*")
    whole = by_row["all answers", "activity"]
    assert whole[5].startswith(".43*")
    assert float(whole[4].split("*")[0]) > 0.3
    assert by_row["gaze direct", "activity"][3] == ".12 [-.06, .29]"


def test_tables_of_nothing_are_full_of_dashes_and_still_tables():
    made = tables.beside_published([])
    for table in made:
        if hasattr(table, "rows"):
            assert all(len(line) == len(table.columns) for line in table.rows)
    assert made[0].rows[0][2:6] == (tables.NOTHING,) * 4


def test_the_report_has_the_published_figures_beside_a_runs(simulated):
    found = analyse(PLAN, simulated)
    own = own_sections(PLAN, found.counted, FOLDER)
    text = text_of(document_of(found, own=own))
    assert "Published figures beside these" in text
    assert "Ratings of the eight corners" in text
    assert "failed" not in text.split("Published figures beside these")[1]
    assert sam_table()["LHL"][2].p == pytest.approx(0.044, abs=0.002)
    assert text.count("SIMULATED") > 10


def test_measures_take_the_last_answer_and_none_without_one():
    measures: Callable[..., Any] = beside("measures")
    assert measures.pleasure(SessionLog.from_memory([])) is None
    assert measures.recognised(SessionLog.from_memory([])) is None
