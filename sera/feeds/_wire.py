"""How pictures and sound travel between two processes of one machine.

A reader says the token on a line of its own. The answer is a stream of frames: four bytes of length
and eight of time (little endian), then so many bytes. A frame whose time is not a number holds a
greeting as JSON: what comes from here on. It comes first, and again where the rate changes.
"""

from __future__ import annotations

import asyncio
import json
import math
import struct
from typing import Any

LARGEST_FRAME_BYTES = 8 * 1024 * 1024
LONGEST_TOKEN_LINE = 128
_HEAD = struct.Struct("<Id")


class FeedBroken(ConnectionError):
    """What came is no frame of a feed."""


def packed(time_s: float, payload: bytes) -> bytes:
    """A frame."""
    return _HEAD.pack(len(payload), time_s) + payload


def packed_greeting(greeting: dict[str, Any]) -> bytes:
    """A frame that says what comes from here on."""
    return packed(math.nan, json.dumps(greeting).encode())


async def read_frame(reader: asyncio.StreamReader) -> tuple[float, bytes]:
    """The next frame; a time that is not a number marks a greeting.

    Raises:
        asyncio.IncompleteReadError: there are no more.
        FeedBroken: it is none.
    """
    length, time_s = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    if length > LARGEST_FRAME_BYTES:
        raise FeedBroken(f"a frame of {length} bytes is larger than {LARGEST_FRAME_BYTES}")
    return time_s, await reader.readexactly(length)


def read_greeting(payload: bytes) -> dict[str, Any]:
    """What a greeting says.

    Raises:
        FeedBroken: it is none.
    """
    try:
        greeting = json.loads(payload)
    except ValueError:
        greeting = None
    if not isinstance(greeting, dict):
        raise FeedBroken("the greeting of a feed cannot be read")
    return greeting
