"""Work that is too heavy for the gateway, in a process of its own whose output is passed on.

Design overview: a question goes in as one line of JSON, the answer comes out in pieces and is
never held as a whole. A child that fails before it has said anything gives one sentence.

Threading: one asyncio loop. Safety: children run at a lower priority, few at a time, and end with
the request that they answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from starlette.responses import StreamingResponse

from sera.console._in_child import NOT_THERE
from sera.console._visitor import Denied

_PIECE_BYTES = 64 * 1024
_PATIENCE_S = 30.0


class Children:
    """Starts children, a few at a time."""

    def __init__(self, program: str, *, at_once: int = 2) -> None:
        """Start nothing yet.

        Args:
            program: module with a `main` that reads a question from stdin and answers on stdout.
            at_once: how many may work at a time.
        """
        self._program = program
        self._free = asyncio.Semaphore(at_once)

    async def respond(
        self, question: dict[str, Any], media_type: str, headers: dict[str, str] | None = None
    ) -> StreamingResponse:
        """The child's output as an answer to a request.

        Raises:
            Denied: the child failed, or too many are at work.
        """
        pieces = self.pieces(question)
        first = await anext(pieces, b"")

        async def body() -> AsyncIterator[bytes]:
            async with contextlib.aclosing(pieces):
                yield first
                async for piece in pieces:
                    yield piece

        return StreamingResponse(body(), media_type=media_type, headers=headers)

    async def pieces(self, question: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        """The child's output, piece by piece.

        Raises:
            Denied: the child failed before it said anything, or too many are at work.
        """
        try:
            await asyncio.wait_for(self._free.acquire(), _PATIENCE_S)
        except TimeoutError:
            raise Denied(503, "too much is being read at once: try again in a moment") from None
        try:
            process = await _start(self._program, question)
            try:
                async for piece in _read(process):
                    yield piece
            finally:
                await _end(process)
        finally:
            self._free.release()


async def _start(program: str, question: dict[str, Any]) -> Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", program, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.close()
    return process


async def _read(process: Process) -> AsyncIterator[bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    # What it complains about is short; reading it on the side keeps it from waiting for us.
    complaint = asyncio.create_task(_last_line(process.stderr))
    try:
        said = False
        while piece := await process.stdout.read(_PIECE_BYTES):
            said = True
            yield piece
        if await process.wait() != 0 and not said:
            status = 404 if process.returncode == NOT_THERE else 500
            raise Denied(status, await complaint or "the work failed without a word")
    finally:
        complaint.cancel()


async def _last_line(stream: asyncio.StreamReader) -> str:
    last = b""
    while piece := await stream.read(_PIECE_BYTES):
        last = (last + piece)[-4096:]
    lines = [line for line in last.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[:500] if lines else ""


async def _end(process: Process) -> None:
    """End a child that is still at work, and let go of its pipes even while being cancelled."""
    try:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 2.0)
    finally:
        process._transport.close()  # type: ignore[attr-defined]  # kills it where it still lives
