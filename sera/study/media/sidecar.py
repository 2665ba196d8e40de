"""What stands beside a media file: whose it is, when it began, what is missing in it.

Units and frames: seconds on the run's clock, unless it says otherwise.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any

SUFFIX = ".media.json"


@dataclass(slots=True)
class Sidecar:
    """The contents of `<file>.media.json`."""

    file: str
    """Name of the media file in the same folder."""
    kind: str
    """`picture` or `sound`."""
    source: str
    """Module that offered it, as on the bus."""
    name: str
    """What people call the device."""
    run: str
    """Id of the run whose clock the times are on."""
    session: str | None
    started_s: float
    """When its first picture or sample was captured."""
    start_offset_s: float | None = None
    """The same from the beginning of the run's log; None where there is no log."""
    index: str = ""
    """File with a line for each picture (`frame,time_s`), or for sound about once a second
    (`sample,time_s`)."""
    rate_hz: float | None = None
    """Samples a second, of sound."""
    frames: int = 0
    """Pictures or samples in it."""
    lasts_s: float = 0.0
    dropped: int = 0
    """Pictures or blocks that came out of order and were left out."""
    holes: int = 0
    """How often nothing came for a while."""
    longest_hole_s: float = 0.0
    filled_samples: int = 0
    """Silence in place of sound that did not come."""
    left_out_samples: int = 0
    consent: str = ""
    """By what it was allowed."""
    ended: str | None = None
    """Why it ended; None: it goes on, or its process was killed."""

    def write(self, folder: Path) -> Path:
        """Put it beside the file: whoever looks finds the old or the new one; raises OSError."""
        path = folder / f"{self.file}{SUFFIX}"
        draft = path.with_name(f".{path.name}")
        draft.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", "utf-8")
        draft.replace(path)
        return path


def read_sidecars(folder: Path) -> list[Sidecar]:
    """All sidecars in a folder that make sense, by name."""
    known = {field.name for field in fields(Sidecar)}
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            told: Any = json.loads(path.read_bytes())
            about = Sidecar(**{key: value for key, value in told.items() if key in known})
        except (OSError, ValueError, TypeError, AttributeError):
            continue
        is_sound = isinstance(about.started_s, int | float) and isfinite(about.started_s)
        # A name must not lead out of the folder.
        if is_sound and isinstance(about.file, str) and Path(about.file).name == about.file:
            found.append(about)
    return found
