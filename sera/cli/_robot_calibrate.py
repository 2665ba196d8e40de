"""`sera robot calibrate`: find sign, zero and limits of a unit's servos by jogging.

Design overview: `JogSession` talks, `_Board` carries its orders out, a prompt stands between them.
The board is driven in raw servo units, whatever calibration it has. While somebody thinks, nothing
is sent, and the board holds by itself after half a second.

Units and frames: servo units.
Threading: one event loop; the prompt waits in a thread.
Safety: servos glide to where they are sent. They hold on quit, on Ctrl-C and at the end of the
input. A device that is gone costs nothing that was set: the next step looks for it again.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import FAILED, CommandError

if TYPE_CHECKING:
    from sera.animation.output import BoardLayout, JogSession, Transport

_GLIDE_STEP = 0.5
"""Servo units a frame: 25 degrees a second."""
_FRAME_S = 0.02
ReadLine = Callable[[], Awaitable[str | None]]
Say = Callable[[str], None]


def calibrate(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `sera list robots` has it.")],
    *,
    device: Annotated[
        str, typer.Option("--device", metavar="PORT", help="Serial port of the robot.")
    ],
    unit: Annotated[
        str, typer.Option("--unit", metavar="UNIT", help="Name of this unit, such as desk.")
    ] = "default",
    baud: Annotated[int, typer.Option("--baud", help="Speed of the serial line.")] = 115_200,
) -> None:
    """Set sign, zero and limits of each servo of one unit by moving it in small steps."""
    import asyncio

    from sera.animation.output import (
        BridgeLost,
        BridgeUnavailable,
        PyserialTransport,
        calibration_file,
        checked_unit,
        load_calibration,
        model_layout,
    )
    from sera.cli._robot import find_body

    try:
        model = model_layout(find_body(name))
        file = calibration_file(name, checked_unit(unit))
        known = load_calibration(file, model) if file.is_file() else model
        transport = PyserialTransport(device, baud=baud)
        talk = calibrate_unit(model, known, transport, file, unit, read=_prompt(), say=_say)
        asyncio.run(talk)
    except BridgeUnavailable as error:
        raise CommandError(str(error)) from None
    except BridgeLost as error:
        _say(str(error))
        raise typer.Exit(FAILED) from None


async def calibrate_unit(
    model: BoardLayout,
    known: BoardLayout,
    transport: Transport,
    file: Path,
    unit: str,
    *,
    read: ReadLine,
    say: Say,
) -> None:
    """Talk with somebody until they quit; the file is written when they say so.

    Raises:
        BridgeLost: the board is not there at the beginning.
    """
    from sera.animation.output import JogSession, save_calibration

    board = _Board(model, transport)
    try:
        session = JogSession(model, known, await board.connect())
        say(f"calibrating unit '{unit}' of {model.robot}; `help` lists the commands")
        say(session.obey("").sentence)
        while (line := await read()) is not None:
            answer = session.obey(line)
            if answer.move:
                await _move(board, session, say)
                continue
            if answer.save:
                try:
                    save_calibration(file, session.layout, unit=unit)
                except OSError as error:
                    say(f"not saved: {file}: {error.strerror or error}")
                    continue
                session.mark_saved()
                say(f"saved to {file}")
                continue
            say(answer.sentence)
            if answer.quit:
                return
        say(session.obey("quit").sentence)
    finally:
        await board.hold_and_close()


async def _move(board: _Board, session: JogSession, say: Say) -> None:
    from sera.animation.output import BridgeLost

    wanted = session.positions
    try:
        if not board.is_there:
            session.found_at(await board.connect())
            say(f"the board is back, nothing was moved: {session.obey('').sentence}")
            return
        session.found_at(await board.glide(wanted))
    except BridgeLost as error:
        board.is_there = False
        say(f"{error}; what was set is kept: plug it in and try the step again")
        return
    say(session.obey("").sentence)


class _Board:
    """The servos in raw units."""

    def __init__(self, model: BoardLayout, transport: Transport) -> None:
        from sera.animation.output import ArduinoBridge

        raw = tuple(
            dataclasses.replace(servo, sign=1, offset=0.0, scale=1.0) for servo in model.servos
        )
        self._channels = [servo.channel for servo in raw]
        layout = dataclasses.replace(model, servos=raw)
        self._bridge = ArduinoBridge(layout, transport, time.monotonic)
        self.is_there = False

    async def connect(self) -> list[float]:
        """Reach the board, which may have been stopped; where its servos are."""
        await self._bridge.connect()
        await self._bridge.release()
        self.is_there = True
        return await self._measured()

    async def glide(self, wanted: list[float]) -> list[float]:
        """Go there in small steps, one a frame; where the servos were sent in the end."""
        import asyncio

        from sera.animation.output import OutputFrame

        at = await self._measured()
        while at != wanted:
            at = [
                here + min(max(there - here, -_GLIDE_STEP), _GLIDE_STEP)
                for here, there in zip(at, wanted, strict=True)
            ]
            values = dict(zip(self._channels, at, strict=True))
            await self._bridge.animate(OutputFrame(values=values))
            await asyncio.sleep(_FRAME_S)
        await self._measured()  # the line still stands
        return at

    async def hold_and_close(self) -> None:
        try:
            if self.is_there:
                await self._bridge.stop("calibration ended")
        except OSError:
            pass  # its own watchdog holds it
        finally:
            await self._bridge.close()

    async def _measured(self) -> list[float]:
        joints = (await self._bridge.heartbeat()).joints
        return [joints[channel] for channel in self._channels]


def _prompt() -> ReadLine:
    """Lines of the standard input, read in a thread that does not keep the program alive."""

    async def read() -> str | None:
        import asyncio

        loop = asyncio.get_running_loop()
        answer: asyncio.Future[str] = loop.create_future()

        def deliver(line: str) -> None:
            if not answer.done():
                answer.set_result(line)

        def wait() -> None:
            line = sys.stdin.readline()
            if not loop.is_closed():
                loop.call_soon_threadsafe(deliver, line)

        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        threading.Thread(target=wait, name="prompt", daemon=True).start()
        line = await answer
        return line.strip() if line else None

    return read


def _say(sentence: str) -> None:
    print(sentence, flush=True)
