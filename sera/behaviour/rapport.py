"""Speaker rapport: whom to look at while people speak, and how loud to answer them.

Design overview: one speaker is looked at; while several speak each has a turn of a few seconds;
when nobody speaks the gaze is free. A speaker is any target's name: a person's id, or a side where
only a pair of microphones tells (`left`, `right`). Loudness follows the speaker's, smoothed in
decibels and bounded, so that one shout does not make the robot shout.

Units and frames: seconds of the caller's clock, decibels relative to full scale.
Threading: one thread; no clock and no random source of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.messages import SpeechActivity
from sera.messages.perception import Side


class ActiveSpeakers:
    """Who speaks now, and whose turn it is to be looked at."""

    def __init__(self, alternate_s: float = 2.0) -> None:
        self.alternate_s = alternate_s
        self._speakers: list[str] = []
        self._turn: str | None = None
        self._turn_since_s = 0.0

    def heard(self, speaker: str, speaking: bool, now_s: float) -> None:
        """Somebody started or stopped to speak."""
        if speaking and speaker not in self._speakers:
            self._speakers.append(speaker)
            if len(self._speakers) == 2:
                # Who spoke alone has a whole turn from when both speak.
                self._turn_since_s = now_s
        elif not speaking and speaker in self._speakers:
            self._speakers.remove(speaker)
        self.whom(now_s)

    @property
    def speakers(self) -> tuple[str, ...]:
        return tuple(self._speakers)

    def whom(self, now_s: float) -> str | None:
        """Whom to look at; None: nobody speaks and the gaze is free."""
        if not self._speakers:
            self._turn = None
        elif self._turn not in self._speakers:
            self._turn, self._turn_since_s = self._speakers[0], now_s
        elif len(self._speakers) > 1 and now_s - self._turn_since_s >= self.alternate_s:
            turns = math.floor((now_s - self._turn_since_s) / self.alternate_s)
            at = self._speakers.index(self._turn) + turns
            self._turn = self._speakers[at % len(self._speakers)]
            self._turn_since_s += turns * self.alternate_s
        return self._turn

    def next_turn_s(self) -> float | None:
        """When the turn passes on; None where it does not by itself."""
        return self._turn_since_s + self.alternate_s if len(self._speakers) > 1 else None


def speakers_of(message: SpeechActivity) -> tuple[str, ...]:
    """The targets that a message about speech is about; none where it says neither who nor where.

    A side is one of the robot's own, and so are the built-in targets `left` and `right`.
    """
    if message.person is not None:
        return (message.person,)
    if message.side is None:
        return ()
    return ("left", "right") if message.side is Side.BOTH else (message.side.value,)


@dataclass(frozen=True, slots=True)
class LoudnessSettings:
    """How the robot's loudness follows the speaker's."""

    reference_dbfs: float = -30.0
    """Speech that is as loud as this is answered at the usual loudness."""
    follow: float = 0.5
    """How many decibels the robot goes with each of the speaker's; 0: never, 1: all the way."""
    quieter_db: float = -9.0
    """The least gain."""
    louder_db: float = 6.0
    """The greatest gain."""
    settles_s: float = 3.0
    """Time constant: after this long the gain has come about two thirds of the way."""
    floor_dbfs: float = -60.0
    """What is quieter than this is the room, not a voice."""

    def __post_init__(self) -> None:
        if not self.quieter_db <= 0.0 <= self.louder_db:
            raise ValueError("quieter_db is at most 0 and louder_db at least 0")
        if not 0.0 <= self.follow <= 1.0:
            raise ValueError(f"follow goes from 0 to 1, not {self.follow:g}")
        if not (math.isfinite(self.settles_s) and self.settles_s > 0.0):
            raise ValueError(f"settles_s must be above 0, not {self.settles_s:g}")


class LoudnessMatch:
    """The gain of the robot's voice, matched to how loud people speak."""

    def __init__(self, settings: LoudnessSettings | None = None) -> None:
        self.settings = settings or LoudnessSettings()
        self._gain_db = 0.0
        self._heard_s: float | None = None

    @property
    def gain_db(self) -> float:
        """How much louder than usual to speak, within the bounds."""
        return self._gain_db

    @property
    def volume(self) -> float:
        """The gain as a factor on the sound's amplitude."""
        return math.pow(10.0, self._gain_db / 20.0)

    def heard(self, loudness_dbfs: float, now_s: float) -> float:
        """Somebody speaks this loud now; returns the gain. Silence and nonsense change nothing."""
        settings = self.settings
        if not loudness_dbfs >= settings.floor_dbfs or math.isinf(loudness_dbfs):
            return self._gain_db
        wanted = settings.follow * (loudness_dbfs - settings.reference_dbfs)
        wanted = min(settings.louder_db, max(settings.quieter_db, wanted))
        # A long silence before it is no time spent at this loudness.
        past_s = 0.1 if self._heard_s is None else min(now_s - self._heard_s, 1.0)
        share = 1.0 - math.exp(-max(past_s, 0.0) / settings.settles_s)
        self._gain_db += share * (wanted - self._gain_db)
        self._heard_s = now_s
        return self._gain_db
