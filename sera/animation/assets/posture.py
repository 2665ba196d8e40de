"""Postures: values of channels by name, and the files that hold them.

    [posture]
    title = "Engaged"

    [values]
    "Body.lower_bend" = 20.0                                # degrees
    "Lights.Left" = 0.8                                     # the channel's own unit
    "Body.lift" = { value = 0.5, unit = "percent" }         # a share of its range

Several in one file stand under their names: `[postures.hot]` with a title, `[postures.hot.values]`.

Units and frames: inside, values are in each channel's `unit`, as in animations.
Threading: immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sera.animation.assets._document import read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets._values import in_channel_unit, read_values
from sera.animation.channels import ChannelSpec, Unit
from sera.runtime.located import FileProblem, FileProblems, KeyPath

_SUFFIXES = (".toml", ".json")


class PostureError(FileProblems):
    """A posture file that cannot be used, with everything that is wrong in it."""

    what = "posture file"


@dataclass(frozen=True)
class Posture:
    """A named pose of some channels."""

    name: str
    values: Mapping[str, float]
    units: Mapping[str, Unit] = field(default_factory=dict)
    title: str = ""

    def for_channels(self, specs: Mapping[str, ChannelSpec]) -> dict[str, float]:
        """What a body has of it, in the body's own units and not yet clamped."""
        return {
            name: in_channel_unit(value, self.units.get(name), specs[name])
            for name, value in self.values.items()
            if name in specs
        }


@dataclass(frozen=True)
class PostureReading:
    """What came of reading a file: postures by name, problems and warnings."""

    postures: dict[str, Posture]
    problems: tuple[FileProblem, ...] = ()
    warnings: tuple[FileProblem, ...] = ()


def load_postures(path: Path, specs: Mapping[str, ChannelSpec] | None = None) -> dict[str, Posture]:
    """The postures of a file, or of all files of a folder, by name.

    Raises:
        PostureError: with every problem, by line.
    """
    files = [path]
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES)
    postures: dict[str, Posture] = {}
    problems: list[FileProblem] = []
    for file in files:
        reading = read_postures(file, specs)
        problems += reading.problems
        for name, posture in reading.postures.items():
            if name in postures:
                problems.append(FileProblem(file, f"another file has the posture '{name}' already"))
            postures.setdefault(name, posture)
    if problems:
        raise PostureError(problems)
    return postures


def read_postures(
    path: Path, specs: Mapping[str, ChannelSpec] | None = None, text: str | None = None
) -> PostureReading:
    """Read a file, or a text that stands for it; never raises for what a person wrote."""
    try:
        document = read_document(path, text)
    except FileProblem as problem:
        return PostureReading({}, (problem,))
    fields, data = Fields(document, specs), document.data
    fields.known_keys(data, (), ("posture", "values", "postures"))
    postures: dict[str, Posture] = {}
    if "posture" in data or "values" in data:
        about = fields.table(data, ("posture",))
        fields.known_keys(about, ("posture",), ("name", "title"))
        name = fields.text(about, ("posture", "name"), path.stem) or path.stem
        title = fields.text(about, ("posture", "title"), name)
        postures[name] = _posture(fields, name, title, data, ())
    for name, table in fields.table(data, ("postures",)).items():
        place: KeyPath = ("postures", name)
        if not isinstance(table, dict):
            fields.wrong(place, "must be a table", fix=f"write [postures.{name}.values]")
            continue
        if name in postures:
            fields.wrong(place, f"the file has a posture '{name}' already")
            continue
        fields.known_keys(table, place, ("title", "values"))
        title = fields.text(table, (*place, "title"), name)
        postures[name] = _posture(fields, name, title, table, place)
    if not postures and not fields.problems:
        fields.wrong((), "there is no posture in the file", fix='write [values] and "Channel" = 20')
    in_order = [
        tuple(sorted(found, key=lambda problem: problem.line or 0))
        for found in (fields.problems, fields.warnings)
    ]
    return PostureReading({} if fields.problems else postures, in_order[0], in_order[1])


def _posture(
    fields: Fields, name: str, title: str, holder: dict[str, Any], place: KeyPath
) -> Posture:
    table = fields.table(holder, (*place, "values"))
    if not table:
        fields.wrong((*place, "values"), f"the posture '{name}' has no values")
    values, units = read_values(fields, table, (*place, "values"))
    return Posture(name, values, units, title)
