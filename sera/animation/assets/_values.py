"""Reads a table of values by channel, as postures and faces have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sera.animation.assets._fields import Fields
from sera.animation.assets.units import FACTORS, usual_unit, written_factor
from sera.animation.channels import ChannelSpec, Unit
from sera.runtime.located import KeyPath

Values = tuple[dict[str, float], dict[str, Unit]]
"""Values inside and their units, by channel."""


def read_values(fields: Fields, table: dict[str, Any], place: KeyPath) -> Values:
    """All values of the table at `place`; what is wrong with one is noted and left out."""
    values: dict[str, float] = {}
    units: dict[str, Unit] = {}
    for path, channel, written in _channels(table, place):
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
    return values, units


def in_channel_unit(value: float, unit: Unit | None, spec: ChannelSpec) -> float:
    """A value as the channel counts; percent and valence mean shares of its range."""
    if unit is None or unit is spec.unit:
        return value
    return spec.from_percent(value) if unit is Unit.PERCENT else spec.from_valence(value)


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
