"""What an onlooker sees in frames: how fast, how far, when at rest, when the stroke comes.

Design overview: functions of traces, one row a frame. They know no engine, so that any frames can
be measured: of a run's log, of an animator without a bus, of a motion made by hand in a test.

Units and frames: radians or degrees as given, metres, seconds; axes are unit vectors, Y up.
Threading: pure.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STROKE_SHARE = 0.7
"""Of the whole swing: a turning point beyond it is a stroke, before it a preparation."""
STANDS_SHARE = 0.05
"""Of the highest speed: below it, a motion that has come to its apex stands."""

STILL_DEG_S = 15.0
"""A face that turns more slowly stands …"""
TURN_DEG = 5.0
"""… and one that is within this of where it stood before has not turned."""


def axis_of(horizontal_deg: float, vertical_deg: float) -> FloatArray:
    """The unit vector of a look to the right and upwards, on a body that faces +Z."""
    across, up = math.radians(horizontal_deg), math.radians(vertical_deg)
    level = math.cos(up)
    return np.array([-math.sin(across) * level, math.sin(up), math.cos(across) * level])


def apart_deg(axes: FloatArray, others: FloatArray) -> FloatArray:
    """The angles between unit vectors (n, 3), exact for small ones too."""
    difference = np.linalg.norm(axes - others, axis=-1)
    total = np.linalg.norm(axes + others, axis=-1)
    return np.asarray(np.degrees(2.0 * np.arctan2(difference, total)))


def travel_deg(axes: FloatArray) -> float:
    """How far a direction has turned in all along its way."""
    return float(apart_deg(axes[1:], axes[:-1]).sum())


def peak_speed(places: FloatArray, step_s: float) -> float:
    """The highest speed of a place (n, 3), in its unit a second."""
    if len(places) < 2:
        return 0.0
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).max()) / step_s


def rest_s(frames: FloatArray, step_s: float, tolerance: float) -> float:
    """When every column (n, columns) is within a tolerance of its end for good; infinite if the
    last half of the frames still swings by more.
    """
    if residual_swing(frames[len(frames) // 2 :]) > tolerance:
        return math.inf
    off = np.abs(frames - frames[-1]).max(axis=1) > tolerance
    return float(np.flatnonzero(off)[-1] + 1) * step_s if off.any() else 0.0


def residual_swing(frames: FloatArray) -> float:
    """The widest swing of any column."""
    return float(np.ptp(frames, axis=0).max())


def nodding(trace: FloatArray, hysteresis: float) -> float:
    """How far a trace goes to and fro: the shorter of its ways up and down, trembling left out.

    A gaze shift goes one way and adds nothing, a nod goes both ways by its swing.
    """
    turns, furthest, way = [float(trace[0])], float(trace[0]), 0.0
    for value in trace.tolist():
        if way == 0.0 and abs(value - furthest) >= hysteresis:
            way = math.copysign(1.0, value - furthest)
        if way * (value - furthest) > 0.0:
            furthest = value
        elif way * (furthest - value) >= hysteresis:
            turns.append(furthest)
            furthest, way = value, -way
    moves = np.diff([*turns, furthest])
    return min(float(moves[moves > 0.0].sum()), -float(moves[moves < 0.0].sum()))


def apex_s(trace: FloatArray, step_s: float, *, share: float = STROKE_SHARE) -> float | None:
    """When a trace (n,) that starts at its first value comes to the apex of its first stroke.

    That is the first moment beyond a share of its whole swing at which it turns round or all but
    stands; None where it does not move. The stroke goes upwards.
    """
    away = trace - trace[0]
    if away.max() <= 0.0:
        return None
    speed = np.diff(away)
    for frame in range(int(np.argmax(away >= share * away.max())), len(speed)):
        if speed[frame] <= STANDS_SHARE * speed.max():
            return frame * step_s
    return float(len(speed) * step_s)


def reached_s(trace: FloatArray, step_s: float, share: float = 0.9) -> float:
    """When a trace has gone a share of the way to its greatest distance from its first value."""
    away = np.abs(trace - trace[0])
    return float(np.argmax(away >= share * away.max())) * step_s


def fixations(axes: FloatArray, step_s: float) -> list[tuple[int, int]]:
    """First and last frames in which a face stands between two turns that are worth the name.

    The first and the last stand are left out: nobody knows how long they would have been.
    """
    speed = apart_deg(axes[1:], axes[:-1]) / step_s
    stands: list[tuple[int, int]] = []
    for frame in np.flatnonzero(speed < STILL_DEG_S).tolist():
        goes_on = stands and (apart_deg(axes[frame][None], axes[stands[-1][1]][None])[0] < TURN_DEG)
        stands[-1:] = [(stands[-1][0], frame)] if goes_on else [*stands[-1:], (frame, frame)]
    return stands[1:-1]
