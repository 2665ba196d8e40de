"""A webcam or a network camera: a thread keeps the newest picture, older ones are dropped.

Design overview
    Drivers queue pictures; whoever reads slower than the camera would see the past. So a thread
    reads as fast as pictures come and keeps one. `read` waits for one that it has not given out.
Threading
    The thread owns the capture: it opens, reads and releases it. It ends when `close` was called
    and the driver returns.
Safety
    A driver that hangs keeps its thread, never the event loop: `read` gives up after a while.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from sera.vision.source import Frame, SourceClock, SourceProblem, as_bgr

OPEN_TIMEOUT_S = 6.0
READ_TIMEOUT_S = 2.0
_EMPTY_READS = 10


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool: ...  # noqa: N802
    def read(self) -> tuple[bool, Any]: ...
    def release(self) -> None: ...


class LiveCamera:
    """A camera that goes on whether or not somebody looks.

    Args:
        device: number of the webcam, its device file, or an address.
        clock: whose time the pictures carry.
        open_capture: makes the capture (tests hand in their own).
        allowed: False where there is no real time to look at.
        read_timeout_s: how long without a picture counts as lost.
    """

    def __init__(
        self,
        device: int | str,
        clock: SourceClock,
        *,
        open_capture: Callable[[int | str], Capture] | None = None,
        allowed: bool = True,
        read_timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        self._device = device
        self._clock = clock
        self._open_capture = open_capture or _opencv_capture
        self._allowed = allowed
        self._read_timeout_s = read_timeout_s
        self._watch: _Watch | None = None
        self._given = -1
        self.dropped = 0
        """Pictures that nobody read because newer ones came."""

    def describe(self) -> str:
        if isinstance(self._device, int):
            return f"camera {self._device}"
        return _without_password(self._device)

    async def open(self) -> None:
        if not self._allowed:
            raise SourceProblem(
                f"There is no {self.describe()} in virtual time: give a video file, or leave "
                "--virtual out.",
                lasting=True,
            )
        self.close()
        watch = _Watch(self._device, self._open_capture, self._clock)
        self._watch, self._given = watch, -1
        watch.start()
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await watch.opened.wait()
        except TimeoutError:
            self.close()
            raise SourceProblem(
                f"The {self.describe()} does not answer: is it switched on and in this network?"
            ) from None
        if watch.problem is not None:
            self.close()
            raise SourceProblem(self._sentence(watch.problem))

    async def read(self) -> Frame | None:
        watch = self._watch
        if watch is None:
            raise SourceProblem(f"The {self.describe()} is not open.")
        try:
            async with asyncio.timeout(self._read_timeout_s):
                while watch.newest is None or watch.newest[2] == self._given:
                    if watch.problem is not None:
                        raise SourceProblem(self._sentence(watch.problem))
                    watch.arrived.clear()
                    await watch.arrived.wait()
        except TimeoutError:
            raise SourceProblem(
                f"The {self.describe()} has given no picture for {self._read_timeout_s:g} s: "
                "check its cable."
            ) from None
        picture, time_s, number = watch.newest
        self.dropped += max(0, number - self._given - 1)
        self._given = number
        return Frame(as_bgr(picture), time_s, number)

    def close(self) -> None:
        if self._watch is not None:
            self._watch.ended = True
            self._watch = None

    def _sentence(self, problem: str) -> str:
        if problem == "closed":
            return (
                f"The {self.describe()} cannot be opened: plug it in, close other programs that "
                "use it, or choose another with `source`."
            )
        if problem == "ended":
            return f"The {self.describe()} gives no more pictures: was it unplugged?"
        return f"The {self.describe()} failed: {problem}"


class _Watch(threading.Thread):
    """Reads as long as there are pictures; the loop sees only whole tuples."""

    def __init__(
        self,
        device: int | str,
        open_capture: Callable[[int | str], Capture],
        clock: SourceClock,
    ) -> None:
        super().__init__(name=f"camera {device}", daemon=True)
        self._device = device
        self._open_capture = open_capture
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self.opened = asyncio.Event()
        self.arrived = asyncio.Event()
        self.newest: tuple[Any, float, int] | None = None
        self.problem: str | None = None
        self.ended = False

    def run(self) -> None:
        capture: Capture | None = None
        try:
            capture = self._open_capture(self._device)
            if capture.isOpened():
                self._tell(self.opened)
                self._read_on(capture)
            else:
                self.problem = "closed"
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"
        finally:
            if capture is not None:
                capture.release()
            self._tell(self.opened)
            self._tell(self.arrived)

    def _read_on(self, capture: Capture) -> None:
        number = empty = 0
        while not self.ended:
            there, picture = capture.read()
            time_s = self._clock.now()
            if there and picture is not None:
                self.newest = (picture, time_s, number)
                number, empty = number + 1, 0
                self._tell(self.arrived)
                continue
            empty += 1  # one empty read is a hiccup, many are an unplugged camera
            if empty >= _EMPTY_READS:
                self.problem = "ended"
                return
            threading.Event().wait(0.01)

    def _tell(self, event: asyncio.Event) -> None:
        with suppress(RuntimeError):  # the loop has closed: nobody is there to be told
            self._loop.call_soon_threadsafe(event.set)


def _opencv_capture(device: int | str) -> Capture:
    # Otherwise FFmpeg's and V4L's own complaints fill the terminal on every try.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
    import cv2

    if isinstance(device, int):
        capture = cv2.VideoCapture(device)
    else:
        timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 5000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 3000]
        capture = cv2.VideoCapture(device, cv2.CAP_FFMPEG, timeouts)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture


def _without_password(address: str) -> str:
    scheme, mark, rest = address.partition("://")
    host = rest.rpartition("@")[2] if mark else rest
    return f"network camera {scheme}://{host}" if mark else f"camera {address}"
