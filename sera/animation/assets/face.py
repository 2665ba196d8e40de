"""Faces: expressions by name, and the files that hold them.

    [face]
    title = "Joy"
    also = ["happy", "smile"]                               # other words for the same

    [values]
    "Face.Smile" = 0.9
    "Face.Brows" = 0.4

    [without_face]                                          # where a body has no Face channel
    "Lights.Left" = 1.0
    "Lights.Right" = 1.0

One file is one face; its name is the file's unless it says another. A face without any values, such
as neutral, lets go of the others.

Units and frames: as in postures. Threading: immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sera.animation.assets._document import read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets._values import in_channel_unit, read_values
from sera.animation.channels import ChannelSpec, Unit
from sera.runtime.located import FileProblem

NEUTRAL = "neutral"
_FACE_SET = "Face."
_SUFFIXES = (".toml", ".json")


@dataclass(frozen=True)
class Face:
    """A named expression."""

    name: str
    values: Mapping[str, float]
    units: Mapping[str, Unit] = field(default_factory=dict)
    title: str = ""
    also: tuple[str, ...] = ()
    """Other words for the same."""
    without_face: Mapping[str, float] = field(default_factory=dict)
    """What a body shows that has no face."""
    units_without_face: Mapping[str, Unit] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    """Channels that the body lacks, once the face was fitted to one."""

    @property
    def can_be_shown(self) -> bool:
        """Whether the body that it was fitted to has anything to show it with."""
        return bool(self.values) or not self.lacking

    def for_channels(self, specs: Mapping[str, ChannelSpec]) -> Face:
        """What a body shows of it, in the body's own units and not yet clamped."""
        has_face = any(name.startswith(_FACE_SET) for name in specs)
        values, units = self.values, self.units
        if not has_face and self.without_face:
            values, units = self.without_face, self.units_without_face
        shown = {
            name: in_channel_unit(value, units.get(name), specs[name])
            for name, value in values.items()
            if name in specs
        }
        return replace(
            self,
            values=shown,
            units={name: specs[name].unit for name in shown},
            without_face={},
            units_without_face={},
            lacking=tuple(name for name in values if name not in specs),
        )


@dataclass(frozen=True)
class FaceReading:
    """What came of reading a file: a face, or problems; warnings in both cases."""

    face: Face | None
    problems: tuple[FileProblem, ...] = ()
    warnings: tuple[FileProblem, ...] = ()


def load_faces(
    folder: Path, specs: Mapping[str, ChannelSpec] | None = None
) -> tuple[dict[str, Face], list[FileProblem]]:
    """All faces of a folder by name, and what is wrong with those that cannot be used."""
    faces: dict[str, Face] = {}
    problems: list[FileProblem] = []
    words: dict[str, str] = {}
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in files:
        if path.suffix not in _SUFFIXES:
            continue
        reading = read_face(path, specs)
        problems += reading.problems
        if reading.face is None:
            continue
        for word in (reading.face.name, *reading.face.also):
            if words.setdefault(word, reading.face.name) != reading.face.name:
                message = f"'{word}' is a word for the face '{words[word]}' already"
                problems.append(FileProblem(path, message, fix="a word means one face"))
        if reading.face.name in faces:
            message = f"another file has the face '{reading.face.name}' already"
            problems.append(FileProblem(path, message))
        faces.setdefault(reading.face.name, reading.face)
    return faces, problems


def read_face(
    path: Path, specs: Mapping[str, ChannelSpec] | None = None, text: str | None = None
) -> FaceReading:
    """Read a file, or a text that stands for it; never raises for what a person wrote."""
    try:
        document = read_document(path, text)
    except FileProblem as problem:
        return FaceReading(None, (problem,))
    fields, data = Fields(document, specs), document.data
    fields.known_keys(data, (), ("face", "values", "without_face"))
    about = fields.table(data, ("face",))
    fields.known_keys(about, ("face",), ("name", "title", "also"))
    name = (fields.text(about, ("face", "name"), path.stem) or path.stem).lower()
    values, units = read_values(fields, fields.table(data, ("values",)), ("values",))
    table = fields.table(data, ("without_face",))
    without, units_without = read_values(fields, table, ("without_face",))
    if not values and name != NEUTRAL and not fields.problems:
        fix = 'write [values] and "Face.Smile" = 0.5'
        fields.wrong(("values",), f"the face '{name}' has no values", fix=fix)
    face = Face(
        name=name,
        values=values,
        units=units,
        title=fields.text(about, ("face", "title"), name),
        also=_words(fields, about),
        without_face=without,
        units_without_face=units_without,
    )
    in_order = [
        tuple(sorted(found, key=lambda problem: problem.line or 0))
        for found in (fields.problems, fields.warnings)
    ]
    return FaceReading(None if fields.problems else face, in_order[0], in_order[1])


def with_words(faces: Mapping[str, Face], words: Mapping[str, str]) -> dict[str, Face]:
    """Faces by every word for them; a face of that very name counts before a word for another."""
    return {**{word: faces[name] for word, name in words.items()}, **faces}


def _words(fields: Fields, about: dict[str, Any]) -> tuple[str, ...]:
    words = about.get("also", [])
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        fields.wrong(("face", "also"), 'must be a list of words such as ["happy", "smile"]')
        return ()
    return tuple(word.strip().lower() for word in words)
