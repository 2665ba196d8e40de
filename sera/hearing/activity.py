"""Speech begins and ends: likelihoods become decisions that do not flicker.

Design overview: speech begins after a few likely frames in a row and ends after a pause. A frame
may be undecided (the robot itself speaks, and its voice is not known yet): it begins nothing and
ends nothing for a while.
Units: seconds of the run's clock.
Threading: one caller at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

UNDECIDED_S = 1.5
"""Speech that cannot be told from the robot's own for longer than this counts as over."""


@dataclass(frozen=True, slots=True)
class ActivitySettings:
    """When speech begins and ends."""

    likely: float = 0.5
    """A frame as likely as this begins speech."""
    unlikely: float = 0.35
    """A frame less likely than this is a pause."""
    starts_after_s: float = 0.09
    """How long it must be likely."""
    ends_after_s: float = 0.4
    """How long the pause must be."""


@dataclass(frozen=True, slots=True)
class Change:
    """Speech began or ended."""

    speaking: bool
    time_s: float
    """When it did, which is earlier than the moment at which that could be known."""


class Activity:
    """Whether one voice speaks."""

    def __init__(self, settings: ActivitySettings | None = None) -> None:
        self.settings = settings or ActivitySettings()
        self.speaking = False
        self._likely_since_s: float | None = None
        self._last_voice_s = 0.0
        self._undecided_s = 0.0

    def feed(self, likelihood: float | None, time_s: float, duration_s: float) -> Change | None:
        """Judge the next frame.

        Args:
            likelihood: of a voice other than the robot's; None: cannot be told.
            time_s: when the frame begins.
            duration_s: how long it is.
        """
        end_s = time_s + duration_s
        if likelihood is None:
            return self._wait(end_s, duration_s)
        self._undecided_s = max(0.0, self._undecided_s - duration_s)
        if not self.speaking:
            return self._listen(likelihood, time_s, end_s)
        if likelihood >= self.settings.unlikely:
            self._last_voice_s = end_s
        elif end_s - self._last_voice_s >= self.settings.ends_after_s:
            return self._end()
        return None

    def close(self) -> Change | None:
        """The sound is over: so is the speech."""
        self._likely_since_s = None
        return self._end() if self.speaking else None

    def _listen(self, likelihood: float, time_s: float, end_s: float) -> Change | None:
        if likelihood < self.settings.likely:
            self._likely_since_s = None
            return None
        if self._likely_since_s is None:
            self._likely_since_s = time_s
        # A hair for sums of floats: three frames of 32 ms are 96 ms.
        if end_s - self._likely_since_s < self.settings.starts_after_s - 1e-6:
            return None
        self.speaking, self._last_voice_s, self._undecided_s = True, end_s, 0.0
        since_s, self._likely_since_s = self._likely_since_s, None
        return Change(True, since_s)

    def _wait(self, end_s: float, duration_s: float) -> Change | None:
        self._likely_since_s = None
        if not self.speaking:
            return None
        self._undecided_s += duration_s
        if self._undecided_s <= UNDECIDED_S:
            return None
        return self._end() if end_s - self._last_voice_s >= self.settings.ends_after_s else None

    def _end(self) -> Change:
        self.speaking = False
        return Change(False, self._last_voice_s)


__all__ = ["Activity", "ActivitySettings", "Change"]
