"""The shuffle-bag: every line once before any line twice, and heavier ones more often.

Each line of weight 1 goes into the bag once a round, of weight 2 twice, of weight 0.5 in every
second round. Nothing is drawn twice running. The bag keeps count of each line rather than an
order, so that lines may come, go or be barred between two draws, and a narrower wish (a
subcategory) uses up the same lines as the wider one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

HEAVIEST = 100.0
"""Largest weight: a line cannot usefully come more often."""

LIGHTEST = 0.001
"""Smallest weight above 0: a line that comes in every thousandth round."""

_ROUNDING = 1e-9


def is_weight(weight: object) -> bool:
    """Whether it can be drawn at all."""
    return isinstance(weight, int | float) and LIGHTEST <= weight <= HEAVIEST


class ShuffleBag:
    """Counts how often each line may still be drawn in its round.

    Args:
        random: where chance comes from.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._left: dict[str, int] = {}
        self._carry: dict[str, float] = {}

    def draw(self, weights: Mapping[str, float], last: str | None) -> tuple[str, bool]:
        """Take one line; says which, and whether the bag was filled for it.

        Args:
            weights: candidates, at least one, each with a weight that `is_weight`.
            last: the line that must not come now. It must not be the only candidate.
        """
        refilled = False
        if not any(self._left.get(line, 0) for line in weights if line != last):
            self._refill(weights, last)
            refilled = True
        line = self._pick(weights, last)
        self._left[line] -= 1
        return line, refilled

    def take_out(self, line: str) -> bool:
        """The line was said by another way: it has had one of its turns, if it had any left."""
        if not self._left.get(line, 0):
            return False
        self._left[line] -= 1
        return True

    def put_back(self, line: str) -> None:
        """The line was drawn but not said; it gets its turn back."""
        self._left[line] = self._left.get(line, 0) + 1

    def left(self, lines: Mapping[str, float]) -> int:
        """How many draws are left among these lines."""
        return sum(self._left.get(line, 0) for line in lines)

    def _refill(self, weights: Mapping[str, float], last: str | None) -> None:
        """Put every candidate in again, as often as its weight says.

        What is left of a line that could not be drawn for coming twice running is forfeited:
        otherwise a very heavy line would pile up turns it can never have.
        """
        for line in weights:
            self._left[line] = 0
        self._fill_round(weights)
        while not any(self._left[line] for line in weights if line != last):
            self._skip_empty_rounds({line: w for line, w in weights.items() if line != last})
            self._fill_round({line: w for line, w in weights.items() if line != last})

    def _fill_round(self, weights: Mapping[str, float]) -> None:
        for line, weight in weights.items():
            whole = math.floor(weight)
            fraction = weight - whole
            if fraction > 0:
                # A random start spreads light lines over the rounds; then they come regularly.
                carry = self._carry.get(line)
                carry = (self._random.random() if carry is None else carry) + fraction
                if carry >= 1 - _ROUNDING:
                    whole += 1
                    carry = max(0.0, carry - 1)
                self._carry[line] = carry
            self._left[line] += whole

    def _skip_empty_rounds(self, weights: Mapping[str, float]) -> None:
        """Where all are so light that rounds are empty: go on to the one that has somebody."""
        rounds = min((1 - self._carry.get(line, 0.0)) / w for line, w in weights.items())
        empty = max(0, math.ceil(rounds - _ROUNDING) - 1)
        for line, weight in weights.items():
            self._carry[line] = self._carry.get(line, 0.0) + empty * weight

    def _pick(self, weights: Mapping[str, float], last: str | None) -> str:
        """One line by its turns left; at once the one that could not be placed later."""
        turns = {line: self._left.get(line, 0) for line in weights}
        total = sum(turns.values())
        open_to = [line for line, count in turns.items() if count and line != last]
        for line in open_to:
            # More than half of the turns: unless it comes now, it must follow itself later.
            if turns[line] > total - turns[line]:
                return line
        return self._random.choices(open_to, [turns[line] for line in open_to])[0]
