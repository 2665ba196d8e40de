"""Nods and shakes: bursts of strokes that grow weaker.

Design overview: a burst is a row of extremes, each reached exactly and with zero speed, joined by
half cosines. A nod goes down and back to rest; a shake goes to both sides. `decay` makes each nod,
or each pair of a shake's sides, smaller than the one before; the first has the whole amplitude. A
frame in which an extreme passes shows the extreme, so that slow frame rates do not cut the peaks.
Units and frames: radians. A nod's strokes are negative (pitch is positive upwards); a shake begins
to the positive side.
Threading: one owner.
Safety: |value| never exceeds the amplitude; a burst that is started while another runs begins when
the running stroke ends, so that the motion has no kink.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from sera.animation.signals._checks import check, within


class NodKind(StrEnum):
    """Yes or no."""

    NOD = "nod"
    SHAKE = "shake"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodSettings:
    """How far and how fast the head goes."""

    kind: NodKind = NodKind.NOD
    amplitude_rad: float = 0.25
    frequency_hz: float = 1.6
    decay: float = 0.75
    """Size of a stroke as a share of the one before; 1 does not decay."""

    def __post_init__(self) -> None:
        if self.kind not in list(NodKind):
            raise ValueError(f"kind is {self.kind!r}; give one of {', '.join(NodKind)}.")
        check("amplitude_rad", self.amplitude_rad, 0.0, math.pi)
        check("frequency_hz", self.frequency_hz, 0.1, 10.0)
        check("decay", self.decay, 0.0, 1.0)


class Nod:
    """The offset of a head that nods or shakes when asked to."""

    __slots__ = ("_from", "_gain", "_left", "_next_count", "_next_gain", "_strokes", "_time_s",
                 "_to", "active", "settings", "value")  # fmt: skip

    def __init__(self, settings: NodSettings) -> None:
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        self.value = self._from = self._to = 0.0
        self.active = False
        self._strokes = self._left = self._next_count = 0
        self._gain = self._next_gain = 1.0
        self._time_s = 0.0

    def start(self, count: int = 2, gain: float = 1.0) -> None:
        """Nod or shake `count` times; `gain` from 0 to 1 makes it smaller."""
        if not 1 <= count <= 50:
            raise ValueError(f"count is {count}; give a whole number from 1 to 50.")
        check("gain", gain, 0.0, 1.0)
        self._next_count = count
        self._next_gain = gain
        if not self.active:
            self._time_s = 0.0
            self._begin_burst()

    def step(self, dt_s: float) -> float:
        """The offset `dt_s` later."""
        if not self.active:
            return 0.0
        self._time_s += dt_s
        passed = 0.0
        did_pass = False
        while self.active and self._time_s >= self._stroke_s():
            self._time_s -= self._stroke_s()
            did_pass = True
            if abs(self._to) > abs(passed):
                passed = self._to
            self._begin_stroke()
        if did_pass:
            self.value = passed
        elif self.active:
            share = 0.5 - 0.5 * math.cos(math.pi * self._time_s / self._stroke_s())
            self.value = self._from + share * (self._to - self._from)
        return self.value

    def _begin_burst(self) -> None:
        is_nod = self.settings.kind == NodKind.NOD
        self._strokes = 2 * self._next_count + (0 if is_nod else 1)
        self._left = self._strokes
        self._gain = self._next_gain
        self._next_count = 0
        self.active = True
        self._from = self._to
        self._to = self._extreme(0)
        # At the bottom of a nod already: that stroke is done.
        if self._from != 0.0 and abs(self._to - self._from) < 0.1 * abs(self._to):
            self._left -= 1
            self._to = self._extreme(1)

    def _begin_stroke(self) -> None:
        if self._next_count:
            self._begin_burst()
            return
        self._left -= 1
        self._from = self._to
        if self._left <= 0:
            self.reset()
            return
        self._to = self._extreme(self._strokes - self._left)

    def _extreme(self, stroke: int) -> float:
        settings = self.settings
        reach = (
            within(self._gain, 0.0, 1.0) * settings.amplitude_rad * settings.decay ** (stroke // 2)
        )
        if settings.kind == NodKind.NOD:
            return -reach if stroke % 2 == 0 else 0.0
        if stroke == self._strokes - 1:
            return 0.0
        return reach if stroke % 2 == 0 else -reach

    def _stroke_s(self) -> float:
        half_period_s = 0.5 / self.settings.frequency_hz
        is_half_way = self.settings.kind == NodKind.SHAKE and (self._from == 0.0 or self._to == 0.0)
        # Half the way with the same acceleration takes the root of half the time.
        return half_period_s * (math.sqrt(0.5) if is_half_way else 1.0)
