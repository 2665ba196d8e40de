"""Files that are written once, and files that lines are only added to.

Safety: what was written is on the disk before a call returns (fsync of the file and of its
folder), so that neither kill -9 nor a power cut takes back what counted.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000


class SessionError(Exception):
    """Something about a study's sessions cannot be done; the message says what and what to do."""


class WrittenAlready(SessionError):
    """A file of a session is there already, and is never overwritten."""


def write_once(path: Path, content: bytes) -> Path:
    """Write a new file: whoever looks finds all of it or nothing, whatever happens meanwhile.

    Raises:
        WrittenAlready: there is such a file.
        SessionError: the disk is full.
        OSError: it cannot be written for another reason.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _give_name(draft, path)
    except FileExistsError:
        raise WrittenAlready(
            f"{path} has been written already: what a session keeps is written once and never "
            "overwritten"
        ) from None
    except OSError as error:
        raise _sentence(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    sync_folder(path.parent)
    return path


def _give_name(draft: Path, path: Path) -> None:
    """Give a whole file its name, unless somebody has that.

    Raises:
        FileExistsError: there is such a file.
    """
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links, such as that of a memory stick
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it exists", str(path)) from None
        draft.rename(path)


def write_json_once(path: Path, content: dict[str, Any]) -> Path:
    """Write a new JSON file; raises as `write_once` does."""
    return write_once(path, json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None where there is no such file, or it is damaged."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def add_line(path: Path, content: dict[str, Any]) -> None:
    """Add a line of JSON to a file; it counts once this has returned.

    Raises:
        SessionError: the disk is full.
        OSError: it cannot be written for another reason.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(content, ensure_ascii=False).encode() + b"\n"
    try:
        is_new = not path.exists()
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            if end and _last_byte(path) != b"\n":
                line = b"\n" + line  # after a line that a crash has cut off
            try:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(end)
                raise
        if is_new:
            sync_folder(path.parent)
    except OSError as error:
        raise _sentence(path, error) from None


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file of lines; what a crash has cut off never counted and is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    for line in text.split("\n"):
        with contextlib.suppress(ValueError, RecursionError):
            content = json.loads(line)
            if isinstance(content, dict):
                yield content


def replace_file(path: Path, content: bytes) -> None:
    """Put a new file in the place of an old one: whoever looks finds the old or the new one.

    Only erasure may do this to what a study keeps.
    """
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the operating system can do that."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def free_bytes(folder: Path) -> int:
    """How much space is left on the disk of a folder, which need not be there yet."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _sentence(path: Path, error: OSError) -> Exception:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SessionError(
            f"the disk is full: {path} was not written and does not count; free some space on "
            f"the disk of {path.parent}, then try again"
        )
    return error
