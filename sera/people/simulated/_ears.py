"""What microphones would report of simulated voices: activity, loudness, words.

Units and frames: degrees as seen from the origin of the scenario's space, decibels relative to
full scale, seconds. Threading: one thread; chance is injected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from sera.behaviour.space import Vector
from sera.messages import Direction, HeardWord, Side, SoundLevel, SpeechActivity, SpeechHeard
from sera.people.simulated._mouth import Words

VoiceKnowledge = Literal["named", "direction", "side", "nothing"]
_VOICE_DBFS = -22.0
"""Somebody who speaks at one metre."""
_ROOM_DBFS = -58.0
_DIRECTION_NOISE_DEG = 4.0
_LEAST_SURE = 0.6


@dataclass(slots=True)
class SimulatedEars:
    """A pair of microphones at the origin and the programs behind them.

    Args:
        knows: what they can tell about a speaker.
        mishears_part: part of the words that are understood as others.
        worn_by: who wears left and right, where they are worn.
        random: chance.
    """

    knows: VoiceKnowledge
    mishears_part: float
    worn_by: tuple[str, ...]
    random: Random

    def activity(
        self, name: str, track: str | None, place_m: Vector, *, speaking: bool
    ) -> SpeechActivity:
        """Somebody began or ceased to speak."""
        loudness = self.loudness_dbfs(place_m) if speaking else None
        person = track if self.knows == "named" else None
        side = self._side(name, place_m) if self.knows == "side" else None
        direction = None
        if self.knows == "direction" and speaking:
            degrees = math.degrees(math.atan2(-place_m[0], place_m[2]))
            degrees += self.random.gauss(0.0, _DIRECTION_NOISE_DEG)
            direction = Direction(horizontal_deg=(degrees + 180.0) % 360.0 - 180.0)
        return SpeechActivity(
            speaking=speaking,
            person=person,
            side=side,
            direction=direction,
            loudness_dbfs=loudness,
        )

    def heard(self, words: Words, track: str | None) -> SpeechHeard:
        """What a recogniser understood."""
        understood = [self._understood(word, words.text) for word in words.text.split()]
        heard = [
            HeardWord(text=word, start_s=start_s, end_s=end_s, confidence=sure)
            for (word, sure), (start_s, end_s) in zip(understood, words.times_s, strict=True)
        ]
        sures = [word.confidence for word in heard]
        return SpeechHeard(
            text=" ".join(word.text for word in heard),
            words=heard,
            person=track if self.knows == "named" else None,
            confidence=round(sum(sures) / len(sures), 3) if sures else 0.0,
        )

    def level(self, speakers_m: Sequence[Vector]) -> SoundLevel:
        """How loud it is at both microphones."""
        levels: list[float] = []
        for sign in (1.0, -1.0):
            power = 10.0 ** ((_ROOM_DBFS + self.random.gauss(0.0, 1.0)) / 10.0)
            for place_m in speakers_m:
                beside = sign * place_m[0] / (math.hypot(*place_m) or 1.0)
                loud = self.loudness_dbfs(place_m) + 2.0 * beside + self.random.gauss(0.0, 2.0)
                power += 10.0 ** (loud / 10.0)
            levels.append(round(min(12.0, max(-120.0, 10.0 * math.log10(power))), 2))
        voice = 0.95 if speakers_m else 0.03
        return SoundLevel(loudness_dbfs=levels, voice=voice)

    def loudness_dbfs(self, place_m: Vector) -> float:
        """How loud somebody there is: six decibels less for each doubling of the distance."""
        return round(_VOICE_DBFS - 20.0 * math.log10(max(0.3, math.hypot(*place_m))), 2)

    def _side(self, name: str, place_m: Vector) -> Side:
        if name in self.worn_by[:2]:
            return Side.LEFT if self.worn_by.index(name) == 0 else Side.RIGHT
        return Side.LEFT if place_m[0] > 0.0 else Side.RIGHT

    def _understood(self, word: str, text: str) -> tuple[str, float]:
        if self.random.random() < self.mishears_part:
            return self.random.choice(text.split()[::-1]), 0.3
        return word, round(self.random.uniform(_LEAST_SURE, 1.0), 3)
