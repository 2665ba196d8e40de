"""Learning what a posture means: whether it was shown when things went one way, or the other.

Design overview
    Somebody who does not know what postures mean, nor that they mean anything, collects examples:
    what was seen, and which of two things it turned out to have gone with. Both kinds have a mean;
    the spread around them is shared. Until there are enough examples the two means are drawn
    together, so that nothing is believed too soon, and nothing is believed about which posture
    goes with what before it was seen. How far the meaning is trusted follows from how often it
    would have told rightly, which is near chance where postures mean nothing.

Units and frames
    Features in metres; evidence in nats, positive for the first kind.

Threading
    None of its own. No randomness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
LEAST_SPREAD_M = 0.03
STRONGEST = 4.0
"""Nats: nobody is surer than that because of one look."""
FIRST_TRUST_WEIGHT = 4.0
"""How many imagined guesses at chance stand at the beginning of the trust."""


class MeaningLearner:
    """What one person makes of postures.

    Args:
        size: how many features a look has.
        caution: how many examples of a kind it takes to believe half of what they say.
        forgets: share of every example that is left after the next one.
    """

    def __init__(self, size: int, caution: float, forgets: float = 0.98) -> None:
        self._caution = caution
        self._keeps = forgets
        self._counts = np.zeros(2)
        self._sums = np.zeros((2, size))
        self._squares = np.zeros((2, size))
        self._told = FIRST_TRUST_WEIGHT
        self._rightly = FIRST_TRUST_WEIGHT / 2

    @property
    def trust(self) -> float:
        """How much better than chance the meaning has told, 0-1."""
        return max(0.0, 2.0 * self._rightly / self._told - 1.0)

    @property
    def examples(self) -> int:
        """How many examples are remembered, at least in part."""
        return round(float(self._counts.sum()))

    def evidence(self, seen: FloatArray) -> float:
        """How much a look speaks for the first kind, in nats; 0 while nothing is known."""
        if not self._counts.all():
            return 0.0
        means = self._sums / self._counts[:, None]
        pooled = self._sums.sum(axis=0) / self._counts.sum()
        belief = (self._counts / (self._counts + self._caution))[:, None]
        means = pooled + belief * (means - pooled)
        within = self._squares - self._counts[:, None] * (self._sums / self._counts[:, None]) ** 2
        spread = np.sqrt(np.maximum(within.sum(axis=0) / self._counts.sum(), LEAST_SPREAD_M**2))
        away = ((seen - means) / spread) ** 2
        # Parts of one body move together: as many looks as features would be too many.
        nats = 0.5 * float((away[1] - away[0]).sum()) / np.sqrt(len(seen))
        return float(np.clip(nats, -STRONGEST, STRONGEST))

    def learn(self, seen: FloatArray, first_kind: bool) -> None:
        """It turned out that a look went with the first kind, or with the other one."""
        told = self.evidence(seen)
        self._told *= self._keeps
        self._rightly *= self._keeps
        self._told += 1.0
        self._rightly += 0.5 if told == 0.0 else float((told > 0.0) == first_kind)
        kind = 0 if first_kind else 1
        self._counts *= self._keeps
        self._sums *= self._keeps
        self._squares *= self._keeps
        self._counts[kind] += 1.0
        self._sums[kind] += seen
        self._squares[kind] += seen**2
