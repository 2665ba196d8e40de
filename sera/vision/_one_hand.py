"""A capture that is never released while somebody reads from it.

OpenCV's captures are used by one thread at a time: released while another thread reads, FFmpeg's
waits for each other for ever. A tracker that is stopped leaves its read behind in a thread, so that
whoever is last lets go.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class OneHand:
    """`cv2.VideoCapture`, in one hand at a time.

    Threading: all methods may be called in any thread; `release` waits for nobody.
    """

    def __init__(self, capture: Any) -> None:
        self._capture = capture
        self._in_use = threading.Lock()
        self._is_over = False

    def grab(self) -> bool:
        """Pass over a picture; False at the end, and after `release`."""
        return self._used(self._capture.grab, False)

    def read(self) -> tuple[bool, Any]:
        """Whether there is a picture, and the picture."""
        return self._used(self._capture.read, (False, None))

    def release(self) -> None:
        """Let go, now or as soon as a call that is under way has ended."""
        self._is_over = True
        self._let_go()

    def _used(self, call: Callable[[], T], otherwise: T) -> T:
        with self._in_use:
            result = otherwise if self._is_over else call()
        if self._is_over:  # said meanwhile, when nobody else could let go
            self._let_go()
        return result

    def _let_go(self) -> None:
        if self._in_use.acquire(blocking=False):
            try:
                self._capture.release()
            finally:
                self._in_use.release()
