"""Compiles the firmware for this machine and plays it as a board behind a device file.

Test files load this one by its path, since tests are no package.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import tty
from pathlib import Path
from typing import NamedTuple

from sera.animation.output import BoardLayout, FrameDecoder, SerialFrame, crc8, pack_positions
from tests.helpers import PATIENCE_S

HERE = Path(__file__).parent
SKETCH = HERE.parents[2] / "robots" / "shared" / "board" / "sera_board"
ROBOTS = {"adelino": 1, "keepon": 2}
_STRICT = ["-Wall", "-Wextra", "-Werror", "-g", "-O1"]
_SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
_MEMORY_MARK = 0x5E
_EEPROM_BYTES = 64


def compiled_firmware(folder: Path) -> dict[str, Path]:
    """The firmware of each robot as a program, compiled where it is not there yet."""
    folder.mkdir(exist_ok=True)
    programs = {robot: folder / f"firmware_{robot}" for robot in ROBOTS}
    for robot, program in programs.items():
        if not program.exists():
            _compile(robot, program)
    return programs


def _compile(robot: str, program: Path) -> None:
    """Any warning is an error, and memory is watched at run time."""
    folder = program.parent
    for name in ("Arduino.h", "Servo.h", "EEPROM.h"):
        (folder / name).write_text('#include "_firmware_host.h"\n')
    shared = [*_STRICT, *_SANITIZED, f"-DSERA_ROBOT={ROBOTS[robot]}", f"-I{SKETCH}"]
    objects = []
    for source in sorted(SKETCH.glob("*.c")):
        objects.append(str(folder / f"{source.stem}.o"))
        plain = ["-std=c99", "-pedantic", "-Wconversion", "-c", str(source), "-o", objects[-1]]
        _run(_compiler("gcc"), *shared, *plain)
    places = [f"-I{folder}", f"-I{HERE}"]
    host = ["-std=c++11", *places, str(HERE / "_firmware_host.cpp"), *objects]
    _run(_compiler("g++"), *shared, *host, "-o", str(program))


def _compiler(name: str) -> str:
    found = shutil.which(name)
    assert found, f"the firmware's tests need {name} (Debian, Ubuntu: sudo apt install g++)"
    return found


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class BoardFacts(NamedTuple):
    """What is seen at the pins of the board."""

    now_ms: int
    board_bytes: int
    faults: int
    eeprom_writes: int
    at_us: list[int]
    pulse_us: list[int]
    attached: list[int]
    brightness: list[int]


class FirmwareBoard:
    """The compiled firmware with simulated servos; its clock runs by hand or with the world's."""

    def __init__(self, program: Path, folder: Path, layout: BoardLayout, *, real: bool = False):
        self.device = folder / "ttyACM0"
        self.layout = layout
        self._eeprom = folder / "eeprom"
        self._kept = folder / "eeprom.kept"
        self._program = program
        self._clock = "real" if real else "hand"
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._line: socket.socket | None = None
        self._ends: list[int] = []

    @property
    def is_plugged_in(self) -> bool:
        return self._process is not None

    def remember(self, positions: list[float]) -> None:
        """What the board, not running now, has stored: where its servos are."""
        record = bytes((_MEMORY_MARK ^ len(positions),)) + pack_positions(positions)
        self._eeprom.write_bytes((record + bytes((crc8(record),))).ljust(_EEPROM_BYTES, b"\xff"))

    def spoil_memory(self) -> None:
        stored = bytearray(self._eeprom.read_bytes())
        stored[1] ^= 0x10
        self._eeprom.write_bytes(stored)

    def plug_in(self) -> None:
        """Start behind a pseudo-terminal."""
        self._ends = list(os.openpty())
        tty.setraw(self._ends[1])
        self.device.unlink(missing_ok=True)
        self.device.symlink_to(os.ttyname(self._ends[1]))
        self._start(self._ends[0])

    def plug_into_socket(self) -> None:
        """Start behind a line without any delay of the system's terminals."""
        self._line, board_end = socket.socketpair()
        with board_end:
            self._start(board_end.fileno())

    def restart(self) -> None:
        """As after a dip of its power: the cable stays in."""
        self._end()
        self._start(self._ends[0])

    def unplug(self) -> None:
        self._end()
        self._kept.unlink(missing_ok=True)
        for end in self._ends:
            os.close(end)
        self._ends = []
        if self._line is not None:
            self._line.close()
            self._line = None
        self.device.unlink(missing_ok=True)

    def pass_ms(self, duration_ms: int) -> BoardFacts:
        """Let time pass on the board's own clock; all that waits on the line is heard before."""
        assert self._control is not None
        self._control.sendall(struct.pack("<I", duration_ms))
        line = b""
        while not line.endswith(b"\n"):
            part = self._control.recv(4096)
            assert part, "the firmware has died"
            line += part
        head, servos, lights = ([int(word) for word in part.split()] for part in line.split(b"|"))
        return BoardFacts(*head, servos[0::3], servos[1::3], servos[2::3], lights)

    def tell(self, data: bytes) -> list[SerialFrame]:
        """Send bytes over the socket; the answers."""
        assert self._line is not None
        self._line.sendall(data)
        self.pass_ms(0)
        return self.answers()

    def answers(self) -> list[SerialFrame]:
        assert self._line is not None
        try:
            data = self._line.recv(65536, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        decoder = FrameDecoder()
        frames = decoder.feed(data)
        assert not decoder.skipped_bytes
        assert not decoder.is_waiting
        return frames

    def _start(self, line: int) -> None:
        self._control, board_end = socket.socketpair()
        self._control.settimeout(PATIENCE_S)
        with board_end:
            words = ["run", self._clock, str(self._eeprom), str(board_end.fileno())]
            self._process = subprocess.Popen(
                [str(self._program), *words],
                stdin=line,
                stdout=line,
                pass_fds=[board_end.fileno()],
            )

    def _end(self) -> None:
        if self._process is None or self._control is None:
            return
        self._process.kill()
        self._process.wait()
        self._control.close()
        self._process = self._control = None
