"""Commands that need no run: help, lists, new things, the vocabulary; answers to wrong input."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera import __version__
from sera.cli import _doctor_checks, app, main
from sera.runtime.workspace import UnknownName

OTHERS = ("SERA_PATH", "SERA_BROKER", "SERA_DEBUG")
COMMANDS = (
    *(
        "run",
        "console",
        "demo",
        "module",
        "study",
        "new",
        "list",
        "robot",
        "animation",
        "emotion",
        "utterances",
        "dialogue",
        "space",
        "camera",
        "messages",
        "monitor",
        "send",
        "log",
        "replay",
        "gaze",
        "evaluate",
    ),
    "doctor",
)


@pytest.fixture(autouse=True)
def apart(place, monkeypatch):
    """Nothing of this machine or of other tests is seen."""
    for name in OTHERS:
        monkeypatch.delenv(name, raising=False)
    for name in ("SERA_RUNS", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, place.environment[name])
    monkeypatch.chdir(place.folder)


def sera(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def sentence(result: Result) -> str:
    """What was answered to wrong input: exit code 2, one message, no traceback."""
    assert result.exit_code == 2, (result.stdout, result.stderr)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    return " ".join(result.stderr.split())


# -- help -----------------------------------------------------------------------------------


def test_help_shows_all_commands_in_groups():
    command = [sys.executable, "-m", "sera", "--help"]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert finished.stderr == ""
    text = finished.stdout
    for title in ("Run scenarios:", "Make your own:", "Look into a run:", "Check and measure:"):
        assert f"\n{title}\n" in text
    listed = re.findall(r"^  ([a-z]+)  ", text, flags=re.MULTILINE)
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help(command):
    result = sera(command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: sera {command}") or "Usage:" in result.stdout
    assert "--help" in result.stdout


def test_help_imports_nothing_heavy():
    heavy = ("pydantic", "gmqtt", "uvicorn", "rich.console", "sera.runtime", "sera.messages")
    code = f"import sys; import sera.cli; print([n for n in {heavy!r} if n in sys.modules])"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.strip() == "[]"


def test_version_is_that_of_the_package():
    assert sera("--version").stdout == f"sera {__version__}\n"


def test_a_command_that_does_not_exist_is_answered_with_the_nearest():
    result = sera("mesages")
    assert result.exit_code == 2
    assert "Did you mean 'messages'?" in result.stderr


def test_log_is_mounted():
    result = sera("log", "list")
    assert (result.exit_code, result.stdout.strip()) == (
        0,
        "no recordings here yet: `sera run NAME` makes one",
    )


# -- wrong input ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "helo"], "unknown scenario 'helo'; did you mean 'hello'?"),
        (["run", "./nowhere"], "nowhere/scenario.toml: there is no such file"),
        (["run", "hello", "--condition", "bussy"], "did you mean 'busy'?"),
        (["run", "hello", "--broker", "http://x"], "broker address 'http://x' is not of the form"),
        (["run", "hello", "--broker", "127.0.0.1:1"], "no MQTT broker answers at mqtt://127.0.0.1"),
        (["run", "hello", "--virtual", "--speed", "2"], "exclude each other"),
        (["run", "hello", "--speed", "0"], "--speed 0: give a number above 0"),
        (["run", "hello", "--duration", "-1"], "--duration -1: give a number of seconds above 0"),
        (["run", "hello", "--virtual", "--console"], "--console needs real time"),
        (["run", "hello", "--virtual", "--log", "no/x.jsonl"], "--log no/x.jsonl: there is no"),
        (["run", "hello", "--log", "x", "--no-record"], "exclude each other"),
        (["monitor"], "no run is alive on this machine: start one with `sera run NAME`"),
        (["monitor", "--run", "*"], "no run is alive here: give it with --broker URL"),
        (["send", "GazeAt", "target=x"], "no run is alive on this machine"),
        (["send", "GazeAt", "target=x", "--run", "r1"], "no run 'r1', nor any other, is alive"),
        (
            ["send", "GazAt"],
            "unknown message type 'GazAt'; did you mean GazeAt or GazeState or Gaze?",
        ),
        (["send", "GazeAt", "targt=x"], "GazeAt.targt: no such field; did you mean target?"),
        (["send", "GazeAt", "target"], "'target' is not of the form key=value"),
        (["send", "GazeAt", "target=x", "-b", "127.0.0.1:1"], "no MQTT broker answers"),
        (["send", "GazeAt", "target=x", "-c", "Ada"], "for example 'ada'"),
        (["module", "run", "greetr", "-c", "ada"], "unknown module 'greetr'; did you mean"),
        (["module", "run", "greeter", "-c", "ada"], "no run is alive on this machine"),
        (["module", "run", "greeter", "-c", "Ada"], "character 'Ada': use lower-case letters"),
        (
            ["module", "run", "greeter", "-c", "ada", "--set", "categry=x"],
            "greeter.categry: no such setting; did you mean category?",
        ),
        (
            ["module", "run", "greeter", "-c", "eve", "--scenario", "hello"],
            "scenario 'hello' has no character 'eve'; it has ada, world",
        ),
        (["module", "run", "greeter", "-c", "ada", "--condition", "x"], "needs --scenario"),
        (["module", "run", "./gone.py", "-c", "ada"], "there is no such file"),
        (
            ["messages", "GazAt"],
            "unknown message type 'GazAt'; did you mean GazeAt or GazeState or Gaze?",
        ),
        (["new", "module", "mine"], "`sera new workspace` makes one"),
    ],
)
def test_wrong_input_is_answered_with_one_sentence(arguments, words):
    assert words in sentence(sera(*arguments))


def test_a_broken_scenario_is_answered_with_file_line_and_nearest_name():
    folder = Path("scenarios/odd")
    folder.mkdir(parents=True)
    text = '[scenario]\ntitle = "Odd"\n\n[characters.ada.modules.greter]\ncategory = "x"\n'
    (folder / "scenario.toml").write_text(text)
    answer = sentence(sera("run", "odd"))
    assert "scenarios/odd/scenario.toml:4: characters.ada.modules.greter" in answer
    assert "did you mean 'greeter'?" in answer


def test_the_traceback_is_shown_on_request(monkeypatch):
    monkeypatch.setenv("SERA_DEBUG", "1")
    result = sera("run", "helo")
    assert result.exit_code == 1
    assert type(result.exception).__name__ == "UnknownName"


def test_debug_is_accepted_anywhere_on_the_command_line(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sera", "run", "helo", "--debug"])
    with pytest.raises(UnknownName, match="helo"):  # and no sentence in its place
        main()


# -- list, new ------------------------------------------------------------------------------


def test_lists_say_what_there_is_and_where_it_comes_from(tmp_path, monkeypatch):
    other = tmp_path / "other" / "modules" / "elsewhere"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('"""Comes from elsewhere."""\n')
    monkeypatch.setenv("SERA_PATH", str(tmp_path / "other"))
    own = Path("modules/mine")
    own.mkdir(parents=True)
    (own / "__init__.py").write_text('"""Is mine."""\n')
    listed = {row["name"]: row for row in json.loads(sera("list", "modules", "--json").stdout)}
    assert (listed["mine"]["from"], listed["mine"]["summary"]) == ("own", "Is mine.")
    assert listed["elsewhere"]["from"] == "SERA_PATH"
    assert listed["greeter"]["from"] == "built-in"
    assert list(listed) == sorted(listed)
    lines = sera("list", "modules").stdout.splitlines()
    assert lines[0].split() == ["module", "from", "what", "it", "is"]
    assert any(line.split() == ["mine", "own", "Is", "mine."] for line in lines)


def test_robots_and_scenarios_are_listed():
    assert "adelino" in [row["name"] for row in json.loads(sera("list", "robots", "--json").stdout)]
    assert "hello    " in sera("list", "scenarios").stdout
    assert "you are in no workspace of your own" in sera("list", "scenarios").stdout


def test_new_things_are_made_and_run_at_once(monkeypatch):
    made = sera("new", "workspace", "lab")
    assert made.exit_code == 0
    assert "sera run first" in made.stdout
    monkeypatch.chdir("lab")
    for kind in ("module", "scenario", "robot"):
        result = sera("new", kind, "mine", "--json")
        assert result.exit_code == 0, result.stderr
        assert Path(json.loads(result.stdout)["path"]) == Path.cwd() / f"{kind}s" / "mine"
    assert sera("new", "scenario", "second", "--from", "first").exit_code == 0
    for scenario in ("first", "mine", "second"):
        result = sera("run", scenario, "--virtual", "--json")
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["outcome"] == "completed"


def test_nothing_is_overwritten():
    sera("new", "workspace", "lab")
    assert "exists already" in sentence(sera("new", "workspace", "lab"))


# -- messages -------------------------------------------------------------------------------


def test_messages_are_listed_by_family_with_the_workspaces_own_last():
    text = sera("messages").stdout
    families = re.findall(r"^(\w+)$", text, flags=re.MULTILINE)
    assert families == [
        "activity", "behaviour", "decision", "expression", "motion", "perception", "speech",
        "study", "system", "own",
    ]  # fmt: skip
    assert re.search(r"^  AttentionChanged +perception +Somebody began", text, re.MULTILINE)


def test_one_message_is_shown_in_full():
    text = sera("messages", "PersonDetected").stdout
    assert text.startswith("PersonDetected (perception, of the world, family perception)\n")
    assert re.search(r"^person +str, not empty +required +Id of the tracker", text, re.MULTILINE)
    assert "(personal)" in text
    as_json = json.loads(sera("messages", "AttentionChanged", "--json").stdout)
    assert [each["name"] for each in as_json["fields"]] == ["person", "attentive"]


def test_schema_files_are_written_where_one_says():
    result = sera("messages", "--schema", "--folder", "here", "--json")
    written = [Path(path) for path in json.loads(result.stdout)]
    assert {path.name for path in written} >= {"messages.schema.json", "messages.asyncapi.json"}
    assert all(path.is_file() for path in written)


# -- doctor ---------------------------------------------------------------------------------


@pytest.fixture
def no_scenarios(monkeypatch):
    """What is wrong with scenarios is looked for in tests of its own."""
    monkeypatch.setattr(_doctor_checks, "_scenarios", lambda: iter(()))


def test_the_doctor_really_starts_both_brokers_and_gives_fixes(no_scenarios):
    Path("modules/lost").mkdir(parents=True)
    Path("modules/lost/other.py").touch()
    Path("modules/fine").mkdir()
    Path("modules/fine/__init__.py").touch()
    result = sera("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert checks["python"]["status"] == "ok"
    assert checks["broker amqtt"]["finding"].startswith("starts and accepts a client in")
    assert checks["gmqtt"]["status"] == "ok"
    assert checks["runs"]["status"] == "ok"
    assert checks["alive"]["finding"].startswith("no run is alive")
    problems = [check for check in json.loads(result.stdout) if check["status"] == "error"]
    assert [problem["finding"] for problem in problems] == [
        "modules/lost: a module's folder needs an __init__.py"
    ]
    assert "add lost/__init__.py" in problems[0]["fix"]
    assert result.exit_code == 1


def test_the_doctor_says_when_the_broker_of_the_environment_is_not_there(monkeypatch, no_scenarios):
    monkeypatch.setenv("SERA_BROKER", "mqtt://127.0.0.1:1")
    result = sera("doctor")
    assert result.exit_code == 1
    assert re.search(r"^NO +SERA_BROKER +no MQTT broker answers", result.stdout, re.MULTILINE)
    assert "→ correct or unset SERA_BROKER" in result.stdout
