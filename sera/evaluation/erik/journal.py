"""The file that a job leaves behind: one line that says what it is, then one line a chunk.

A line is written at once and forced to the disk, so that a process that is killed at any moment
loses at most the chunk it was working on. Half a line at the end, as after a power cut, is taken
off when the file is opened again. A chunk that stands there twice (two processes at the same
folder) counts once: both are equal.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class OtherSettings(ValueError):
    """The file was made with other settings; the message says which."""


class Journal:
    """Chunks that are done, by number."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open or begin the file of a job.

        Raises:
            OtherSettings: it holds results of other settings.
        """
        self.path = path
        self.chunks: dict[int, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        header = {"job": settings}
        if not self._read(header):
            self._append(header)

    def add(self, number: int, result: dict[str, Any]) -> None:
        self._append({"chunk": number, "result": result})
        self.chunks[number] = result

    def _read(self, header: dict[str, Any]) -> bool:
        """Take over what is there; False where there is nothing yet."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return False
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        lines = whole.splitlines()
        if not lines:
            return False
        _refuse_others(self.path, _parsed(lines[0]).get("job"), header["job"])
        for line in lines[1:]:
            record = _parsed(line)
            if "chunk" in record and "result" in record:
                self.chunks.setdefault(int(record["chunk"]), record["result"])
        return True

    def _append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)


def _parsed(line: bytes) -> dict[str, Any]:
    """A line as an object; empty where the disk spoiled it, so that its chunk is done again."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _refuse_others(path: Path, found: object, wanted: dict[str, Any]) -> None:
    if not isinstance(found, dict):
        raise OtherSettings(
            f"{path} is no file of this evaluation: choose another folder with --out, or delete it."
        )
    names = sorted({*found, *wanted})
    differences = [
        f"{name.replace('_', ' ')} {found.get(name)} there and {wanted.get(name)} here"
        for name in names
        if found.get(name) != wanted.get(name)
    ]
    if differences:
        raise OtherSettings(
            f"{path} was begun with other settings ({'; '.join(differences)}): go on with those, "
            f"choose another folder with --out, or delete the file to begin anew."
        )
