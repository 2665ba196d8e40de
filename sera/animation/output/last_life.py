"""What a bridge needs to know of its former life: whether it was stopped, and where the body stood.

Design overview: a stop outlives the process that obeyed it. A bridge that is killed while its body
is stopped must come back stopped, since only an explicit release may end that; and its orders are
not repeated to it, because its former life had acknowledged them. So the bridge writes a small file
for each run and source, which its next life reads. A simulated body, which dies with its bridge,
also finds its pose there, so that it goes on from where it stood.

Units and frames: values in the channels' own units.
Threading: none.
Safety: a file is never half written. One that cannot be read, or that belongs to somebody else,
counts as none.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sera.runtime.live_runs import NOTES_SUFFIX, live_runs_folder, notes_folder

_STRANGE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class LastLife:
    """How a bridge left its body."""

    stopped: str | None = None
    """Why it was stopped; None where it was not."""
    pose: dict[str, float] = field(default_factory=dict)
    """Value by channel."""

    @classmethod
    def recall(cls, file: Path) -> LastLife:
        """What the file says; nothing where there is none."""
        try:
            _require_own(file)
            found = json.loads(file.read_text(encoding="utf-8"))
            stopped, pose = found["stopped"], found["pose"]
            values = {str(name): float(value) for name, value in pose.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return cls()
        return cls(
            None if stopped is None else str(stopped),
            {name: value for name, value in values.items() if math.isfinite(value)},
        )

    def remember(self, file: Path) -> None:
        """Write it down.

        Raises:
            OSError: the place cannot be written.
        """
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = file.with_name(file.name + ".new")
        fresh.write_text(json.dumps(asdict(self)), encoding="utf-8")
        fresh.replace(file)


def last_life_file(run: str, source: str) -> Path:
    """Where the bridge of that source keeps it during a run."""
    return notes_folder(run) / f"{_STRANGE.sub('_', source)}.body"


def sweep_old_lives(folder: Path | None = None, *, older_than_s: float = 86_400.0) -> None:
    """Remove what runs on other machines that are long over have left here."""
    place = folder or live_runs_folder()
    with contextlib.suppress(OSError):
        for file in place.glob(f"*{NOTES_SUFFIX}/*.body"):
            if time.time() - file.stat().st_mtime > older_than_s:
                file.unlink(missing_ok=True)
                file.parent.rmdir()  # not while somebody else's note lies there


def _require_own(file: Path) -> None:
    """Refuse what somebody else has prepared: the folder may lie below `/tmp`."""
    if hasattr(os, "getuid") and file.lstat().st_uid != os.getuid():
        raise PermissionError(f"{file} belongs to somebody else")
