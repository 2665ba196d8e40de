"""Measures that a laboratory writes itself: functions beside the scenario that take a log.

Safety: whatever such a file does wrong (it cannot be read, fails, ends the program, prints, returns
something else) costs its measure alone, and is said with file, line and function.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sera.runtime.located import nearest_name, shown_path
from sera.study.measures.log import SessionLog


class MeasureFailed(Exception):
    """A function could not be called, or gave no number; the message says where and why."""


class _FromSource(SourceFileLoader):
    """Always from the text: nothing is written beside it, and nothing old is used."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class OwnFunctions:
    """The functions beside one scenario, each file loaded once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, ModuleType | MeasureFailed] = {}

    def call(self, place: str, log: SessionLog) -> float | int | None:
        """What a function gives for a log.

        Args:
            place: `measures.py:time_guessing`.
            log: handed to it; what it changes there harms nobody else.

        Raises:
            MeasureFailed: with file, line, function and log.
        """
        file_name, name = place.split(":")
        path = self._folder / file_name
        function = self.find(place)
        try:
            with contextlib.redirect_stdout(sys.stderr):  # the results may go to standard output
                value = function(log)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise MeasureFailed(
                f"{_place(path, error)}, {name} failed on {log.name}: {_what(error)}"
            ) from error
        return _number(value, f"{shown_path(path)}:{_line(function)}, {name}", log)

    def find(self, place: str) -> Callable[..., Any]:
        """A function by its place.

        Raises:
            MeasureFailed: its file cannot be loaded, or has no such function.
        """
        file_name, name = place.split(":")
        path = self._folder / file_name
        module = self._loaded.get(path.name)
        if module is None:
            try:
                module = _load(path)
            except MeasureFailed as failed:
                module = failed
            self._loaded[path.name] = module
        if isinstance(module, MeasureFailed):
            raise module
        function = getattr(module, name, None)
        if callable(function):
            return function  # type: ignore[no-any-return]  # it may be anything that is called
        own = [key for key, one in vars(module).items() if callable(one) and key[0] != "_"]
        near = nearest_name(name, own)
        hint = f"; did you mean '{near}'?" if near else ""
        raise MeasureFailed(f"{shown_path(path)} has no function '{name}'{hint}")


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise MeasureFailed(f"there is no file {shown_path(path)}")
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    name = f"sera_own_measures_{digest}"
    loader = _FromSource(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look there for the types of their fields
    try:
        with contextlib.redirect_stdout(sys.stderr):
            loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise MeasureFailed(f"{_place(path, error)} cannot be loaded: {_what(error)}") from error
    return module


def _place(path: Path, error: BaseException) -> str:
    """File and line: the last one in the file itself that led to the error."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{shown_path(path)}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f"{shown_path(path)}:{lines[-1]}" if lines else shown_path(path)


def _what(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line(function: Callable[..., Any]) -> int:
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if isinstance(code, CodeType) else 1


def _number(value: Any, place: str, log: SessionLog) -> float | int | None:
    if value is None:
        return None
    if isinstance(value, Integral):  # numpy's numbers as well
        if abs(int(value)) > sys.float_info.max:
            raise MeasureFailed(
                f"{place} gave a number with more digits than any table can hold for {log.name}: "
                "return a smaller one, or None"
            )
        return int(value)
    if not isinstance(value, Real):
        raise MeasureFailed(
            f"{place} gave {type(value).__name__} for {log.name}, where a number is expected "
            "(or None, if it cannot be taken)"
        )
    if not isfinite(value):
        raise MeasureFailed(f"{place} gave {value} for {log.name}, which is no number to count on")
    return float(value)
