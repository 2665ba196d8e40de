"""Memories on disk: one JSON file a participant, written whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sera.behaviour.selection.memory import Memory


@dataclass(frozen=True, slots=True)
class LoadedMemory:
    """A memory and, where its file was damaged, what was wrong with it."""

    memory: Memory
    problems: tuple[str, ...] = ()
    """Sentences with the file's name, for the log."""


def memory_path(folder: Path, participant: str) -> Path:
    """The participant's file; any id is safe as a name, with slashes and dots too."""
    return folder / f"memory-{quote(participant, safe='')}.json"


def load_memory(folder: Path, participant: str) -> LoadedMemory:
    """Read what the participant has heard; a missing file is an empty memory.

    A damaged file is copied aside as `.broken`, since the next save replaces it.
    """
    path = memory_path(folder, participant)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return LoadedMemory(Memory(participant))
    except OSError as error:
        sentence = f"{path}: cannot be read ({error.strerror}); nothing counts as said"
        return LoadedMemory(Memory(participant), (sentence,))
    memory, problems = Memory.from_json(raw.decode("utf-8", errors="replace"), participant)
    if not problems:
        return LoadedMemory(memory)
    aside = path.with_name(path.name + ".broken")
    try:
        aside.write_bytes(raw)
    except OSError as error:
        problems.append(f"no copy could be kept as {aside.name} ({error.strerror})")
    return LoadedMemory(memory, tuple(f"{path}: {problem}" for problem in problems))


def save_memory(folder: Path, memory: Memory) -> Path:
    """Write what the participant has heard; a crash leaves the old file or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = memory_path(folder, memory.participant)
    draft = path.with_name(path.name + ".draft")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(memory.to_json())
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
    return path
