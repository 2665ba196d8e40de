"""Width and height of a JPEG, from its header alone."""

from __future__ import annotations

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a segment that tells the size."""
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a segment behind them."""


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None where it is no JPEG."""
    if data[:2] != b"\xff\xd8":
        return None
    place = 2
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker == 0xFF:  # filling
            place += 1
            continue
        if marker in _ALONE:
            place += 2
            continue
        if marker in _FRAMES:
            height = int.from_bytes(data[place + 5 : place + 7], "big")
            width = int.from_bytes(data[place + 7 : place + 9], "big")
            whole = place + 9 <= len(data) and width > 0 and height > 0
            return (width, height) if whole else None
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None
