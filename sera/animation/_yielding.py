"""A gaze that yields to a nod and a shake: shifts wait until it is over.

Design overview: a nod in which the head travels elsewhere is not seen. The newest shift waits, for
about as long as a nod lasts at most; following somebody who moves is no shift and goes on.

Units and frames: degrees, seconds. Threading: one owner, who calls `due` in every frame.
"""

from __future__ import annotations

from sera.messages import Gaze

LONGEST_S = 1.2
SHIFT_DEG = 6.0
"""A turn by less leaves a nod what it is …"""
FOLLOWS_DEG = 20.0
"""… and by so much for the same target is no step of somebody who walks."""


class YieldingGaze:
    """Holds one order back while the body nods."""

    def __init__(self) -> None:
        self._looked: Gaze | None = None
        self._order: Gaze | None = None
        self._left_s = 0.0

    @property
    def waits(self) -> bool:
        return self._order is not None

    def holds(self, order: Gaze, *, nods: bool) -> bool:
        """Whether an order has to wait; one that goes through ends the waiting of another."""
        if nods and self._shifts(order):
            if self._order is None:
                self._left_s = LONGEST_S
            self._order = order
            return True
        self._looked, self._order = order, None
        return False

    def due(self, dt_s: float, *, nods: bool) -> Gaze | None:
        """The order that has waited, as soon as it may go on."""
        self._left_s -= dt_s
        if self._order is None or (nods and self._left_s > 0.0):
            return None
        self._looked, self._order = self._order, None
        return self._looked

    def _shifts(self, order: Gaze) -> bool:
        """Whether the gaze goes elsewhere, rather than after what it is on."""
        before = self._looked
        if before is None:
            return True
        follows = order.target is not None and order.target == before.target
        now, then = order.direction, before.direction
        apart_deg = max(
            abs(now.horizontal_deg - then.horizontal_deg),
            abs(now.vertical_deg - then.vertical_deg),
        )
        return apart_deg > (FOLLOWS_DEG if follows else SHIFT_DEG)
