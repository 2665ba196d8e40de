"""Which controllers and stages there are: the built-in ones and a laboratory's own.

A plug-in is a Python file in `controllers/` of a workspace or of a robot's folder. Every subclass
of `Controller` or `Signal` in it that can be made from a program file is known there by its class
name, every `SecondStage` likewise. A plug-in may stand in place of a built-in one.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sera.animation.controllers import BUILT_IN
from sera.animation.engine import Controller, ErikStage, Output, SecondStage, Signal
from sera.runtime.located import FileProblem, nearest_name

PLUG_IN_FOLDER = "controllers"
StageMaker = Callable[[int, dict[str, Any]], SecondStage]


def _erik(every: int, settings: dict[str, Any]) -> SecondStage:
    if settings:
        raise ValueError(f"the stage 'erik' has no settings, not {', '.join(settings)}")
    return ErikStage(every=every)


class Registry:
    """Types by the names that program files use."""

    def __init__(self) -> None:
        """Know what is built in."""
        self.controllers: dict[str, type[Controller]] = dict(BUILT_IN)
        self.stages: dict[str, StageMaker] = {"erik": _erik}
        self.plug_ins: dict[str, Path] = {}
        """Where each type that is not built in comes from."""
        self._unfinished: dict[str, str] = {}
        """Classes of plug-ins that cannot be made, and why."""

    def controller(self, name: str) -> type[Controller]:
        """The controller type of that name; LookupError with the nearest one."""
        if name in self.controllers:
            return self.controllers[name]
        if name in self._unfinished:
            raise LookupError(self._unfinished[name])
        near = nearest_name(name, self.controllers)
        hint = f"; did you mean '{near}'?" if near else "; `sera list controllers` shows them"
        raise LookupError(f"there is no controller '{name}'{hint}")

    def stage(self, name: str) -> StageMaker:
        """What makes a stage of that name; LookupError with the nearest one."""
        if name in self.stages:
            return self.stages[name]
        if name in self._unfinished:
            raise LookupError(self._unfinished[name])
        near = nearest_name(name, self.stages)
        hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(self.stages)}"
        raise LookupError(f"there is no second stage '{name}'{hint}")

    def load_plug_ins(self, roots: Iterable[Path]) -> None:
        """Load `controllers/*.py` of these folders; a later folder stands in place of earlier.

        Raises:
            FileProblem: a file cannot be loaded, with the line where it fails.
        """
        for root in roots:
            folder = root / PLUG_IN_FOLDER
            for file in sorted(folder.glob("*.py")) if folder.is_dir() else ():
                if not file.name.startswith("_"):
                    self._take(file)

    def _take(self, file: Path) -> None:
        module = _imported(file)
        for name, found in inspect.getmembers(module, inspect.isclass):
            is_theirs = found.__module__ == module.__name__
            if not (is_theirs and issubclass(found, Controller | SecondStage)):
                continue
            if inspect.isabstract(found):
                lacks = ", ".join(sorted(found.__abstractmethods__))
                self._unfinished[name] = f"'{name}' of {file.name} cannot be used; it lacks {lacks}"
                continue
            if issubclass(found, SecondStage):
                self.stages[name] = _stage_maker(found)
            else:
                _check_output(file, found)
                self.controllers[name] = found
            self.plug_ins[name] = file


def _check_output(file: Path, found: type[Controller]) -> None:
    if issubclass(found, Signal) and found.output is Output.FRAME:
        raise FileProblem(
            file,
            f"the signal '{found.__name__}' does not say what it gives",
            line=inspect.getsourcelines(found)[1],
            fix="write output = Output.FLOAT into the class, or INT, STRING, BOOL",
        )


def _stage_maker(kind: type[Any]) -> StageMaker:
    def make(every: int, settings: dict[str, Any]) -> SecondStage:
        made: SecondStage = kind(every=every, **settings)
        return made

    return make


def _imported(file: Path) -> Any:
    name = f"sera_plug_in_{file.stem}_{zlib.crc32(str(file.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Not by the loader: it would take an edit of the same second and length for no edit.
        exec(compile(file.read_bytes(), str(file), "exec"), module.__dict__)  # noqa: S102
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise FileProblem(
            file,
            f"the plug-in cannot be loaded: {what or type(error).__name__}",
            line=_line_in(file, error),
        ) from error
    return module


def _line_in(file: Path, error: BaseException) -> int | None:
    """The line of the plug-in in which the error arose."""
    if isinstance(error, SyntaxError):
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
