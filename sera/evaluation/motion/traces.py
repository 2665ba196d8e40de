"""What an onlooker sees in frames: how fast, how far, when at rest, when the stroke comes.

Functions of traces, one row per frame, of a run's log, an animator without a bus or a motion made
by hand in a test. Units and frames: radians or degrees as given, metres, seconds; axes are unit
vectors, Y up. Threading: pure.
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
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).max(initial=0.0)) / step_s


def rest(frames: FloatArray, tolerance: float) -> tuple[float, float]:
    """The number of frames (n, columns) until every column is within a tolerance of its end for
    good, and the widest swing in the last half; infinite if that is beyond the tolerance.
    """
    swing = float(np.ptp(frames[len(frames) // 2 :], axis=0).max())
    off = np.flatnonzero(np.abs(frames - frames[-1]).max(axis=1) > tolerance)
    return math.inf if swing > tolerance else float(off[-1] + 1) if len(off) else 0.0, swing


def nodding(trace: FloatArray, hysteresis: float) -> float:
    """The widest swing that a trace makes both upwards and downwards, trembling left out.

    A gaze shift goes one way and adds nothing to the other.
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
    return float(max(0.0, min(moves.max(), -moves.min())))


def apex(trace: FloatArray) -> int | None:
    """The frame in which a trace (n,) comes to the apex of its first stroke; None: it stands still.

    That is the first one beyond a share of its whole swing upwards at which it turns round or all
    but stands.
    """
    away = trace - trace[0]
    if away.max() <= 0.0:
        return None
    speed = np.diff(away)
    beyond = int(np.argmax(away >= STROKE_SHARE * away.max()))
    slow = np.flatnonzero(speed[beyond:] <= STANDS_SHARE * speed.max())
    return beyond + int(slow[0]) if len(slow) else len(speed)


def reached(trace: FloatArray, share: float) -> int:
    """The frame in which a trace has gone a share of its greatest distance from its beginning."""
    away = np.abs(trace - trace[0])
    return int(np.argmax(away >= share * away.max()))


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
