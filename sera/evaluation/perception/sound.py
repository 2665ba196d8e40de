"""Sound with known truth: voices of flite and espeak-ng, rooms, noise, pairs, the robot's echo.

Design overview: a voice says a text through a program; the truth of a scene is when the voices in
it can be heard, taken from the voices before anything is mixed to them. All noise is generated.
Units and frames: samples are floats from -1 to 1 at 16 kHz; levels in decibels of full scale,
taken over the parts that sound. Delays in seconds.
Threading: no state except for the cache of voices, which is per process.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import signal
from scipy.io import wavfile

RATE_HZ = 16_000
Samples = npt.NDArray[np.float64]
Interval = tuple[float, float]
Noise = Literal["white", "pink", "hum", "babble"]

FLITE_VOICES = ("slt", "rms", "awb", "kal16")
ESPEAK_VOICES = ("en-gb", "en-us+f3", "en+m4")
VOICES = tuple(f"flite:{voice}" for voice in FLITE_VOICES) + tuple(
    f"espeak:{voice}" for voice in ESPEAK_VOICES
)
SENTENCES = (
    "I think the red card belongs to the second row.",
    "Could you show me the other one, please?",
    "We went to the market yesterday and bought some apples.",
    "Yes, that is exactly what I wanted to say.",
    "No, wait a moment, it is still my turn.",
    "The weather will be better at the end of the week.",
    "Tell me more about the river on this map.",
    "My brother has never seen a robot before.",
)
OPEN_DB = -32.0
"""A voice counts as heard where it is less than this below its loudest moments."""
LONGEST_PAUSE_S = 0.25
"""Shorter pauses belong to the speech."""


@cache
def _spoken(voice: str, text: str) -> tuple[float, ...]:
    program, name = voice.split(":", 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.wav"
        command = (
            ["flite", "-voice", name, "-t", text, "-o", str(path)]
            if program == "flite"
            else ["espeak-ng", "-v", name, "-w", str(path), text]
        )
        subprocess.run(command, check=True, timeout=30, capture_output=True)
        rate_hz, samples = wavfile.read(path)
    wave = samples.astype(np.float64) / 32768.0
    wave = signal.resample_poly(wave, RATE_HZ, rate_hz)
    heard = intervals_of(wave)
    first, last = int(heard[0][0] * RATE_HZ), int(heard[-1][1] * RATE_HZ)
    return tuple(wave[first:last])


def say(voice: str, text: str, level_dbfs: float = -20.0) -> Samples:
    """A text in a voice, from its first to its last sound.

    Args:
        voice: one of VOICES, such as `flite:slt` or `espeak:en-gb`.
        text: what it says.
        level_dbfs: how loud it is where it sounds.

    Raises:
        FileNotFoundError: flite or espeak-ng is not installed.
    """
    return at_level(np.array(_spoken(voice, text)), level_dbfs)


def level_dbfs(wave: Samples) -> float:
    """Level of a sound over the parts that are not silent."""
    power = wave**2
    loud = power[power > 1e-4 * power.max()] if power.size and power.max() > 0 else power
    return float(10 * np.log10(loud.mean() + 1e-12)) if loud.size else -120.0


def at_level(wave: Samples, wanted_dbfs: float) -> Samples:
    """The same sound at another level."""
    return np.asarray(wave * 10 ** ((wanted_dbfs - level_dbfs(wave)) / 20))


def intervals_of(wave: Samples, rate_hz: int = RATE_HZ) -> list[Interval]:
    """When a clean voice can be heard, without its short pauses."""
    step = rate_hz // 100
    count = len(wave) // step
    if count == 0:
        return []
    power = (wave[: count * step].reshape(count, step) ** 2).mean(axis=1)
    is_open = power > np.quantile(power, 0.95) * 10 ** (OPEN_DB / 10)
    found: list[Interval] = []
    for index in np.flatnonzero(is_open):
        begin_s, end_s = index / 100, (index + 1) / 100
        if found and begin_s - found[-1][1] < LONGEST_PAUSE_S:
            found[-1] = (found[-1][0], end_s)
        else:
            found.append((begin_s, end_s))
    return found


def noise(kind: Noise, duration_s: float, wanted_dbfs: float, seed: int) -> Samples:
    """Noise of a room: of all frequencies, of a fan, of the mains, or of people far away."""
    random = np.random.default_rng(seed)
    count = round(duration_s * RATE_HZ)
    if kind == "babble":
        wave = np.zeros(count)
        for number in range(6):
            voice = VOICES[int(random.integers(len(VOICES)))]
            text = " ".join(random.permutation(SENTENCES)[:4])
            talk = np.resize(say(voice, text), count)
            wave += np.roll(talk[::-1], int(random.integers(count)) + number)
    elif kind == "hum":
        time_s = np.arange(count) / RATE_HZ
        phases = random.uniform(0, 2 * np.pi, 8)
        waves = [np.sin(2 * np.pi * 50 * n * time_s + phases[n - 1]) / n for n in range(1, 9)]
        wave = np.sum(waves, axis=0) + 0.05 * random.standard_normal(count)
    else:
        wave = random.standard_normal(count)
        if kind == "pink":
            spectrum = np.fft.rfft(wave)
            spectrum /= np.sqrt(np.maximum(1, np.arange(len(spectrum))))
            wave = np.fft.irfft(spectrum, count)
    return np.asarray(wave * 10 ** (wanted_dbfs / 20) / np.sqrt((wave**2).mean() + 1e-20))


def room(seed: int, rt60_s: float = 0.3, direct: float = 1.0) -> Samples:
    """Impulse response of a plain room: the direct sound, then a tail that dies away."""
    random = np.random.default_rng(seed)
    count = round(rt60_s * RATE_HZ)
    tail = random.standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
    tail[: RATE_HZ // 500] = 0.0
    tail *= 0.5 * direct / np.sqrt((tail**2).sum() + 1e-12)
    tail[0] = direct
    return tail


def delayed(wave: Samples, delay_s: float) -> Samples:
    """A sound that comes later, by any part of a sample."""
    whole = int(np.floor(delay_s * RATE_HZ))
    part = delay_s * RATE_HZ - whole
    taps = np.arange(-32, 33)
    kernel = np.sinc(taps - part) * np.hamming(len(taps))
    return np.concatenate([np.zeros(whole), np.convolve(wave, kernel)[32:]])


def placed(wave: Samples, at_s: float, duration_s: float) -> Samples:
    """A sound that begins at a time within silence."""
    whole = np.zeros(round(duration_s * RATE_HZ))
    first = round(at_s * RATE_HZ)
    piece = wave[: max(0, len(whole) - first)]
    whole[first : first + len(piece)] = piece
    return whole


@dataclass(slots=True)
class Scene:
    """What microphones hear, and what is true of it."""

    samples: Samples
    """(n, channels)."""
    people: list[list[Interval]]
    """When each person speaks."""
    own: list[tuple[float, Samples]] = field(default_factory=list)
    """What the robot played: when its first sound left it, and its samples."""
    angle_deg: float | None = None
    """Where the voice comes from, right positive."""

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE_HZ


def talk(seed: int, snr_db: float, kind: Noise, duration_s: float = 12.0) -> Scene:
    """One person says a few sentences in a noisy room, with pauses."""
    random = np.random.default_rng(seed)
    voice = VOICES[seed % len(VOICES)]
    wave = np.zeros(round(duration_s * RATE_HZ))
    at_s = float(random.uniform(0.8, 1.5))
    for text in random.permutation(SENTENCES):
        line = say(voice, str(text))
        if at_s + len(line) / RATE_HZ > duration_s - 0.5:
            break
        wave += placed(line, at_s, duration_s)
        at_s += len(line) / RATE_HZ + float(random.uniform(0.8, 1.6))
    truth = intervals_of(wave)
    mixed = wave + noise(kind, duration_s, level_dbfs(wave) - snr_db, seed)
    return Scene(mixed[:, None], [truth])


def worn_pair(
    seed: int, who: Literal["left", "right", "both"], crosstalk_db: float = -10.0
) -> Scene:
    """Two people with a microphone each; a voice reaches the other's microphone, too."""
    random = np.random.default_rng(seed)
    duration_s = 6.0
    waves, truths = [], []
    for index, side in enumerate(("left", "right")):
        wave = np.zeros(round(duration_s * RATE_HZ))
        if who in (side, "both"):
            text = f"{SENTENCES[(seed + index) % 8]} {SENTENCES[(seed + index + 3) % 8]}"
            gain_db = float(random.uniform(-3, 3))
            wave = placed(say(VOICES[(seed + 3 * index) % len(VOICES)], text), 1.0, duration_s)
            wave *= 10 ** (gain_db / 20)
        waves.append(wave)
        truths.append(intervals_of(wave) if wave.any() else [])
    far = 10 ** (crosstalk_db / 20)
    count = len(waves[0])
    channels = [
        waves[own] + far * delayed(waves[1 - own], float(random.uniform(0.001, 0.004)))[:count]
        for own in (0, 1)
    ]
    hiss = [noise("pink", duration_s, -45.0, seed + 100 + index) for index in (0, 1)]
    return Scene(np.stack([a + b for a, b in zip(channels, hiss, strict=True)], axis=1), truths)


def spaced_pair(
    seed: int, angle_deg: float, spacing_m: float = 0.15, snr_db: float = 15.0
) -> Scene:
    """One person at an angle in front of two microphones; the left one is channel 0."""
    duration_s = 4.0
    text = SENTENCES[seed % len(SENTENCES)]
    wave = placed(say(VOICES[seed % len(VOICES)], text), 0.8, duration_s)
    later_s = spacing_m * np.sin(np.radians(angle_deg)) / 343.0
    count = len(wave)
    left = delayed(wave, 0.01 + later_s / 2)[:count]
    right = delayed(wave, 0.01 - later_s / 2)[:count]
    hiss = [noise("pink", duration_s, -20.0 - snr_db, seed + index) for index in (0, 1)]
    both = np.stack([left + hiss[0], right + hiss[1]], axis=1)
    return Scene(both, [intervals_of(wave)], angle_deg=angle_deg)


def echo(
    seed: int,
    delay_s: float,
    *,
    echo_db: float = 0.0,
    person_at_s: float | None = None,
    rt60_s: float = 0.25,
    duration_s: float = 8.0,
) -> Scene:
    """The robot speaks and hears itself, late and from a room; a person may talk over it.

    Args:
        seed: chooses voices, lines, room and noise.
        delay_s: from the speaker to the microphone.
        echo_db: level of the echo against the person's voice.
        person_at_s: when the person begins; None: nobody does.
        rt60_s: of the room; 0: none.
        duration_s: of the scene.
    """
    count = round(duration_s * RATE_HZ)
    robot = VOICES[seed % len(VOICES)]
    text = " ".join(SENTENCES[(seed + index) % 8] for index in range(3))
    line = say(robot, text, -20.0)
    own_at_s = 0.5
    heard = delayed(placed(line, own_at_s, duration_s), delay_s)
    if rt60_s > 0:
        heard = signal.fftconvolve(heard, room(seed, rt60_s))
    heard = at_level(heard[:count], -20.0 + echo_db)
    people: list[Interval] = []
    wave = np.zeros(count)
    if person_at_s is not None:
        other = VOICES[(seed + 3) % len(VOICES)]
        words = f"{SENTENCES[(seed + 4) % 8]} {SENTENCES[(seed + 6) % 8]}"
        wave = placed(say(other, words, -20.0), person_at_s, duration_s)
        people = intervals_of(wave)
    mixed = heard + wave + noise("pink", duration_s, -55.0, seed)
    return Scene(mixed[:, None], [people], own=[(own_at_s, line)])
