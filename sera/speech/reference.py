"""What is being played, for whoever must not take it for somebody else's voice.

Design overview: a speaker puts the sound of each line into a small file before it plays it, and a
microphone's module on the same machine finds it by the run and the id of the speech. At most a few
lines are kept; they go when the speaker stops. Elsewhere nothing is found, and own speech is known
by its times alone.
Units: samples of 16 bits in one channel.
Threading: any; files appear whole.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from sera.speech.speech import Speech
from sera.speech.wav import Sound, WavError, read_wav, write_wav

KEPT = 8
"""Lines that are kept of one speaker."""
LONGEST_S = 120.0
"""Longer lines are not kept: nobody interrupts a lecture by echo."""
OLD_AFTER_S = 24 * 3600.0
"""Folders of runs that were killed are swept away after this long."""
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


def reference_folder(run: str, *, virtual: bool = False) -> Path:
    """Where the sounds of a run are kept, for this user alone.

    Args:
        run: the run's name.
        virtual: runs in virtual time have one process and may share their name with others.
    """
    if virtual:
        run = f"{run}-{os.getpid()}"
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may have no name for its user
        user = "user"
    return Path(tempfile.gettempdir()) / f"sera-own-voice-{_plain(user)}" / _plain(run)


class PlayedSounds:
    """Keeps what one speaker plays.

    Args:
        run: the run's name.
        virtual: whether it runs in virtual time.
    """

    def __init__(self, run: str, *, virtual: bool = False) -> None:
        self.folder = reference_folder(run, virtual=virtual)
        self._kept: list[Path] = []

    def put(self, speech: str, spoken: Speech) -> bool:
        """Keep a line that is about to be played; False where that is not possible."""
        if not spoken.pcm or spoken.duration_s > LONGEST_S:
            return False
        path = self.folder / f"{_plain(speech)}.wav"
        unfinished = path.with_suffix(".part")
        try:
            if not self._kept:
                self._make_folder()
            unfinished.write_bytes(write_wav(Sound(spoken.pcm, spoken.rate_hz)))
            unfinished.replace(path)
        except OSError:
            return False
        self._kept.append(path)
        while len(self._kept) > KEPT:
            self._kept.pop(0).unlink(missing_ok=True)
        return True

    def close(self) -> None:
        """Take all of them away."""
        for path in self._kept:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        self._kept.clear()
        with contextlib.suppress(OSError):  # another speaker of the run may still use it
            self.folder.rmdir()

    def _make_folder(self) -> None:
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and self.folder.parent.stat().st_uid != os.getuid():
            raise PermissionError(f"{self.folder.parent} belongs to somebody else")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        # Files' times are the machine's, whatever the clock of the run says.
        oldest_s = time.time() - OLD_AFTER_S
        for other in self.folder.parent.iterdir():
            with contextlib.suppress(OSError):
                if other != self.folder and other.stat().st_mtime < oldest_s:
                    shutil.rmtree(other, ignore_errors=True)


def played_sound(run: str, speech: str, *, virtual: bool = False) -> Sound | None:
    """What a speaker of this run on this machine plays; None where it is not known."""
    folder = reference_folder(run, virtual=virtual)
    try:
        return read_wav((folder / f"{_plain(speech)}.wav").read_bytes())
    except (OSError, WavError):
        return None


def _plain(name: str) -> str:
    """A name that is safe in a path."""
    return _PLAIN.sub("_", name).lstrip(".")[-120:] or "_"


__all__ = ["PlayedSounds", "played_sound", "reference_folder"]
