"""From what people write in a program file to what controllers count in."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from typing import Any, TypeVar, get_type_hints

from pydantic import ConfigDict, Field, create_model

from sera.animation.body import Body
from sera.animation.body.sets import GENERIC
from sera.animation.channels import Unit
from sera.animation.controllers._meanings import MEANINGS
from sera.animation.engine.controller import ControllerParameters
from sera.runtime.located import nearest_name

Settings = TypeVar("Settings")


class _Generated(ControllerParameters):
    """Has no source whose docstrings could be looked for, which takes long."""

    model_config = ConfigDict(use_attribute_docstrings=False)


Further = tuple[Any, Any, str]
"""A parameter beside those of a signal: type, default (... for none), meaning."""


def factor_of(body: Body, channel: str) -> float | None:
    """What a written number is multiplied by; None where this body lacks a generic channel.

    Raises:
        LookupError: there is no such channel at all; with the nearest name.
    """
    spec = body.channels.get(channel)
    if spec is not None:
        return math.radians(1.0) if spec.unit is Unit.RADIAN else 1.0
    if channel in GENERIC:
        return None
    near = nearest_name(channel, [*body.channels, *GENERIC])
    hint = f"; did you mean '{near}'?" if near else ""
    raise LookupError(f"there is no channel '{channel}' on '{body.name}'{hint}")


def own_units(body: Body, amounts: Mapping[str, float]) -> dict[str, float]:
    """Amounts by channel in the channels' own units, without those that the body lacks."""
    factors = {channel: factor_of(body, channel) for channel in amounts}
    return {
        channel: amounts[channel] * factor
        for channel, factor in factors.items()
        if factor is not None
    }


def parameters_of(
    settings: type[Any], *, without: Collection[str] = (), **further: Further
) -> type[ControllerParameters]:
    """Parameters for a file from the settings of a signal: angles are written in degrees.

    Args:
        settings: a dataclass of `sera.animation.signals`.
        without: settings that a file does not give.
        further: parameters beside them, or in place of some.
    """
    hints = get_type_hints(settings)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(settings):
        if field.name in without:
            continue
        name, per_radian = _written(field.name)
        default: Any = field.default
        if per_radian != 1.0:
            default = round(default * per_radian, 9)
        fields[name] = (hints[field.name], Field(default, description=MEANINGS.get(name)))
    for name, (kind, default, meaning) in further.items():
        fields[name] = (kind, Field(default, description=meaning))
    name = f"{settings.__name__.removesuffix('Settings')}Parameters"
    return create_model(name, __base__=_Generated, **fields)


def settings_from(settings: type[Settings], parameters: ControllerParameters) -> Settings:
    """The settings of a signal from parameters made by `parameters_of`; None leaves one as it is.

    Raises:
        ValueError: one of them is outside what the signal can do; in a sentence.
    """
    values: dict[str, Any] = {}
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]
        name, per_radian = _written(field.name)
        value = getattr(parameters, name, None)
        if value is not None:
            values[field.name] = value if per_radian == 1.0 else value / per_radian
    return settings(**values)


def _written(name: str) -> tuple[str, float]:
    """How a setting is called in a file, and what its number is multiplied by there."""
    if name.endswith("_per_rad"):
        return f"{name.removesuffix('_rad')}_deg", math.radians(1.0)
    if name.endswith("_rad"):
        return f"{name.removesuffix('_rad')}_deg", math.degrees(1.0)
    return name, 1.0
