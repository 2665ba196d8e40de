"""Units as people write them in animation and posture files.

Angles are written in degrees and kept in radians; every other unit is kept as it is written. A
channel without a unit is in that of the body's channel, else of the generic channel of its
name, else in degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.animation.body.sets import GENERIC
from sera.animation.channels import ChannelSpec, Unit

DEGREE = "deg"
FACTORS: dict[str, tuple[Unit, float]] = {
    DEGREE: (Unit.RADIAN, math.radians(1.0)),
    "rad": (Unit.RADIAN, 1.0),
    "percent": (Unit.PERCENT, 1.0),
    "valence": (Unit.VALENCE, 1.0),
    "m": (Unit.METRE, 1.0),
}
"""Every unit of files: the unit inside, and the factor to it."""


def written_unit(unit: Unit) -> str:
    """How values of a unit are written in files."""
    return DEGREE if unit is Unit.RADIAN else unit.value


def written_factor(unit: Unit) -> float:
    """From a value inside to the value in a file."""
    return math.degrees(1.0) if unit is Unit.RADIAN else 1.0


def usual_unit(name: str, specs: Mapping[str, ChannelSpec] | None = None) -> str:
    """The unit of a channel where the file says none."""
    if specs is not None and name in specs:
        return written_unit(specs[name].unit)
    if name in GENERIC:
        return written_unit(GENERIC[name].unit)
    return DEGREE


def fits(unit: Unit, spec: ChannelSpec) -> bool:
    """Whether values of a unit can be played on a channel: the same, or a share of its range."""
    return unit is spec.unit or unit in (Unit.PERCENT, Unit.VALENCE)
