"""The folder of .eaf files, in which people work: what they changed is never overwritten.

What was written is remembered by its digest. A file that still is as we wrote it is replaced, or
taken away where its session is no longer exported; one that ELAN has saved since stays, and the new
one goes beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

BOOK = ".written.json"


class ElanFolder:
    """The files of one export.

    Args:
        folder: where they lie; need not be there yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.files: list[Path] = []
        self._before = _read(folder / BOOK)
        self._now: dict[str, str] = {}

    def write(self, name: str, text: str) -> Path:
        """Write a file; returns where it lies now.

        Raises:
            OSError: it cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._free(name)
        content = text.encode("utf-8", "replace")
        draft = path.with_name(f".{path.name}")
        draft.write_bytes(content)
        draft.replace(path)
        self._now[path.name] = _digest(content)
        self.files.append(path)
        return path

    def close(self) -> None:
        """Take away what belongs to earlier exports alone, and remember what was written.

        Raises:
            OSError: the book cannot be written.
        """
        kept = {}
        for name, digest in self._before.items():
            path = self.folder / name
            if name in self._now or not path.is_file():
                continue
            if self._is_ours(path, digest):
                with contextlib.suppress(OSError):
                    path.unlink()
            else:
                kept[name] = digest
        if self._now or self._before:
            draft = self.folder / f".draft{BOOK}"
            draft.write_text(json.dumps({**kept, **self._now}, indent=1) + "\n", "utf-8")
            draft.replace(self.folder / BOOK)

    def _free(self, name: str) -> Path:
        path = self.folder / name
        number = 2
        while path.exists() and not self._is_ours(path, self._before.get(path.name)):
            path = self.folder / f"{Path(name).stem}_new{number}.eaf"
            number += 1
        if path.name != name:
            self.notes.append(
                f"{name} was changed since it was exported and stays as it is; the new one is "
                f"{path.name}"
            )
        return path

    @staticmethod
    def _is_ours(path: Path, digest: str | None) -> bool:
        """Whether a file still is as it was written."""
        try:
            return digest is not None and _digest(path.read_bytes()) == digest
        except OSError:
            return False


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> dict[str, str]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}  # then nothing counts as ours
    # A name must not lead out of the folder.
    return {
        name: digest
        for name, digest in (told.items() if isinstance(told, dict) else ())
        if isinstance(digest, str) and Path(name).name == name
    }
