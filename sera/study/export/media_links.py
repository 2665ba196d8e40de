"""Which media files belong to a run of a session, and when they began on its log.

Media are found by their sidecars (`sera.study.media`). ELAN cannot begin a film after the zero of
its time line; so files that were recorded together make a stretch, whose zero is the beginning of
the last one of them.

Units and frames: seconds from the beginning of the run's log.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sera.recording import LogReader
from sera.study.export.eaf import LinkedMedia
from sera.study.media.sidecar import Sidecar, read_sidecars

TOGETHER_S = 5.0
"""Files that begin within this time were recorded together."""
MIME_TYPES = {".mkv": "video/*", ".wav": "audio/x-wav"}


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A film or sound of a run."""

    path: Path
    about: Sidecar
    offset_s: float
    """When it begins on the log."""


def media_of(folder: Path, log_path: Path, runs: Sequence[str]) -> list[MediaFile]:
    """The media of a run, in the order in which they began.

    Args:
        folder: with media and sidecars.
        log_path: log of the run.
        runs: ids of the run, under which a sidecar may know it.
    """
    origin_s = LogReader(log_path).origin_s()
    if not isinstance(origin_s, int | float):
        return []
    found = [
        MediaFile(folder / about.file, about, about.started_s - origin_s)
        for about in read_sidecars(folder)
        if about.run in runs and (folder / about.file).is_file()
    ]
    return sorted(found, key=lambda media: (media.offset_s, media.about.file))


def media_stretches(media: Sequence[MediaFile]) -> list[list[MediaFile]]:
    """The media that were recorded together."""
    stretches: list[list[MediaFile]] = []
    for one in sorted(media, key=lambda each: each.offset_s):
        if stretches and one.offset_s - stretches[-1][0].offset_s <= TOGETHER_S:
            stretches[-1].append(one)
        else:
            stretches.append([one])
    return stretches


def linked(stretch: Sequence[MediaFile], eaf: Path) -> tuple[float, list[LinkedMedia]]:
    """The zero of a stretch on the log, and its media as an .eaf file in that place links them."""
    zero_s = max(media.offset_s for media in stretch)
    return zero_s, [
        LinkedMedia(
            url=_url(media.path, eaf.parent),
            mime_type=MIME_TYPES.get(media.path.suffix, "unknown"),
            zero_ms=round((zero_s - media.offset_s) * 1000),
        )
        for media in stretch
    ]


def _url(path: Path, folder: Path) -> str:
    try:
        way = os.path.relpath(path.absolute(), folder.absolute())
    except ValueError:  # on another drive
        return path.absolute().as_uri()
    return "./" + quote(way.replace(os.sep, "/"))
