"""The serial protocol between a computer and the board of a small robot.

Design overview: both sides send frames of bytes:

    0xA5 | length | kind | sequence | payload (length bytes) | check

`length` counts the payload (0 to 120). `sequence` counts up modulo 256; an answer repeats the
sequence of what it answers. `check` is the CRC-8 with polynomial 0x07, start value 0, over
everything between the start byte and itself. Numbers of two bytes are little-endian.

    computer to board                          board to computer
    0x01 MOVE     positions, lights            0x81 ACKNOWLEDGE  state
    0x02 STOP     0 hold, 1 limp               0x81 ACKNOWLEDGE  state
    0x03 RELEASE  -                            0x81 ACKNOWLEDGE  state
    0x04 REST     -                            0x81 ACKNOWLEDGE  state
    0x05 MEASURE  -                            0x82 MEASURED     state, positions
    0x06 HELLO    protocol version (1)         0x86 WELCOME      version, servos, lights

`positions` is one uint16 a servo in tenths of a servo unit (a degree of 0 to 180, or a percent), in
the order of the layout; `lights` is one uint8 each, 0 dark to 255 bright. `state` is one byte: 0
follows, 1 holds, 2 limp, 3 rests. A board ignores MOVE unless it follows, and holds by itself when
nothing valid came for half a second; the next valid MOVE ends that, but only RELEASE ends STOP or
REST. A board that starts is limp until RELEASE, so that a stop survives its restart. A receiver
that has waited 20 ms for the rest of a frame gives its start byte up.

Bytes that are lost or wrong cost the frame they belong to and no more: the decoder looks for the
next start byte *inside* what it refused. A receiver that knows how long the payloads of its robot
are refuses a false start at once; otherwise its length, up to 120, could hide a dozen frames, a
stop among them, for as long as other frames keep the line from falling silent.

The board's side is `robots/shared/board/`.

Units and frames: servo units; see `servo_map` for how channels become them.
Threading: pure; no clock and no device.
Safety: nothing but a frame with a valid check, a known kind and the right length is acted on.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

START = 0xA5
PROTOCOL_VERSION = 1
LONGEST_PAYLOAD = 120
LARGEST_TENTHS = 0xFFFF
_OVERHEAD = 5


class FrameKind(IntEnum):
    """What a frame is for."""

    MOVE = 0x01
    STOP = 0x02
    RELEASE = 0x03
    REST = 0x04
    MEASURE = 0x05
    HELLO = 0x06
    ACKNOWLEDGE = 0x81
    MEASURED = 0x82
    WELCOME = 0x86


class BoardState(IntEnum):
    """What a board does with its servos."""

    FOLLOWS = 0
    HOLDS = 1
    LIMP = 2
    RESTS = 3


_KINDS = frozenset(int(kind) for kind in FrameKind)


@dataclass(frozen=True, slots=True)
class SerialFrame:
    """One frame of the protocol."""

    kind: FrameKind
    sequence: int
    payload: bytes = b""


def crc8(data: bytes) -> int:
    """CRC-8 with polynomial 0x07 and start value 0."""
    check = 0
    for byte in data:
        check = _CRC_TABLE[check ^ byte]
    return check


def encode(frame: SerialFrame) -> bytes:
    """The bytes of a frame.

    Raises:
        ValueError: the payload is too long.
    """
    if len(frame.payload) > LONGEST_PAYLOAD:
        raise ValueError(
            f"a payload of {len(frame.payload)} bytes; the protocol carries {LONGEST_PAYLOAD}"
        )
    body = bytes((len(frame.payload), frame.kind, frame.sequence & 0xFF)) + frame.payload
    return bytes((START,)) + body + bytes((crc8(body),))


def pack_move(servos: Sequence[float], lights: Sequence[float]) -> bytes:
    """The payload of MOVE from servo units and brightness 0 to 1."""
    return pack_positions(servos) + bytes(
        round(min(max(level, 0.0), 1.0) * 255) for level in lights
    )


def pack_positions(servos: Sequence[float]) -> bytes:
    """Servo units as tenths in two bytes each, rounded, kept within what fits."""
    tenths = (min(max(round(value * 10.0), 0), LARGEST_TENTHS) for value in servos)
    return struct.pack(f"<{len(servos)}H", *tenths)


def unpack_positions(payload: bytes) -> tuple[float, ...]:
    """The way back of `pack_positions`.

    Raises:
        ValueError: the bytes are no whole number of positions.
    """
    if len(payload) % 2:
        raise ValueError(f"{len(payload)} bytes are no whole number of positions")
    return tuple(value / 10.0 for value in struct.unpack(f"<{len(payload) // 2}H", payload))


class FrameDecoder:
    """Finds frames in a stream of bytes and resynchronises after lost or wrong ones.

    Args:
        payload_bytes: the kinds that may come, each with the length of its payload; anything else
            is no frame. None takes every kind and length of the protocol.
    """

    def __init__(self, payload_bytes: Mapping[FrameKind, int] | None = None) -> None:
        self._payload_bytes = payload_bytes
        self._buffer = bytearray()
        self.skipped_bytes = 0
        """Bytes that belonged to no valid frame."""
        self.bad_checks = 0
        """Whole frames whose check was wrong."""

    @property
    def is_waiting(self) -> bool:
        """True while the rest of a frame is awaited."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[SerialFrame]:
        """Take bytes in; the frames that are complete now."""
        self._buffer += data
        frames: list[SerialFrame] = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def give_up_waiting(self) -> list[SerialFrame]:
        """The line has been silent in the middle of a frame: look for frames behind its start."""
        frames: list[SerialFrame] = []
        while self._buffer:
            self._skip(1)
            frames += self.feed(b"")
        return frames

    def _next(self) -> SerialFrame | None:
        buffer = self._buffer
        while True:
            start = buffer.find(START)
            self._skip(len(buffer) if start < 0 else start)
            if len(buffer) < 3:
                if len(buffer) == 2 and buffer[1] > LONGEST_PAYLOAD:
                    self._skip(1)
                    continue
                return None
            length, kind = buffer[1], buffer[2]
            if not self._is_plausible(kind, length):
                self._skip(1)
                continue
            if len(buffer) < length + _OVERHEAD:
                return None
            body = bytes(buffer[1 : length + _OVERHEAD - 1])
            if crc8(body) != buffer[length + _OVERHEAD - 1]:
                self.bad_checks += 1
                self._skip(1)
                continue
            del buffer[: length + _OVERHEAD]
            return SerialFrame(FrameKind(kind), body[2], body[3:])

    def _is_plausible(self, kind: int, length: int) -> bool:
        if length > LONGEST_PAYLOAD or kind not in _KINDS:
            return False
        expected = self._payload_bytes
        return expected is None or expected.get(FrameKind(kind)) == length

    def _skip(self, count: int) -> None:
        self.skipped_bytes += count
        del self._buffer[:count]


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        check = byte
        for _ in range(8):
            check = ((check << 1) ^ 0x07 if check & 0x80 else check << 1) & 0xFF
        table.append(check)
    return tuple(table)


_CRC_TABLE = _crc_table()
