"""Which live pictures and sounds a run has, and how a gateway on this machine reaches them.

A module that offers some writes a small file into the folder of its run; the gateway lists them. A
file whose process is gone is stale: it is ignored and removed.

Safety
    The file holds the token that opens the feed, so that folder and file belong to one user alone.
    Addresses of cameras may hold passwords: only a digest of them is written.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

# What makes a file of this user trustworthy, and a process the same one, is decided in one place.
from sera.runtime.live_runs import (
    live_runs_folder,
    process_start,
    require_own,
    write_private,
)

FeedKind = Literal["picture", "sound", "voice"]
FEEDS_SUFFIX = ".feeds"
_SUFFIX = ".json"
_LARGEST_BYTES = 16_384
_TRIES = 5
_STRANGE = re.compile(r"[^A-Za-z0-9._-]")

_log = logging.getLogger("sera.feeds")


@dataclass(frozen=True, slots=True)
class Feed:
    """A live picture or sound that can be had on this machine."""

    kind: FeedKind
    name: str
    """For people: `camera 0`, `microphone 'USB Audio'`, `ada`."""
    source: str
    """Which module offers it, as on the bus: `world.eyes`."""
    character: str
    port: int
    token: str
    pid: int
    process_started_s: float
    began_s: float
    """On the run's clock: of two feeds of one device the older one is offered."""
    device: str = ""
    """Digest of the device; empty: one of its own."""

    @property
    def id(self) -> str:
        """Stays the same over restarts of the module."""
        return feed_id(self.kind, self.source)

    @property
    def is_alive(self) -> bool:
        """Whether its process still is."""
        started_s = process_start(self.pid)
        if started_s is None:
            return False
        unknown = not started_s or not self.process_started_s
        return unknown or abs(started_s - self.process_started_s) < 1.0


def feed_id(kind: FeedKind, source: str) -> str:
    """What a feed is called in addresses."""
    return _STRANGE.sub("_", f"{kind}.{source}")


def device_digest(device: str | int | None) -> str:
    """The same for the same device, file or address, without showing it."""
    return hashlib.sha256(str(device).strip().encode()).hexdigest()[:24]


def feeds_folder(run: str) -> Path:
    """Where the feeds of a run are announced; not necessarily there yet."""
    return live_runs_folder() / f"{_STRANGE.sub('_', run)}{FEEDS_SUFFIX}"


def own_process() -> tuple[int, float]:
    """Number and start of this process."""
    pid = os.getpid()
    return pid, process_start(pid) or 0.0


def announce_feed(run: str, feed: Feed) -> Path:
    """Put a feed on the list; returns its file.

    Raises:
        OSError: the folder cannot be made, or is not safely this user's own.
    """
    sweep_dead_runs()
    for _ in range(_TRIES - 1):
        # Somebody who ends or sweeps may remove the empty folder between two steps.
        with contextlib.suppress(FileNotFoundError):
            return _write(feeds_folder(run), feed)
    return _write(feeds_folder(run), feed)


def _write(folder: Path, feed: Feed) -> Path:
    for each in (folder.parent, folder):
        each.mkdir(parents=True, exist_ok=True, mode=0o700)
        require_own(each)
    return write_private(folder / f"{feed.id}{_SUFFIX}", json.dumps(asdict(feed)))


def withdraw_feed(run: str, feed: Feed) -> None:
    """Take a feed off the list, unless a later life of its module is there already."""
    folder = feeds_folder(run)
    path = folder / f"{feed.id}{_SUFFIX}"
    with contextlib.suppress(OSError):
        known = _read(path)
        if known is not None and known.token == feed.token:
            path.unlink(missing_ok=True)
        folder.rmdir()  # fails where others are left


def list_feeds(run: str) -> list[Feed]:
    """The feeds of a run that are alive, oldest first, one for each device; stale files go."""
    alive = _alive_in(feeds_folder(run))
    alive.sort(key=lambda feed: (feed.began_s, feed.id))
    seen: set[tuple[str, str]] = set()
    chosen = []
    for feed in alive:
        key = (feed.kind, feed.device or feed.id)
        if key not in seen:
            seen.add(key)
            chosen.append(feed)
    return chosen


def sweep_dead_runs() -> None:
    """Remove what killed processes left behind."""
    with contextlib.suppress(OSError):
        for folder in live_runs_folder().glob(f"*{FEEDS_SUFFIX}"):
            if not _alive_in(folder):
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _alive_in(folder: Path) -> list[Feed]:
    found = []
    try:
        require_own(folder)
        paths = sorted(folder.glob(f"*{_SUFFIX}"))
    except OSError:
        return []  # nobody has announced anything
    for path in paths:
        feed = _read(path)
        if feed is None:
            continue
        if feed.is_alive:
            found.append(feed)
        else:
            _log.info("removing %s: its process is gone", path.name)
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return found


def _read(path: Path) -> Feed | None:
    """The feed of a file; None where it is not ours, or of another version."""
    try:
        with path.open("rb") as file:
            feed = Feed(**json.loads(file.read(_LARGEST_BYTES)))
        texts = (feed.name, feed.source, feed.character, feed.token, feed.device)
        sound = (
            feed.kind in get_args(FeedKind)
            and all(isinstance(text, str) for text in texts)
            and isinstance(feed.port, int)
            and isinstance(feed.pid, int)
            and 0 < feed.port < 65536
            and feed.pid > 0
            and isinstance(feed.process_started_s, int | float)
            and isinstance(feed.began_s, int | float)
        )
    except (OSError, ValueError, TypeError):
        return None
    return feed if sound else None


__all__ = [
    "Feed",
    "FeedKind",
    "announce_feed",
    "device_digest",
    "feed_id",
    "feeds_folder",
    "list_feeds",
    "own_process",
    "sweep_dead_runs",
    "withdraw_feed",
]
