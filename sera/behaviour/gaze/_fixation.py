"""Fixations: what the gaze chooses by itself it does not leave before it could be seen.

Design overview: looks pass through here on their way out. One that the gaze chose by itself waits
until the look before has come and stood; a newer one takes its place, and one that goes back to
what is looked at still ends the waiting, so that neither is made. What somebody orders goes at
once, unless it turned back in the same instant. Following the same target is no look and passes.

Units and frames: seconds of the caller's clock, degrees. Threading: one thread.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sera.behaviour.gaze._orders import GazeOrder, Order, Why

LEAST_S = 0.4
_INSTANT_S = 0.1
_ORDERED = (Why.ORDER, Why.GLANCE)
_SAME_DEG = 8.0
"""A place that is drawn anew is another one."""
# How the shipped gaze travels (GazeArc), seen as arrived within a tenth of the way.
_LEAST_TRAVEL_S, _S_PER_RAD, _SEEN, _LAG_S = 0.2, 0.4, 0.77, 0.05


def travel_s(way_rad: float, speed: float) -> float:
    """How long a gaze takes until it is seen to have come."""
    return _SEEN * (_LEAST_TRAVEL_S + _S_PER_RAD * way_rad) / speed + _LAG_S


class Fixation:
    """Lets one look after another out."""

    def __init__(self) -> None:
        self._shown: GazeOrder | None = None
        """The look that went out last, with where it is by now."""
        self._before: GazeOrder | None = None
        """The one before that."""
        self._since_s, self._travels_s = -LEAST_S, 0.0
        """When it went out, and how long it travels."""
        self._waiting: GazeOrder | None = None

    @property
    def waits(self) -> bool:
        return self._waiting is not None

    def pass_on(self, orders: list[Order], now_s: float) -> list[Order]:
        """What goes out now of what the gaze wants."""
        out: list[Order] = []
        for order in orders:
            waiting = self._waiting
            if not isinstance(order, GazeOrder):
                out.append(order)
            elif _follows(order, waiting):
                assert waiting is not None
                self._waiting = replace(waiting, angles=order.angles, place_m=order.place_m)
            elif waiting is None and _follows(order, self._shown):
                out.append(order)
                self._shown = order
            else:
                self._waiting = order
                out += self._let_out(now_s)
        return [*out, *self._let_out(now_s)]

    def _let_out(self, now_s: float) -> list[Order]:
        look, stood_s = self._waiting, now_s - self._since_s + 1e-9
        was_seen = stood_s >= self._travels_s + LEAST_S
        if look is None or not (was_seen or self._may_cut_short(look)):
            return []
        self._waiting = None
        if not was_seen and _are_same(look, self._shown):
            return []  # there and back again before anybody saw it
        way_deg = 0.0 if self._shown is None else look.angles.apart_deg(self._shown.angles)
        self._travels_s = travel_s(math.radians(way_deg), look.speed)
        self._before, self._shown, self._since_s = self._shown, look, now_s
        return [replace(look, time_s=now_s)]

    def _may_cut_short(self, look: GazeOrder) -> bool:
        """Whether a look goes out although the one before has not stood for long."""
        if _are_same(look, self._shown):
            return True
        same_instant = look.time_s - self._since_s < _INSTANT_S
        turns_back = same_instant and _are_same(look, self._before)
        return look.why in _ORDERED and not turns_back


def _follows(order: GazeOrder, look: GazeOrder | None) -> bool:
    return look is not None and order.why is Why.TRACKING and order.target == look.target


def _are_same(one: GazeOrder, other: GazeOrder | None) -> bool:
    if other is None or one.target != other.target:
        return False
    return one.angles.apart_deg(other.angles) <= _SAME_DEG
