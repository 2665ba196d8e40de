"""Where compiled kernels are kept, and whether all of them are: asked without loading numba.

A run asks before it starts, and the processes that start it need not know of numba, which is larger
than all the rest. Whether everything was compiled is remembered by a mark in the cache's folder
that bears a digest of all sources: any change of them asks for it again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

MARK = "warm."
_PACKAGE = Path(__file__).parent
_BESIDE_SOURCES = _PACKAGE / "kinematics" / "__pycache__"
_ROOMS = ("kinematics", "evaluation", "animation/frame", "animation/engine")


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept; None where no folder can be written."""
    for beside_sources in (True, False):
        try:
            folder = (_BESIDE_SOURCES if beside_sources else _user_cache()) / "kernels"
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


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "sera"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/sera"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sera"
