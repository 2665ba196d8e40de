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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sera.animation.assets._document import read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets.units import FACTORS, usual_unit, written_factor
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


def in_channel_unit(value: float, unit: Unit | None, spec: ChannelSpec) -> float:
    """A value as the channel counts; percent and valence mean shares of its range."""
    if unit is None or unit is spec.unit:
        return value
    return spec.from_percent(value) if unit is Unit.PERCENT else spec.from_valence(value)


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
    values: dict[str, float] = {}
    units: dict[str, Unit] = {}
    table = fields.table(holder, (*place, "values"))
    if not table:
        fields.wrong((*place, "values"), f"the posture '{name}' has no values")
    for path, channel, written in _channels(table, (*place, "values")):
        fields.channel(channel, path)
        value, unit = _value(fields, written, path, channel)
        if value is None or unit is None:
            continue
        inside, factor = FACTORS[unit]
        values[channel], units[channel] = value * factor, inside
        spec = None if fields.specs is None else fields.specs.get(channel)
        if spec is not None:
            reached = in_channel_unit(values[channel], inside, spec)
            fields.range(channel, path, reached, reached, written_factor(spec.unit))
    return Posture(name, values, units, title)


def _channels(table: dict[str, Any], place: KeyPath) -> Iterator[tuple[KeyPath, str, Any]]:
    """Every value with its channel; without quotes, `Body.neck = 20` is a table in a table."""
    for name, written in table.items():
        if "." not in name and isinstance(written, dict):
            for own, value in written.items():
                yield (*place, name, own), f"{name}.{own}", value
        else:
            yield (*place, name), name, written


def _value(
    fields: Fields, written: Any, path: KeyPath, channel: str
) -> tuple[float | None, str | None]:
    unit = usual_unit(channel, fields.specs)
    if not isinstance(written, dict):
        return fields.number(written, path), unit
    fields.known_keys(written, path, ("value", "unit"))
    value = fields.number(written.get("value"), (*path, "value"))
    return value, fields.unit(fields.text(written, (*path, "unit"), unit), path, channel)
