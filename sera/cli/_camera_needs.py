"""What the commands about cameras share: OpenCV, sources of pictures, and words for problems."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
MOST_PICTURES = 2000


def need_opencv() -> None:
    """Make sure that pictures can be worked on.

    Raises:
        CommandError: OpenCV is not installed.
    """
    # Otherwise OpenCV's own complaints stand between our sentences; it is read when it is loaded.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
    if importlib.util.find_spec("cv2") is None:
        raise CommandError("this needs OpenCV: install it with `pip install 'sera-hri[vision]'`")


@contextmanager
def sentences() -> Iterator[None]:
    """Problems with boards, markers and sources, as problems of the command line."""
    from sera.vision.board import BoardError
    from sera.vision.board_calibration import CalibrationProblem
    from sera.vision.markers import MarkerError
    from sera.vision.source import SourceProblem

    try:
        yield
    except (BoardError, CalibrationProblem, MarkerError, SourceProblem) as error:
        raise CommandError(str(error)) from None


def is_live(source: str) -> bool:
    """Whether pictures come as time passes, rather than from files."""
    from sera.vision.source import ADDRESS_SCHEMES

    text = source.strip()
    is_device = text.isdecimal() or text.startswith("/dev/video")
    return is_device or text.lower().startswith(ADDRESS_SCHEMES)


async def pictures_of(source: str) -> AsyncIterator[tuple[str, NDArray[np.uint8], float]]:
    """Pictures of a camera, a video file, a folder of pictures or one picture: name, picture, time.

    Raises:
        SourceProblem: there are none, and why.
    """
    path, is_folder = _path_of(source)
    if is_folder or path.suffix.lower() in PICTURES:
        for number, (name, picture) in enumerate(_stills(path)):
            yield name, picture, float(number)
        return
    from sera.runtime.clock import Clock
    from sera.vision.source import choose_source

    live = is_live(source)
    clock = Clock.for_running_loop() if live else _Unhurried()
    chosen = choose_source(source if live else path, clock, asyncio.to_thread)
    await chosen.open()
    try:
        while (frame := await chosen.read()) is not None:
            yield f"picture {frame.number + 1}", frame.picture, frame.time_s
    finally:
        chosen.close()


def _path_of(source: str) -> tuple[Path, bool]:
    path = Path(source).expanduser()
    return path, path.is_dir()


class _Unhurried:
    """A clock that is always on time, so that files are read as fast as they can be."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now(self) -> float:
        return self._now_s

    async def sleep_until(self, when_s: float) -> None:
        self._now_s = max(self._now_s, when_s)


def _stills(path: Path) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    import cv2
    import numpy as np

    from sera.cli._text import clean, note
    from sera.vision.source import SourceProblem, as_bgr

    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURES)
    else:
        files = [path]
    if not files:
        raise SourceProblem(f"the folder {path} holds no pictures ({', '.join(PICTURES)})")
    if len(files) > MOST_PICTURES:
        raise SourceProblem(f"the folder {path} holds {len(files)} pictures: give 15 to 50 of them")
    for file in files:
        try:
            content = np.frombuffer(file.read_bytes(), np.uint8)
            picture = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
        except (cv2.error, OSError):
            picture = None
        if picture is None:
            note(f"{clean(file.name)} is no picture that can be read, and is left out")
            continue
        yield clean(file.name), as_bgr(picture)
