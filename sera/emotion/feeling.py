"""What a character feels over time: orders blend in, then fade into the mood.

    feeling = Feeling(mood=PAD.neutral(), half_life_s=30.0)
    feeling.set(PAD.named("fear"), now_s=12.0, blend_s=0.8)
    felt = feeling.at(12.4)          # felt.pad, felt.per_s, felt.intensity

Design overview
    A blend takes what is felt to a target along the minimum-jerk course and reaches it exactly.
    Where a blend begins in the middle of another, the rate at that moment dies away along a second
    polynomial, so that neither value nor rate ever jumps. Both are as short as they must be for
    the sum to stay within -1 to 1: nothing is clamped.

    After the blend the emotion fades towards the mood: half of it is left after each half-life.
    Fading sets in gently, over `FADE_EASE` of a half-life, because the blend ends at rest.

    *Intensity* says how much of an expression shows. It belongs to where a blend leads, and is
    blended and faded along with it: 0 where that is neutral, 1 from `FULL_AT` away from neutral,
    smooth between. A robot that was told nothing, or to be neutral, therefore shows nothing
    instead of swinging at the middle of all features, while on the way from joy to grief, which
    leads past neutral, nothing falters.

Units and frames
    Seconds of whatever clock the caller has; points of emotion, and their rates a second.

Threading
    One owner. `at` changes nothing: what it says depends on the orders and the time alone, not on
    how often it was asked.

Safety
    Times and durations that are not finite are refused. A time before the last order counts as the
    moment of that order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.emotion.pad import PAD

FULL_AT = 0.2
"""How far from neutral an emotion shows wholly."""
FADE_EASE = 0.1
"""Share of a half-life over which fading sets in."""
DEFAULT_BLEND_S = 0.8
DEFAULT_HALF_LIFE_S = 30.0

_RANGES = ((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, 1.0))
"""Of the three axes and of the intensity."""
_DEGREES = len(_RANGES)
_HIGHEST_RISE = 0.2
"""Above the peak of the polynomial along which a rate dies away, 0.1965."""
_STRAIGHT = 2.5
"""How many times faster than the blend's average a beginning may be without going too far."""
_STILL_PER_S = 1e-12
"""Slower than this counts as at rest: dividing by less could end in nought."""
_HURRY = 0.25
"""The least share of a blend's time in which an axis goes straight to its target."""


@dataclass(frozen=True, slots=True)
class Felt:
    """What is felt at a moment."""

    pad: PAD
    per_s: tuple[float, float, float]
    """How fast it changes, for each axis."""
    intensity: float
    """How much of it shows, 0 to 1."""
    intensity_per_s: float
    target: PAD
    """Where the last blend leads; it fades into the mood thereafter."""
    mood: PAD
    blending: bool
    """Whether a blend is under way."""


@dataclass(frozen=True, slots=True)
class _Course:
    """A blend: from values and rates to a target, in a time."""

    began_s: float
    lasts_s: float
    start: tuple[float, ...]
    rates_per_s: tuple[float, ...]
    target: tuple[float, ...]

    @property
    def ends_s(self) -> float:
        """When it has reached its target."""
        return self.began_s + self.lasts_s

    def at(self, now_s: float) -> tuple[list[float], list[float]]:
        """Values and rates while it is under way."""
        elapsed_s = now_s - self.began_s
        values, rates = [], []
        for axis in range(_DEGREES):
            way_s, dying_s = self.durations_s(axis)
            start, target = self.start[axis], self.target[axis]
            value, rate = target, 0.0
            if elapsed_s < way_s:
                share, share_dot = _minimum_jerk(elapsed_s / way_s)
                value = start + (target - start) * share
                rate = (target - start) * share_dot / way_s
            if elapsed_s < dying_s:
                rise, rise_dot = _dying_rate(elapsed_s / dying_s)
                value += self.rates_per_s[axis] * dying_s * rise
                rate += self.rates_per_s[axis] * rise_dot
            lowest, highest = _RANGES[axis]
            values.append(min(max(value, lowest), highest))  # for rounding alone
            rates.append(rate)
        return values, rates

    def durations_s(self, axis: int) -> tuple[float, float]:
        """How long the way takes on an axis, and how long the rate at its beginning lasts.

        Who is fast already goes straight there, and arrives before the others; who is much too
        fast for a target close by swings over it, as far as there is room.
        """
        rate = self.rates_per_s[axis]
        if abs(rate) < _STILL_PER_S:
            return self.lasts_s, 0.0
        start, target = self.start[axis], self.target[axis]
        ahead = (target - start) * math.copysign(1.0, rate)
        straight_s = _STRAIGHT * ahead / abs(rate)
        if straight_s >= _HURRY * self.lasts_s:
            both_s = min(self.lasts_s, straight_s)
            return both_s, both_s
        lowest, highest = _RANGES[axis]
        room = highest - max(start, target) if rate > 0.0 else min(start, target) - lowest
        room_s = max(0.0, room) / (_HIGHEST_RISE * abs(rate))
        return self.lasts_s, min(self.lasts_s, max(room_s, straight_s))


class Feeling:
    """A character's emotion and mood.

    Args:
        mood: what emotions fade into; neutral unless given.
        half_life_s: how soon half of an emotion has faded; None for emotions that stay.
    """

    def __init__(
        self, mood: PAD | None = None, half_life_s: float | None = DEFAULT_HALF_LIFE_S
    ) -> None:
        if half_life_s is not None and not (math.isfinite(half_life_s) and half_life_s > 0.0):
            raise ValueError(f"a half-life is above nought or None, not {half_life_s!r}")
        self.half_life_s = half_life_s
        self._mood_pad = self._target = mood or PAD.neutral()
        self._mood = _shown(self._mood_pad)
        still = (0.0,) * _DEGREES
        self._course = _Course(-math.inf, 0.0, self._mood, still, self._mood)

    @property
    def mood(self) -> PAD:
        """What emotions fade into."""
        return self._mood_pad

    def set(self, pad: PAD, now_s: float, blend_s: float = DEFAULT_BLEND_S) -> None:
        """Feel so from now on."""
        self._blend(now_s, blend_s, target=_shown(pad))

    def set_mood(self, mood: PAD, now_s: float, blend_s: float = DEFAULT_BLEND_S) -> None:
        """Fade into this mood from now on.

        What is left of an emotion stays on top of it: while one is felt wholly, the new mood
        shows by and by only, and when all of it has faded, the whole change is blended.
        """
        now = self._moment(now_s)
        left = self._left(now)
        new = _shown(mood)
        emotion = self._course.target
        target = tuple(a + left * (b - a) for a, b in zip(new, emotion, strict=True))
        self._blend(now, blend_s, target=target)
        self._mood_pad, self._mood = mood, new

    def forget(self, now_s: float, blend_s: float = DEFAULT_BLEND_S) -> None:
        """Go back to the mood at once rather than by and by."""
        self._blend(now_s, blend_s, target=self._mood)

    def at(self, now_s: float) -> Felt:
        """What is felt at a time."""
        now = self._moment(now_s)
        values, rates = self._felt(now)
        return Felt(
            pad=PAD(*values[:3]),
            per_s=(rates[0], rates[1], rates[2]),
            intensity=values[3],
            intensity_per_s=rates[3],
            target=self._target,
            mood=self._mood_pad,
            blending=now < self._course.ends_s,
        )

    def _blend(self, now_s: float, blend_s: float, target: tuple[float, ...]) -> None:
        now = self._moment(now_s)
        if not (math.isfinite(blend_s) and blend_s >= 0.0):
            raise ValueError(f"a blend takes nought or more seconds, not {blend_s!r}")
        values, rates = self._felt(now)
        self._course = _Course(now, float(blend_s), tuple(values), tuple(rates), target)
        self._target = PAD(*target[:3])

    def _moment(self, now_s: float) -> float:
        if not math.isfinite(now_s):
            raise ValueError(f"the time is {now_s!r}; give seconds")
        return max(float(now_s), self._course.began_s)

    def _felt(self, now: float) -> tuple[list[float], list[float]]:
        course = self._course
        if now < course.ends_s:
            return course.at(now)
        left, left_dot = self._left(now), self._left_per_s(now)
        away = [a - b for a, b in zip(course.target, self._mood, strict=True)]
        values = [a + left * b for a, b in zip(self._mood, away, strict=True)]
        if left == 1.0:
            values = list(course.target)
        return values, [left_dot * b for b in away]

    def _since_blend_s(self, now: float) -> float:
        return max(0.0, now - self._course.ends_s)

    def _left(self, now: float) -> float:
        """What share of the emotion has not faded."""
        if self.half_life_s is None:
            return 1.0
        since, ease = self._since_blend_s(now), FADE_EASE * self.half_life_s
        faded_s = since * since / (2.0 * ease) if since < ease else since - ease / 2.0
        return math.exp2(-faded_s / self.half_life_s)

    def _left_per_s(self, now: float) -> float:
        if self.half_life_s is None:
            return 0.0
        speed = min(1.0, self._since_blend_s(now) / (FADE_EASE * self.half_life_s))
        return -math.log(2.0) / self.half_life_s * speed * self._left(now)


def _shown(pad: PAD) -> tuple[float, ...]:
    """A point and how much of it shows."""
    share = min(1.0, math.hypot(*pad.values) / FULL_AT)
    return (*pad.values, share * share * (3.0 - 2.0 * share))


def _minimum_jerk(s: float) -> tuple[float, float]:
    """From 0 to 1, at rest at both ends, with its slope."""
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2


def _dying_rate(s: float) -> tuple[float, float]:
    """From 0 back to 0, with slope one at the beginning and at rest at the end."""
    square = s * s
    return (
        s - square * s * (6.0 - 8.0 * s + 3.0 * square),
        1.0 - square * (18.0 - 32.0 * s + 15.0 * square),
    )
