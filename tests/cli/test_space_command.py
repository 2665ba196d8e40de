"""`sera space`: what a character sees, and poses found from an operator's nudges."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera.behaviour.space import Angles, Frame, Observer, Room, marks_of
from sera.cli import app
from sera.cli._space_robot import LookingRobot
from sera.messages import Envelope, Gaze, JointFrame, SetLayer
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

LAB = """\
# Our room, measured by hand.
[scenario]
title = "Lab"
duration_s = 1

[characters.ada]        # on the table
robot = "nao"
position_m = [0.0, 0.9, 0.0]    # roughly
[characters.ada.modules.engine]
module = "animation_engine"
[characters.ada.modules.body]
module = "robot_bridge"

[people.learner]
seat = "left"

[space.screens.table]
position_m = [0.0, 0.95, 0.9]
yaw_deg = 180
pitch_deg = -60
width_m = 0.6
height_m = 0.35
[space.seats.left]
position_m = [0.5, 1.2, 1.4]
[space.seats.right]
position_m = [-0.5, 1.25, 1.5]
[space.objects.lamp]
position_m = [1.2, 1.5, 2.0]
"""
TRUE = Frame.from_degrees((0.2, 0.9, 0.0), 7.0)


@pytest.fixture(autouse=True)
def apart(place, monkeypatch):
    for name in ("SERA_PATH", "SERA_BROKER", "SERA_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SERA_RUNS", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, place.environment[name])
    monkeypatch.chdir(place.folder)


@pytest.fixture
def lab(place) -> Path:
    return place.write("scenarios/lab/scenario.toml", LAB)


@pytest.fixture
def looks(monkeypatch) -> list[tuple[Angles, str]]:
    """A robot that is only written down."""
    given_looks: list[tuple[Angles, str]] = []

    class Written:
        exit_code = None

        def __init__(self, *_start: object) -> None:
            pass

        async def talk(self, talk: Callable[..., object]) -> None:
            async def look(angles: Angles, target: str) -> None:
                given_looks.append((angles, target))

            await talk(look)  # type: ignore[misc]

    monkeypatch.setattr("sera.cli._space_robot.LookingRobot", Written)
    return given_looks


def sera(*arguments: object, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["space", *map(str, arguments)], input=typed)


def room_in(file: Path) -> Room:
    loaded = load_scenario(file, Workspace.discover(file))
    return Room.from_scenario(
        loaded.space, loaded.characters["ada"], loaded.robots["ada"].eyes_m or (0, 0, 0)
    )


def nudges(file: Path, true: Frame = TRUE, noise_deg: float = 0.0) -> str:
    """What an operator says to a robot that really stands elsewhere than the file has it."""
    source, told = random.Random(2), room_in(file)
    actual = told.seen_by(Observer(true, told.observer.eye_m))
    lines = []
    for mark in marks_of(told):
        expected, right = told.angles_to(mark.place_m), actual.angles_to(mark.place_m)
        by = [
            after - before + source.gauss(0, noise_deg)
            for before, after in zip(expected, right, strict=True)
        ]
        lines.append(f"r {by[0]:.4f} u {by[1]:.4f} ok  # {mark.name}")
    return "\n".join(lines) + "\n"


# -- show -----------------------------------------------------------------------------------


def test_every_target_is_listed_with_its_angles_and_drawn(lab, tmp_path):
    plan = tmp_path / "plan.svg"
    shown = sera("show", "lab", "-o", plan, "--json")
    assert shown.exit_code == 0, shown.output
    rows = {row["target"]: row for row in json.loads(shown.stdout)}
    assert set(rows) == {
        *("table", "table: top left", "table: top right", "table: bottom right"),
        *("table: bottom left", "learner", "left", "right", "lamp"),
    }
    assert rows["right"]["horizontal_deg"] > 0 > rows["left"]["horizontal_deg"]
    assert rows["learner"]["remark"] == "on seat left"
    assert rows["learner"]["distance_m"] == rows["left"]["distance_m"]
    assert "table (screen)" in plan.read_text(encoding="utf-8")
    table = sera("show", "lab")
    assert "learner" in table.stdout
    assert "ada looks from" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "lba"), "did you mean 'lab'"),
        (("show", "lab", "-o", "plan.gif"), "a picture ends in .svg or .png"),
        (("show", "lab", "-o", "no/plan.svg"), "there is no folder"),
        (("show", "lab", "--character", "adda"), "did you mean 'ada'"),
        (("calibrate", "lab", "--screen", "tabel"), "did you mean 'table'"),
        (("calibrate", "lab", "--solve", "robots"), "did you mean 'robot'"),
        (("calibrate", "lab", "--marks", "none.txt"), "there is no such file"),
    ],
)
def test_wrong_input_is_one_sentence(lab, looks, arguments, sentence):
    answer = sera(*arguments)
    assert answer.exit_code == 2, answer.output
    assert sentence in " ".join(answer.output.split())
    assert looks == []


def test_a_missing_matplotlib_is_said(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = sera("show", "lab", "-o", "plan.svg")
    assert answer.exit_code == 2
    assert 'drawing needs matplotlib: pip install "sera-hri[figures]"' in answer.output


# -- calibrate ------------------------------------------------------------------------------


def test_nudges_computed_from_the_truth_find_it_and_the_file_is_written(lab, looks):
    typed = nudges(lab)
    answer = sera("calibrate", "lab", "--write", typed=typed)
    assert answer.exit_code == 0, answer.output
    written = load_scenario(lab, Workspace.discover(lab)).characters["ada"]
    assert written.position_m == pytest.approx(TRUE.position_m, abs=0.002)
    assert written.yaw_deg == pytest.approx(7.0, abs=0.02)
    text = lab.read_text(encoding="utf-8")
    for comment in ("# Our room, measured by hand.", "# on the table", "# roughly"):
        assert comment in text
    assert lab.with_name("scenario.toml.bak").read_text(encoding="utf-8") == LAB
    # Where the scenario has it, then to the right, then up.
    assert [name for _, name in looks[::3]] == [mark.name for mark in marks_of(room_in(lab))]
    again = json.loads(sera("calibrate", "lab", "--json", typed="ok\n" * 7).stdout)
    assert again["rms_deg"] < 0.2
    assert again["solved"] == "robot"


def test_noise_of_half_a_degree_is_a_residual_of_that_order(lab, looks):
    answer = sera("calibrate", "lab", "--json", typed=nudges(lab, noise_deg=0.5))
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert 0.2 < found["rms_deg"] < 1.0
    assert [row["mark"] for row in found["marks"]][:2] == ["seat left", "seat right"]
    assert found["poses"]["characters.ada"]["yaw_deg"] == pytest.approx(7.0, abs=2.5)
    assert lab.read_text(encoding="utf-8") == LAB


def test_one_screen_is_found_by_itself(lab, looks, tmp_path):
    orders = tmp_path / "marks.txt"
    orders.write_text("r 1 ok\n" * 4, encoding="utf-8")
    answer = sera("calibrate", "lab", "--screen", "table", "--marks", orders, "--write")
    assert answer.exit_code == 0, answer.output
    assert "[space.screens.table]" in answer.stdout
    assert "residual of the screens: 0.0" in answer.stdout
    data = tomllib.loads(lab.read_text(encoding="utf-8"))
    assert data["space"]["screens"]["table"]["position_m"][0] < -0.005  # to the right
    assert data["space"]["screens"]["table"]["width_m"] == 0.6


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("ok\nok\nquit\n", "needs at least 3 marks"),
        ("", "no mark was accepted"),
        ("skip\n" * 7, "no mark was accepted"),
    ],
)
def test_too_few_marks_end_with_one_and_write_nothing(lab, looks, typed, sentence):
    answer = sera("calibrate", "lab", "--write", typed=typed)
    assert answer.exit_code == 1
    assert sentence in answer.output
    assert lab.read_text(encoding="utf-8") == LAB


def test_who_quits_sees_what_was_found_but_nothing_is_written(lab, looks):
    answer = sera("calibrate", "lab", "--write", typed="r 1 ok\nr 1 ok\nr 1 ok\nq\n")
    assert answer.exit_code == 0, answer.output
    assert "4 of 7 marks were left out" in answer.stdout
    assert "yaw_deg = " in answer.stdout
    assert "ended early, so nothing was written" in answer.output
    assert lab.read_text(encoding="utf-8") == LAB


def test_a_line_that_is_not_understood_ends_it_with_its_number(lab, looks):
    answer = sera("calibrate", "lab", typed="r 1 ok\nrihgt 2\n")
    assert answer.exit_code == 2
    assert "standard input, line 2: unknown word 'rihgt'; did you mean 'right'?" in answer.output


def test_marks_out_of_reach_are_said_and_nudges_stay_within(place, looks):
    behind = LAB.replace("[0.5, 1.2, 1.4]", "[0.1, 1.2, -1.4]")
    place.write("scenarios/lab/scenario.toml", behind)
    answer = sera("calibrate", "lab", typed="ok\nr 400\nok\n")
    text = " ".join(answer.output.split())
    assert "seat left is out of reach" in text
    assert "seat left is out of reach and was not nudged, so it is left out" in text
    assert "that is as far as the gaze goes (-120° to 120° sideways" in text
    assert all(-120 <= angles.horizontal_deg <= 120 for angles, _ in looks)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('robot = "nao"\n', "", "has a robot to look with"),
        ("[space", "[people.x] #[", "nothing to look at"),
    ],
)
def test_a_scenario_without_robot_or_places_is_said(place, looks, old, new, sentence):
    text = LAB.replace(old, new)
    if "people.x" in new:
        text = LAB[: LAB.index("[people.learner]")]
    place.write("scenarios/lab/scenario.toml", text)
    answer = sera("calibrate", "lab")
    assert answer.exit_code == 2, answer.output
    assert sentence in answer.output


def test_two_robots_need_a_choice(place, looks):
    place.write("scenarios/lab/scenario.toml", LAB + '\n[characters.bob]\nrobot = "emys"\n')
    assert "Choose with --character: ada, bob" in sera("calibrate", "lab").output


def test_the_real_engine_and_bridge_are_started_and_look(lab, monkeypatch):
    """Also that the scenario's own duration does not end it."""
    heard: list[Envelope] = []
    hear = LookingRobot._hear

    def listen(robot: LookingRobot, envelope: Envelope) -> None:
        heard.append(envelope)
        hear(robot, envelope)

    monkeypatch.setattr(LookingRobot, "_hear", listen)
    answer = sera("calibrate", "lab", "--json", typed=nudges(lab))
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["rms_deg"] < 0.2
    gazes = [envelope for envelope in heard if isinstance(envelope.message, Gaze)]
    assert {envelope.source for envelope in gazes} == {"ada.calibration"}
    assert gazes[0].message.reason == "order: calibration, seat left"
    assert any(isinstance(envelope.message, JointFrame) for envelope in heard)
    assert SetLayer(layer="life", active=False) in [envelope.message for envelope in heard]


def test_ctrl_c_ends_it_cleanly_and_shows_what_was_found(place, lab):
    process = subprocess.Popen(
        place.command("space", "calibrate", "lab", "--write"),
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("r 1 ok\n" * 3)
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("4/7"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == 130, err
    assert "[characters.ada]" in out
    assert "ended early, so nothing was written" in err
    assert "Traceback" not in err
    assert lab.read_text(encoding="utf-8") == LAB


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of POSIX")
def test_in_a_terminal_single_keys_nudge_accept_and_quit(place, lab, terminal):
    import termios

    window = terminal(place, "space", "calibrate", "lab")
    window.read_until("1/7 seat left: ")
    begin = room_in(lab).angles_to((0.5, 1.2, 1.4)).horizontal_deg
    window.type(b"-?")
    window.read_until("(step 0.5°)")
    window.type(b"+\x1b[C\x1b[1;2C")  # right, and right a little
    window.read_until(f"{abs(begin + 1.1):.1f}° left")
    window.type(b"\n")
    window.read_until("2/7 seat right")
    window.type(b"s")
    window.read_until("3/7 object lamp")
    window.type(b"b")
    window.read_until("2/7 seat right", times=2)
    window.type(b"q")
    window.read_until("needs at least 3 marks")
    assert window.end() == 1
    assert termios.tcgetattr(window.slave)[3] == window.modes  # the terminal is as it was
