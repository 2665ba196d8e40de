"""Records chosen live pictures and sounds of a run for as long as it is allowed.

Design overview
    `begin` and `end` follow consent. In between, each wanted device has a task that waits for its
    feed, reads it and hands what comes to a tape. A device that goes away and comes back goes on in
    the same file, with a hole. What is wanted and not there is told once.

Units and frames
    Seconds on the run's clock, the moment of capture.

Threading
    One event loop; tapes write in a thread, one block at a time and in order. A feed does not wait
    for a slow disk: its frames are left out and show as holes.

Safety
    Nothing is written before `begin` and after `end`. Never overwrites a file.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sera.feeds import Feed, FeedEnded, FeedReader, feeds_folder
from sera.feeds.announcement import _alive_in
from sera.study.media.sidecar import Sidecar
from sera.study.media.tapes import FilmTape, MediaDiskFull, SoundTape, Tape

LOOK_EVERY_S = 0.2
MISSING_AFTER_S = 10.0
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class MediaWanted:
    """A camera or microphone that is to be recorded."""

    kind: str
    """`picture` or `sound`."""
    name: str
    """As the study file has it."""
    sources: frozenset[str]
    """Modules that it may be, as on the bus."""


def matching(wanted: MediaWanted, feeds: Iterable[Feed]) -> Feed | None:
    """The feed that is meant: by module, and where the same camera is used by two, by either."""
    fitting = [feed for feed in feeds if feed.kind == wanted.kind]
    return next((feed for feed in fitting if feed.source in wanted.sources), None)


class MediaRecording:
    """The recording of one run.

    Args:
        run: id of the run.
        wanted: devices.
        folder: where files go.
        session: id of the session.
        log_origin_s: beginning of the log on the run's clock, as soon as it is known.
        tell: hears of problems, one sentence each.
    """

    def __init__(
        self,
        run: str,
        wanted: Iterable[MediaWanted],
        folder: Path,
        *,
        session: str | None = None,
        log_origin_s: Callable[[], float | None] = lambda: None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._run, self._wanted, self._folder = run, tuple(wanted), folder
        self._session, self._log_origin_s, self._tell = session, log_origin_s, tell
        self._tasks: list[asyncio.Task[None]] = []
        self._why_ended = "the run is over"
        self._stretch = 0
        self.tapes: list[Tape] = []
        """Of the current or last stretch."""

    @property
    def goes_on(self) -> bool:
        """Whether something is recorded, or waits for its device."""
        return bool(self._tasks)

    def begin(self, consent: str) -> None:
        """Record from now on.

        Args:
            consent: by what it is allowed; goes into the sidecars.
        """
        if self._tasks:
            return
        self._stretch += 1
        self._why_ended = "the run is over"
        self.tapes = []
        self._tasks = [
            asyncio.create_task(self._record(one, consent), name=f"media {one.name}")
            for one in self._wanted
        ]

    async def end(self, why: str) -> None:
        """Record no more; returns when all files are closed."""
        self._why_ended = why
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _record(self, wanted: MediaWanted, consent: str) -> None:
        tape: Tape | None = None
        why: str | None = None
        try:
            while True:
                feed = await self._found(wanted)
                if tape is None:
                    tape = self._new_tape(wanted, feed, consent)
                    self.tapes.append(tape)
                await self._read(feed, tape)
                await asyncio.sleep(LOOK_EVERY_S)
        except MediaDiskFull as error:
            why = "the disk was full"
            self._tell(str(error))
        except OSError as error:
            why = "it could not be written"
            self._tell(f"nothing more of {wanted.name} is recorded: {error.strerror or error}")
        finally:
            if tape is not None:
                # Not awaited: a cancelled task must still close its files.
                tape.close(why or self._why_ended)

    async def _found(self, wanted: MediaWanted) -> Feed:
        waited_s, told = 0.0, False
        while True:
            feeds = await asyncio.to_thread(_alive_in, feeds_folder(self._run))
            feed = matching(wanted, feeds)
            if feed is not None:
                return feed
            if waited_s >= MISSING_AFTER_S and not told:
                told = True
                there = ", ".join(f.source for f in feeds if f.kind == wanted.kind) or "nothing"
                self._tell(
                    f"'{wanted.name}' offers no {wanted.kind} to record (there is {there}): see "
                    "[media] in study.toml; it is recorded as soon as it comes"
                )
            await asyncio.sleep(LOOK_EVERY_S)
            waited_s += LOOK_EVERY_S

    async def _read(self, feed: Feed, tape: Tape) -> None:
        try:
            async with FeedReader(feed) as reader:
                while True:
                    came = await reader.next()
                    if isinstance(came, dict):
                        continue
                    time_s, payload = came
                    rate_hz = reader.greeting.get("rate_hz")
                    await _whole(asyncio.to_thread(tape.take, payload, time_s, rate_hz))
        except FeedEnded:
            return

    def _new_tape(self, wanted: MediaWanted, feed: Feed, consent: str) -> Tape:
        run = _STRANGE.sub("_", self._run)
        stem = f"{run}_{_STRANGE.sub('_', feed.source)}_{wanted.kind}"
        if self._stretch > 1:
            stem = f"{stem}_again{self._stretch}"
        about = Sidecar(
            file="",
            kind=wanted.kind,
            source=feed.source,
            name=feed.name,
            run=self._run,
            session=self._session,
            started_s=0.0,
            consent=consent,
        )
        kind = FilmTape if wanted.kind == "picture" else SoundTape
        return kind(self._folder, stem, about, self._log_origin_s)


async def _whole(writing: object) -> None:
    """Wait for a write to be over even where this task is cancelled: files are closed after it."""
    task = asyncio.ensure_future(writing)  # type: ignore[call-overload]
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
