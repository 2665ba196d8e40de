"""`sera robot check`: the contract on bodies of the workspace, and on bridges of one's own."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sera.cli import app
from tests.helpers import PATIENCE_S, some_of, wait_until

ROOT = Path(__file__).parents[2]
CLAUSES = ["limits", "rate", "start in any pose", "heartbeat", "silence", "stop", "rest", "unplug"]

SMALL_BODY = """
[robot]
title = "Nodder"
[[joints]]
name = "neck"
axis = "x"
length_m = 0.1
lower_deg = -10.0
upper_deg = 10.0
max_velocity_deg_s = 200.0
"""

OWN_BRIDGE = """
from sera.animation.output import SimulatedBridge

def make_bridge(body, settings, clock):
    assert settings["unit"] == "default"
    return SimulatedBridge(body.own.values(), clock)
"""


def invoke(*words: str):
    return CliRunner().invoke(app, ["robot", "check", *words])


@pytest.fixture
def nodder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one small robot; gives the robot's folder."""
    folder = tmp_path / "robots" / "nodder"
    folder.mkdir(parents=True)
    (tmp_path / "modules").mkdir()
    (folder / "body.toml").write_text(SMALL_BODY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize(
    "name", some_of(["adelino", "emys", "keepon", "nao", "nao_t14", "pepper"], 2, seed=6)
)
def test_every_simulated_body_passes(name: str):
    answer = invoke(name, "--json")
    assert answer.exit_code == 0, answer.output
    data = json.loads(answer.stdout)
    assert data["passed"]
    assert [clause["clause"] for clause in data["clauses"]] == CLAUSES
    assert all(clause["tried"] for clause in data["clauses"])


def test_the_table_has_a_line_and_a_sentence_for_each_clause():
    lines = invoke("keepon", "--output", "simulated").output.splitlines()
    assert lines[0] == "Keepon (simulated, in this process)"
    assert [line.split("  ")[0] for line in lines[2:]] == CLAUSES
    assert all(" yes " in line for line in lines[2:])


def test_a_bridge_of_the_robots_own_is_taken_where_there_is_one(nodder: Path):
    (nodder / "bridge.py").write_text(OWN_BRIDGE, encoding="utf-8")
    answer = invoke("nodder", "--json")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["passed"]
    assert json.loads(answer.stdout)["clauses"][-1]["sentence"] == "nobody can try this"


def test_a_bridge_that_does_not_stop_fails_with_its_clause_and_exit_code_one(nodder: Path):
    code = OWN_BRIDGE.replace("return SimulatedBridge", "return Runaway") + (
        "\nclass Runaway(SimulatedBridge):\n    async def stop(self, reason, means=None):\n"
        "        pass\n"
    )
    (nodder / "bridge.py").write_text(code, encoding="utf-8")
    answer = invoke("nodder")
    assert answer.exit_code == 1
    (line,) = [line for line in answer.output.splitlines() if line.startswith("stop ")]
    assert " NO " in line
    assert "stopped, the bridge still follows frames" in line


def test_a_bridge_that_raises_anything_fails_with_sentences(nodder: Path):
    code = OWN_BRIDGE.replace("return SimulatedBridge", "return Faulty") + (
        "\nclass Faulty(SimulatedBridge):\n    async def connect(self):\n        1 / 0\n"
    )
    (nodder / "bridge.py").write_text(code, encoding="utf-8")
    answer = invoke("nodder", "--json")
    assert answer.exit_code == 1
    sentences = {clause["sentence"] for clause in json.loads(answer.stdout)["clauses"]}
    assert sentences == {"the body cannot be reached"}


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (None, "robot 'nodder' has no bridge of its own"),
        ("def make_bridge(body, settings, clock)\n", "bridge.py:1: it cannot be imported"),
        ("import nothing_like_that\n", "cannot be imported: ModuleNotFoundError"),
        ("def make_brige(body, settings, clock): ...\n", "(it has 'make_brige')"),
        ("def make_bridge(body): ...\n", "must take three arguments"),
        ("def make_bridge(body, settings, clock): return 3\n", "returned a int and not"),
        ("async def make_bridge(body, settings, clock): ...\n", "not `async def`"),
        (
            "def make_bridge(body, settings, clock):\n    raise ValueError('no robot')\n",
            "bridge.py:2: make_bridge failed: ValueError: no robot",
        ),
        (
            OWN_BRIDGE.replace("body.own.values()", "[Spec(name='Body.nek')]")
            + "from sera.animation.channels import ChannelSpec as Spec\n",
            "a channel 'Body.nek' that the body file has not; did you mean 'Body.neck'?",
        ),
    ],
)
def test_a_missing_or_wrong_bridge_is_explained(nodder: Path, code: str | None, sentence: str):
    if code is not None:
        (nodder / "bridge.py").write_text(code, encoding="utf-8")
    answer = invoke("nodder", "--output", "robot")
    assert answer.exit_code == 2, answer.output
    assert sentence in answer.output.replace("\n", " ")


def test_a_bridge_can_import_files_beside_it(nodder: Path):
    (nodder / "wires.py").write_text(OWN_BRIDGE, encoding="utf-8")
    (nodder / "bridge.py").write_text("from .wires import make_bridge\n", encoding="utf-8")
    assert invoke("nodder").exit_code == 0


def test_a_robot_that_may_be_real_is_not_moved_without_leave():
    answer = invoke("adelino", "--output", "serial", "--device", "/dev/nothing")
    assert answer.exit_code == 2
    assert "will go through its whole range" in answer.output
    assert "--yes" in answer.output


def test_a_device_that_is_not_there_fails_every_clause():
    answer = invoke("keepon", "--output", "serial", "--device", "/dev/nothing", "--yes", "--json")
    assert answer.exit_code == 1
    data = json.loads(answer.stdout)
    assert data["bridge"] == "arduino, /dev/nothing"
    assert {clause["sentence"] for clause in data["clauses"]} == {"the body cannot be reached"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("adelino", "--output", "seriel"), "did you mean 'serial'?"),
        (("adelino", "--output", "serial"), "needs a device"),
        (("adelino", "--output", "csv"), "needs the path"),
        (("nao", "--output", "serial", "--device", "x"), "'nao' has no serial board"),
        (("adelina",), "did you mean 'adelino'?"),
        (
            ("adelino", "--output", "serial", "--device", "x", "--unit", "../x"),
            "letters, digits",
        ),
        (
            ("adelino", "--output", "serial", "--device", "x", "--unit", "never"),
            "sera robot calibrate adelino --unit never",
        ),
    ],
)
def test_wrong_options_are_answered_with_a_sentence(words, sentence):
    answer = invoke(*words)
    assert answer.exit_code == 2, answer.output
    assert sentence in answer.output.replace("\n", " ")


def test_a_body_behind_tcp_is_waited_for_and_passes(nodder: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    body = threading.Thread(target=_body_behind, args=(port,), daemon=True)
    body.start()
    words = ("--output", "tcp", "--port", str(port), "--wait", str(PATIENCE_S), "--yes", "--json")
    answer = invoke("nodder", *words)
    body.join(PATIENCE_S)
    assert answer.exit_code == 0, answer.output
    data = json.loads(answer.stdout)
    assert [clause["clause"] for clause in data["clauses"] if not clause["tried"]] == ["unplug"]


def _body_behind(port: int) -> None:
    """Show every frame and measure it, as a figure on a screen would."""

    def connected() -> socket.socket | None:
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port))
        return None

    shown = {"Body.neck": 0.0}
    with wait_until(connected) as wire, wire.makefile("rw", encoding="utf-8") as lines:
        while True:
            lines.write(json.dumps({"measured": shown}) + "\n")
            lines.flush()
            line = lines.readline()
            if not line:
                return
            shown = json.loads(line)["channels"]


def test_the_folder_of_a_robot_copied_with_its_serial_board_keeps_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from sera.animation.body import load_body
    from sera.animation.output import ADELINO, model_layout

    shutil.copytree(ROOT / "robots" / "adelino", tmp_path / "my_adelino")
    layout = model_layout(load_body(tmp_path / "my_adelino"))
    assert (layout.robot, layout.servos, layout.lights) == (
        *("my_adelino", ADELINO.servos, ADELINO.lights),
    )
