"""What a calibration found out about a camera, in a file beside the scenario.

Design overview: `sera camera calibrate` writes a small TOML file; `[space.cameras.NAME]` of a
scenario names it with `calibration = "camera.toml"`, and whoever looks through that camera reads it
with `load_camera_file`. People may read it, copy it to the next scenario, or write one by hand from
another program's numbers.

Units and frames: pixels; the matrix and the distortion are OpenCV's.
Threading: no state.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from sera.runtime.located import FileProblem, LocatedToml, nearest_name
from sera.vision.camera import CameraModel

_KEYS = ("width_px", "height_px", "matrix", "distortion")
_MOST_PX = 20_000


def load_camera_file(path: Path) -> CameraModel:
    """Read a camera from its file.

    Raises:
        FileProblem: it is missing or wrong; with the line and what to do.
    """
    document = LocatedToml.load(path)
    table = document.data.get("camera")
    if not isinstance(table, dict):
        raise document.problem(
            ("camera",), "there is no table [camera]", fix="make one with `sera camera calibrate`"
        )
    for key in table:
        if key not in _KEYS:
            raise document.problem(
                ("camera", key), f"unknown key '{key}'", nearest=nearest_name(key, _KEYS)
            )
    for key in _KEYS[:3]:
        if key not in table:
            raise document.problem(("camera",), f"the key '{key}' is missing")
    size = [_size(document, key, table[key]) for key in ("width_px", "height_px")]
    rows = _matrix(document, table["matrix"])
    distortion = _numbers(table.get("distortion", []))
    if distortion is None or len(distortion) not in (0, 4, 5, 8):
        raise document.problem(
            ("camera", "distortion"), "these are not 4, 5 or 8 numbers in the order of OpenCV"
        )
    try:
        return CameraModel(size[0], size[1], matrix=rows, distortion=tuple(distortion))
    except ValueError as error:
        raise document.problem(("camera",), str(error)) from None


def camera_file_text(model: CameraModel, facts: dict[str, float | int | str]) -> str:
    """The text of a camera's file.

    Args:
        model: what was found.
        facts: how well it was found, for people; nothing reads it.
    """
    rows = ",\n".join(f"  [{', '.join(map(_number, row))}]" for row in model.opencv_matrix())
    distortion = ", ".join(map(_number, model.distortion))
    lines = [
        "# A camera as `sera camera calibrate` found it. In scenario.toml:",
        "#   [space.cameras.NAME]",
        '#   calibration = "camera.toml"   # as this file is called',
        "",
        "[camera]",
        f"width_px = {model.width_px}",
        f"height_px = {model.height_px}",
        f"matrix = [\n{rows},\n]",
        f"distortion = [{distortion}]",
        "",
        "[calibration]",
    ]
    for key, value in facts.items():
        lines.append(f"{key} = {_quoted(value) if isinstance(value, str) else value}")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return repr(round(float(value), 9) + 0.0)


def _quoted(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else "?" for letter in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _size(document: LocatedToml, key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 16 <= value <= _MOST_PX:
        raise document.problem(
            ("camera", key), f"a picture has 16 to {_MOST_PX} pixels a side, as a whole number"
        )
    return value


def _matrix(document: LocatedToml, value: Any) -> Any:
    rows = [_numbers(row) for row in value] if isinstance(value, list) else []
    if len(rows) != 3 or any(row is None or len(row) != 3 for row in rows):
        raise _bad_matrix(document, "a camera matrix has three rows of three numbers")
    (fx, _, cx), (zero, fy, cy), last = (tuple(row or ()) for row in rows)
    if zero != 0.0 or last != (0.0, 0.0, 1.0) or not (fx > 1.0 and fy > 1.0 and cx > 0 and cy > 0):
        raise _bad_matrix(document, "a camera matrix is [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]")
    return tuple(tuple(row or ()) for row in rows)


def _bad_matrix(document: LocatedToml, message: str) -> FileProblem:
    return document.problem(("camera", "matrix"), message, fix="in pixels, as OpenCV writes it")


def _numbers(value: Any) -> list[float] | None:
    if not isinstance(value, list):
        return None
    for each in value:
        if isinstance(each, bool) or not isinstance(each, int | float):
            return None
        if not math.isfinite(each) or abs(each) > 1e6:
            return None
    return [float(each) for each in value]


__all__ = ["camera_file_text", "load_camera_file"]
