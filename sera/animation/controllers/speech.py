"""The body takes part in what the voice says: sway with the words, mouth with the syllables.

Design overview: the voice reports each word as it reaches it; how long the word lasts is estimated
from its letters until the next one comes. A body without a mouth shows the syllables with its
lights, one without a torso sways with its head or beats time with its arms.

Units and frames: seconds; sway in radians to the right.
Threading: one owner.
Safety: sway and mouth stay within their settings; speech that breaks off closes the mouth.
"""

from __future__ import annotations

import re
from typing import Any, Self

from sera.animation.controllers._units import parameters_of, settings_from
from sera.animation.engine.controller import Controller, Making, Row
from sera.animation.signals import SpeechSway as Sway
from sera.animation.signals import SpeechSwaySettings

_VOWELS = re.compile(r"[aeiouyáàâãäåéèêëíìîïóòôõöúùûüæøœ]+", re.IGNORECASE)
_LEAST_WORD_S = 0.12
_LETTER_S = 0.03
_BEAT = 2.5
"""How much further an elbow goes than a torso would sway."""
_WEAK = frozenset({"a", "an", "the", "of", "to", "in", "on", "at", "and", "or", "is", "it", "as"})


class SpeechController(Controller):
    """Sways and opens the mouth while words are said."""

    Parameters = parameters_of(
        SpeechSwaySettings,
        gain=(float, 1.0, "Factor on the sway."),
        lights=(float, 0.5, "How much lights go down between syllables where there is no mouth."),
        roll=(float, 0.5, "Share of the sway that the head shows where there is no torso."),
    )
    wires = frozenset({"gain"})

    def __init__(self, settings: SpeechSwaySettings | None = None) -> None:
        """Take how much the body takes part."""
        self.name = "speech"
        self.gain = 1.0
        self.lights = 0.5
        """How much the lights of a body without a mouth go down between syllables."""
        self.roll = 0.5
        """Share of the sway that the head shows where there is no torso."""
        self._settings = settings or SpeechSwaySettings()
        self._sway = Sway(self._settings)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        made = cls(settings_from(SpeechSwaySettings, parameters))
        made.gain, made.lights, made.roll = parameters.gain, parameters.lights, parameters.roll
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        find = row.layout.find
        shares = {"Torso.Sway": 1.0, "Gazing.Roll": self.roll, "Torso.Twist": 1.0}
        found = [(find(name), share) for name, share in shares.items() if find(name) is not None]
        # Without any of them the arms beat time, one after the other.
        arms = [(find("Arms.LeftBend"), _BEAT), (find("Arms.RightBend"), -_BEAT)]
        self._sways = [(column, share) for column, share in found[:1] or arms if column is not None]
        self._mouth = find("Face.Mouth")
        lights = [find("Lights.Left"), find("Lights.Right")] if self._mouth is None else []
        self._lights = [column for column in lights if column is not None]

    @property
    def speaking(self) -> bool:
        return self._sway.speaking

    def word(self, text: str) -> None:
        """The voice has reached this word."""
        length_s = estimated_length_s(text, self._settings.syllable_s)
        self._sway.say(length_s, stress_of(text))

    def silence(self) -> None:
        """The voice has ended, or was stopped."""
        self._sway.stop()

    def step(self, dt_s: float) -> None:
        speaking = self._sway.speaking
        sway, mouth = self._sway.step(dt_s)
        row = self._row
        if sway != 0.0:
            for column, share in self._sways:
                row.add(column, self.gain * share * sway)
        if self._mouth is not None:
            row.write(self._mouth, mouth)
        elif speaking or mouth > 0.0:
            for light in self._lights:
                row.add(light, self.lights * (mouth - 1.0) if speaking else 0.0)

    def adopt(self, old: Self) -> None:
        if old._settings == self._settings:  # a word is short: with other settings it is let go
            self._sway = old._sway


def estimated_length_s(text: str, syllable_s: float) -> float:
    """How long a word takes, from its syllables and letters."""
    syllables = max(1, len(_VOWELS.findall(text)))
    return max(_LEAST_WORD_S, 0.8 * syllables * syllable_s + _LETTER_S * len(text))


def stress_of(text: str) -> float:
    """How much weight a word has: long ones and capitals more, articles hardly any."""
    bare = text.strip(".,;:!?\"'()[]").lower()
    if bare in _WEAK:
        return 0.15
    stress = min(1.0, 0.35 + 0.08 * len(bare))
    return 1.0 if text.endswith("!") or (text.isupper() and len(bare) > 1) else stress
