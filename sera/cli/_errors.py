"""What people see when something is wrong: one clear message, no traceback, an exit code.

Exit codes: 0 done, 1 the run or its modules failed, 2 wrong input or surroundings, 3 a module
died, 130 and 143 stopped by Ctrl-C and by SIGTERM.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import typer

from sera.cli._text import note

FAILED = 1
WRONG_INPUT = 2
MODULE_DIED = 3
INTERRUPTED = 130

DEBUG_VARIABLE = "SERA_DEBUG"

# By the name of their home: an error of a part that was never imported cannot have been raised.
_CLEAR_SENTENCES = {
    "sera.bus": ("BusError", "PayloadTooLarge"),
    "sera.messages": ("UnknownMessageType",),
    "sera.runtime._keeper": ("StartFailed",),
    "sera.runtime.live_runs": ("LiveRunError",),
    "sera.runtime.located": ("FileProblem", "FileProblems"),
    "sera.runtime.scaffold": ("ScaffoldError",),
    "sera.runtime.workspace": ("WorkspaceError",),
    "sera.study.sessions": ("SessionError",),
}
_FAILURES = {"sera.runtime.clock": ("StalledError", "VirtualTimeError")}


class CommandError(Exception):
    """Something on the command line cannot be done; the message says what and what to do."""


def nobody_reads() -> None:
    """Whoever read our output has gone (`sera monitor | head`): write into nothing from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def as_wrong_input() -> Iterator[None]:
    """Mark a ValueError of something that parses what the user typed as the user's."""
    try:
        yield
    except ValueError as error:
        raise CommandError(str(error)) from None


def debugging() -> bool:
    """Whether tracebacks are wanted."""
    return os.environ.get(DEBUG_VARIABLE, "").lower() not in ("", "0", "false", "no")


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Turn what users can do something about into one message and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        nobody_reads()
        raise typer.Exit(FAILED) from None
    except Exception as error:
        verdict = None if debugging() else _verdict(error)
        if verdict is None:
            raise
        sentence, code = verdict
        note(f"sera: {sentence}", style="bold red")
        raise typer.Exit(code) from None


def _verdict(error: Exception) -> tuple[str, int] | None:
    """What to say and how to exit; None for errors that are ours to mend."""
    if isinstance(error, (CommandError, *_known(_CLEAR_SENTENCES))):
        return str(error), WRONG_INPUT
    if isinstance(error, _known(_FAILURES)):
        return str(error), FAILED
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}", WRONG_INPUT
    if isinstance(error, (OSError, ValueError)):
        return f"{error} ({DEBUG_VARIABLE}=1 shows where)", WRONG_INPUT
    return None


def _known(names: Mapping[str, tuple[str, ...]]) -> tuple[type[Exception], ...]:
    return tuple(
        getattr(sys.modules[home], name)
        for home, members in names.items()
        if home in sys.modules
        for name in members
    )
