"""`sera camera list`: which cameras this machine has, and which of them give pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._camera_needs import need_opencv
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIED_BLINDLY = 4


def list_cameras(
    *,
    most: Annotated[
        int, typer.Option("--most", min=1, max=32, metavar="N", help="How many numbers to try.")
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """List the cameras of this machine: number, size, pictures a second, and what is wrong."""
    need_opencv()
    from sera.cli._text import note, print_json

    rows = [_tried(number) for number in _numbers(most)]
    found = [row for row in rows if row is not None]
    if as_json:
        print_json(found)
        return
    for row in found:
        works = row["problem"] is None
        told = f"{row['width_px']}x{row['height_px']}" if works else row["problem"]
        speed = f", {row['fps']:g} pictures a second" if works and row["fps"] else ""
        print(f"camera {row['number']}: {told}{speed}")
    if not found:
        note("no camera was found: plug one in, or use a video file or a network address as source")


def _numbers(most: int) -> list[int]:
    devices = sorted(
        int(path.name.removeprefix("video"))
        for path in Path("/dev").glob("video*")
        if path.name.removeprefix("video").isdecimal()
    )
    if devices:
        return devices[:most]
    # Elsewhere only trying tells; on Linux no device file means no camera.
    return [] if Path("/sys/class").is_dir() else list(range(min(most, _TRIED_BLINDLY)))


def _tried(number: int, open_capture: Callable[[int], Any] | None = None) -> dict[str, Any] | None:
    import cv2

    capture = (open_capture or cv2.VideoCapture)(number)
    try:
        row = {"number": number, "width_px": 0, "height_px": 0, "fps": 0.0, "problem": None}
        if not capture.isOpened():
            return {**row, "problem": "cannot be opened: another program has it, or it is none"}
        there, picture = capture.read()
        if not there or picture is None:
            return {**row, "problem": "gives no pictures"}
        height, width = picture.shape[:2]
        fps = float(capture.get(cv2.CAP_PROP_FPS))
        return {**row, "width_px": int(width), "height_px": int(height), "fps": max(0.0, fps)}
    finally:
        capture.release()
