"""Where compiled kernels are kept, and whether all of them are: asked without loading numba.

A run asks before it starts, and the processes that start it need not know of numba, which is larger
than all the rest. Kernels lie in the user's cache under digests of their sources, so that every
checkout and every copy of the same sources shares them; if that folder cannot be written they lie
beside the sources. Whether everything was compiled is remembered by a mark in the cache's folder
that bears a digest of all sources: any change of them asks for it again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

MARK = "warm."
KEPT_STATES = 8
"""So many states of the sources (branches, checkouts) keep what was compiled for them."""
_PACKAGE = Path(__file__).parent
_BESIDE_SOURCES = _PACKAGE / "kinematics" / "__pycache__"
_ROOMS = ("kinematics", "evaluation", "animation/frame", "animation/engine")


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept; None where no folder can be written."""
    for in_user_cache in (True, False):
        try:
            folder = (_user_cache() if in_user_cache else _BESIDE_SOURCES) / "kernels"
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except (OSError, RuntimeError):  # RuntimeError: no home folder
            continue
        return folder
    return None


def is_warm() -> bool:
    """Whether everything was compiled from the sources as they are."""
    folder = cache_folder()
    return folder is not None and mark_in(folder).exists()


def mark_in(folder: Path) -> Path:
    """The file that says so, in the cache's folder."""
    digest = hashlib.sha256(f"{metadata.version('numba')} {sys.version_info[:2]}".encode())
    for part in _ROOMS:
        for file in sorted((_PACKAGE / part).rglob("*.py")):
            digest.update(file.relative_to(_PACKAGE).as_posix().encode() + file.read_bytes())
    return folder / f"{MARK}{digest.hexdigest()[:16]}"


def keep_newest(folder: Path, pattern: str) -> None:
    """Delete the oldest of what other states of the sources have left in the cache's folder."""
    with suppress(OSError):  # another process may do the same
        found = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
        for old in found[:-KEPT_STATES]:
            if old.is_dir():
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.unlink(missing_ok=True)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "sera"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/sera"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sera"
