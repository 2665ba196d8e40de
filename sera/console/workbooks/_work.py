"""Hands a task to a child process, within limits of time and number.

Threading
    The event loop's thread; the work itself is the child's.

Safety
    A child that takes too long, or whose page went away, is killed. At most two work at a time,
    and only a few more may wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from sera.console._visitor import Denied

AT_ONCE, MOST_WAITING = 2, 8
LONGEST_S = 60.0
UPLOAD_BYTES = 8_000_000
"""What a page may hand in."""


class Bench:
    """Where the children of one gateway work."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._free = asyncio.Semaphore(AT_ONCE)
        self._here = 0

    async def do(self, task: Mapping[str, Any]) -> None:
        """Have a task done.

        Raises:
            Denied: it cannot be done, with the child's sentence.
        """
        if self._here >= AT_ONCE + MOST_WAITING:
            raise Denied(429, "many sheets are being checked just now; try again in a moment")
        self._here += 1
        try:
            async with self._free:
                answer = await self._answer(json.dumps(task).encode())
        finally:
            self._here -= 1
        if not answer.get("done"):
            raise Denied(int(answer.get("status", 422)), str(answer.get("why", "it failed")))

    async def _answer(self, task: bytes) -> dict[str, Any]:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sera.console.workbooks._child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Threads of numeric libraries would each reserve memory that the child must not have.
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        try:
            async with asyncio.timeout(self._longest_s):
                said, _ = await child.communicate(task)
        except TimeoutError:
            raise Denied(
                422,
                f"reading it took more than {self._longest_s:g} s and was given up; "
                "copy the lines alone into a new workbook",
            ) from None
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        try:
            answer = json.loads(said)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            return {"why": "the file could not be read to its end; it may be damaged"}
        return answer
