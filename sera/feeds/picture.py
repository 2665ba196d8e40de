"""The pictures of a camera as a feed: made small and coded in a thread, only while somebody reads.

Units and frames: pictures as `sera.vision` has them (BGR, 8 bits); seconds on the run's clock.
Threading: `show` belongs to the event loop and never waits; one picture is coded at a time, in a
thread, and what comes meanwhile is left out.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sera.feeds.server import FeedServer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDEST_PX = 640
QUALITY = 75


class PictureFeed:
    """Shows what a camera sees, as it is: nothing is drawn on it."""

    def __init__(self, server: FeedServer) -> None:
        self.server = server
        self._coding: asyncio.Task[None] | None = None

    def show(self, picture: NDArray[np.uint8], time_s: float) -> None:
        """Offer a picture that nobody changes any more."""
        if self._coding is None and self.server.wants(time_s):
            self._coding = asyncio.create_task(self._code(picture, time_s), name="live picture")

    async def _code(self, picture: NDArray[np.uint8], time_s: float) -> None:
        try:
            coded = await asyncio.to_thread(coded_picture, picture)
        finally:
            self._coding = None
        if coded:
            self.server.send(coded, time_s)

    async def stop(self) -> None:
        """End it."""
        if self._coding is not None:
            await asyncio.wait([self._coding])
        await self.server.stop()


def coded_picture(picture: NDArray[np.uint8]) -> bytes:
    """A JPEG of at most `WIDEST_PX` in width; empty where it cannot be coded."""
    import cv2

    height, width = picture.shape[:2]
    try:
        if width > WIDEST_PX:
            size = (WIDEST_PX, max(1, round(height * WIDEST_PX / width)))
            picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(picture.dtype)
        _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    except cv2.error:
        return b""  # one odd picture: the next may be better
    return bytes(coded.tobytes())


__all__ = ["QUALITY", "WIDEST_PX", "PictureFeed", "coded_picture"]
