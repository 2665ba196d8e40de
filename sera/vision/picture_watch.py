"""Notices pictures that show nothing: black ones, and ones that no longer change.

Design overview: a small sample of every picture is looked at. A real sensor is never quite
still, its noise changes the lowest bits, so that a picture that is the same to the last bit for
seconds is not a quiet room but a driver that hangs.
Units: seconds of the frames' own times.
Threading: none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sera.vision.source import Frame

_STEP_PX = 7
BLACK_LEVEL = 12.0
"""Mean of the 255 grey levels below which a picture without contrast counts as black."""
BLACK_CONTRAST = 8.0


class PictureWatch:
    """Judges frame after frame.

    Args:
        black_after_s: how long it must be black before that is said.
        frozen_after_s: how long it must stay the same; None: that is never a fault (a still).
    """

    def __init__(self, *, black_after_s: float = 0.5, frozen_after_s: float | None = 2.0) -> None:
        self._black_after_s = black_after_s
        self._frozen_after_s = frozen_after_s
        self._sample: NDArray[np.uint8] | None = None
        self._changed_s = 0.0
        self._lit_s: float | None = None

    def judge(self, frame: Frame) -> str | None:
        """What is wrong with the pictures, in one sentence; None: nothing."""
        sample = frame.picture[::_STEP_PX, ::_STEP_PX].copy()
        now_s = frame.time_s
        if self._sample is None or not np.array_equal(sample, self._sample):
            self._changed_s = now_s
        self._sample = sample
        values = sample.astype(np.float32)
        is_black = float(values.mean()) < BLACK_LEVEL and float(values.std()) < BLACK_CONTRAST
        if not is_black or self._lit_s is None:
            self._lit_s = now_s
        if now_s - self._lit_s >= self._black_after_s:
            return "The picture is black: take the cover off the camera, or switch on the light."
        if self._frozen_after_s is not None and now_s - self._changed_s >= self._frozen_after_s:
            return (
                f"The picture has not changed for {self._frozen_after_s:g} s: the camera hangs "
                "(unplug it and plug it in again), or the video stands still."
            )
        return None

    def reset(self) -> None:
        """Forget what was seen: the source was opened anew."""
        self._sample = None
        self._lit_s = None
