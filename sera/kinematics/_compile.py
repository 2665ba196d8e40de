"""How inner loops are compiled: numba, cached on disk under a key made of their sources.

numba's own cache looks at the file of a kernel only: a kernel kept after a change in a kernel of
another file that it calls would be stale. Here each file has a cache folder named after a digest
of itself and of all files of SERA that it imports, so that an edit compiles what depends on
it anew and an unchanged checkout never compiles twice.

The cache lies where `sera._kernel_cache` says; numba's own place for a kernel depends on the path
of its file, which would give every checkout a cache of its own, so that the place is ours. Where
nothing can be written kernels are compiled once a process.

Kernels are compiled without fast maths, so that a seed gives the same bits everywhere the same
library runs, and they release the interpreter lock, so that threads share the cores.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from sera._kernel_cache import cache_folder, keep_newest

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from sera\.([\w.]+) import", re.MULTILINE)


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
        keep_newest(parent, f"{name}.*")
    except OSError:
        return None
    return folder


class _Place(_CacheLocator):
    """Where numba keeps one kernel: a folder that is never stale, whatever the path of the file."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file = function.__code__.co_filename
        self._line = function.__code__.co_firstlineno
        self._folder = str(folder)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Place | None:
        folder = _folder_for(Path(py_file))
        return None if folder is None else cls(py_func, folder)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._folder.rpartition(".")[2]

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Place]  # noqa: RUF012 (numba declares it for instances)


class _Cache(FunctionCache):
    _impl_class = _Implementation


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` for machine code at its first call, or take it from the cache."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy", fastmath=False)(function)
    if _folder_for(Path(function.__code__.co_filename)) is not None:
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return cast("Callable[P, R]", compiled)
