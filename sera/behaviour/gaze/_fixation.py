"""Fixations: no look is left before it could be seen.

Design overview: looks pass through here on their way out. One that follows another too soon waits;
a newer one takes its place, and one that goes back to what is looked at still ends the waiting, so
that neither is made. An order of somebody else counts like a look that the gaze chose by itself:
it comes at most 0.4 s late. Following the same target is no look and passes.

Units and frames: seconds of the caller's clock, degrees. Threading: one thread.
"""

from __future__ import annotations

from dataclasses import replace

from sera.behaviour.gaze._orders import GazeOrder, Order, Why

LEAST_S = 0.4
_SAME_DEG = 8.0
"""A place that is drawn anew is another one."""


class Fixation:
    """Lets one look after another out."""

    def __init__(self) -> None:
        self._shown: GazeOrder | None = None
        """The look that went out last, with where it is by now."""
        self._since_s = -LEAST_S
        self._waiting: GazeOrder | None = None
        self.late_s = 0.0
        """How long the look had to wait that went out last time; nought if none did."""

    @property
    def waits(self) -> bool:
        return self._waiting is not None

    def pass_on(self, orders: list[Order], now_s: float) -> list[Order]:
        """What goes out now of what the gaze wants."""
        out: list[Order] = []
        self.late_s = 0.0
        for order in orders:
            waiting = self._waiting
            if not isinstance(order, GazeOrder):
                out.append(order)
            elif waiting is not None and self._follows(order, waiting):
                self._waiting = replace(waiting, angles=order.angles)
            elif self._shown is not None and self._follows(order, self._shown) and waiting is None:
                out.append(order)
                self._shown = order
            else:
                self._waiting = order
        look, shown = self._waiting, self._shown
        if look is None:
            return out
        soon = now_s - self._since_s < LEAST_S - 1e-9
        if soon and shown is not None and self._is_same(look, shown):
            self._waiting = None  # there and back again before anybody saw it
        elif not soon:
            out.append(replace(look, time_s=now_s))
            self.late_s = now_s - look.time_s
            self._shown, self._waiting, self._since_s = look, None, now_s
        return out

    @staticmethod
    def _follows(order: GazeOrder, look: GazeOrder) -> bool:
        return order.why is Why.TRACKING and order.target == look.target

    @staticmethod
    def _is_same(one: GazeOrder, other: GazeOrder) -> bool:
        return one.target == other.target and one.angles.apart_deg(other.angles) <= _SAME_DEG
