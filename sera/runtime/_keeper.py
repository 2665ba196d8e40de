"""Keepers: each keeps one module alive, in this process or in one of its own.

Design overview
    A module that dies is started again after a pause that grows with each death; after too many
    deaths in a minute it is given up and said so, and the rest of the run goes on.

Threading
    The event loop's thread; a module of its own process is watched through its exit.

Safety
    A child process ends when this process does, however that happens: it watches its standard
    input, which closes with us.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from sera.bus import BusError
from sera.runtime._host import ModuleHost
from sera.runtime.clock import real_seconds

RESTART_PAUSES_S = (0.1, 0.3, 1.0, 3.0, 5.0)
DEATHS_ALLOWED = 5
DEATHS_WINDOW_S = 60.0
CHILD_GRACE_S = 1.2

_log = logging.getLogger("sera.keeper")


class StartFailed(RuntimeError):
    """A module without which there is no run could not start."""


class Keeper(ABC):
    """Keeps one module alive until it is asked to stop."""

    def __init__(
        self,
        source: str,
        now: Callable[[], float],
        give_up: Callable[[str], None],
        *,
        must_start: bool = False,
    ) -> None:
        self.source = source
        self.deaths: list[float] = []
        self.must_start = must_start
        self._now = now
        self._give_up = give_up
        self._stopping = asyncio.Event()

    @property
    def restarts(self) -> int:
        return len(self.deaths)

    async def keep(self) -> None:
        """Run the module again and again until it stops on request or dies too often."""
        while not self._stopping.is_set():
            cause = await self._live_once()
            if cause is None or self._stopping.is_set():
                return
            if self.must_start and not self._has_started():
                raise StartFailed(f"{self.source} could not start: {cause}")
            self.deaths.append(self._now())
            recent = [time for time in self.deaths if time > self._now() - DEATHS_WINDOW_S]
            if len(recent) > DEATHS_ALLOWED:
                self._give_up(
                    f"{self.source} died {len(recent)} times within {DEATHS_WINDOW_S:g} s and was "
                    f"given up; the last time: {cause}"
                )
                return
            pause_s = RESTART_PAUSES_S[min(len(recent) - 1, len(RESTART_PAUSES_S) - 1)]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._stopping.wait()

    def stop(self) -> None:
        """Ask for the end; `keep` returns soon after."""
        self._stopping.set()

    def _has_started(self) -> bool:
        return True

    @abstractmethod
    async def _live_once(self) -> str | None:
        """One life of the module; returns why it died, or None after a proper end."""


class HostKeeper(Keeper):
    """Keeps a module that shares this process."""

    def __init__(
        self,
        source: str,
        make_host: Callable[[int], ModuleHost],
        *,
        now: Callable[[], float],
        give_up: Callable[[str], None],
        must_start: bool = False,
    ) -> None:
        super().__init__(source, now, give_up, must_start=must_start)
        self._make_host = make_host
        self.host: ModuleHost = make_host(0)

    async def open(self) -> None:
        """Connect before anybody speaks; the first life then starts connected."""
        await self.host.open()

    def stop(self) -> None:
        super().stop()
        self.host.stop()

    def _has_started(self) -> bool:
        return bool(self.deaths) or self.host.started.is_set()

    async def _live_once(self) -> str | None:
        try:
            if self.deaths:
                self.host = self._make_host(len(self.deaths))
                await self.host.open()
            await self.host.live()
        except BusError as error:
            return str(error)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None


class ProcessKeeper(Keeper):
    """Keeps a module in a process of its own: `sera module run` with the same settings."""

    def __init__(
        self,
        source: str,
        arguments: list[str],
        handed_down: Callable[[], Awaitable[dict[str, object]]],
        *,
        now: Callable[[], float],
        give_up: Callable[[str], None],
        died: Callable[[str], None],
    ) -> None:
        super().__init__(source, now, give_up)
        self._arguments = arguments
        self._handed_down = handed_down
        self._died = died
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def _live_once(self) -> str | None:
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # nothing of the current folder stands in for a module of Python's
            "-m",
            "sera",
            "module",
            "run",
            *self._arguments,
            "--child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=dict(os.environ),
        )
        handing_down = asyncio.create_task(
            self._hand_down(process), name=f"{self.source} hand down"
        )
        last_words = asyncio.create_task(self._listen(process), name=f"{self.source} stderr")
        stopping = asyncio.create_task(self._stopping.wait(), name=f"{self.source} stopping")
        ended = asyncio.create_task(process.wait(), name=f"{self.source} process")
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            await self._end(process)
        stopping.cancel()
        handing_down.cancel()
        code = await process.wait()
        words = await last_words
        if self._stopping.is_set():
            return None
        cause = f"its process {process.pid} ended with code {code}"
        if words and code > 0:
            cause += f": {words[-1]}"
        self._died(f"{self.source}: {cause}")
        return cause

    async def _hand_down(self, process: asyncio.subprocess.Process) -> None:
        """Tell the child where the broker is, as soon as it stands; it gets ready meanwhile.

        Settings and the broker's password go through the pipe, not through the command line,
        which every user of the machine can read.
        """
        assert process.stdin is not None
        line = json.dumps(await self._handed_down()).encode() + b"\n"
        if not process.stdin.is_closing():
            process.stdin.write(line)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        process.stdin.close()  # the child takes this as the call to end
        for last_resort in (process.terminate, process.kill):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(real_seconds(CHILD_GRACE_S)):
                    await process.wait()
                    return
            with contextlib.suppress(ProcessLookupError):
                last_resort()

    async def _listen(self, process: asyncio.subprocess.Process) -> list[str]:
        """Pass on what the child writes; returns its last words."""
        assert process.stderr is not None
        words: list[str] = []
        async for line in process.stderr:
            text = line.decode(errors="replace").rstrip()
            if text:
                words = [*words[-9:], text]
                _log.info("%s: %s", self.source, text)
        return words
