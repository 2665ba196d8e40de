"""Asks a child process for descriptions of bodies and remembers them.

Threading: one event loop. Safety: folders come from the workspace, never from a request; a child
that hangs is ended.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from pathlib import Path

from sera.console._visitor import Denied

DEADLINE_S = 60.0
REMEMBERED = 64


class Descriptions:
    """Descriptions of bodies as JSON, by what is in their files."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._turn = asyncio.Semaphore(2)
        """Opening a page with many robots must not take every core from the run."""

    async def of(self, folder: Path) -> bytes:
        """The description of the body in a folder.

        Raises:
            Denied: the body cannot be read; in the words of its problems.
        """
        key = _digest(folder)
        if key in self._known:
            return self._known[key]
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._described(folder))
            task.add_done_callback(lambda _done: self._under_way.pop(key, None))
        described = await asyncio.shield(task)  # one who leaves does not end it for the others
        self._known[key] = described
        while len(self._known) > REMEMBERED:
            self._known.pop(next(iter(self._known)))
        return described

    async def _described(self, folder: Path) -> bytes:
        async with self._turn:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "sera.console.bodies", str(folder)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                async with asyncio.timeout(DEADLINE_S):
                    told, complaint = await child.communicate()
            except TimeoutError:
                raise Denied(503, f"describing '{folder.name}' took too long; try again") from None
            finally:
                if child.returncode is None:
                    child.kill()
                    await child.wait()
        if child.returncode == 0:
            return told
        raise Denied(422, _why(told, complaint, folder))


def _why(told: bytes, complaint: bytes, folder: Path) -> str:
    try:
        return str(json.loads(told)["why"])
    except (ValueError, KeyError, TypeError):
        lines = complaint.decode(errors="replace").strip().splitlines() or ["no reason was given"]
        return f"the body of '{folder.name}' cannot be drawn: {lines[-1]}"


def _digest(folder: Path) -> str:
    """Changes with anything that a description is made of."""
    digest = hashlib.sha256(str(folder).encode())
    for file in sorted([folder / "body.toml", *folder.glob("*.urdf")]):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
