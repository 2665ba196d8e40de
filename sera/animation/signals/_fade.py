"""A weight that comes and goes with minimum jerk.

Design overview: `go` leads from the present weight, with the speed that it has as far as there is
room for it, to another one; a fade that is turned round under way makes no corner. No time at all
is a jump.
Units and frames: 0 to 1, seconds. Threading: one owner.
Safety: the value never leaves 0 to 1.
"""

from __future__ import annotations

from sera.animation.signals._minimum_jerk import MinimumJerkMove


class Fade:
    """How much something counts, on its way to more or less."""

    __slots__ = ("_move",)

    def __init__(self, value: float = 0.0) -> None:
        self._move = MinimumJerkMove()
        self._move.reset(value)

    @property
    def value(self) -> float:
        return min(1.0, max(0.0, self._move.value))

    @property
    def goal(self) -> float:
        return self._move.target

    @property
    def moving(self) -> bool:
        return self._move.moving

    @property
    def remaining_s(self) -> float:
        return self._move.remaining_s

    def go(self, goal: float, duration_s: float) -> None:
        """Be there after so long."""
        move = self._move
        if duration_s <= 0.0 or goal == self.value:
            move.reset(goal)
            return
        room = 1.0 - self.value if move.velocity > 0.0 else self.value
        most = 3.0 * room / duration_s
        move.velocity = min(max(move.velocity, -most), most)
        move.acceleration = 0.0
        move.go(goal, duration_s)

    def step(self, dt_s: float) -> float:
        """The weight `dt_s` later."""
        if self._move.moving:
            self._move.step(dt_s)
        return self.value
