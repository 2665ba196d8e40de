"""How far the mouth is open while a line is spoken: from phonemes, else loudness, else words."""

# Signs of other scripts are meant where they look like Latin ones.
# ruff: noqa: RUF001
from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from sera.speech.speech import Speech
from sera.speech.wav import Sound, levels

_EASE_S = 0.05
_LOUDNESS_WINDOW_S = 0.04


class Viseme(StrEnum):
    """Mouth shapes that can be told apart by eye."""

    REST = "rest"
    LIPS_CLOSED = "lips_closed"
    TEETH_ON_LIP = "teeth_on_lip"
    TONGUE = "tongue"
    HISS = "hiss"
    BACK = "back"
    ROUND = "round"
    SPREAD = "spread"
    MIDDLE = "middle"
    OPEN = "open"


OPENING = {
    Viseme.REST: 0.0,
    Viseme.LIPS_CLOSED: 0.0,
    Viseme.TEETH_ON_LIP: 0.1,
    Viseme.TONGUE: 0.25,
    Viseme.HISS: 0.15,
    Viseme.BACK: 0.3,
    Viseme.ROUND: 0.45,
    Viseme.SPREAD: 0.4,
    Viseme.MIDDLE: 0.6,
    Viseme.OPEN: 1.0,
}
"""How far each shape opens the mouth, 0 closed to 1 open."""

_SIGNS = {
    Viseme.LIPS_CLOSED: "pbmɓ",
    Viseme.TEETH_ON_LIP: "fvɱʋ",
    Viseme.TONGUE: "tdnlθðɾɹrɫʈɖɳɭ",
    Viseme.HISS: "szʃʒɕʑʂʐcɟçʝ",
    Viseme.BACK: "kgɡŋxɣqɢχʁʀhɦħʕʔʎɲjɰ",
    Viseme.ROUND: "uʊoɵwyʏøɔœɤɯʍɥ",
    Viseme.SPREAD: "iɪeɨ",
    Viseme.MIDDLE: "ɛəɜɐʌʉɘɞɚɝ",
    Viseme.OPEN: "aæɑɒɶ",
}
_BY_SIGN = {sign: viseme for viseme, signs in _SIGNS.items() for sign in signs}


@dataclass(frozen=True, slots=True)
class MouthCurve:
    """Opening over time: points joined by straight lines, closed before and after."""

    points: tuple[tuple[float, float], ...]
    """Time in seconds and opening, 0 to 1, in order."""

    def opening_at(self, time_s: float) -> float:
        """How far the mouth is open, for the channel `Face.Mouth`."""
        points = self.points
        index = bisect_right(points, time_s, key=lambda point: point[0])
        if index == 0 or index == len(points):
            return 0.0
        (from_s, before), (to_s, after) = points[index - 1], points[index]
        return before + (after - before) * (time_s - from_s) / (to_s - from_s)


def viseme_of(ipa: str) -> Viseme:
    """The shape of one phoneme: its widest sign, so that a diphthong opens as far as it goes."""
    shapes = [_BY_SIGN[sign] for sign in ipa if sign in _BY_SIGN]
    return max(shapes, key=OPENING.__getitem__, default=Viseme.REST)


def mouth_curve(speech: Speech) -> MouthCurve:
    """The mouth for a line, from the best that is known of it."""
    if speech.phonemes:
        targets = [((p.start_s + p.end_s) / 2, OPENING[viseme_of(p.ipa)]) for p in speech.phonemes]
        # A pause is closed for its whole length, not in its middle alone.
        for phoneme in speech.phonemes:
            ease_s = min(_EASE_S, (phoneme.end_s - phoneme.start_s) / 3)
            if not phoneme.ipa:
                targets += [(phoneme.start_s + ease_s, 0.0), (phoneme.end_s - ease_s, 0.0)]
    elif speech.audible:
        loudness = levels(Sound(speech.pcm, speech.rate_hz), _LOUDNESS_WINDOW_S)
        loudest = max(loudness, default=0.0) or 1.0
        targets = [
            ((number + 0.5) * _LOUDNESS_WINDOW_S, min(1.0, level / loudest))
            for number, level in enumerate(loudness)
        ]
    else:
        targets = []
        for word in speech.words:
            middle_s = (word.start_s + word.end_s) / 2
            targets += [(word.start_s, 0.1), (middle_s, 0.7), (word.end_s, 0.1)]
    inside = sorted((t, o) for t, o in targets if 0.0 < t < speech.duration_s)
    points = [(0.0, 0.0), *inside, (speech.duration_s, 0.0)]
    rising = [a for a, b in pairwise(points) if b[0] > a[0]]
    return MouthCurve((*rising, points[-1]))
