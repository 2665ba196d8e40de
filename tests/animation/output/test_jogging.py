"""Jogging servos: the conversation, and the whole of it against a board on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.output import (
    ADELINO,
    KEEPON,
    BoardState,
    BridgeLost,
    DeviceTransport,
    FrameKind,
    JogSession,
    calibration_file,
    load_calibration,
    save_calibration,
)
from sera.cli._robot_calibrate import calibrate_unit
from tests.helpers import some_of

MIDDLE = [90.0] * 5


@pytest.fixture
def session() -> JogSession:
    return JogSession(ADELINO, ADELINO, MIDDLE)


def test_a_servo_is_chosen_by_name_or_number_and_steps_by_what_was_said(session):
    assert "Body.upper_bend" in session.obey("servo 3").sentence
    session.obey("servo head_bend")
    session.obey("step 2.5")
    answer = session.obey("+++")
    assert answer.move
    assert session.positions == [90.0, 90.0, 90.0, 97.5, 90.0]
    session.obey("-")
    assert session.positions[3] == 95.0


def test_zero_flip_and_limits_are_set_where_the_servo_is(session):
    session.obey("++")
    session.obey("zero here")
    session.obey("flip")
    session.obey("step 5")
    session.obey("+++++")
    session.obey("upper here")
    session.obey("-----")
    session.obey("-----")
    assert "from 67 to 117" in session.obey("lower").sentence
    base = session.layout.servos[0]
    assert (base.offset, base.sign, base.lower, base.upper) == (92.0, -1, 67.0, 117.0)
    assert session.layout.servos[1:] == ADELINO.servos[1:]
    assert session.has_changes
    session.mark_saved()
    assert not session.has_changes


@given(st.lists(st.sampled_from(["+", "++", "-----", "+++++", "step 5", "step 0.1", "flip"])))
def test_jogging_never_leaves_the_travel_and_never_takes_large_steps(commands):
    session = JogSession(KEEPON, KEEPON, [90.0, 90.0, 90.0, 0.0])
    for chosen in ("pan", "bop"):
        session.obey(f"servo {chosen}")
        for command in commands:
            before = list(session.positions)
            session.obey(command)
            for servo, old, new in zip(KEEPON.servos, before, session.positions, strict=True):
                assert servo.lower <= new <= servo.upper
                assert abs(new - old) <= 25.0 + 1e-9


def test_at_the_end_of_the_travel_nothing_moves(session):
    session.found_at([180.0, *MIDDLE[1:]])
    answer = session.obey("+")
    assert not answer.move
    assert answer.sentence == "Body.base is at the end of its travel, 180.0"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("jump", "there is no command 'jump'"),
        ("lowr", "did you mean 'lower'?"),
        ("servo hed_bend", "did you mean 'head_bend'?"),
        ("servo 9", "there is no servo '9'"),
        ("servo", "there are 1 base"),
        ("step nan", "a number from 0.1 to 5"),
        ("step 50", "a number from 0.1 to 5"),
        ("step", "a number from 0.1 to 5"),
        ("++++++", "5 at most"),
        ("+-", "there is no command"),
        ("flip everything", "'everything' was not understood"),
        ("+5", "there is no command"),
    ],
)
def test_nonsense_is_refused_with_a_sentence_and_changes_nothing(session, command, sentence):
    answer = session.obey(command)
    assert sentence in answer.sentence
    assert (answer.move, answer.save, answer.quit) == (False, False, False)
    assert session.positions == MIDDLE
    assert not session.has_changes


@given(st.text(max_size=30))
def test_whatever_is_typed_is_answered(text):
    session = JogSession(ADELINO, ADELINO, MIDDLE)
    assert session.obey(text).sentence


def test_limits_that_cross_are_refused(session):
    session.obey("upper")
    session.obey("+")
    assert session.obey("lower").sentence.startswith("refused: servo of 'Body.base'")
    assert session.layout.servos[0].lower == 0.0


def test_a_zero_outside_the_limits_is_not_saved(session):
    session.obey("+")
    session.obey("lower")
    answer = session.obey("save")
    assert not answer.save
    assert "the zero of Body.base lies outside" in answer.sentence


def test_quitting_says_what_was_not_saved(session):
    assert session.obey("quit").sentence == "the servos hold"
    session.obey("flip")
    answer = session.obey("quit")
    assert answer.quit
    assert "has not been saved" in answer.sentence


class Talk:
    """Somebody who types, and what they read."""

    def __init__(self, board, file: Path, lines) -> None:
        self.said: list[str] = []
        self._lines = iter(lines)
        self._board = board
        self.file = file

    async def read(self):
        for line in self._lines:
            if not callable(line):
                return line
            line()
        return None

    async def go_on(self, known=ADELINO) -> None:
        await calibrate_unit(
            *(ADELINO, known, DeviceTransport(self._board.device), self.file, "desk"),
            read=self.read,
            say=self.said.append,
        )


async def test_a_unit_is_calibrated_and_saved_and_the_board_holds_in_the_end(board, tmp_path):
    talk = Talk(board, tmp_path / "desk.toml", ["servo 2", "+++", "zero", "flip", "save", "quit"])
    await talk.go_on()
    assert board.positions == [90.0, 93.0, 90.0, 90.0, 90.0]
    assert board.state is BoardState.HOLDS
    servo = load_calibration(talk.file, ADELINO).servos[1]
    assert (servo.offset, servo.sign) == (93.0, -1)
    assert 'unit = "desk"' in talk.file.read_text()
    assert talk.said[-2:] == [f"saved to {talk.file}", "the servos hold"]


async def test_servos_glide_and_others_stay_where_they_were_found(board, tmp_path):
    board.positions = [10.0, 20.0, 30.0, 40.0, 50.0]
    moves = []
    obey = board._obey

    def watch(frame):
        obey(frame)
        if frame.kind is FrameKind.MOVE:
            moves.append(list(board.positions))

    board._obey = watch
    await Talk(board, tmp_path / "x.toml", ["step 5", "+++"]).go_on()
    assert board.positions == [25.0, 20.0, 30.0, 40.0, 50.0]
    bases = [10.0] + [move[0] for move in moves]
    assert max(b - a for a, b in itertools.pairwise(bases)) <= 0.5 + 0.05
    assert all(move[1:] == [20.0, 30.0, 40.0, 50.0] for move in moves)


async def test_nothing_is_saved_unless_asked_and_the_end_of_input_is_a_quit(board, tmp_path):
    talk = Talk(board, tmp_path / "x.toml", ["+", "zero", "flip"])
    await talk.go_on()
    assert not talk.file.exists()
    assert "has not been saved" in talk.said[-1]
    assert board.state is BoardState.HOLDS


async def test_a_unit_that_is_known_is_jogged_in_raw_units_all_the_same(board, tmp_path):
    talk = Talk(board, tmp_path / "x.toml", ["flip", "zero", "save", "+", "quit"])
    await talk.go_on()
    known = load_calibration(talk.file, ADELINO)
    before = board.positions[0]
    await Talk(board, tmp_path / "x.toml", ["+", "quit"]).go_on(known)
    assert board.positions[0] == before + 1.0, "plus is plus, whatever the sign"


async def test_an_unplugged_board_costs_nothing_that_was_set(board, tmp_path):
    lines = ["+", "zero", board.unplug, "+", board.plug_in, "+", "+", "save", "quit"]
    talk = Talk(board, tmp_path / "x.toml", lines)
    await talk.go_on()
    assert any("what was set is kept" in sentence for sentence in talk.said)
    assert any("nothing was moved" in sentence for sentence in talk.said)
    assert board.positions[0] == 92.0
    assert load_calibration(talk.file, ADELINO).servos[0].offset == 91.0


async def test_a_board_that_is_not_there_is_said_at_once(board, tmp_path):
    board.unplug()
    with pytest.raises(BridgeLost, match="plugged in"):
        await Talk(board, tmp_path / "x.toml", ["quit"]).go_on()


SERA = ("-m", "sera")


async def _sera(
    board, home: Path, *words: str, typed: str = "", program: tuple[str, ...] = SERA
) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *program, "robot", *words, "--device", str(board.device)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "XDG_CONFIG_HOME": str(home)},
    )
    output, _ = await process.communicate(typed.encode())
    assert process.returncode is not None
    return process.returncode, output.decode()


async def test_the_command_calibrates_a_unit_end_to_end(board, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    typed = "servo head_twist\n--\nzero here\nsave\nquit\n"
    words = ("calibrate", "adelino", "--unit", "desk")
    code, output = await _sera(board, tmp_path, *words, typed=typed)
    assert code == 0, output
    file = calibration_file("adelino", "desk")
    assert f"saved to {file}" in output
    assert load_calibration(file, ADELINO).servos[4].offset == 88.0
    assert board.state is BoardState.HOLDS


async def test_the_command_says_what_is_wrong(board, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    code, output = await _sera(board, tmp_path, "calibrate", "nao")
    assert (code, "has no serial board" in output) == (2, True)
    code, output = await _sera(board, tmp_path, "calibrate", "adelino", "--unit", "a/b")
    assert (code, "letters, digits" in output) == (2, True)
    code, output = await _sera(board, tmp_path, "calibrate", "keepon")
    assert (code, "is it another robot" in output) == (1, True)
    file = calibration_file("adelino")
    save_calibration(file, ADELINO)
    file.write_text(file.read_text().replace("offset", "ofset", 1))
    code, output = await _sera(board, tmp_path, "calibrate", "adelino")
    assert (code, "did you mean 'offset'?" in output) == (2, True)


CLAUSES = ("limits", "rate", "start in any pose", "heartbeat", "silence", "stop", "rest")
FEW_CLAUSES = """
import sys
from sera.animation.output import contract
chosen = sys.argv.pop(1).split(",")
contract._CLAUSES = tuple(clause for clause in contract._CLAUSES if clause[0] in chosen)
from sera.cli import main
main()
"""


async def test_the_check_runs_on_a_serial_device(board, tmp_path):
    """In real time, hence with one of the clauses; all of them are tried on a clock by hand."""
    words = ("check", "adelino", "--output", "serial", "--yes", "--json")
    chosen = [*some_of(CLAUSES, seed=5), "unplug"]
    program = ("-c", FEW_CLAUSES, ",".join(chosen))
    code, output = await _sera(board, tmp_path, *words, program=program)
    data = json.loads(output)
    assert code == 0, data
    assert [clause["clause"] for clause in data["clauses"]] == chosen
    untried = [clause["clause"] for clause in data["clauses"] if not clause["tried"]]
    assert untried == ["unplug"]
