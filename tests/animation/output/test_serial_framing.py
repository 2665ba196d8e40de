"""The serial protocol: bytes, check, resynchronising."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sera.animation.output import (
    FrameDecoder,
    FrameKind,
    SerialFrame,
    crc8,
    encode,
    pack_move,
    pack_positions,
    unpack_positions,
)

_FRAMES = st.builds(
    SerialFrame, st.sampled_from(FrameKind), st.integers(0, 255), st.binary(max_size=120)
)


def test_the_check_is_the_published_crc_8():
    # The catalogue's check value of CRC-8/SMBUS.
    assert crc8(b"123456789") == 0xF4


def test_the_bytes_of_a_frame_are_as_documented():
    move = SerialFrame(FrameKind.MOVE, 7, pack_move([90.0, 180.0, 0.05], [1.0, 0.5]))
    expected = bytes([0xA5, 8, 0x01, 7, 0x84, 0x03, 0x08, 0x07, 0x00, 0x00, 255, 128])
    assert encode(move)[:-1] == expected
    assert encode(move)[-1] == crc8(expected[1:])


def test_positions_are_kept_within_two_bytes():
    assert unpack_positions(pack_positions([-5.0, 1e9, 12.34])) == (0.0, 6553.5, 12.3)
    with pytest.raises(ValueError, match="no whole number"):
        unpack_positions(b"\x00")


def test_a_payload_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="121 bytes"):
        encode(SerialFrame(FrameKind.MOVE, 0, bytes(121)))


@given(st.lists(_FRAMES, max_size=8), st.integers(1, 40))
def test_frames_come_through_however_the_bytes_are_cut(frames, size):
    stream = b"".join(map(encode, frames))
    decoder = FrameDecoder()
    found = []
    for start in range(0, len(stream), size):
        found += decoder.feed(stream[start : start + size])
    assert found == frames
    assert decoder.skipped_bytes == 0
    assert not decoder.is_waiting


@given(st.binary(max_size=300), _FRAMES)
def test_after_any_garbage_and_a_silence_the_next_frame_is_understood(garbage, frame):
    decoder = FrameDecoder()
    decoder.feed(garbage)
    decoder.give_up_waiting()
    assert decoder.feed(encode(frame)) == [frame]


@given(st.lists(_FRAMES, min_size=2, max_size=5), st.data())
def test_a_lost_byte_costs_its_own_frame_and_no_more(frames, data):
    parts = [encode(frame) for frame in frames]
    hurt = data.draw(st.integers(0, len(parts) - 1))
    lost = data.draw(st.integers(0, len(parts[hurt]) - 1))
    parts[hurt] = parts[hurt][:lost] + parts[hurt][lost + 1 :]
    decoder = FrameDecoder()
    found = decoder.feed(b"".join(parts)) + decoder.give_up_waiting()
    unhurt = frames[:hurt] + frames[hurt + 1 :]
    # A check of eight bits lets one wrong frame in 256 by, which takes bytes of the next one along.
    assume(all(frame in unhurt for frame in found))
    assert found == unhurt


@given(_FRAMES, st.data())
def test_a_single_wrong_bit_is_always_noticed(frame, data):
    stream = bytearray(encode(frame))
    bit = data.draw(st.integers(8, 8 * len(stream) - 1))
    stream[bit // 8] ^= 1 << bit % 8
    decoder = FrameDecoder()
    assert frame not in decoder.feed(bytes(stream)) + decoder.give_up_waiting()


def test_a_false_start_byte_hides_the_real_frame_only_until_the_line_is_silent():
    frame = SerialFrame(FrameKind.ACKNOWLEDGE, 3, b"\x00")
    decoder = FrameDecoder()
    assert decoder.feed(bytes([0xA5, 100, 0x01]) + encode(frame)) == []
    assert decoder.is_waiting
    assert decoder.give_up_waiting() == [frame]
    assert decoder.skipped_bytes == 3


def test_a_receiver_that_knows_its_payloads_is_not_hidden_from_by_a_false_start():
    frame = SerialFrame(FrameKind.ACKNOWLEDGE, 3, b"\x00")
    decoder = FrameDecoder({FrameKind.ACKNOWLEDGE: 1, FrameKind.MEASURED: 11})
    assert decoder.feed(bytes([0xA5, 100, 0x81]) + encode(frame)) == [frame]
    assert decoder.feed(encode(SerialFrame(FrameKind.WELCOME, 3, b"\x00")) + encode(frame)) == [
        frame
    ]
    assert not decoder.is_waiting
