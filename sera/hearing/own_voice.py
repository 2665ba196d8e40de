"""The robots' own voices: known by their times and, where there are any, by their samples.

Design overview: `began` and `ended` say what sounds. With samples each voice is taken out of each
channel by a canceller of its own (`canceller.py`), and somebody else speaks where the rest is
loud against what was taken out. Until the way is learnt, and without samples, only a voice that
is clearly louder than the robot's own has been so far counts as somebody else's.
Units and frames: samples at 16 kHz in frames of 512, seconds of the run's clock.
Threading: one caller at a time.
Safety: whatever is doubtful is nobody's voice: a robot that misses an interruption is better than
one that answers itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sera.hearing._own_sounds import LEAD_S, OwnSounds
from sera.hearing.canceller import EchoCanceller
from sera.hearing.voice_model import FRAME, RATE_HZ

FRAME_S = FRAME / RATE_HZ
NEAR = 4
"""Frames over which levels are compared, 128 ms."""
LEARNT_BELOW = 0.2
"""The share of the sound that is left where a way counts as learnt."""
GOOD_FRAMES, OF_FRAMES = 8, 30
"""Or so many of the last frames were explained that well, while somebody else spoke in others."""
LOST_ABOVE = 0.6
HASTY_LEAK = 0.1
"""How much of the own voice is believed to be left when its way has just been learnt."""
TAIL_PER_FRAME = 10 ** (-60 * FRAME_S / 1.2 / 10)
"""How a room dies away: 60 dB in 1.2 s."""
FADE_PER_FRAME = 10 ** (-60 * FRAME_S / 3.0 / 10)
"""How fast the usual level of the own voice is forgotten."""
LEAST_REST = 0.12
"""Somebody speaks only where the rest is more than this share of what was taken out."""
LEAST_OF_USUAL = 0.03
"""And more than this share of what is usually taken out: rooms sound longer than they are known."""
LEVELS_KEPT = 320
LEVELS_NEEDED = 48
"""Frames of the robot's own voice that must have been heard to know how loud it is."""
MOST_VOICES = 4


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """How the robots' own voices are told from people's."""

    echo_s: float = 0.7
    """How long after its end a voice may still be heard: delay and room together."""
    louder_db: float = 9.0
    """How much louder than the robot a voice must be where the robot's is not known by samples."""


@dataclass(slots=True)
class _Way:
    """What is known of one channel while robots speak."""

    cancellers: dict[str, EchoCanceller] = field(default_factory=dict)
    heard: deque[float] = field(default_factory=lambda: deque(maxlen=NEAR))
    rest: deque[float] = field(default_factory=lambda: deque(maxlen=NEAR))
    tails: deque[float] = field(default_factory=lambda: deque(maxlen=NEAR))
    tail: float = 0.0
    usual: float = 0.0
    left: float = 1.0
    """Share of the sound that is left, smoothed."""
    shares: deque[float] = field(default_factory=lambda: deque(maxlen=OF_FRAMES))
    leak: float = 0.05
    learnt: bool = False
    own_levels: deque[float] = field(default_factory=lambda: deque(maxlen=LEVELS_KEPT))
    quiet: float = 1e-5
    """Power of the room without anybody."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A frame without the robots' voices."""

    samples: npt.NDArray[np.float64]
    """(512, channels)."""
    may_be_person: tuple[bool, ...]
    """By channel: whether a voice in it can be somebody else's."""
    known: tuple[bool, ...]
    """By channel: False where it cannot be told, because the way is not learnt."""


class OwnVoice:
    """Takes the robots' own voices out of all channels.

    Args:
        channels: of the microphone.
        sounds: what the robots say.
        settings: None: as usual.
    """

    def __init__(
        self, channels: int, sounds: OwnSounds, settings: OwnSettings | None = None
    ) -> None:
        self.settings = settings or OwnSettings()
        self.sounds = sounds
        self._channels = channels
        self.forget()

    def forget(self) -> None:
        """Another microphone, or a gap: all ways are unknown again."""
        self._ways = [_Way() for _ in range(self._channels)]

    @property
    def learnt(self) -> tuple[bool, ...]:
        """By channel: whether the way of the robot's voice to it is known."""
        return tuple(way.learnt for way in self._ways)

    def feed(self, frame: npt.NDArray[np.float64], time_s: float) -> Cleaned:
        """Clean the next frame.

        Args:
            frame: (512, channels).
            time_s: when its first sample was captured.
        """
        sounding = self.sounds.sounding(time_s)
        given = self.sounds.given(time_s + LEAD_S)
        if not sounding and not given:
            for index, way in enumerate(self._ways):
                power = float((frame[:, index] ** 2).mean()) + 1e-10
                way.quiet += (0.3 if power < way.quiet else 0.01) * (power - way.quiet)
                way.tail *= TAIL_PER_FRAME
                way.usual *= FADE_PER_FRAME
            everywhere = (True,) * self._channels
            return Cleaned(frame, everywhere, everywhere)
        cleaned = np.empty_like(frame)
        verdicts = []
        for index, way in enumerate(self._ways):
            rest = self._cancel(way, frame[:, index], given)
            cleaned[:, index] = rest
            verdicts.append(self._judge(way, frame[:, index], rest, sounding))
        may_be_person, known = zip(*verdicts, strict=True)
        return Cleaned(cleaned, may_be_person, known)

    def _cancel(
        self,
        way: _Way,
        heard: npt.NDArray[np.float64],
        given: dict[str, npt.NDArray[np.float64]],
    ) -> npt.NDArray[np.float64]:
        rest = heard
        for voice, samples in given.items():
            if voice not in way.cancellers:
                if len(way.cancellers) >= MOST_VOICES:
                    continue
                way.cancellers[voice] = EchoCanceller()
                way.learnt, way.left = False, 1.0
            rest, _ = way.cancellers[voice].feed(rest, samples)
        return rest

    def _judge(
        self,
        way: _Way,
        heard: npt.NDArray[np.float64],
        rest: npt.NDArray[np.float64],
        sounding: bool,
    ) -> tuple[bool, bool]:
        """Whether a voice in this frame can be somebody else's, and whether that can be told."""
        way.heard.append(float((heard**2).mean()))
        way.rest.append(float((rest**2).mean()))
        taken = max(0.0, way.heard[-1] - way.rest[-1])
        way.tail = max(taken, way.tail * TAIL_PER_FRAME)
        way.tails.append(way.tail)
        tail = sum(way.tails) / len(way.tails)
        heard_power = sum(way.heard) / len(way.heard) + 1e-12
        rest_power = sum(way.rest) / len(way.rest)
        way.usual = max(heard_power - rest_power, way.usual * FADE_PER_FRAME)
        is_loud = heard_power > 8 * way.quiet
        share = rest_power / heard_power
        if way.learnt:
            least = max(max(LEAST_REST, 3 * way.leak) * tail, LEAST_OF_USUAL * way.usual)
            is_person = rest_power > least
            hasty = [one for one in way.cancellers.values() if one.is_hasty]
            if is_person and is_loud and hasty:
                # A sound of the robot that is new to the fit looks like a person; once it is known
                # to the fit, it does not.
                rest_power = min(rest_power, *(one.rest_again(NEAR) for one in hasty), rest_power)
                is_person = rest_power > least
            elif is_person and is_loud:
                for canceller in way.cancellers.values():
                    canceller.play_down(1)
            elif is_loud:
                way.left += 0.1 * (share - way.left)
                way.leak += 0.05 * (rest_power / (tail + 1e-12) - way.leak)
                way.learnt = way.left < LOST_ABOVE
            if sounding and not is_person:
                way.own_levels.append(heard_power)
            return is_person, True
        if is_loud:
            way.left += 0.15 * (share - way.left)
            way.shares.append(way.rest[-1] / (way.heard[-1] + 1e-12))
            good = sum(one < LEARNT_BELOW for one in way.shares)
            way.learnt = way.left < LEARNT_BELOW or good >= GOOD_FRAMES
            if way.learnt:
                # What was learnt in a hurry is believed little by little.
                way.left, way.leak = min(way.left, LEARNT_BELOW), HASTY_LEAK
                way.shares.clear()
        louder = self._is_clearly_louder(way, heard_power)
        if sounding and not louder:
            way.own_levels.append(heard_power)
        return louder, louder or not is_loud

    def _is_clearly_louder(self, way: _Way, power: float) -> bool:
        if len(way.own_levels) < LEVELS_NEEDED:
            return False
        usual = float(np.quantile(np.fromiter(way.own_levels, float), 0.95))
        return power > usual * 10 ** (self.settings.louder_db / 10)


__all__ = ["Cleaned", "OwnSettings", "OwnVoice"]
