"""Smooth random motion: gradient noise in one dimension, in octaves.

Design overview: time is cut into cells; each border between two cells has a random slope, found
from seed and cell number by a mixing function, so that nothing is stored and the same seed always
gives the same curve. Between two borders the slopes are blended by a fifth-order curve: the signal
is smooth to its second derivative. Each octave has double the frequency of the one before and
`persistence` times its amplitude, and begins within a cell so that the octaves' zeros do not meet.
Units and frames: the value has the unit of `amplitude`. `frequency_hz` is cells a second in the
lowest octave; nearly all power lies below the highest octave's frequency.
Threading: one owner.
Safety: |value| never exceeds amplitude times gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import (
    LARGEST,
    RandomSource,
    bounded,
    check,
    seed_of,
    within,
)

_MASK = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSettings:
    """How far, how fast and how rough the noise moves."""

    amplitude: float = 1.0
    frequency_hz: float = 0.5
    octaves: int = 2
    persistence: float = 0.5

    def __post_init__(self) -> None:
        check("amplitude", self.amplitude, 0.0, LARGEST)
        check("frequency_hz", self.frequency_hz, 0.0, 100.0)
        check("octaves", self.octaves, 1, 8)
        if int(self.octaves) != self.octaves:
            raise ValueError(f"octaves is {self.octaves:g}; give a whole number from 1 to 8.")
        check("persistence", self.persistence, 0.0, 1.0)


class Noise:
    """Gradient noise that runs on with each step."""

    __slots__ = ("_cells", "_octaves", "_places", "_seeds", "_shares", "_slopes", "settings")

    def __init__(self, settings: NoiseSettings, seed: RandomSource) -> None:
        self.settings = settings
        self._octaves = int(settings.octaves)
        shares = [settings.persistence**octave for octave in range(self._octaves)]
        # One octave of unit slopes reaches ±0.5, hence the two; the shares add up to one.
        self._shares = [2.0 * share / math.fsum(shares) for share in shares]
        first = seed_of(seed)
        self._seeds = [_mixed(first + 1000003 * octave) for octave in range(self._octaves)]
        self._cells = [0] * self._octaves
        self._places = [0.0] * self._octaves
        self._slopes = [0.0] * (2 * self._octaves)
        self.reset()

    def reset(self) -> None:
        for octave in range(self._octaves):
            # The lowest octave begins at a border, thus at nought, the others somewhere else.
            self._enter(octave, 0)
            self._places[octave] = (0.381966 * octave) % 1.0

    def step(self, dt_s: float, gain: float = 1.0, rate: float = 1.0) -> float:
        """The value `dt_s` later; `gain` scales the amplitude, `rate` the frequency."""
        ahead = dt_s * self.settings.frequency_hz * within(rate, 0.0, 1e3)
        total = 0.0
        places = self._places
        slopes = self._slopes
        for octave in range(self._octaves):
            place = places[octave] + ahead
            if place >= 1.0:
                whole = int(place)
                place -= whole
                self._enter(octave, self._cells[octave] + whole)
            places[octave] = place
            fade = place * place * place * (place * (6.0 * place - 15.0) + 10.0)
            before = slopes[2 * octave] * place
            after = slopes[2 * octave + 1] * (place - 1.0)
            total += self._shares[octave] * (before + fade * (after - before))
            ahead *= 2.0
        return bounded(self.settings.amplitude * bounded(gain) * within(total, -1.0, 1.0))

    def _enter(self, octave: int, cell: int) -> None:
        seed = self._seeds[octave]
        self._cells[octave] = cell
        self._slopes[2 * octave] = _slope(seed, cell)
        self._slopes[2 * octave + 1] = _slope(seed, cell + 1)


def _mixed(number: int) -> int:
    """Sixty-four bits that look random, different for every number (the splitmix64 finaliser)."""
    number = (number * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & _MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
    return number ^ (number >> 31)


def _slope(seed: int, cell: int) -> float:
    """A number from -1 to 1 for a border between two cells."""
    return _mixed(seed ^ cell) / 2.0**63 - 1.0
