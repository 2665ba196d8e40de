"""The module `study_guide` in a run: records, what is told, and going on after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sera.messages import (
    FormOffered,
    ModuleFault,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
    SessionState,
)
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

PLAY = """
[scenario]
title = "Play"
[modules.study]
module = "study_guide"
{settings}
[modules.actor]
module = "./actor.py"
"""
STUDY = """
[study]
title = "A study"
sessions_planned = 2
hypothesis = "People like it."
languages = ["en", "pt"]
{reveal}
[[phases]]
name = "all"
[[phases.steps]]
name = "welcome"
title = "Welcome"
planned_s = 2
[[phases.steps]]
name = "about"
title = "About you"
form = "demographics"
[[phases.steps]]
name = "words"
title = "Comments"
form = "comments"
goes_on = true
"""
HELP = """
async def press(do, **more):
    await self.publish(GuideSession(do=do, by="desk_1", **more))
    await self.clock.sleep(0.1)
async def hand_in(form, session):
    await self.publish(
        QuestionnaireAnswered(questionnaire=form, participant="p01", session=session, answers={})
    )
    await self.clock.sleep(0.1)
await self.clock.sleep(0.5)
"""
WHOLE = """
await press("begin", language="pt")
await press("next")
await hand_in("demographics", "another")
await hand_in("demographics", "p01_19700101T000000")
await press("next")
await hand_in("comments", "p01_19700101T000000")
"""


def of(said: list[Any], kind: type[Any]) -> list[Any]:
    return [one.message for one in said if isinstance(one.message, kind)]


def test_a_whole_session_is_recorded_and_counted(acted: Any) -> None:
    study = STUDY.format(reveal="")
    said = acted(PLAY.format(settings=""), HELP + WHOLE, {"study.toml": study})
    states = of(said, SessionState)
    assert states[0].session is None
    assert states[-1].sessions_done == 1
    assert [step.status for step in states[-1].steps] == ["done"] * 3
    assert all(state.revealed == {} for state in states)
    assert "People like it" not in "".join(one.message.model_dump_json() for one in said)
    assert {state.language for state in states if state.session} == {"pt"}
    assert {state.language for state in states if not state.session} <= {None}
    forms = [(form.questionnaire, form.language) for form in of(said, FormOffered)]
    assert forms == [
        (None, None),
        ("demographics", "pt"),
        (None, None),
        ("comments", "pt"),
        (None, None),
    ]
    records = of(said, SessionPhase)
    assert [str(one.status) for one in records if one.step] == ["started", "finished"] * 3
    assert {one.participant for one in records} == {"p01"}
    assert of(said, SessionMark) == []


def test_deviations_are_marked_and_a_refusal_reaches_whoever_pressed(acted: Any) -> None:
    said = acted(
        PLAY.format(settings=""),
        HELP
        + """
await press("next")
await press("begin", participant="Anna")
await press("begin", participant="P7", language="de")
await press("begin", participant="P7")
await press("begin")
await self.clock.sleep(3.0)
await press("skip", reason="no time")
await press("abort")
await press("begin")
""",
        {"study.toml": STUDY.format(reveal='reveal = ["condition", "hypothesis"]')},
    )
    faults = [one.message.summary for one in said if isinstance(one.message, ModuleFault)]
    assert len(faults) == 4
    for sentence in ("begin one", "is no pseudonym", "no language 'de'", "is under way: finish"):
        assert any(sentence in fault for fault in faults)
    marks = [(mark.label, mark.note) for mark in of(said, SessionMark)]
    assert marks[0] == ("deviation", "Step 'welcome' late (more than 2 s).")
    assert marks[1][0] == "deviation"
    assert marks[1][1].endswith(": no time.")
    assert marks[2] == ("aborted", "The session was aborted.")
    states = of(said, SessionState)
    assert max(state.deviations for state in states) == 2
    assert states[-1].revealed == {
        "condition": "as the scenario stands",
        "hypothesis": "People like it.",
    }
    assert states[-1].participant == "p01"
    late = next(one for one in said if isinstance(one.message, SessionMark))
    assert 2.0 < late.time - states[1].session_began_s < 2.4, "told when it became late"


def test_without_a_plan_it_says_what_to_do_and_nothing_breaks(acted: Any) -> None:
    said = acted(PLAY.format(settings=""), HELP + 'await press("begin")\n')
    faults = [one.message.summary for one in said if isinstance(one.message, ModuleFault)]
    assert "study.toml: there is no such file" in faults[0]
    assert "put study.toml in order first" in faults[-1]
    assert of(said, SessionState) == []


def test_a_form_that_does_not_exist_is_named(acted: Any) -> None:
    study = STUDY.format(reveal="").replace('"demographics"', '"demografics"')
    said = acted(PLAY.format(settings=""), HELP, {"study.toml": study})
    faults = [one.message.summary for one in said if isinstance(one.message, ModuleFault)]
    assert "step 'about'" in faults[0]
    assert "did you mean 'demographics'?" in faults[0]


def test_a_second_run_goes_on_where_the_first_one_was_left(acted: Any, tmp_path: Path) -> None:
    scenario = PLAY.format(settings='folder = "kept"')
    first = acted(
        scenario,
        HELP + 'await press("begin")\nawait press("next")\nawait press("pause")\n',
        {"study.toml": STUDY.format(reveal="")},
    )
    session = of(first, SessionState)[-1].session
    folder = tmp_path / "scenarios" / "play"
    (kept,) = (folder / "kept").iterdir()
    before = kept.read_bytes()
    actor = folder / "actor.py"
    script = actor.read_text(encoding="utf-8").replace('await press("begin")', "")
    script = script.replace('await press("next")', "").replace('"pause"', '"resume"')
    (folder / "again.py").write_text(script, encoding="utf-8")
    (folder / "scenario.toml").write_text(scenario.replace("actor.py", "again.py"), "utf-8")
    # The file of the study was changed meanwhile: the session keeps the plan that it began with.
    (folder / "study.toml").write_text("[study]\ntitle = 'Another'\n", encoding="utf-8")
    workspace = Workspace.discover(tmp_path)
    workspace.activate()
    said: list[Any] = []

    async def main() -> None:
        run = Run(load_scenario("play", workspace), workspace, RunOptions(record=False))
        run.observe(said.append)
        await run.execute()

    run_with_clock(main(), clock="virtual")
    states = of(said, SessionState)
    assert states[0].session == session
    assert states[0].paused
    assert states[0].steps[0].status == "done"
    assert not states[-1].paused
    assert of(said, FormOffered)[0].questionnaire == "demographics"
    assert [mark.label for mark in of(said, SessionMark)] == ["resumed"]
    assert kept.read_bytes().startswith(before), "lines are only added"
    assert of(said, QuestionnaireAnswered) == []
