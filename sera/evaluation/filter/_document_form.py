"""The document's filter without a guard, in plain Python: the yardstick for ours.

Its equations with the misprints mended (`docs/filter.md` lists them). It keeps its derivatives'
limits only as far as its own limiters do, and may leave its range; `clamped` cuts it off there,
which is what a body's end stop or a clamp behind the filter would do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter


def document_form(
    set_points: Iterable[float],
    start: float,
    limits: FilterLimits,
    character: FilterCharacter,
    *,
    rate_hz: float,
    order: int = 3,
    clamped: bool = False,
) -> FloatArray:
    """The positions of one joint, one for each set-point."""
    (v_max,), (a_max,), (j_max,) = limits.rates(1, order)
    (lower,), (upper,) = limits.ends(1)
    (smooth,), (responsive,), (edge,), _ = character.arrays(1)
    hard = character.limiter is Limiter.HARD
    step_s = 1.0 / rate_hz

    def limit(value: float, bound: float) -> float:
        if hard:
            return min(max(value, -bound), bound)
        return 0.5 * bound * math.tanh(value / (0.5 * bound))

    position, velocity, acceleration = start, 0.0, 0.0
    positions = []
    for set_point in set_points:
        wanted = (set_point - position) / step_s
        if math.isfinite(upper - lower):
            outward = position - 0.5 * (lower + upper)
            if outward * wanted > 0.0:
                share = abs(outward) / (0.5 * (upper - lower))
                wanted *= 1.0 - share ** (2.0 * edge)
        if character.eased:
            drive = (abs(wanted) / (1.0 - responsive)) ** (1.0 - smooth)
            wanted *= 0.5 * (math.tanh(drive - math.pi) + 1.0)
        if order == 1:
            velocity = limit(wanted, v_max)
        else:
            asked = (wanted - velocity) / step_s
            if order == 3:
                asked = acceleration + limit((asked - acceleration) / step_s, j_max) * step_s
            acceleration = limit(asked, a_max)
            velocity = limit(velocity + acceleration * step_s, v_max)
        position += velocity * step_s
        if clamped and not lower <= position <= upper:
            position, velocity, acceleration = min(max(position, lower), upper), 0.0, 0.0
        positions.append(position)
    return np.array(positions)
