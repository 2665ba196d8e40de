"""Mistakes in `console.toml` and `study.toml` are told without a run: in lists, by the doctor."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sera.cli import _doctor_checks, _scenario_findings
from sera.cli._scenario_check_process import check_scenario
from sera.cli._scenario_findings import NotChecked, thorough_problems
from sera.runtime.workspace import Workspace
from tests.helpers import PATIENCE_S

SCENARIO = '[scenario]\ntitle = "Desk"\n[characters.ada]\n'
BUTTON = '[[panels]]\ntitle = "P"\n[[panels.buttons]]\nlabel = "B"\n'
WAVE = BUTTON + 'send = "PlayAnimation"\nwith = { animation = "wave" }\n'
PLAN = (
    '[study]\ntitle = "Play"\n[[phases]]\nname = "one"\n[[phases.steps]]\nname = "hello"\n'
    'title = "Say hello"\n'
)
OWN_MESSAGE = """
from sera import Module
from sera.messages import Perception

class CardTurned(Perception):
    card: str = ""

class Decision(Module):
    pass
"""
ENDS_WHEN_TOLD = """
from sera import Module, on
from sera.messages import ModuleFault

class Decision(Module):
    hears_everyone = True

    @on(ModuleFault)
    async def end(self, fault: ModuleFault) -> None:
        if fault.module == "world.gateway":  # others may speak of a busy machine
            await self.end_run(fault.summary)
"""
HEAVY = ("numba", "scipy", "cv2", "openpyxl", "numpy")


def scenario(place, name="desk", *, text=SCENARIO, **files):
    place.write(f"scenarios/{name}/scenario.toml", text)
    for file, content in files.items():
        ending = "py" if file == "decision" else "toml"
        place.write(f"scenarios/{name}/{file}.{ending}", content)


def problems(place, name="desk"):
    listed = json.loads(place.sera("list", "scenarios", "--json").stdout)
    return next(row["problems"] for row in listed if row["name"] == name)


@pytest.fixture
def thorough(place, monkeypatch):
    """What the doctor asks about one scenario: severity and sentence of each finding."""
    monkeypatch.delenv("SERA_PATH", raising=False)
    monkeypatch.chdir(place.folder)

    def check(name="desk"):
        told = thorough_problems(place.folder / "scenarios" / name)
        return [(severity, str(problem)) for severity, problem in told]

    return check


def doctors_findings(place):
    """The doctor's findings about scenarios, without its other checks, which take longer."""
    with place.entered():
        return [each.as_dict() for each in _doctor_checks._scenarios()]


@pytest.fixture
def asked_here(monkeypatch, without_traces):
    """Scenarios are checked in this process: quicker, where no module does anything odd."""

    def ask(folder, *, libraries, around=None):
        with without_traces():
            told = check_scenario(folder, libraries=libraries)
        return [_scenario_findings._problem(one) for one in told]

    monkeypatch.setattr(_scenario_findings, "ask", ask)
    monkeypatch.setattr(_doctor_checks, "SCENARIOS_AT_ONCE", 1)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A process that checks a scenario may take as long as it needs."""
    monkeypatch.setattr(_scenario_findings, "PATIENCE_S", PATIENCE_S)


MISTAKES = [
    ('titel = "D"\n', "console.toml:1: titel: unknown key 'titel'; did you mean 'title'?"),
    (
        BUTTON + 'send = "PlayAnimatoin"\n',
        (
            "console.toml:5: panels[0].buttons[0].send: there is no message 'PlayAnimatoin'; "
            "did you mean 'PlayAnimation'? (`sera messages` lists all)"
        ),
    ),
    (WAVE + 'colour = "gud"\n', "console.toml:7: panels[0].buttons[0].colour: "),
    (
        WAVE + 'key = "s"\n[[panels.buttons]]\nlabel = "C"\nsend = "StopAnimation"\nkey = "s"',
        "console.toml:11: panels[0].buttons[1].key: s is also the key of 'B' (take another",
    ),
    (
        WAVE + 'character = "adda"\n',
        (
            "console.toml:7: panels[0].buttons[0].character: there is no character 'adda'; "
            "did you mean 'ada'?"
        ),
    ),
    ("[[panels]\n", "console.toml:1"),
]


def test_the_list_tells_a_mistake_in_a_layout_with_line_and_nearest_name(place, asked_here):
    for number, (text, _) in enumerate(MISTAKES):
        scenario(place, f"desk_{number}", console=text)
    listed = place.sera("list", "scenarios")
    rows = {
        row["name"]: row for row in json.loads(place.sera("list", "scenarios", "--json").stdout)
    }
    assert listed.returncode == 0
    for number, (_, sentence) in enumerate(MISTAKES):
        assert f"scenarios/desk_{number}/{sentence}" in listed.stderr
        assert f"desk_{number}" in listed.stdout
        (told,) = rows[f"desk_{number}"]["problems"]
        assert (told["severity"], Path(told["file"]).name) == ("warning", "console.toml")
        assert told["line"] == int(sentence.split(":")[1])


def test_the_list_tells_mistakes_in_a_study_and_in_its_forms(place, asked_here):
    step = '[[phases.steps]]\nname = "form"\ntitle = "F"\nform = "demografics"\n'
    scenario(place, study=PLAN + step + "planned_z = 3\n")
    listed = place.sera("list", "scenarios")
    assert listed.returncode == 0
    assert "scenarios/desk/study.toml:11: phases[0].steps[1].form: there is no questionnaire" in (
        listed.stderr
    )
    assert "did you mean 'demographics'?" in listed.stderr
    assert "study.toml:12: phases[0].steps[1].planned_z" in listed.stderr
    assert [one["severity"] for one in problems(place)] == ["error", "error"]


def test_a_message_of_the_scenarios_own_is_no_mistake_even_where_two_scenarios_have_it(
    place, thorough
):
    text = SCENARIO + '[characters.ada.modules.decision]\nmodule = "./decision.py"\n'
    right = BUTTON + 'send = "CardTurned"\nwith = { card = "7" }\n'
    scenario(place, text=text, console=right, decision=OWN_MESSAGE)
    scenario(place, "copy", text=text, console=right, decision=OWN_MESSAGE)
    listed = json.loads(place.sera("list", "scenarios", "--json").stdout)
    found = {row["name"]: row["problems"] for row in listed}
    assert (found["desk"], found["copy"]) == ([], [])
    assert (thorough("desk"), thorough("copy")) == ([], [])
    shutil.rmtree(place.folder / "scenarios" / "copy")
    scenario(place, text=text, console=right.replace("card", "kard"), decision=OWN_MESSAGE)
    assert "did you mean 'card'?" in place.sera("list", "scenarios").stderr
    ((severity, sentence),) = thorough("desk")
    assert severity == "warning"
    assert "desk/console.toml:6: panels[0].buttons[0].with.kard" in sentence


def test_characters_of_every_condition_count(place, asked_here):
    text = SCENARIO + "[conditions.two.characters.eve]\n"
    scenario(place, text=text, console=WAVE + 'character = "eve"\n')
    assert problems(place) == []


def test_listing_scenarios_that_are_right_stays_light(place):
    scenario(place, console=WAVE, study=PLAN)
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom sera.cli import app\n"
        "done = CliRunner().invoke(app, ['list', 'scenarios'])\n"
        "assert done.exit_code == 0 and 'desk' in done.stdout, done\n"
        "assert 'sera.console.layout' in sys.modules and 'sera.study.plan' in sys.modules\n"
        f"print([name for name in {HEAVY} if name in sys.modules],"
        " [name for name in sys.modules if name.startswith('modules.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[] []", done.stderr


def test_what_comes_with_sera_has_no_findings(place, asked_here):
    listed = json.loads(place.sera("list", "scenarios", "--json").stdout)
    assert {row["name"]: row["problems"] for row in listed if row["problems"]} == {}
    (finding,) = doctors_findings(place)
    assert finding["finding"].startswith("nothing is wrong in ")


def test_the_doctor_tells_everything_about_a_scenario_and_exits_with_1_only_for_errors(
    place, thorough, asked_here
):
    text = SCENARIO + "[characters.ada.modules.behaviour]\n"
    behaviour = 'module = "behaviour_manager"\nlibraries = ["lines.csv"]\n'
    scenario(place, text=text + behaviour, console='filler_category = "waitng"\n' + WAVE)
    place.write("scenarios/desk/lines.csv", "CATEGORY,TEXT\nwaiting:short,One moment.\n")
    done = place.sera("doctor", "--json")
    checks = json.loads(done.stdout)
    assert [each for each in checks if "scenarios/desk" in each["finding"]] == [
        {
            "name": "scenario",
            "status": "warning",
            "finding": "scenarios/desk/console.toml:1: filler_category: no library of the scenario "
            "has the category 'waitng'; did you mean 'waiting'?",
            "fix": "there are waiting, waiting:short",
        }
    ]
    assert done.returncode == any(each["status"] == "error" for each in checks)
    scenario(place, text=SCENARIO + "[characters.ada.modules.speeker]\n", study="[study]\n")
    errors = [sentence for severity, sentence in thorough() if severity == "error"]
    assert any("scenario.toml:4" in sentence and "'speaker'" in sentence for sentence in errors)
    assert any("study.toml" in sentence and "title" in sentence for sentence in errors)


def test_a_module_that_prints_or_ends_the_program_does_not_disturb_the_findings(
    place, thorough, monkeypatch
):
    all_scenarios = Workspace.scenarios
    own = lambda self: [one for one in all_scenarios(self) if one.origin == "own"]  # noqa: E731
    monkeypatch.setattr(Workspace, "scenarios", own)  # the others are another test's
    text = SCENARIO + '[characters.ada.modules.decision]\nmodule = "./decision.py"\n'
    scenario(place, text=text, console="[[panels]]\n", decision="print('[]')\nraise SystemExit(0)")
    found = dict(reversed(one) for one in thorough())
    assert any("decision.py" in sentence and "SystemExit" in sentence for sentence in found)
    assert any("console.toml:1: panels[0]" in sentence for sentence in found)
    scenario(place, text=text, decision="import os\nos._exit(9)")
    with pytest.raises(NotChecked):
        thorough()
    told = [each for each in doctors_findings(place) if each["finding"].startswith("desk ")]
    assert [(each["name"], each["status"]) for each in told] == [("scenario", "error")]
    assert told[0]["finding"].startswith("desk could not be checked: ")
    # The list has no better word than its own.
    assert "console.toml:1: panels[0]" in place.sera("list", "scenarios").stderr


def test_a_folder_in_place_of_a_file_is_told_and_not_a_traceback(place):
    scenario(place)
    for name in ("console.toml", "study.toml"):
        (place.folder / "scenarios" / "desk" / name).mkdir()
    listed = place.sera("list", "scenarios")
    assert listed.returncode == 0
    assert listed.stderr.count("this is a folder, not a file") == 2


def test_a_run_reports_a_category_of_fillers_that_no_library_has(place):
    behaviour = '[characters.ada.modules.behaviour]\nmodule = "behaviour_manager"\n'
    text = SCENARIO + behaviour + 'libraries = ["lines.csv"]\n[modules.gateway]\n'
    text += '[modules.decision]\nmodule = "./decision.py"\n'
    scenario(place, text=text, console='filler_category = "waitng"\n', decision=ENDS_WHEN_TOLD)
    place.write("scenarios/desk/lines.csv", "CATEGORY,TEXT\nwaiting,One moment.\n")
    done = place.sera("run", "desk", "--duration", PATIENCE_S, "--no-record", "--json")
    faults = json.loads(done.stdout)["faults"]
    (fault,) = [one for one in faults if "filler_category" in one["summary"]]
    assert (fault["module"], fault["severity"]) == ("world.gateway", "warning")
    assert "console.toml:1: filler_category: no library" in fault["summary"]
    assert "did you mean 'waiting'?" in fault["summary"]
    assert [one for one in faults if one["severity"] == "error"] == []
