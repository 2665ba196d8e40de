"""What learners are going to do, by time, and where they look when nothing calls.

Pure; chance is injected. Seconds on the caller's clock.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from random import Random

from ._deeds import AWAY, ROBOT, TABLE

Act = Callable[[float], None]
"""Something that is done at a time, which it is told."""

_LOOKS = ((0.5, "place"), (0.68, TABLE), (0.86, ROBOT), (0.96, "other"))
"""Up to which chance each is looked at; whatever is left looks away."""


class Agenda:
    """Plans in the order in which they are due; those made first come first."""

    def __init__(self) -> None:
        self._plans: list[tuple[float, int, int | None, Act]] = []
        self._count = 0

    def add(self, due_s: float, act: Act, of_round: int | None = None) -> None:
        """Plan something; a plan of a round lapses with the round."""
        self._count += 1
        heapq.heappush(self._plans, (due_s, self._count, of_round, act))

    def due(self, now_s: float, this_round: int) -> Act | None:
        """The next one that is due; None: nothing is."""
        while self._plans and self._plans[0][0] <= now_s:
            _, _, of_round, act = heapq.heappop(self._plans)
            if of_round is None or of_round == this_round:
                return act
        return None


def anywhere(random: Random, places: Sequence[str], other: str | None) -> str:
    """Where somebody looks who has no reason to look anywhere."""
    chance = random.random()
    what = next((name for most, name in _LOOKS if chance < most), AWAY)
    if what == "place":
        return random.choice(places) if places else TABLE
    if what == "other":
        return AWAY if other is None else other
    return what
