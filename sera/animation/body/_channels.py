"""From the tables of a body file to its own channels, with limits in radians and metres."""

from __future__ import annotations

import math

from sera.animation.body._file import BodyFile, ChannelTable, JointTable, LightTable
from sera.animation.channels import OWN_SET, ChannelSpec, Kind, Unit
from sera.runtime.located import FileProblem, LocatedToml, nearest_name

# What is not published of a body is taken to be slow: a robot that is too calm can be mended.
DEFAULT_VELOCITY_DEG_S = 90.0
RISE_S = 0.2
"""Acceleration and jerk that a file leaves out: top velocity within this time, and so on."""


def own_channels(
    document: LocatedToml, file: BodyFile
) -> tuple[dict[str, ChannelSpec], list[FileProblem]]:
    """Own channels by name, and names that are taken twice."""
    own: dict[str, ChannelSpec] = {}
    problems = []
    parts = [("joints", number, _joint(joint)) for number, joint in enumerate(file.joints)]
    parts += [("lights", number, _light(light)) for number, light in enumerate(file.lights)]
    parts += [("channels", number, _other(other)) for number, other in enumerate(file.channels)]
    for table, number, spec in parts:
        if spec.own_name in own:
            message = f"the name '{spec.own_name}' is taken by another joint, light or channel"
            problems.append(document.problem((table, number, "name"), message))
        if spec.lower > spec.upper or not spec.lower <= spec.neutral <= spec.upper:
            message = f"neutral {spec.neutral:g} must lie between {spec.lower:g} and {spec.upper:g}"
            problems.append(document.problem((table, number), message))
        own[spec.own_name] = spec
    return own, problems


def rest_values(
    document: LocatedToml, file: BodyFile, own: dict[str, ChannelSpec]
) -> tuple[dict[str, float], list[FileProblem]]:
    """Where every own channel is at rest, within its range."""
    rest = {name: spec.neutral for name, spec in own.items()}
    problems = []
    for name, value in file.rest.items():
        spec = own.get(name)
        if spec is None:
            near = nearest_name(name, own)
            message = f"this body has no joint, light or channel '{name}'"
            problems.append(document.problem(("rest", name), message, nearest=near))
            continue
        inside = math.radians(value) if spec.unit is Unit.RADIAN else value
        if not spec.lower - 1e-9 <= inside <= spec.upper + 1e-9:
            message = f"{value:g} is outside the limits of '{name}'"
            problems.append(document.problem(("rest", name), message))
        rest[name] = spec.clamp(inside)
    return rest, problems


def _joint(table: JointTable) -> ChannelSpec:
    slides = table.kind == "prismatic"
    scale = 1.0 if slides else math.radians(1.0)
    unit = "m" if slides else "deg"
    lower, upper = table.limits or (-180.0, 180.0)
    velocity = getattr(table, f"max_velocity_{unit}_s")
    if velocity is None:
        velocity = 0.2 if slides else DEFAULT_VELOCITY_DEG_S
    acceleration = getattr(table, f"max_acceleration_{unit}_s2") or velocity / RISE_S
    jerk = getattr(table, f"max_jerk_{unit}_s3") or acceleration / (0.25 * RISE_S)
    return ChannelSpec(
        name=f"{OWN_SET}.{table.name}",
        kind=Kind.STATIONARY,
        unit=Unit.METRE if slides else Unit.RADIAN,
        lower=lower * scale,
        upper=upper * scale,
        neutral=getattr(table, f"neutral_{unit}") * scale,
        max_velocity=velocity * scale,
        max_acceleration=acceleration * scale,
        max_jerk=jerk * scale,
    )


def _light(table: LightTable) -> ChannelSpec:
    return ChannelSpec(
        name=f"{OWN_SET}.{table.name}",
        kind=Kind.DISPLAY,
        unit=Unit.PERCENT,
        lower=0.0,
        upper=1.0,
        neutral=table.neutral,
        max_velocity=table.max_velocity,
    )


def _other(table: ChannelTable) -> ChannelSpec:
    unit = {"deg": Unit.RADIAN, "m": Unit.METRE}.get(table.unit) or Unit(table.unit)
    scale = math.radians(1.0) if unit is Unit.RADIAN else 1.0
    usual = {Unit.PERCENT: (0.0, 1.0), Unit.VALENCE: (-1.0, 1.0)}.get(unit, (-180.0, 180.0))
    lower = usual[0] if table.lower is None else table.lower
    upper = usual[1] if table.upper is None else table.upper
    return ChannelSpec(
        name=f"{OWN_SET}.{table.name}",
        kind=table.kind,
        unit=unit,
        lower=lower * scale,
        upper=upper * scale,
        neutral=table.neutral * scale,
        max_velocity=math.inf if table.max_velocity is None else table.max_velocity * scale,
    )
