"""Servos of one unit of a robot, as they were found by jogging.

Design overview: two units of one model never agree: a horn sits a tooth further, a servo is mounted
the other way round. That belongs to the unit and not to the model, so it stands in a small TOML
file beside the user's settings:

    robot = "keepon"
    unit = "desk"

    [servos."Body.pan"]
    sign = -1
    offset = 92.5
    lower = 10.0
    upper = 170.0

Units and frames: servo units, see `servo_map`.
Threading: none.
Safety: a broken file is refused as a whole, and a file is never half written.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sera.animation.output.servo_map import BoardLayout
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name

_KEYS = ("sign", "offset", "lower", "upper")
_HEADING = ("robot", "unit", "servos")


class CalibrationError(FileProblems):
    """What is wrong in a calibration file."""

    what = "calibration"


def calibration_file(robot: str, unit: str = "default") -> Path:
    """Where the calibration of a unit stands: beside the user's settings."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "sera" / "calibration" / f"{robot}-{unit}.toml"


def load_calibration(path: Path, layout: BoardLayout) -> BoardLayout:
    """The layout of a model, corrected for the unit that the file belongs to.

    Raises:
        FileProblem: the file is missing or not TOML.
        CalibrationError: something in it is wrong; nothing of it is used.
    """
    document = LocatedToml.load(path)
    problems = _heading_problems(document, layout)
    tables = document.data.get("servos", {})
    servos = {servo.channel: servo for servo in layout.servos}
    for channel, table in tables.items() if isinstance(tables, dict) else ():
        wrong = _servo_problems(document, channel, table, servos)
        problems += wrong
        if not wrong:
            try:
                servos[channel] = dataclasses.replace(servos[channel], **table)
            except ValueError as error:
                problems.append(document.problem(("servos", channel), str(error)))
    if problems:
        raise CalibrationError(problems)
    return dataclasses.replace(layout, servos=tuple(servos.values()))


def save_calibration(path: Path, layout: BoardLayout, *, unit: str = "default") -> None:
    """Write the calibration of a unit; the file is whole or as it was before."""
    lines = [f"robot = {_quoted(layout.robot)}", f"unit = {_quoted(unit)}"]
    for servo in layout.servos:
        lines += ["", f"[servos.{_quoted(servo.channel)}]"]
        lines += [f"{key} = {getattr(servo, key)!r}" for key in _KEYS]
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def _heading_problems(document: LocatedToml, layout: BoardLayout) -> list[FileProblem]:
    problems = []
    robot = document.data.get("robot")
    if robot != layout.robot:
        sentence = f"the file is for {robot!r} and not for '{layout.robot}'"
        problems.append(document.problem(("robot",), sentence))
    for key, value in document.data.items():
        if key not in _HEADING:
            near = nearest_name(key, _HEADING)
            problems.append(document.problem((key,), "there is no such key", nearest=near))
        elif key == "servos" and not isinstance(value, dict):
            problems.append(document.problem((key,), "this must be a table of servos"))
    return problems


def _servo_problems(
    document: LocatedToml, channel: str, table: Any, servos: Iterable[str]
) -> list[FileProblem]:
    place = ("servos", channel)
    if channel not in servos:
        near = nearest_name(channel, servos)
        return [document.problem(place, "the robot has no such servo", nearest=near)]
    if not isinstance(table, dict):
        return [document.problem(place, "this must be a table")]
    problems = []
    for key, value in table.items():
        if key not in _KEYS:
            near = nearest_name(key, _KEYS)
            fix = f"known are {', '.join(_KEYS)}"
            message = "there is no such key"
            problems.append(document.problem((*place, key), message, nearest=near, fix=fix))
        elif isinstance(value, bool) or not isinstance(value, int | float):
            problems.append(document.problem((*place, key), "this must be a number"))
    return problems


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
