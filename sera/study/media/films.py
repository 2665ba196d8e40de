"""Films: JPEG pictures, each with its own time, in a Matroska file.

Design overview
    Pictures come coded and are written as they are (codec `V_MJPEG`). Every picture has its time to
    the millisecond, so that a camera that stutters still fits to the log. Segment and clusters have
    an unknown length, as in a live stream: the file can be read however it ended. At an orderly end
    the duration is filled in.

Units and frames
    Seconds on the run's clock; milliseconds from the first picture inside the file.

Threading
    Calls block for as long as the disk does.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

CLUSTER_MS = 1000
_UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
_EBML, _SEGMENT, _INFO, _TRACKS, _CLUSTER = (
    b"\x1a\x45\xdf\xa3",
    b"\x18\x53\x80\x67",
    b"\x15\x49\xa9\x66",
    b"\x16\x54\xae\x6b",
    b"\x1f\x43\xb6\x75",
)
_TIMECODE, _SIMPLE_BLOCK = b"\xe7", b"\xa3"
_KEY_FRAME = 0x80


class MatroskaFilm:
    """A film that grows; what has been flushed can be read at any moment.

    Args:
        path: a new file.
        width_px: of the pictures.
        height_px: of the pictures.
        started_s: time of the first picture.

    Raises:
        FileExistsError: there is such a file.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, width_px: int, height_px: int, started_s: float) -> None:
        self.path = path
        self.started_s = started_s
        self.pictures = 0
        self.last_ms = -1
        self._cluster_ms: int | None = None
        self._file: BinaryIO = path.open("xb")
        head, self._duration_at = _head(width_px, height_px)
        self._file.write(head)
        self._file.flush()

    def add(self, jpeg: bytes, time_s: float) -> int | None:
        """Write a picture; returns its time in the file, None where it is not after the last.

        Raises:
            OSError: it cannot be written.
        """
        time_ms = round((time_s - self.started_s) * 1000)
        if time_ms <= self.last_ms:
            return None
        data = b""
        if self._cluster_ms is None or time_ms - self._cluster_ms >= CLUSTER_MS:
            data += _CLUSTER + _UNKNOWN + _element(_TIMECODE, _unsigned(time_ms))
            self._cluster_ms = time_ms
        block = struct.pack(">BhB", 0x81, time_ms - self._cluster_ms, _KEY_FRAME) + jpeg
        self._file.write(data + _element(_SIMPLE_BLOCK, block))
        self.last_ms = time_ms
        self.pictures += 1
        return time_ms

    def flush(self) -> None:
        """Hand what was written to the operating system, so that it survives this process."""
        self._file.flush()

    def close(self) -> None:
        """End the film and say how long it is; raises OSError."""
        if self._file.closed:
            return
        try:
            self._file.flush()
            if self.pictures:
                self._file.seek(self._duration_at)
                self._file.write(struct.pack(">d", float(self.last_ms)))
                self._file.flush()
        finally:
            self._file.close()


def _head(width_px: int, height_px: int) -> tuple[bytes, int]:
    """Everything before the first picture, and where the duration stands in it."""
    ebml = _element(
        _EBML,
        _element(b"\x42\x86", b"\x01")  # version
        + _element(b"\x42\xf7", b"\x01")
        + _element(b"\x42\xf2", b"\x04")  # longest id
        + _element(b"\x42\xf3", b"\x08")  # longest size
        + _element(b"\x42\x82", b"matroska")
        + _element(b"\x42\x87", b"\x04")
        + _element(b"\x42\x85", b"\x02"),
    )
    duration = _element(b"\x44\x89", struct.pack(">d", 0.0))
    info_rest = (
        _element(b"\x2a\xd7\xb1", _unsigned(1_000_000))  # a tick is a millisecond
        + _element(b"\x4d\x80", b"SERA")
        + _element(b"\x57\x41", b"SERA")
    )
    info = _element(_INFO, info_rest + duration)
    video = _element(
        b"\xe0", _element(b"\xb0", _unsigned(width_px)) + _element(b"\xba", _unsigned(height_px))
    )
    track = _element(
        b"\xae",
        _element(b"\xd7", b"\x01")  # number
        + _element(b"\x73\xc5", b"\x01")  # its id
        + _element(b"\x83", b"\x01")  # video
        + _element(b"\x9c", b"\x00")  # no lacing
        + _element(b"\x86", b"V_MJPEG")
        + video,
    )
    start = ebml + _SEGMENT + _UNKNOWN
    duration_at = len(start) + len(info) - 8
    return start + info + _element(_TRACKS, track), duration_at


def _element(name: bytes, content: bytes) -> bytes:
    return name + _size(len(content)) + content


def _size(length: int) -> bytes:
    for count in range(1, 9):
        if length < (1 << (7 * count)) - 1:
            return ((1 << (7 * count)) | length).to_bytes(count, "big")
    raise ValueError(f"{length} bytes are too much for one element")


def _unsigned(number: int) -> bytes:
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
