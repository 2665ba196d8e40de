"""Who speaks, from where and how loudly: blocks of sound go in, changes come out.

Design overview: blocks become frames of 32 ms at 16 kHz; the robots' own voices are taken out
(`own_voice.py`); a voice model judges what is left and `Activity` decides. Microphones that people
wear have a decision each, and a voice that reaches another's microphone is not its wearer's
(`crosstalk.py`). A pair at a known distance has one decision
and a direction.
Units and frames: seconds of the run's clock, decibels of full scale, angles in radians in the
frame of the pair, right positive.
Threading: one caller at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from sera.hearing._own_sounds import OwnSounds
from sera.hearing.activity import Activity, ActivitySettings, Change
from sera.hearing.crosstalk import Wearers
from sera.hearing.direction import PairDirection
from sera.hearing.level import loudness_dbfs, power_dbfs
from sera.hearing.own_voice import OwnSettings, OwnVoice
from sera.hearing.resample import Resampler
from sera.hearing.source import Block
from sera.hearing.voice_model import FRAME, RATE_HZ, VoiceModel

FRAME_S = FRAME / RATE_HZ
GAP_S = 0.2
"""A block that begins so much later than the last one ended begins a new stream."""
LEVEL_EVERY = 2
"""Frames between two levels, about 16 a second."""


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How microphones are arranged and when speech begins and ends."""

    arrangement: Literal["one", "each", "pair"] = "one"
    """One voice from all channels, one from each channel, or one with a direction from two."""
    spacing_m: float | None = None
    """Distance of a pair."""
    crosstalk_db: float = 3.0
    """How much louder than in the others a voice is in the microphone of who wears it."""
    activity: ActivitySettings = field(default_factory=ActivitySettings)
    own: OwnSettings = field(default_factory=OwnSettings)


@dataclass(frozen=True, slots=True)
class VoiceChange:
    """Somebody began or ceased to speak."""

    speaking: bool
    time_s: float
    """When they did."""
    channel: int | None
    """In which channel, where each has its own voice."""
    loudness_dbfs: float
    angle_rad: float | None = None
    """Where the voice is, seen from a pair."""


@dataclass(frozen=True, slots=True)
class Level:
    """How loud it is."""

    time_s: float
    loudness_dbfs: list[float]
    voice: float
    """How likely it is that a person speaks."""


class _Voice:
    """One stream that is judged."""

    def __init__(self, model: VoiceModel, settings: ActivitySettings, channel: int | None) -> None:
        self.model = model
        self.activity = Activity(settings)
        self.channel = channel
        self.power = 0.0
        self.count = 0
        self.recent: list[float] = []

    def measure(self, power: float, is_voice: bool) -> None:
        """Keep account of how loud the speech is."""
        if self.activity.speaking:
            if is_voice:
                self.power, self.count = self.power + power, self.count + 1
        else:
            self.recent = [*self.recent[-3:], power]
            self.power, self.count = sum(self.recent), len(self.recent)

    @property
    def loudness_dbfs(self) -> float:
        return power_dbfs(self.power / max(1, self.count))


class SoundDetector:
    """Listens to one microphone, pair or array.

    Args:
        make_model: a new voice model for each voice that is judged.
        settings: None: one voice from all channels.
    """

    def __init__(
        self, make_model: Callable[[], VoiceModel], settings: DetectorSettings | None = None
    ) -> None:
        self.settings = settings or DetectorSettings()
        self.own_sounds = OwnSounds(self.settings.own.echo_s)
        """What the robots say: to be told when each of their lines begins and ends."""
        self._make_model = make_model
        self._channels = 0
        self._rate_hz = 0
        self._pair: PairDirection | None = None
        self._voices: list[_Voice] = []
        self._expected_s = 0.0
        self._waiting: npt.NDArray[np.float64] = np.zeros((0, 1))

    def feed(self, block: Block) -> list[VoiceChange | Level]:
        """Listen to the next block; what changed comes back in order."""
        out: list[VoiceChange | Level] = []
        if (block.channels, block.rate_hz) != (self._channels, self._rate_hz):
            out.extend(self.close())
            self._arrange(block)
        elif abs(block.time_s - self._expected_s) > GAP_S:
            out.extend(self.close())
            self._restart(block)
        self._expected_s = block.end_s
        samples = self._resampler.feed(block.samples)
        self._waiting = np.concatenate([self._waiting, samples])
        # Times follow the block's, so that a clock that drifts is followed, too.
        begin_s = block.end_s - len(self._waiting) / RATE_HZ - self._resampler.delay_s
        while len(self._waiting) >= FRAME:
            frame, self._waiting = self._waiting[:FRAME], self._waiting[FRAME:]
            out.extend(self._judge(frame, begin_s))
            begin_s += FRAME_S
        return out

    def close(self) -> list[VoiceChange | Level]:
        """The sound is over: whoever spoke has ceased to."""
        ends = [(voice, voice.activity.close()) for voice in self._voices]
        return [self._told(voice, change) for voice, change in ends if change is not None]

    @property
    def speaking(self) -> bool:
        """Whether anybody speaks."""
        return any(voice.activity.speaking for voice in self._voices)

    def _arrange(self, block: Block) -> None:
        """Begin with a device, or with another one."""
        self._channels, self._rate_hz = block.channels, block.rate_hz
        self._own = OwnVoice(block.channels, self.own_sounds, self.settings.own)
        self._resampler = Resampler(block.rate_hz)
        each = self.settings.arrangement == "each" and block.channels > 1
        channels: list[int | None] = list(range(block.channels)) if each else [None]
        crosstalk_db, activity = self.settings.crosstalk_db, self.settings.activity
        self._wearers = Wearers(block.channels, crosstalk_db) if each else None
        self._voices = [_Voice(self._make_model(), activity, one) for one in channels]
        has_pair = self.settings.arrangement == "pair" and block.channels > 1
        spacing_m = self.settings.spacing_m
        self._pair = PairDirection(spacing_m) if has_pair and spacing_m else None
        self._restart(block)

    def _restart(self, block: Block) -> None:
        self._resampler.forget()
        self._waiting = np.zeros((0, block.channels))
        self._number = 0
        for voice in self._voices:
            voice.model.forget()

    def _judge(self, frame: npt.NDArray[np.float64], time_s: float) -> list[VoiceChange | Level]:
        cleaned = self._own.feed(frame, time_s)
        powers = (cleaned.samples**2).mean(axis=0)
        worn = None if self._wearers is None else self._wearers.feed(cleaned.samples)
        out: list[VoiceChange | Level] = []
        likeliest = 0.0
        for voice in self._voices:
            if voice.channel is None:
                heard = cleaned.samples.mean(axis=1)
                may, known = any(cleaned.may_be_person), any(cleaned.known)
                power = float(powers.mean())
            else:
                heard = cleaned.samples[:, voice.channel]
                may, known = cleaned.may_be_person[voice.channel], cleaned.known[voice.channel]
                power = float(powers[voice.channel])
                may = may and (worn is None or worn[voice.channel])
            raw = voice.model.likelihood(heard.astype(np.float32))
            likelihood = raw if may else 0.0
            likeliest = max(likeliest, likelihood)
            is_voice = likelihood >= self.settings.activity.likely
            voice.measure(power, is_voice)
            if self._pair is not None and is_voice:
                self._pair.feed(cleaned.samples[:, 0], cleaned.samples[:, 1])
            change = voice.activity.feed(likelihood if known else None, time_s, FRAME_S)
            if change is not None:
                out.append(self._told(voice, change))
            elif self._pair is not None and not is_voice and not voice.activity.speaking:
                self._pair.forget()
        self._number += 1
        if self._number % LEVEL_EVERY == 0:
            out.append(Level(time_s, loudness_dbfs(frame), likeliest))
        return out

    def _told(self, voice: _Voice, change: Change) -> VoiceChange:
        angle_rad = None if self._pair is None else self._pair.angle_rad()
        return VoiceChange(
            change.speaking, change.time_s, voice.channel, voice.loudness_dbfs, angle_rad
        )


__all__ = ["DetectorSettings", "Level", "SoundDetector", "VoiceChange"]
