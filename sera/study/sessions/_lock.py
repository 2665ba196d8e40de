"""A lock that goes with the process that holds it, also after kill -9.

The operating system keeps the lock, so that nothing has to be tidied up after a crash. The file
says who holds it, for the sentence that others get to read.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sera.study.sessions._files import SessionError

_LOOK_EVERY_S = 0.05
_FAR = 1 << 30
"""Where Windows locks a byte: what is locked there cannot be read by others."""


class Held(SessionError):
    """Somebody else holds the lock."""

    def __init__(self, path: Path, holder: str) -> None:
        self.holder = holder
        super().__init__(f"{path} is held by {holder}")


@contextlib.contextmanager
def locked(path: Path, *, patience_s: float = 0.0) -> Iterator[None]:
    """Hold a lock.

    Args:
        path: the lock file; it stays there.
        patience_s: how long to wait for another holder.

    Raises:
        Held: another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        deadline_s = time.monotonic() + patience_s
        while not _try(file):
            if time.monotonic() >= deadline_s:
                raise Held(path, _holder(path))
            time.sleep(_LOOK_EVERY_S)
        file.truncate(0)
        about = {"pid": os.getpid(), "started": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
        file.write(json.dumps(about).encode() + b"\n")
        file.flush()
        try:
            yield
        finally:
            _release(file)


def holder_of(path: Path) -> str | None:
    """Who holds a lock; None where nobody does."""
    if not path.exists():
        return None
    with path.open("a+b") as file:
        if not _try(file):
            return _holder(path)
        _release(file)
    return None


if sys.platform == "win32":
    import msvcrt

    def _try(file: IO[bytes]) -> bool:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        file.seek(0)
        return True

    def _release(file: IO[bytes]) -> None:
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:

    def _try(file: IO[bytes]) -> bool:
        import fcntl  # not there on every system, and only who locks needs it

        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _release(file: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _holder(path: Path) -> str:
    try:
        about = json.loads(path.read_bytes())
        return f"process {about['pid']} since {about['started']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
