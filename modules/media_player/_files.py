"""The scenario's media: found by name, never outside of their folder."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from sera.runtime.located import nearest_name


class MediaKind(StrEnum):
    """How a file is played."""

    SOUND_HERE = "sound_here"
    """By this machine."""
    SOUND = "sound"
    """By a page: the machine has no decoder for it."""
    PICTURE = "picture"
    FILM = "film"


_KINDS = {
    ".wav": MediaKind.SOUND_HERE,
    **dict.fromkeys((".mp3", ".ogg", ".oga", ".m4a", ".flac"), MediaKind.SOUND),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"), MediaKind.PICTURE),
    **dict.fromkeys((".mp4", ".m4v", ".webm", ".ogv", ".mov"), MediaKind.FILM),
}


class MediaProblem(ValueError):
    """A medium that cannot be played; the message says why and names the nearest one."""


@dataclass(frozen=True, slots=True)
class Medium:
    """A file that can be played."""

    path: Path
    kind: MediaKind
    url: str
    """Where the gateway serves it."""


def find_medium(folder: Path, name: str) -> Medium:
    """The file of a name; the ending may be left out where only one file has that name.

    Raises:
        MediaProblem: there is no such file, or it is of no kind that can be played.
    """
    known = media_in(folder)
    found = known.get(name)
    if found is None:
        matching = [path for key, path in known.items() if key.rpartition(".")[0] == name]
        found = matching[0] if len(matching) == 1 else None
    if found is None:
        raise MediaProblem(_unknown(folder, name, known))
    kind = _KINDS[found.suffix.lower()]
    return Medium(found, kind, "/media/" + quote(found.relative_to(folder).as_posix()))


def media_in(folder: Path) -> dict[str, Path]:
    """All files that can be played, by their path inside the folder; hidden ones are left out."""
    if not folder.is_dir():
        return {}
    inside = folder.resolve()
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") for part in parts)
        # A link may lead anywhere.
        if hidden or path.suffix.lower() not in _KINDS or not path.resolve().is_relative_to(inside):
            continue
        if path.is_file():
            files["/".join(parts)] = path
    return files


def _unknown(folder: Path, name: str, known: dict[str, Path]) -> str:
    if not folder.is_dir():
        return f"there is no medium '{name[:80]}': the scenario has no folder '{folder.name}'"
    near = nearest_name(name, known)
    if near:
        hint = f"; did you mean '{near}'?"
    elif known:
        hint = f"; there is {', '.join(list(known)[:8])}"
    else:
        hint = ", which holds none (wav, png, jpg, mp4, webm …)"
    return f"there is no medium '{name[:80]}' in the folder '{folder.name}'{hint}"
