"""What the robots are saying now: times of each speech, and its samples where they are known.

Units: seconds of the run's clock; samples at 16 kHz.
Threading: one caller at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np
import numpy.typing as npt
from scipy import signal

from sera.hearing.voice_model import FRAME, RATE_HZ

LEAD_S = 0.1
"""The samples are given to the canceller this much early: reports of a beginning may be late."""
FORGOTTEN_AFTER_S = 0.8
"""How long after its end a voice is still given (as silence): its echo is on the way."""
LONGEST_S = 60.0
OVERDUE_S = 2.0
JUMP_S = 0.05


@dataclass(slots=True)
class _Sound:
    voice: str
    began_s: float
    until_s: float
    samples: npt.NDArray[np.float64] | None
    ended: bool = False
    at: int | None = None
    """The sample that comes next: counted, because times of blocks jitter."""


class OwnSounds:
    """The speeches of all robots.

    Args:
        echo_s: how long after its end a voice may still be heard.
    """

    def __init__(self, echo_s: float) -> None:
        self._echo_s = echo_s
        self._sounds: dict[str, _Sound] = {}

    def began(
        self,
        speech: str,
        voice: str,
        time_s: float,
        *,
        expected_s: float | None = None,
        samples: npt.NDArray[np.floating] | None = None,
        rate_hz: int = RATE_HZ,
    ) -> None:
        """A robot speaks; one that dies will never report its end.

        Args:
            speech: id of the speech.
            voice: whose it is: each has a way of its own to the microphone.
            time_s: when its first sound left.
            expected_s: how long it is to last.
            samples: what sounds, from -1 to 1, in one channel.
            rate_hz: of the samples.
        """
        lasts_s = LONGEST_S if expected_s is None else expected_s + OVERDUE_S
        if samples is not None:
            samples = _at_16_khz(np.asarray(samples, dtype=np.float64), rate_hz)
        self._sounds[speech] = _Sound(voice, time_s, time_s + lasts_s, samples)

    def ended(self, speech: str, time_s: float) -> None:
        """A speech is over, or was cut."""
        sound = self._sounds.get(speech)
        if sound is not None:
            sound.until_s, sound.ended = min(sound.until_s, time_s), True
            if sound.samples is not None:
                heard = max(0, round((time_s - sound.began_s + 0.02) * RATE_HZ))
                sound.samples = sound.samples[:heard]

    def sounding(self, time_s: float) -> bool:
        """Whether a robot, or its echo, can be heard."""
        old = [
            key
            for key, sound in self._sounds.items()
            if time_s > sound.until_s + max(self._echo_s, FORGOTTEN_AFTER_S)
        ]
        for key in old:
            del self._sounds[key]
        return any(
            sound.began_s - LEAD_S <= time_s <= sound.until_s + self._echo_s
            for sound in self._sounds.values()
        )

    def given(self, time_s: float) -> dict[str, npt.NDArray[np.float64]]:
        """The next 512 samples of each voice, silence while its echo is on the way."""
        found: dict[str, npt.NDArray[np.float64]] = {}
        for sound in self._sounds.values():
            if sound.samples is None:
                continue
            wanted = round((time_s - sound.began_s) * RATE_HZ)
            if sound.at is None or abs(wanted - sound.at) > JUMP_S * RATE_HZ:
                sound.at = wanted
            piece = np.zeros(FRAME)
            first, last = max(0, sound.at), min(len(sound.samples), sound.at + FRAME)
            if last > first:
                piece[first - sound.at : last - sound.at] = sound.samples[first:last]
            sound.at += FRAME
            found[sound.voice] = found[sound.voice] + piece if sound.voice in found else piece
        return found


def _at_16_khz(samples: npt.NDArray[np.float64], rate_hz: int) -> npt.NDArray[np.float64]:
    if rate_hz == RATE_HZ:
        return samples
    common = gcd(rate_hz, RATE_HZ)
    return np.asarray(signal.resample_poly(samples, RATE_HZ // common, rate_hz // common))


__all__ = ["LEAD_S", "OwnSounds"]
