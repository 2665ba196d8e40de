"""The firmware's side of the serial line, byte by byte, on a clock moved by hand."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sera.animation.body import load_body
from sera.animation.output import (
    ADELINO,
    LAYOUTS,
    BoardState,
    FrameDecoder,
    FrameKind,
    SerialFrame,
    encode,
    own_specs,
    pack_move,
    unpack_positions,
)

_spec = importlib.util.spec_from_file_location(
    "_firmware_host", Path(__file__).with_name("_firmware_host.py")
)
firmware_host = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(firmware_host)

_MIDDLE = [90.0] * 5
_LENGTHS = {
    FrameKind.MOVE: 12,
    FrameKind.STOP: 1,
    FrameKind.RELEASE: 0,
    FrameKind.REST: 0,
    FrameKind.MEASURE: 0,
    FrameKind.HELLO: 1,
}
_FRAMES = st.sampled_from(list(_LENGTHS)).flatmap(
    lambda kind: st.builds(
        SerialFrame,
        st.just(kind),
        st.integers(0, 255),
        st.binary(min_size=_LENGTHS[kind], max_size=_LENGTHS[kind]),
    )
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return firmware_host.compiled_firmware(tmp_path_factory.getbasetemp() / "firmware")


@pytest.fixture
def board(programs, tmp_path):
    played = firmware_host.FirmwareBoard(programs["adelino"], tmp_path, ADELINO)
    played.plug_into_socket()
    yield played
    assert played.pass_ms(0).faults == 0
    played.unplug()


@pytest.fixture(scope="module")
def lasting_board(programs, tmp_path_factory):
    """One for all examples of a property."""
    folder = tmp_path_factory.mktemp("board")
    played = firmware_host.FirmwareBoard(programs["adelino"], folder, ADELINO)
    played.plug_into_socket()
    yield played
    assert played.pass_ms(0).faults == 0
    played.unplug()


def _ask(board, kind, payload=b"", sequence=1):
    (answer,) = board.tell(encode(SerialFrame(kind, sequence, payload)))
    assert answer.sequence == sequence
    return answer


def _state(board, kind, payload=b""):
    answer = _ask(board, kind, payload)
    assert answer.kind is FrameKind.ACKNOWLEDGE
    return BoardState(answer.payload[0])


def _move(board, servos, lights=(0.0, 0.0)):
    return _state(board, FrameKind.MOVE, pack_move(servos, lights))


def _measured(board):
    answer = _ask(board, FrameKind.MEASURE)
    assert answer.kind is FrameKind.MEASURED
    return BoardState(answer.payload[0]), list(unpack_positions(answer.payload[1:]))


def test_it_greets_with_version_servos_and_lights(board):
    answer = _ask(board, FrameKind.HELLO, b"\x01", sequence=200)
    assert answer == SerialFrame(FrameKind.WELCOME, 200, bytes((1, 5, 2)))


def test_it_starts_limp_and_moves_nothing_before_it_is_released(board):
    assert _measured(board) == (BoardState.LIMP, _MIDDLE)
    assert _move(board, [0.0] * 5, [1.0, 1.0]) is BoardState.LIMP
    facts = board.pass_ms(1000)
    assert facts.attached == [0] * 5
    assert facts.brightness == [0, 0]
    assert _measured(board) == (BoardState.LIMP, _MIDDLE)


def test_released_it_follows_to_the_very_pulse_and_shows_lights(board):
    assert _state(board, FrameKind.RELEASE) is BoardState.FOLLOWS
    assert _move(board, [90.0, 80.0, 100.0, 60.0, 120.0], [1.0, 0.5]) is BoardState.FOLLOWS
    facts = board.pass_ms(490)
    assert _measured(board)[1] == [90.0, 80.0, 100.0, 60.0, 120.0]
    expected = [544 + 1856 * degrees // 180 for degrees in (90, 80, 100, 60, 120)]
    assert facts.pulse_us == expected
    assert facts.at_us == expected
    assert facts.brightness == [255, 128]


def test_the_board_itself_limits_range_and_speed(board):
    _state(board, FrameKind.RELEASE)
    _move(board, [6553.5, 0.0, 90.0, 90.0, 90.0])
    board.pass_ms(100)
    # 120 degrees a second, to the millisecond.
    assert _measured(board)[1] == [102.0, 78.0, 90.0, 90.0, 90.0]
    for _ in range(10):
        _move(board, [6553.5, 0.0, 90.0, 90.0, 90.0])
        board.pass_ms(100)
    assert _measured(board)[1] == [180.0, 0.0, 90.0, 90.0, 90.0]


def test_half_a_second_of_silence_holds_and_only_a_move_ends_it(board):
    _state(board, FrameKind.RELEASE)
    _move(board, [180.0] * 5)
    board.pass_ms(499)
    assert board.pass_ms(0).attached == [1] * 5
    board.pass_ms(1)
    held = (BoardState.HOLDS, [150.0] * 5)
    assert _measured(board) == held
    assert board.pass_ms(1000).attached == [1] * 5
    assert _measured(board) == held
    assert _move(board, [180.0] * 5) is BoardState.FOLLOWS
    board.pass_ms(300)
    assert _measured(board) == (BoardState.FOLLOWS, [180.0] * 5)


def test_measuring_counts_as_a_sign_of_life(board):
    _state(board, FrameKind.RELEASE)
    _move(board, _MIDDLE)
    for _ in range(4):
        board.pass_ms(499)
        assert _measured(board)[0] is BoardState.FOLLOWS


@pytest.mark.parametrize(
    ("kind", "payload", "state", "attached"),
    [
        (FrameKind.STOP, b"\x00", BoardState.HOLDS, 1),
        (FrameKind.STOP, b"\x01", BoardState.LIMP, 0),
        (FrameKind.REST, b"", BoardState.RESTS, 0),
    ],
)
def test_stop_and_rest_last_until_release_whatever_is_sent(board, kind, payload, state, attached):
    _state(board, FrameKind.RELEASE)
    _move(board, [180.0] * 5)
    board.pass_ms(100)
    assert _state(board, kind, payload) is state
    for _ in range(5):
        assert _move(board, [0.0] * 5) is state
        assert board.pass_ms(200).attached == [attached] * 5
    assert _measured(board) == (state, [102.0] * 5)
    before = board.pass_ms(0).at_us
    assert _state(board, FrameKind.RELEASE) is BoardState.FOLLOWS
    facts = board.pass_ms(100)
    assert facts.attached == [1] * 5
    assert facts.at_us == pytest.approx(before, abs=1)


def test_the_pose_survives_a_restart_and_a_spoilt_memory_is_not_believed(board):
    _state(board, FrameKind.RELEASE)
    _move(board, [100.0, 80.0, 90.0, 90.0, 95.0])
    board.pass_ms(400)
    _state(board, FrameKind.STOP, b"\x00")
    assert board.pass_ms(100).eeprom_writes > 0
    board.unplug()
    board.plug_into_socket()
    assert _measured(board) == (BoardState.LIMP, [100.0, 80.0, 90.0, 90.0, 95.0])
    board.unplug()
    board.spoil_memory()
    board.plug_into_socket()
    assert _measured(board) == (BoardState.LIMP, _MIDDLE)


def test_the_memory_is_not_worn_out_by_moving(board):
    _state(board, FrameKind.RELEASE)
    for step in range(200):
        _move(board, [90.0 + step % 50] * 5)
        board.pass_ms(20)
    assert board.pass_ms(0).eeprom_writes == 0


def test_its_own_answers_and_wrong_lengths_are_not_obeyed(board):
    echo = encode(SerialFrame(FrameKind.ACKNOWLEDGE, 1, b"\x00"))
    longer = encode(SerialFrame(FrameKind.RELEASE, 1, b"\x00"))
    shorter = encode(SerialFrame(FrameKind.MOVE, 1, bytes(10)))
    assert board.tell(echo + longer + shorter) == []
    board.pass_ms(20)
    assert board.answers() == []
    assert _measured(board)[0] is BoardState.LIMP


def test_a_stop_is_heard_right_behind_a_false_start_of_any_other_length(board):
    stop = encode(SerialFrame(FrameKind.STOP, 9, b"\x00"))
    for noise in (b"\xa5\x78\x01", b"\xa5\xa5\xa5", b"\xa5\xff\x00", b"\xa5\x02\x81"):
        assert board.tell(noise + stop) == [SerialFrame(FrameKind.ACKNOWLEDGE, 9, b"\x01")]


def test_a_stop_behind_a_move_that_lost_a_byte_is_heard_after_the_gap_at_the_latest(board):
    _state(board, FrameKind.RELEASE)
    move = encode(SerialFrame(FrameKind.MOVE, 8, pack_move(_MIDDLE, [0.0, 0.0])))
    stop = encode(SerialFrame(FrameKind.STOP, 9, b"\x00"))
    # The stop's first byte is taken for the move's last: one frame behind another at full rate.
    assert board.tell(move[:-2] + move[-1:] + stop) == [
        SerialFrame(FrameKind.ACKNOWLEDGE, 9, b"\x01")
    ]
    _state(board, FrameKind.RELEASE)
    assert board.tell(move[:6] + stop) == []
    board.pass_ms(19)
    assert board.answers() == []
    board.pass_ms(1)
    assert board.answers() == [SerialFrame(FrameKind.ACKNOWLEDGE, 9, b"\x01")]


@settings(max_examples=200, deadline=None)
@given(stream=st.lists(st.one_of(st.binary(max_size=20), _FRAMES.map(encode)), max_size=8))
def test_it_understands_exactly_what_the_computer_side_would(lasting_board, stream):
    decoder = FrameDecoder(_LENGTHS)
    data = b"".join(stream)
    heard = [answer.sequence for answer in lasting_board.tell(data)]
    assert heard == [frame.sequence for frame in decoder.feed(data)]
    lasting_board.pass_ms(20)
    later = [answer.sequence for answer in lasting_board.answers()]
    assert later == [frame.sequence for frame in decoder.give_up_waiting()]


@settings(max_examples=200, deadline=None)
@given(frames=st.lists(_FRAMES, min_size=2, max_size=5), data=st.data())
def test_a_lost_byte_costs_its_own_frame_and_no_more(lasting_board, frames, data):
    frames = [SerialFrame(each.kind, at, each.payload) for at, each in enumerate(frames)]
    parts = [encode(frame) for frame in frames]
    hurt = data.draw(st.integers(0, len(parts) - 1))
    lost = data.draw(st.integers(0, len(parts[hurt]) - 1))
    parts[hurt] = parts[hurt][:lost] + parts[hurt][lost + 1 :]
    found = lasting_board.tell(b"".join(parts))
    lasting_board.pass_ms(20)
    found = [answer.sequence for answer in found + lasting_board.answers()]
    unhurt = [at for at in range(len(frames)) if at != hurt]
    # A check of eight bits lets one wrong frame in 256 by, which takes bytes of the next one along.
    assume(set(found) <= set(unhurt))
    assert found == unhurt


@pytest.mark.parametrize("robot", list(firmware_host.ROBOTS))
def test_random_bytes_break_neither_memory_nor_limits(programs, robot):
    for seed in ("1", "2"):
        done = subprocess.run(
            [str(programs[robot]), "fuzz", seed, "200000"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 1000


@pytest.mark.parametrize("robot", list(firmware_host.ROBOTS))
def test_the_board_lets_the_body_do_all_that_its_file_promises(programs, robot):
    body = load_body(firmware_host.SKETCH.parents[2] / robot)
    specs = {spec.name: spec for spec in own_specs(body)}
    table = subprocess.run(
        [str(programs[robot]), "settings"], capture_output=True, text=True, check=True
    )
    rows = [[int(word) / 10.0 for word in line.split()] for line in table.stdout.splitlines()]
    for servo, (lower, upper, speed) in zip(LAYOUTS[robot].servos, rows, strict=True):
        spec = specs[servo.channel]
        assert servo.lower <= lower <= servo.to_servo(spec.lower)
        assert servo.to_servo(spec.upper) <= upper <= servo.upper
        assert 1.2 < speed / (spec.max_velocity * servo.scale) < 1.5


def test_the_board_takes_little_of_the_two_kilobytes_of_an_uno(board):
    # Less on a board of eight bits, which leaves no holes between numbers.
    assert board.pass_ms(0).board_bytes <= 80
