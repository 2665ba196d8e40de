"""`sera study run` with what belongs to it, as operators call it: real runs, killed processes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

SCENARIO = """
[scenario]
title = "Small"
duration_s = 2
[modules.actor]
module = "./actor.py"
[conditions.crimson.modules.actor]
colour = "crimson"
[conditions.azure.modules.actor]
colour = "azure"
"""
STUDY = """
[study]
title = "A small study"
hypothesis = "Crimson helps."
[design]
assignment = "blocked"
seed = 5
[[design.factors]]
name = "colour"
levels = ["crimson", "azure"]
[[design.conditions]]
name = "crimson"
levels = { colour = "crimson" }
[[design.conditions]]
name = "azure"
levels = { colour = "azure" }
[design.sample]
per_condition = 2
[[design.exclusions]]
name = "lazy"
reason = "pressed too little"
measure = "Clicks"
below = 1
[[measures]]
name = "Clicks"
how = "count"
message = "Clicked"
[preflight]
skip = ["tablet"]
[[phases]]
name = "all"
[[phases.steps]]
name = "consent"
title = "Consent"
form = "consent"
goes_on = true
[[phases.steps]]
name = "play"
title = "Play"
[[phases.steps]]
name = "words"
title = "Words"
form = "comments"
goes_on = true
"""
ACTOR = '''
"""Presses, clicks and answers like an operator and a participant."""
import os
from pathlib import Path
from sera import Module, on
from sera.messages import Clicked, FormOffered, GuideSession, QuestionnaireAnswered, SessionState
from sera.runtime import Role

class Actor(Module):
    """Acts by what stands in a file that the test writes."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        colour: str = "grey"

    async def start(self):
        self.form = self.state = None

    @on(FormOffered)
    async def offered(self, form: FormOffered):
        self.form = form

    @on(SessionState)
    async def told(self, state: SessionState):
        self.state = state

    async def run(self):
        await self.end_run("the game is over")  # which must not end the session
        seen = set()
        while True:
            await self.clock.sleep(0.05)
            if self.state is None or self.state.session is None:
                continue
            step = next((s.step for s in self.state.steps if s.status == "under_way"), None)
            form = self.form.questionnaire if self.form else None
            if step == "consent" and form == "consent" and step not in seen:
                seen.add(step)
                await self.publish(self.sheet("consent", {"taking_part": True, "recording": True}))
            if step == "play" and step not in seen and (Path(os.environ["ACT"]) / "go").exists():
                seen.add(step)
                if not (Path(os.environ["ACT"]) / "lazy").exists():
                    await self.publish(Clicked(element="key"))
                do = "abort" if (Path(os.environ["ACT"]) / "abort").exists() else "next"
                await self.publish(GuideSession(do=do))
            if step == "words" and form == "comments" and step not in seen:
                seen.add(step)
                words = (Path(os.environ["ACT"]) / "words").read_text()
                await self.publish(self.sheet("comments", {}, {"liked": words}))

    def sheet(self, form, answers, free=None):
        return QuestionnaireAnswered(
            questionnaire=form, participant=self.state.participant, session=self.state.session,
            answers=answers, free_answers=free or {},
        )
'''


class Stage:
    """A workspace with a small study, and what its sessions leave behind."""

    def __init__(self, place: Any) -> None:
        self.place = place
        place.environment["ACT"] = str(place.folder)
        place.write("scenarios/small/scenario.toml", SCENARIO)
        place.write("scenarios/small/study.toml", STUDY)
        place.write("scenarios/small/actor.py", ACTOR)
        place.write("words", "Wilhelmina liked it")
        self.runs = Path(place.environment["SERA_RUNS"])
        self.folder = self.runs / "studies" / "small"

    def say(self, *words: str) -> None:
        for word in ("go", "abort", "lazy"):
            (self.place.folder / word).unlink(missing_ok=True)
        for word in words:
            (self.place.folder / word).touch()

    def run(self, *arguments: object) -> Any:
        return self.place.sera("study", "run", "small", "--no-browser", *arguments)

    def sessions(self) -> list[Path]:
        return sorted((self.folder / "sessions").glob("*"))

    def head(self, session: Path) -> dict[str, Any]:
        return dict(json.loads((session / "session.json").read_bytes()))

    def fate(self, session: Path) -> dict[str, Any]:
        return dict(json.loads((session / "fate.json").read_bytes()))

    def records(self, session: Path, kind: str) -> list[dict[str, Any]]:
        found = []
        for log in sorted(session.glob("runs/*/log.jsonl")):
            for line in log.read_text(encoding="utf-8").splitlines():
                told = json.loads(line) if line.endswith("}") else {}
                if told.get("type") == kind:
                    found.append(told["data"])
        return found


@pytest.fixture
def stage(place: Any) -> Stage:
    return Stage(place)


def test_a_session_is_drawn_frozen_led_recorded_and_ends_with_its_fate(stage: Stage) -> None:
    stage.say("go")
    done = stage.run("--wait", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    (session,) = stage.sessions()
    head = stage.head(session)
    assert (head["kind"], head["participant"], head["slot"] is None) == ("study", "p01", False)
    assert head["condition"] in ("crimson", "azure")
    assert head["factors"] == [{"colour": head["condition"]}]
    assert {check["check"] for check in head["preflight"]} >= {"disk", "clock", "stop"}
    assert stage.fate(session)["fate"] == "completed"
    (assigned,) = stage.records(session, "ConditionAssigned")
    assert (assigned["condition"], assigned["session"]) == (head["condition"], session.name)
    frozen = json.loads((session / "inputs.json").read_bytes())
    assert (session / "inputs/scenarios/small/actor.py").read_text(encoding="utf-8") == ACTOR
    assert "scenarios/small/questionnaires/consent.toml" in frozen["files"]
    assert json.loads((session / "consent.json").read_bytes())["recording_allowed"] is True
    for word in ("crimson", "azure", "Crimson"):
        assert word not in done.stdout + done.stderr
    status = json.loads(stage.place.sera("study", "status", "small", "--json").stdout)
    assert status["counts"] == {"study": {"completed": 1}}
    assert (status["planned"], status["cells"]) == (4, None)
    used = stage.run("--participant", "P01")
    assert used.returncode == 2
    assert "P01 has had a session in this study already" in used.stderr


def test_after_kill_9_the_session_goes_on_where_it_stopped_with_its_frozen_inputs(
    stage: Stage, start: Any
) -> None:
    stage.say()
    began = start("study", "run", "small", "--no-browser", "--kind", "pilot", "--wait", "0")
    began.wait_for(": Play")
    (session,) = stage.sessions()
    holder = stage.run()
    assert holder.returncode == 2
    assert "goes on in process" in holder.stderr
    began.kill()
    (stage.place.folder / "scenarios/small/study.toml").write_text(
        STUDY.replace("A small study", "Another study"), encoding="utf-8"
    )
    (stage.place.folder / "scenarios/small/actor.py").write_text("broken(", encoding="utf-8")
    said = stage.run()
    assert said.returncode == 2
    assert f"session {session.name} (pilot) is open" in said.stderr
    assert "--resume" in said.stderr
    assert "--abort REASON" in said.stderr
    stage.say("go")
    done = stage.run("--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert stage.sessions() == [session]
    assert stage.fate(session)["fate"] == "completed"
    conditions = {one["condition"] for one in stage.records(session, "ConditionAssigned")}
    assert conditions == {stage.head(session)["condition"]}
    started = [
        one["step"] for one in stage.records(session, "SessionPhase") if one["status"] == "started"
    ]
    assert [step for step in started if step] == ["consent", "play", "words"]
    assert [one["label"] for one in stage.records(session, "SessionMark")] == ["resumed"]
    forms = [one["questionnaire"] for one in stage.records(session, "QuestionnaireAnswered")]
    assert forms == ["consent", "comments"]
    assert sorted(path.name for path in (session / "runs").iterdir()) == ["1", "2"]


def test_aborted_and_excluded_sessions_give_their_slots_back(stage: Stage) -> None:
    toml = stage.place.folder / "scenarios/small/study.toml"
    toml.write_text(STUDY.replace('skip = ["tablet"]', ALL_SKIPPED), encoding="utf-8")
    stage.say("go", "abort")
    assert stage.run("--wait", "0").returncode == 0
    stage.say("go", "lazy")
    assert stage.run("--wait", "0").returncode == 0
    first, second = (stage.fate(session) for session in stage.sessions())
    assert first["fate"] == "aborted"
    assert (second["fate"], second["reason"]) == ("excluded", "pressed too little")
    ledger = [json.loads(line) for line in (stage.folder / "assignment.jsonl").open()]
    assert [entry["what"] for entry in ledger] == ["drawn", "released"] * 2
    replaced = stage.place.sera("study", "fate", "small", "p02", "replaced", "--reason", "by p03")
    assert replaced.returncode == 0, replaced.stderr
    last = stage.sessions()[1]
    assert stage.fate(last)["fate"] == "excluded"
    assert json.loads((last / "fate_2.json").read_bytes())["fate"] == "replaced"
    shown = stage.place.sera("study", "status", "small", "--reveal").stdout
    assert "0 of 4 planned completed" in shown
    assert "conditions were revealed on" in shown


def test_status_says_what_the_planned_sample_can_show(place) -> None:
    shown = place.sera("study", "status", "avantsatie").stdout
    assert "0 of 57 planned completed" in shown
    assert "Power 0.8 takes 21 in each group." in shown
    told = json.loads(place.sera("study", "status", "avantsatie", "--json").stdout)
    assert told["power"].startswith("With 19 participants in each group")


ALL_SKIPPED = (
    """skip = ["robot", "face", "microphone", "voice", "screen", "tablet", "clock", "stop"]"""
)


def test_a_study_session_does_not_begin_on_red_without_a_logged_override(stage: Stage) -> None:
    toml = stage.place.folder / "scenarios/small/study.toml"
    toml.write_text(STUDY.replace('skip = ["tablet"]', "free_disk_gb = 1e9"), encoding="utf-8")
    stage.say("go")
    refused = stage.run("--wait", "0")
    assert refused.returncode == 2
    assert "not everything is in order (tablet, disk)" in refused.stderr
    assert stage.sessions() == []
    began = stage.run("--wait", "0", "--override", "the disk is a network one")
    assert began.returncode == 0, began.stdout + began.stderr
    (session,) = stage.sessions()
    assert stage.head(session)["override"] == "the disk is a network one"
    assert "deviation" in [one["label"] for one in stage.records(session, "SessionMark")]
    status = json.loads(stage.place.sera("study", "status", "small", "--json").stdout)
    assert status["sessions"][0]["deviations"] == 1


def test_erasing_a_participant_leaves_no_trace_in_any_file(stage: Stage) -> None:
    stage.say("go")
    done = stage.run("--kind", "rehearsal", "--condition", "crimson", "--participant", "anna7")
    assert done.returncode == 0, done.stderr
    (one,) = stage.sessions()
    kept = b"".join(path.read_bytes() for path in one.rglob("*") if path.is_file())
    assert b"Wilhelmina" in kept
    log = next(one.glob("runs/1/log.jsonl"))
    assert b"Wilhelmina" not in log.read_bytes()
    (log.parent / "copy.jsonl.gz").write_bytes(gzip.compress(log.read_bytes()))
    (stage.runs / "memories").mkdir(exist_ok=True)
    (stage.runs / "memories" / "memory-anna7.json").write_text('{"participant": "anna7"}')
    asked = stage.place.sera("study", "erase", "small", "anna7")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    erased = stage.place.sera("study", "erase", "small", "anna7", "--yes")
    assert erased.returncode == 0, erased.stderr
    for path in stage.runs.rglob("*"):
        assert "anna7" not in path.name
        if path.is_file():
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            assert b"anna7" not in content, path
            assert b"Wilhelmina" not in content, path
    assert b'"erased": true' in (stage.folder / "assignment.jsonl").read_bytes()
    again = stage.place.sera("study", "erase", "small", "anna7", "--yes")
    assert again.returncode == 2
    assert "is erased already" in again.stderr


def test_in_a_within_design_a_session_goes_through_its_conditions_in_order(stage: Stage) -> None:
    within = STUDY.replace('name = "colour"', 'name = "colour"\nkind = "within"')
    within = within.replace('assignment = "blocked"', 'assignment = "latin_square"')
    words = within.index('[[phases.steps]]\nname = "words"')
    last = '[[phases]]\nname = "end"\nconditions = "last"\n'
    within = f"{within[:words]}{last}{within[words:]}"
    stage.place.write("scenarios/small/study.toml", within)
    stage.say("go")
    done = stage.run("--kind", "rehearsal")
    assert done.returncode == 0, done.stdout + done.stderr
    (session,) = stage.sessions()
    order = stage.head(session)["conditions"]
    assert sorted(order) == ["azure", "crimson"]
    assert [one["condition"] for one in stage.records(session, "ConditionAssigned")] == order
    forms = [one["questionnaire"] for one in stage.records(session, "QuestionnaireAnswered")]
    assert forms == ["consent", "consent", "comments"]
    runs = [json.loads((session / f"runs/{n}/run.json").read_bytes()) for n in (1, 2)]
    assert [(run["condition"], run["period"]) for run in runs] == list(
        zip(order, (1, 2), strict=True)
    )
    assert stage.fate(session)["fate"] == "completed"


def test_preflight_tries_robot_voice_and_stop_of_a_scenario(place: Any) -> None:
    told = place.sera("study", "preflight", "tutor", "--wait", "0", "--json")
    assert told.returncode == 1, told.stderr
    checks = {one["check"]: one for one in json.loads(told.stdout)["checks"]}
    assert (checks["robot"]["colour"], checks["stop"]["colour"]) == ("green", "green")
    assert checks["voice"]["colour"] in ("green", "amber")
    assert (checks["screen"]["colour"], checks["tablet"]["colour"]) == ("red", "red")
    assert checks["microphone"]["colour"] == "grey"
    assert "tablet: http" in told.stderr
    assert not list(Path(place.environment["SERA_RUNS"]).glob("*"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--participant", "Anna"), "is no pseudonym"),
        (("--condition", "crimson"), "is drawn and cannot be chosen"),
        (("--kind", "rehearsal", "--condition", "crimsn"), "did you mean 'crimson'"),
        (("--language", "pt"), "the study has no language 'pt' (it has en)"),
        (("--resume",), "no session of 'small' is open"),
        (("--abort", "why"), "no session of 'small' is open"),
        (("--override", " "), "--override needs a reason"),
        (("--abort", " "), "--abort needs a reason"),
        (("--resume", "--abort", "why"), "leave out --resume or --abort"),
        (("--resume", "--participant", "p07"), "--participant is for a new session"),
        (("--resume", "--kind", "pilot", "--condition", "azure"), "--kind and --condition are for"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    stage: Stage, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = stage.run(*arguments)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    assert not (stage.folder / "assignment.jsonl").exists()


def test_a_scenario_without_a_study_is_told_what_to_write(place: Any) -> None:
    told = place.sera("study", "run", "hello")
    assert told.returncode == 2
    assert "has no study: write" in told.stderr
