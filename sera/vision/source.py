"""Where pictures come from: one interface for webcams, network cameras and video files.

Design overview
    A `FrameSource` is opened, read and closed. `choose_source` makes one from what people write: a
    number (webcam), an address (network camera) or a file. Time, waiting and threads are handed
    in, so that a video file plays in real and in virtual time alike. `steady.py` adds what every
    tracker needs: opening again after a loss, and a sentence about what is wrong.

Units and frames
    `Frame.time_s` is when the picture was taken, on the clock that was handed in. Pictures are
    BGR, 8 bits, rows from above.

Threading
    One event loop calls; a live camera has a thread of its own that keeps the newest picture.

Safety
    Pictures stay in memory: nothing here writes them anywhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""Rows, columns, and blue, green, red."""

NO_OPENCV = (
    "OpenCV is not installed, so no camera can be used: install it with "
    "`pip install 'sera-hri[vision]'`."
)
ADDRESS_SCHEMES = ("http://", "https://", "rtsp://", "rtsps://", "rtmp://", "udp://", "tcp://")


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture with the time at which it was taken."""

    picture: Picture
    time_s: float
    number: int
    """Counts the pictures of the source since it was opened; gaps are pictures left out."""


class SourceProblem(Exception):
    """No pictures, and why, in one plain sentence.

    Attributes:
        lasting: trying again cannot help (a file that is no video), so it is tried rarely.
    """

    def __init__(self, sentence: str, *, lasting: bool = False) -> None:
        super().__init__(sentence)
        self.lasting = lasting


class SourceClock(Protocol):
    """What a source needs of a clock; `sera.runtime.clock.Clock` has it."""

    def now(self) -> float:
        """The time now."""

    async def sleep_until(self, when_s: float) -> None:
        """Return at that time, at once where it has passed."""


Blocking = Callable[..., Awaitable[Any]]
"""Runs a function that blocks: in a thread, or at once in virtual time (`Module.blocking`)."""


class FrameSource(Protocol):
    """Something that gives pictures."""

    async def open(self) -> None:
        """Get ready.

        Raises:
            SourceProblem: there are no pictures, and why.
        """

    async def read(self) -> Frame | None:
        """The newest picture that was not read yet, waiting for it; None: there are no more.

        Raises:
            SourceProblem: no picture came, and why.
        """

    def close(self) -> None:
        """Let go of the device; harmless where it is not open."""

    def describe(self) -> str:
        """The device, file or address for people, such as `camera 0`."""


async def at_once(function: Callable[..., Any], *args: Any) -> Any:
    """A `Blocking` without threads, for tests and virtual time."""
    return function(*args)


def choose_source(
    source: str | int | Path,
    clock: SourceClock,
    blocking: Blocking = at_once,
    *,
    folder: Path | None = None,
    repeat: bool = False,
    live_allowed: bool = True,
) -> FrameSource:
    """The source that somebody means by a number, an address or a file name.

    Args:
        source: `0`, `rtsp://…` or `clip.mp4`.
        clock: whose time the frames carry, and which paces files.
        blocking: how blocking work is done.
        folder: where a file is looked for that is not found from here (the scenario's).
        repeat: a file begins again at its end.
        live_allowed: False in virtual time, in which no camera lives.
    """
    from sera.vision._live_camera import LiveCamera
    from sera.vision._video_file import VideoFile

    text = str(source).strip()
    if text.isdecimal() or text.startswith("/dev/video"):
        return LiveCamera(int(text) if text.isdecimal() else text, clock, allowed=live_allowed)
    if text.lower().startswith(ADDRESS_SCHEMES):
        return LiveCamera(text, clock, allowed=live_allowed)
    path = Path(text)
    if not path.is_absolute() and not path.exists() and folder is not None:
        path = folder / path
    return VideoFile(path, clock, blocking, repeat=repeat)


def as_bgr(picture: Any) -> Picture:
    """A picture as BGR with 8 bits, whatever the camera gave.

    Raises:
        SourceProblem: it cannot be one.
    """
    array = np.asarray(picture)
    if array.ndim not in (2, 3) or 0 in array.shape or array.dtype.kind not in "uif":
        raise SourceProblem(_wrong_format(array))
    if array.dtype == np.uint16:
        array = (array >> 8).astype(np.uint8)
    elif array.dtype.kind == "f":
        top = 1.0 if float(np.nanmax(array, initial=0.0)) <= 1.0 else 255.0
        array = (np.nan_to_num(array).clip(0.0, top) * (255.0 / top)).astype(np.uint8)
    elif array.dtype != np.uint8:
        raise SourceProblem(_wrong_format(array))
    channels = 1 if array.ndim == 2 else array.shape[2]
    if channels == 3:
        return array
    if channels == 1:
        return np.repeat(array.reshape(*array.shape[:2], 1), 3, axis=2)
    if channels == 4:
        return np.ascontiguousarray(array[:, :, :3])
    if channels == 2 and array.shape[1] % 2 == 0:  # YUYV as some drivers hand it out
        import cv2

        return np.asarray(cv2.cvtColor(array, cv2.COLOR_YUV2BGR_YUYV), dtype=np.uint8)
    raise SourceProblem(_wrong_format(array))


def _wrong_format(array: NDArray[Any]) -> str:
    shape = " x ".join(str(length) for length in array.shape) or "nothing"
    return (
        f"The camera gives pictures in a format that is not understood ({shape}, {array.dtype}): "
        "choose MJPG, YUYV or BGR in its driver's settings."
    )
