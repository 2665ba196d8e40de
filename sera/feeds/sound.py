"""Sound as a feed: the room's as it is captured, and the robot's own voice while it is spoken.

Design overview: a microphone's blocks are mixed to one channel and sent on. A voice has its line as
a whole before it is heard; it is sent in pieces, each at the moment at which it is heard, so that a
line that is cut is cut here as well.
Units and frames: seconds on the run's clock; 16 bits, one channel.
Threading: one event loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from sera.feeds.server import FeedServer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PIECE_S = 0.02


class FeedClock(Protocol):
    """Time for feeds; the `Clock` of a module is one."""

    def now(self) -> float:
        """The time now, in seconds."""

    async def sleep_until(self, when_s: float) -> None:
        """Return at that time."""


class SoundFeed:
    """What a microphone hears."""

    def __init__(self, server: FeedServer) -> None:
        self.server = server

    def hear(self, samples: NDArray[np.float32], time_s: float, rate_hz: int) -> None:
        """Send a block: (n, channels) from -1 to 1, and when its first sample was captured."""
        if self.server.read:
            self.server.send(mono_pcm(samples), time_s, rate_hz=rate_hz)

    async def stop(self) -> None:
        """End it."""
        await self.server.stop()


class VoiceFeed:
    """What a robot says, at the time at which it is heard."""

    def __init__(self, server: FeedServer, clock: FeedClock) -> None:
        self.server = server
        self._clock = clock
        self._speaking: asyncio.Task[None] | None = None

    def begin(self, pcm: bytes, rate_hz: int) -> None:
        """A line begins to be heard now."""
        self.hush()
        if pcm:
            self._speaking = asyncio.create_task(
                self._say(pcm, rate_hz, self._clock.now()), name="live voice"
            )

    def hush(self) -> None:
        """It is cut, or over."""
        if self._speaking is not None:
            self._speaking.cancel()
            self._speaking = None

    async def stop(self) -> None:
        """End it."""
        self.hush()
        await self.server.stop()

    async def _say(self, pcm: bytes, rate_hz: int, began_s: float) -> None:
        size = 2 * max(1, round(PIECE_S * rate_hz))
        for start in range(0, len(pcm), size):
            heard_s = began_s + start / (2 * rate_hz)
            await self._clock.sleep_until(heard_s)
            self.server.send(pcm[start : start + size], heard_s, rate_hz=rate_hz)


def mono_pcm(samples: NDArray[np.float32]) -> bytes:
    """All channels in one, as 16-bit samples."""
    import numpy as np

    mixed = np.nan_to_num(samples).mean(axis=1)
    return bytes((np.clip(mixed, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())


__all__ = ["PIECE_S", "SoundFeed", "VoiceFeed", "mono_pcm"]
