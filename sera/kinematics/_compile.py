"""How inner loops are compiled: numba, cached on disk under a key made of their sources.

numba's own cache looks at the file of a kernel only: a kernel kept after a change in a kernel of
another file that it calls would be stale. Here each file has a cache folder named after a digest
of itself and of all files of SERA that it imports, so that an edit compiles what depends on
it anew and an unchanged checkout never compiles twice.

The cache lies beside the sources; where these are read-only (an installed package) it lies in the
user's cache folder; where nothing can be written kernels are compiled once a process.

Kernels are compiled without fast maths, so that a seed gives the same bits everywhere the same
library runs, and they release the interpreter lock, so that threads share the cores.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

from sera._kernel_cache import cache_folder

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from sera\.([\w.]+) import", re.MULTILINE)
_KEPT_FOLDERS = 2
_settings: Any = numba.config  # its attributes are made at run time


def _file_of(dotted: str) -> Path:
    """The file of a module of SERA, named without the first word."""
    path = _PACKAGE.joinpath(*dotted.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _with_imports(path: Path, seen: set[Path]) -> None:
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for dotted in _IMPORT.findall(path.read_text(encoding="utf-8")):
        _with_imports(_file_of(dotted), seen)


def _digest_of(path: Path) -> str:
    files: set[Path] = set()
    _with_imports(path, files)
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for file in sorted(files):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _folder_for(path: Path) -> Path | None:
    parent = cache_folder()
    if parent is None or _PACKAGE not in path.parents:
        return None
    name = "-".join(path.relative_to(_PACKAGE).with_suffix("").parts)
    folder = parent / f"{name}.{_digest_of(path)}"
    try:
        folder.mkdir(exist_ok=True)
        os.utime(folder)
        # One folder for each recent state of the sources; older ones are of no use.
        folders = sorted(parent.glob(f"{name}.*"), key=lambda found: found.stat().st_mtime)
        for old in folders[:-_KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return folder


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` for machine code at its first call, or take it from the cache."""
    compile_plainly = partial(numba.njit, nogil=True, error_model="numpy", fastmath=False)
    folder = _folder_for(Path(function.__code__.co_filename))
    if folder is not None:
        # The place of the cache is decided when the function is decorated: other users of numba
        # in this process keep theirs.
        before = _settings.CACHE_DIR
        _settings.CACHE_DIR = str(folder)
        try:
            return cast("Callable[P, R]", compile_plainly(cache=True)(function))
        except RuntimeError:  # numba found no place after all
            pass
        finally:
            _settings.CACHE_DIR = before
    return cast("Callable[P, R]", compile_plainly()(function))
