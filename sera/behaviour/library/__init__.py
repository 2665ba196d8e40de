"""Utterance libraries: lines in sheets that people write, read, checked, composed and reloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sera.behaviour.library._sheet import Limits
from sera.behaviour.library.compose import compose, read_libraries
from sera.behaviour.library.library import Library
from sera.behaviour.library.line import UNMARKED, DialogueRow, Line, Origin, Repetitions
from sera.behaviour.library.lint import lint_library
from sera.behaviour.library.read import LibraryReading, read_library, split_language
from sera.behaviour.library.reload import Fingerprint, LibraryKeeper, Reload, fingerprint
from sera.behaviour.library.stats import LibraryStats, stats

if TYPE_CHECKING:
    from sera.behaviour.library.comments import write_comments
    from sera.behaviour.library.template import write_template

__all__ = [
    "UNMARKED",
    "DialogueRow",
    "Fingerprint",
    "Library",
    "LibraryKeeper",
    "LibraryReading",
    "LibraryStats",
    "Limits",
    "Line",
    "Origin",
    "Reload",
    "Repetitions",
    "compose",
    "fingerprint",
    "lint_library",
    "read_libraries",
    "read_library",
    "split_language",
    "stats",
    "write_comments",
    "write_template",
]


def __getattr__(name: str) -> Any:
    """Writing needs openpyxl, which a robot that only speaks should not wait for."""
    if name == "write_comments":
        from sera.behaviour.library.comments import write_comments

        return write_comments
    if name == "write_template":
        from sera.behaviour.library.template import write_template

        return write_template
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
