"""What stands above all tasks, compiled: ends of joints, and balance.

Design overview: near the end of its range a joint that moves towards it gets a weight below 1,
down to 0 at the end, so that the others do its share (Chan and Dubey). A joint that moves away, or
stands, is not hampered: the weighted solution and the plain one agree there, so that nothing jumps.

`document` is the joint-limit level of the null-space document instead: in a band at each end the
joint is driven to the middle of its range with a smooth activation, whatever it is needed for.

The centre of mass may approach an edge of the support polygon only as fast as it could be stopped
in `time_s`; where the tasks would move it faster, that velocity becomes a row above all levels.

Units and frames: radians or metres; the polygon on the floor, x and z of the base frame.
Threading: no state; arrays come from the caller.
Safety: this slows down; who integrates clamps at the end all the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

DAMPED, DOCUMENT, NONE = 0, 1, 2
EDGES_HELD = 2
"""Rows that are kept free at the top for edges of the support polygon: a corner has two."""


class Bounds(NamedTuple):
    """Ends of the joints."""

    lower: FloatArray  # (n,)
    upper: FloatArray  # (n,)
    bands: FloatArray  # (n,) where a joint begins to be held
    locked: FloatArray  # (n,) 0: it may not move at all


class Floor(NamedTuple):
    """The support polygon."""

    edges: FloatArray  # (E, 3) x and z of the normal that points inwards, and its distance
    margin_m: float
    time_s: float


@kernel
def activation(depth: float, band: float) -> float:
    """From 0 at the edge of a band to 1 at its end, smooth of all orders (f_beta)."""
    if depth <= 0.0:
        return 0.0
    if depth >= band:
        return 1.0
    return 0.5 * (1.0 + math.tanh(band / (band - depth) - band / depth))


@kernel
def weigh_joints(
    bounds: Bounds, angles: FloatArray, velocity: FloatArray, weights: FloatArray
) -> bool:
    """Write the weights that ends of ranges ask for; whether any is below 1."""
    held = False
    for joint in range(len(angles)):
        weights[joint] = bounds.locked[joint]
        if velocity[joint] > 0.0:
            room = bounds.upper[joint] - angles[joint]
        elif velocity[joint] < 0.0:
            room = angles[joint] - bounds.lower[joint]
        else:
            continue
        band = bounds.bands[joint]
        if room < band:
            weights[joint] *= 1.0 - activation(band - room, band)
            held = True
    return held


@kernel
def push_to_middle(
    bounds: Bounds,
    gain: float,
    angles: FloatArray,
    weights: FloatArray,
    velocity: FloatArray,
) -> bool:
    """The document's level: write its velocities and the weights that it leaves."""
    active = False
    for joint in range(len(angles)):
        half = 0.5 * (bounds.upper[joint] - bounds.lower[joint])
        velocity[joint], weights[joint] = 0.0, bounds.locked[joint]
        if half <= 0.0 or bounds.locked[joint] == 0.0:
            continue
        off_middle = (angles[joint] - bounds.lower[joint]) / half - 1.0
        band = bounds.bands[joint] / half
        share = activation(abs(off_middle) - (1.0 - band), band)
        if share > 0.0:
            velocity[joint] = -gain * share * off_middle * half
            weights[joint] *= 1.0 - share
            active = True
    return active


@kernel
def hold_edge(
    floor: Floor,
    centre_m: FloatArray,
    centre_jacobian: FloatArray,
    locked: FloatArray,
    velocity: FloatArray,
    held: int,
    rows: FloatArray,
    errors: FloatArray,
) -> int:
    """Add a row for the edge that the centre of mass approaches too fast; how many are held now.

    `held` rows stand there already and are not chosen again.
    """
    if held >= EDGES_HELD:
        return held
    worst, chosen, allowed = 1e-9, -1, 0.0
    for edge in range(len(floor.edges)):
        across_x, across_z = floor.edges[edge, 0], floor.edges[edge, 1]
        inside = across_x * centre_m[0] + across_z * centre_m[2] - floor.edges[edge, 2]
        least = -(inside - floor.margin_m) / floor.time_s
        moves = 0.0
        for joint in range(len(velocity)):
            moves += velocity[joint] * (
                across_x * centre_jacobian[0, joint] + across_z * centre_jacobian[2, joint]
            )
        if least - moves > worst:
            worst, chosen, allowed = least - moves, edge, least
    if chosen < 0:
        return held
    for joint in range(len(velocity)):
        rows[held, joint] = locked[joint] * (
            floor.edges[chosen, 0] * centre_jacobian[0, joint]
            + floor.edges[chosen, 1] * centre_jacobian[2, joint]
        )
    errors[held] = allowed
    return held + 1
