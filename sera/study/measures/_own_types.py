"""Message types that a scenario declares, found in its files without running them.

A type that nobody sent in a session is in no log, and its module may not be imported where the
log is looked at; a count of it is still 0 and no mistake.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

_KINDS = frozenset({"Perception", "Action", "Event", "State"})


def types_declared_in(folder: Path) -> frozenset[str]:
    """Names of the message types in the Python files of a folder and of those below it."""
    bases: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*.py")) if folder.is_dir() else ():
        try:
            stat = file.stat()
        except OSError:
            continue
        for name, of in _classes(file, stat.st_mtime_ns, stat.st_size):
            bases.setdefault(name, set()).update(of)
    found: set[str] = set()
    grown = True
    while grown:  # a type may refine another one of the scenario
        more = {name for name, of in bases.items() if of & (_KINDS | found)} - found
        found |= more
        grown = bool(more)
    return frozenset(found)


@lru_cache(maxsize=256)
def _classes(file: Path, _changed_ns: int, _size: int) -> tuple[tuple[str, frozenset[str]], ...]:
    """Classes of a file with the names of their bases; read again when the file has changed."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # whoever runs the file says what is wrong with it
    return tuple(
        (node.name, frozenset(map(_last_name, node.bases)))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )


def _last_name(base: ast.expr) -> str:
    if isinstance(base, ast.Attribute):
        return base.attr
    return base.id if isinstance(base, ast.Name) else ""
