"""Nods and shakes that keep their swing, whatever the body can do where it looks.

Design overview: near the end of a joint a nod would be cut off: the gaze gives way beforehand by as
much as the swing lacks, and comes back after it. On a body that is too slow the swing stays as it
is and its rate is lowered: what the joints make of it is tried once with the motion filter, faster
first.

Units and frames: radians, seconds. Threading: one owner, the controller that nods.
Safety: only shifts and slows down what is asked for; limits are the motion filter's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from sera.animation.assets import Animation
from sera.animation.channels import Unit
from sera.animation.engine.controller import Row
from sera.animation.signals import MinimumJerkMove

UP, ACROSS = "Gazing.Vertical", "Gazing.Horizontal"
LEAST_SWING_RAD = 0.087
_MAIN = 0.45
"""The head swings by at least so much of what anything else does."""
_TURNS, _APART_S, _SINGLE_S = 3, 0.8, 1.6
_GIVES_WAY_S, _SECONDS_PER_RAD = 0.2, 0.4
"""As a gaze travels."""
_LOOK_AGAIN_RAD = 0.035


class Extent(NamedTuple):
    """How far a nod or a shake goes to both sides, and when it is over."""

    lowest: float
    highest: float
    ends_s: float = math.inf


def swings_of(animation: Animation) -> dict[str, Extent]:
    """The gaze channels by which an animation nods or shakes, and how far; none if it does not.

    It goes to and fro, or there and back once and soon, and the head is what moves most.
    """
    if not animation.additive:
        return {}
    angles = [each for each in animation.channels if each.unit is Unit.RADIAN]
    most = max((float(np.ptp(each.curve.knots.values)) for each in angles), default=0.0)
    found = {}
    for channel in angles:
        values, times_s = channel.curve.knots.values, channel.curve.knots.times_s
        swing = float(np.ptp(values))
        if channel.name not in (UP, ACROSS) or swing < max(LEAST_SWING_RAD, _MAIN * most):
            continue
        steps = np.diff(values)
        turns_s = times_s[1:-1][steps[1:] * steps[:-1] < 0.0]
        to_and_fro = len(turns_s) >= _TURNS and float(np.diff(turns_s).mean()) <= _APART_S
        if to_and_fro or (len(turns_s) and times_s[-1] - times_s[0] <= _SINGLE_S):
            found[channel.name] = Extent(
                float(values.min()), float(values.max()), float(times_s[-1])
            )
    return found


class Swing:
    """One nod or shake under way."""

    def __init__(self, row: Row, swings: Mapping[str, Extent]) -> None:
        """Know how far it goes, by channel."""
        self.ends_s = max((extent.ends_s for extent in swings.values()), default=0.0)
        self._row = row
        find = row.layout.find
        self._ends = {c: ends for name, ends in swings.items() if (c := find(name)) is not None}
        self._places = find(ACROSS), find(UP)
        self._shifts = {column: MinimumJerkMove() for column in self._ends}
        self._centre: tuple[float, float] | None = None

    def rate(self, changes_at: Callable[[float], Mapping[int, float]], lasts_s: float) -> float:
        """How fast the body can do it, as a share of how fast it is asked to."""
        return self._row.seams.rate(changes_at, lasts_s) if self._ends else 1.0

    def step(self, dt_s: float, *, on: bool) -> None:
        """Give way, or come back; what the row says of the channels so far is the swing's own."""
        row = self._row
        if on:
            centre = row.seams.gaze_below(row.number)
            if self._centre is None or _apart(centre, self._centre) > _LOOK_AGAIN_RAD:
                self._centre = centre
                self._make_room(centre)
        elif self._centre is not None:
            self._centre = None
            for column in self._shifts:
                self._give_way(column, 0.0)
        for column, shift in self._shifts.items():
            row.add(column, shift.step(dt_s))

    @property
    def gives_way(self) -> bool:
        return any(shift.moving or shift.value for shift in self._shifts.values())

    def _make_room(self, centre: tuple[float, float]) -> None:
        for column, ends in self._ends.items():
            place = self._places.index(column)
            short = []
            for end in ends[:2]:
                wanted = list(centre)
                wanted[place] += end
                short.append(self._row.seams.looks(wanted[0], wanted[1])[place] - wanted[place])
            # What is lacking on one side is there on the other, unless all of it is out of reach.
            both = short[0] * short[1] > 0.0
            lacks = max(short, key=abs) if both else sum(short)
            # Aiming is not quite exact.
            self._give_way(column, lacks if abs(lacks) > _LOOK_AGAIN_RAD else 0.0)

    def _give_way(self, column: int, goal: float) -> None:
        shift = self._shifts[column]
        shift.go(goal, _GIVES_WAY_S + _SECONDS_PER_RAD * abs(goal - shift.value))


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def changes_of(row: Row, animation: Animation) -> Callable[[float], dict[int, float]]:
    """What an animation adds to its channels, by time."""
    columns = [row.layout.find(name) for name in animation.names]

    def changes_at(time_s: float) -> dict[int, float]:
        values = zip(columns, animation.at(time_s), strict=True)
        return {column: value for column, value in values if column is not None}

    return changes_at
