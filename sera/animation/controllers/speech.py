"""The body takes part in what the voice says: sway with the words, mouth with the syllables.

Design overview: the voice reports each word as it reaches it; how long the word lasts is estimated
from its letters until the next one comes. The mouth follows the curve that the voice gave when the
speech started, or the estimated syllables where it gave none. A body without a mouth shows the
opening with its lights, as a share of what the layers below let shine; one without a torso sways
with its head or beats time with its arms.

Units and frames: seconds; sway in radians to the right.
Threading: one owner.
Safety: sway and mouth stay within their settings; speech that breaks off closes the mouth, and so
does the end of a curve. What is said of a speech that is over already changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Self

from sera.animation.controllers._units import parameters_of, settings_from
from sera.animation.controllers.eyes_light import LIGHTS
from sera.animation.engine.controller import Controller, Making, Row
from sera.animation.signals import MouthCurve, SpeechSwaySettings
from sera.animation.signals import SpeechSway as Sway

_VOWELS = re.compile(r"[aeiouyáàâãäåéèêëíìîïóòôõöúùûüæøœ]+", re.IGNORECASE)
_LEAST_WORD_S = 0.12
_LETTER_S = 0.03
_LIGHTS_CHANGE_S = 0.1
"""How long lights take to begin and to end speaking."""
_BEAT = 2.5
"""How much further an elbow goes than a torso would sway."""
_WEAK = frozenset({"a", "an", "the", "of", "to", "in", "on", "at", "and", "or", "is", "it", "as"})


class SpeechController(Controller):
    """Sways and opens the mouth while words are said."""

    Parameters = parameters_of(
        SpeechSwaySettings,
        gain=(float, 1.0, "Factor on the sway."),
        lights=(float, 0.7, "Share by which lights dim between syllables; only without a mouth."),
        roll=(float, 0.5, "Share of the sway that the head shows where there is no torso."),
    )
    wires = frozenset({"gain"})
    looks_below = True

    def __init__(self, settings: SpeechSwaySettings | None = None) -> None:
        """Take how much the body takes part."""
        self.name = "speech"
        self.gain = 1.0
        self.lights = 0.7
        """Share by which the lights of a body without a mouth dim between syllables."""
        self.roll = 0.5
        """Share of the sway that the head shows where there is no torso."""
        self._settings = settings or SpeechSwaySettings()
        self._sway = Sway(self._settings)
        self._curve = MouthCurve()
        self._follows_curve = False
        self._speech = ""
        self._lit = 0.0
        """How far the lights take part, 0 to 1."""

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
        lights = [find(name) for name in LIGHTS] if self._mouth is None else []
        self._lights = [column for column in lights if column is not None]

    @property
    def speaking(self) -> bool:
        return self._sway.speaking or self._curve.speaking

    def begin(self, mouth: Iterable[tuple[float, float]] = (), speech: str = "") -> None:
        """A speech begins now: time and opening of its mouth, empty where they are not known.

        Raises:
            ValueError: that is no curve; nothing changes then.
        """
        points = list(mouth)
        self._curve.begin(points)
        self._follows_curve = bool(points)
        self._speech = speech

    def word(self, text: str, speech: str = "") -> None:
        """The voice has reached this word."""
        if speech != self._speech:  # one whose beginning was not heard
            self._curve.stop()
            self._follows_curve, self._speech = False, speech
        length_s = estimated_length_s(text, self._settings.syllable_s)
        self._sway.say(length_s, stress_of(text))

    def silence(self, speech: str = "") -> None:
        """The voice has ended, or was stopped; of a speech that another one has followed: nothing.

        Without a name all that is said is over.
        """
        if speech and self._speech and speech != self._speech:
            return
        self._sway.stop()
        self._curve.stop()
        self._speech = ""

    @property
    def rests(self) -> bool:
        # A mouth is this controller's, also while it is closed.
        silent = self._mouth is None and self._lit == 0.0 and self._curve.at_rest
        return silent and self._sway.at_rest

    def step(self, dt_s: float) -> None:
        speaking = self.speaking
        sway, estimated = self._sway.step(dt_s)
        drawn = self._curve.step(dt_s)
        # What is left of a curve closes beside what is estimated of the next speech.
        mouth = drawn if self._follows_curve else max(drawn, estimated)
        row = self._row
        if sway != 0.0:
            for column, share in self._sways:
                row.add(column, self.gain * share * sway)
        if self._mouth is not None:
            row.write(self._mouth, mouth)
        elif self._lights:
            self._dim(1.0 - mouth, speaking, dt_s)

    def _dim(self, closed: float, speaking: bool, dt_s: float) -> None:
        change = dt_s / _LIGHTS_CHANGE_S
        self._lit = min(1.0, max(0.0, self._lit + (change if speaking else -change)))
        if self._lit == 0.0:
            return
        for light in self._lights:
            self._row.add(light, -self._lit * self.lights * closed * self._row.read(light))

    def adopt(self, old: Self) -> None:
        if old._settings == self._settings:  # a word is short: with other settings it is let go
            self._sway = old._sway
        self._curve, self._follows_curve = old._curve, old._follows_curve
        self._speech, self._lit = old._speech, old._lit


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
