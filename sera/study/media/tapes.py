"""A tape takes what comes from one device and keeps file, index and sidecar together.

Design overview
    A `FilmTape` or `SoundTape` begins a file with the first picture or block. A picture of another
    size, another rate, or a file that is full begins the next file. Index and sidecar are brought
    up to date about once a second, so that a killed process loses no more than that.

Threading
    Calls block for as long as the disk does; one thread at a time.

Safety
    A full disk is one sentence (`MediaDiskFull`); what was written before can be read.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from sera.study.media._jpeg import jpeg_size
from sera.study.media.films import MatroskaFilm
from sera.study.media.sidecar import Sidecar
from sera.study.media.sounds import WaveSound
from sera.study.sessions import MEGABYTE, free_bytes

KEPT_EVERY_S = 1.0
LEAST_FREE_BYTES = 200 * MEGABYTE
"""What is left of the disk for the log, which goes before films."""
PICTURE_HOLE_S = 0.5


class MediaDiskFull(OSError):
    """The disk has no more space for media; the message says what is left."""


class Tape:
    """What films and sounds have in common."""

    suffix = ""

    def __init__(
        self,
        folder: Path,
        stem: str,
        about: Sidecar,
        log_origin_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        """Prepare; nothing is written before something comes.

        Args:
            folder: where files go.
            stem: how their names begin.
            about: what is known about them all.
            log_origin_s: beginning of the log on the run's clock; asked until it is known.
        """
        self.folder, self._stem = folder, stem
        self.about = about
        self._log_origin_s = log_origin_s
        self._part = 0
        self._index: TextIO | None = None
        self._kept_s = float("-inf")
        self._last_s: float | None = None

    def take(self, payload: bytes, time_s: float, rate_hz: int | None = None) -> None:
        """Keep a picture or a block of sound.

        Raises:
            MediaDiskFull: there is no space for it.
            OSError: it cannot be written for another reason.
        """
        try:
            self._take(payload, time_s, rate_hz)
            if time_s - self._kept_s >= KEPT_EVERY_S or time_s < self._kept_s:
                self._keep(time_s)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise MediaDiskFull(
                    f"the disk is almost full: nothing more of {self.about.name} is recorded; "
                    f"what was recorded until then is in {self.folder}"
                ) from None
            raise

    def close(self, why: str) -> None:
        """End it, for a reason that the sidecar tells; a disk that is full cannot keep that off."""
        if self._part == 0:
            return
        self.about.ended = why
        with contextlib.suppress(OSError):
            self._end_file()
        with contextlib.suppress(OSError):
            self._tell()
        if self._index is not None:
            with contextlib.suppress(OSError):
                self._index.close()
            self._index = None

    def _take(self, payload: bytes, time_s: float, rate_hz: int | None) -> None:
        raise NotImplementedError

    def _end_file(self) -> None:
        raise NotImplementedError

    def _told(self) -> None:
        """Bring the sidecar's numbers up to date."""
        raise NotImplementedError

    def _flush(self) -> None:
        raise NotImplementedError

    def _next_path(self, started_s: float, column: str) -> Path:
        """Begin the files of the next part."""
        if self._part:
            self.close(f"part {self._part} is over")
        while True:
            self._part += 1
            name = self._stem if self._part == 1 else f"{self._stem}_{self._part}"
            path = self.folder / f"{name}{self.suffix}"
            if not path.exists():
                break
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.about
        about.file, about.started_s, about.start_offset_s = path.name, started_s, None
        about.index = f"{path.name}.times.csv"
        about.dropped = about.holes = 0
        about.longest_hole_s, about.ended = 0.0, None
        self._index = (self.folder / about.index).open("w", encoding="utf-8", newline="\n")
        self._index.write(f"{column},time_s\n")
        self._kept_s, self._last_s = float("-inf"), None
        return path

    def _keep(self, time_s: float) -> None:
        if free_bytes(self.folder) < LEAST_FREE_BYTES:
            raise OSError(errno.ENOSPC, "little space is left")
        self._flush()
        if self._index is not None:
            self._index.flush()
        self._tell()
        self._kept_s = time_s

    def _tell(self) -> None:
        about = self.about
        if about.start_offset_s is None and (origin_s := self._log_origin_s()) is not None:
            about.start_offset_s = round(about.started_s - origin_s, 6)
        self._told()
        about.write(self.folder)

    def _note_hole(self, gap_s: float, more_than_s: float) -> None:
        if gap_s > more_than_s:
            self.about.holes += 1
            self.about.longest_hole_s = round(max(self.about.longest_hole_s, gap_s), 3)


class FilmTape(Tape):
    """Keeps JPEG pictures."""

    suffix = ".mkv"
    _film: MatroskaFilm | None = None
    _size: tuple[int, int] | None = None

    def _take(self, payload: bytes, time_s: float, rate_hz: int | None) -> None:
        del rate_hz
        size = jpeg_size(payload)
        if size is None:
            self.about.dropped += 1
            return
        if self._film is None or size != self._size:
            path = self._next_path(time_s, "frame")
            self._film, self._size = MatroskaFilm(path, *size, time_s), size
        if self._film.add(payload, time_s) is None:
            self.about.dropped += 1
            return
        if self._last_s is not None:
            self._note_hole(time_s - self._last_s, PICTURE_HOLE_S)
        self._last_s = time_s
        assert self._index is not None
        self._index.write(f"{self._film.pictures - 1},{time_s:.6f}\n")

    def _flush(self) -> None:
        if self._film is not None:
            self._film.flush()

    def _end_file(self) -> None:
        film = self._film
        if film is not None:
            film.close()

    def _told(self) -> None:
        if self._film is not None:
            self.about.frames = self._film.pictures
            self.about.lasts_s = max(0, self._film.last_ms) / 1000


class SoundTape(Tape):
    """Keeps samples."""

    suffix = ".wav"
    _sound: WaveSound | None = None

    def _take(self, payload: bytes, time_s: float, rate_hz: int | None) -> None:
        rate = rate_hz or 0
        if rate <= 0:
            self.about.dropped += 1
            return
        if self._sound is None or rate != self._sound.rate_hz or self._sound.is_full:
            path = self._next_path(time_s, "sample")
            self._sound = WaveSound(path, rate, time_s)
            self.about.rate_hz = rate
        sound = self._sound
        filled = sound.filled
        at = sound.add(payload, time_s)
        if sound.filled > filled:
            self._note_hole((sound.filled - filled) / rate, 0.0)
        if self._last_s is None or time_s - self._last_s >= KEPT_EVERY_S:
            assert self._index is not None
            self._index.write(f"{at},{time_s:.6f}\n")
            self._last_s = time_s

    def _flush(self) -> None:
        if self._sound is not None:
            self._sound.flush()

    def _end_file(self) -> None:
        if self._sound is not None:
            self._sound.close()

    def _told(self) -> None:
        if self._sound is not None:
            self.about.frames = self._sound.samples
            self.about.lasts_s = round(self._sound.samples / self._sound.rate_hz, 3)
            self.about.filled_samples = self._sound.filled
            self.about.left_out_samples = self._sound.left_out
