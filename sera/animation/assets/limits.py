"""Limits of channels from a file of their own, for checking animations without a body.

[[channels]]
name = "Gazing.Vertical"
lower = -40                 # in `unit`, which is deg for angles unless another is given
upper = 40
max_velocity = 120          # a second
max_acceleration = 800      # a second, a second
max_jerk = 20000
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from sera.animation.assets._document import read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets.units import FACTORS, usual_unit
from sera.animation.channels import ChannelSpec
from sera.runtime.located import FileProblem, FileProblems, KeyPath

_RATES = ("max_velocity", "max_acceleration", "max_jerk")
_KEYS = ("name", "unit", "lower", "upper", "neutral", *_RATES)


class LimitsError(FileProblems):
    """A limits file that cannot be used, with everything that is wrong in it."""

    what = "limits file"


def load_limits(path: Path, text: str | None = None) -> dict[str, ChannelSpec]:
    """The channels of a limits file by name.

    Raises:
        LimitsError: with every problem, by line.
    """
    try:
        document = read_document(path, text)
    except FileProblem as problem:
        raise LimitsError([problem]) from None
    fields = Fields(document, None)
    fields.known_keys(document.data, (), ("channels",))
    tables = document.data.get("channels")
    specs: dict[str, ChannelSpec] = {}
    if not isinstance(tables, list) or not tables:
        fields.wrong(("channels",), "there are no channels", fix="write [[channels]] and a name")
        tables = []
    for number, table in enumerate(tables):
        place: KeyPath = ("channels", number)
        if not isinstance(table, dict):
            fields.wrong(place, "a channel must be a table")
            continue
        spec = _spec(fields, table, place)
        if spec is not None and spec.name in specs:
            fields.wrong((*place, "name"), f"'{spec.name}' has its limits already")
        elif spec is not None:
            specs[spec.name] = spec
    if fields.problems:
        raise LimitsError(sorted(fields.problems, key=lambda problem: problem.line or 0))
    return specs


def _spec(fields: Fields, table: dict[str, Any], place: KeyPath) -> ChannelSpec | None:
    before = len(fields.problems)
    fields.known_keys(table, place, _KEYS)
    name = fields.text(table, (*place, "name"))
    fields.channel(name, (*place, "name"))
    unit = fields.unit(fields.text(table, (*place, "unit"), usual_unit(name)), place, name)
    numbers: dict[str, float] = {}
    for key in _KEYS[2:]:
        value = fields.number(table[key], (*place, key)) if key in table else None
        if value is not None and key in _RATES and value <= 0.0:
            fields.wrong((*place, key), f"a limit of {value:g} allows no motion: above zero")
        elif value is not None:
            numbers[key] = value
    if unit is None or len(fields.problems) > before:
        return None
    inside, factor = FACTORS[unit]
    numbers = {key: value * factor for key, value in numbers.items()}
    ends = {"lower": -math.inf, "upper": math.inf} | numbers
    if not ends["lower"] < ends["upper"]:
        fields.wrong((*place, "lower"), "lower must be below upper")
        return None
    if not ends["lower"] <= numbers.get("neutral", 0.0) <= ends["upper"]:
        message = "neutral lies outside lower to upper"
        fields.wrong((*place, "neutral"), message, fix="it is 0 where it is left out")
        return None
    return ChannelSpec(
        name=name,
        unit=inside,
        lower=ends["lower"],
        upper=ends["upper"],
        neutral=ends.get("neutral", 0.0),
        max_velocity=ends.get("max_velocity", math.inf),
        max_acceleration=ends.get("max_acceleration", math.inf),
        max_jerk=ends.get("max_jerk", math.inf),
    )
