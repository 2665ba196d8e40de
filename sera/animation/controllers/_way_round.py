"""Which way round a gaze goes to what is behind the body.

Design overview: the same direction has many angles, whole turns apart. A body that can look all
around takes the one nearest to where it looks: what passes behind it is followed behind it. A neck
with two ends cannot; it stays at the end where it is until the other one is nearer by far, so that
what stands right behind does not swing it to and fro, and then travels through the front.

Units and frames: radians to the right, counted on beyond half a turn.
Threading: one owner.
Safety: the answer is the same direction, for a neck with ends within half a turn and a little.
"""

from __future__ import annotations

import math

from sera.animation.body import Body

LOYAL_RAD = math.radians(15.0)
"""How far beyond straight behind a target may be before a neck goes over to its other end."""


def goes_round(body: Body) -> bool:
    """Whether the body can look all around: upside down too, or by a joint without an end."""
    return any(
        (chain.symmetric and chain.upright)
        or bool(body.tree.chain(chain.end_point).continuous.any())
        for chain in body.chains
        if chain.aims == "Gazing"
    )


def counted_on(yaw_rad: float, last_rad: float, *, round_it: bool) -> float:
    """The angle of a direction, counted on from the last one."""
    on = last_rad + math.remainder(yaw_rad - last_rad, math.tau)
    if round_it or abs(on) <= math.pi + LOYAL_RAD:
        return on
    return math.remainder(yaw_rad, math.tau)
