"""A video file as a camera: frames at the times of the file, late ones left out."""

from __future__ import annotations

import math
from pathlib import Path

from sera.vision._one_hand import OneHand
from sera.vision.source import Blocking, Frame, SourceClock, SourceProblem, as_bgr

_USUAL_FPS = 25.0


class VideoFile:
    """Plays a file on the clock it is given; in virtual time none is late."""

    def __init__(
        self, path: Path, clock: SourceClock, blocking: Blocking, *, repeat: bool = False
    ) -> None:
        self._path = path
        self._clock = clock
        self._blocking = blocking
        self._repeat = repeat
        self._capture: OneHand | None = None
        self._start_s = 0.0
        self._number = 0
        self._first = 0
        self.fps = _USUAL_FPS
        self.dropped = 0
        """Frames left out because the reader was not back in time."""

    def describe(self) -> str:
        return f"video {self._path.name}"

    async def open(self) -> None:
        if not self._path.is_file():
            raise SourceProblem(
                f"There is no video file {self._path}: give a number for a webcam, the address of "
                "a network camera, or the path of a video."
            )
        import cv2

        self.close()
        capture = await self._blocking(cv2.VideoCapture, str(self._path))
        if not capture.isOpened():
            raise SourceProblem(
                f"{self._path.name} cannot be played: it is no video, or its format is unknown "
                "(mp4, avi, mkv and webm are known).",
                lasting=True,
            )
        fps = float(capture.get(cv2.CAP_PROP_FPS))
        self.fps = fps if math.isfinite(fps) and 1.0 <= fps <= 480.0 else _USUAL_FPS
        self._capture = OneHand(capture)
        self._start_s = self._clock.now()
        self._number = 0
        self._first = 0

    async def read(self) -> Frame | None:
        capture = self._capture
        if capture is None:
            raise SourceProblem(f"{self._path.name} is not open.")
        await self._clock.sleep_until(self._due_s(self._number))
        # The latest picture that is due counts; what was due before it is left out.
        behind = int((self._clock.now() - self._due_s(self._number)) * self.fps + 1e-6)
        for _ in range(behind):
            if not await self._blocking(capture.grab):
                break
            self._number += 1
            self.dropped += 1
        there, picture = await self._blocking(capture.read)
        if not there and self._repeat and self._number > self._first:
            capture = await self._rewind()
            there, picture = await self._blocking(capture.read)
        if not there:
            return None
        frame = Frame(as_bgr(picture), self._due_s(self._number), self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    async def _rewind(self) -> OneHand:
        """From the beginning again; the numbers and the times go on."""
        import cv2

        self.close()
        again = self._capture = OneHand(await self._blocking(cv2.VideoCapture, str(self._path)))
        self._first = self._number
        return again

    def _due_s(self, number: int) -> float:
        return self._start_s + number / self.fps
