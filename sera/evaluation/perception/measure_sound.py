"""How well hearing works on generated sound: voices in noise, sides, directions, the own voice.

Design overview: each function plays scenes of `sound.py` to a `SoundDetector` in blocks of 32 ms
and compares what it says with what is true. A change is known at the end of the block in which
the detector told it.
Units: seconds, degrees, shares from 0 to 1.
Threading: no state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sera.evaluation.perception import sound
from sera.evaluation.perception.sound import Interval, Noise, Scene
from sera.hearing.detector import DetectorSettings, SoundDetector, VoiceChange
from sera.hearing.source import Block
from sera.hearing.voice_model import SileroVoice, VoiceModel

STEP_S = 0.01
"""Grid on which intervals are compared."""
FORGIVEN_S = 0.1
"""What is not judged around each true beginning and end: nobody hears them to the hundredth."""
FOUND_WITHIN_S = 0.3


@dataclass(frozen=True, slots=True)
class Told:
    """A change, and when the detector knew it."""

    change: VoiceChange
    known_s: float


def played(
    scene: Scene,
    settings: DetectorSettings | None = None,
    make_model: Callable[[], VoiceModel] = SileroVoice,
    *,
    with_samples: bool = True,
) -> list[Told]:
    """What a detector says of a scene.

    Args:
        scene: what it hears.
        settings: None: as usual.
        make_model: for each voice.
        with_samples: whether it is given what the robot plays, or only its times.
    """
    detector = SoundDetector(make_model, settings)
    told: list[Told] = []
    samples = scene.samples.astype(np.float32)
    waiting = [(at_s, f"line {number}", line) for number, (at_s, line) in enumerate(scene.own)]
    ends: list[tuple[float, str]] = []
    for first in range(0, len(samples), 512):
        block = Block(samples[first : first + 512], first / sound.RATE_HZ, sound.RATE_HZ)
        for at_s, name, line in [one for one in waiting if one[0] <= block.end_s]:
            lasts_s = len(line) / sound.RATE_HZ
            detector.own_sounds.began(
                name, "robot", at_s, expected_s=lasts_s, samples=line if with_samples else None
            )
            ends.append((at_s + lasts_s, name))
        waiting = [one for one in waiting if one[0] > block.end_s]
        for end_s, name in [one for one in ends if one[0] <= block.end_s]:
            detector.own_sounds.ended(name, end_s)
        changes = [one for one in detector.feed(block) if isinstance(one, VoiceChange)]
        told.extend(Told(change, block.end_s) for change in changes)
    last_s = len(samples) / sound.RATE_HZ
    told.extend(Told(one, last_s) for one in detector.close() if isinstance(one, VoiceChange))
    return told


def intervals(told: Iterable[Told], channel: int | None = None) -> list[Interval]:
    """When the detector says that somebody spoke."""
    found: list[Interval] = []
    began_s: float | None = None
    for one in told:
        if one.change.channel != channel:
            continue
        if one.change.speaking:
            began_s = one.change.time_s
        elif began_s is not None:
            found.append((began_s, one.change.time_s))
            began_s = None
    return found


@dataclass(frozen=True, slots=True)
class F1:
    """Counts of moments, and what follows from them."""

    right: int
    false: int
    missed: int

    @property
    def value(self) -> float:
        whole = 2 * self.right + self.false + self.missed
        return 1.0 if whole == 0 else 2 * self.right / whole

    def __add__(self, other: F1) -> F1:
        return F1(self.right + other.right, self.false + other.false, self.missed + other.missed)


def compared(said: Sequence[Interval], true: Sequence[Interval], duration_s: float) -> F1:
    """Moments that were judged right and wrong."""
    times_s = np.arange(0.0, duration_s, STEP_S)

    def covered(spans: Sequence[Interval]) -> np.ndarray:
        inside = np.zeros(len(times_s), dtype=bool)
        for begin_s, end_s in spans:
            inside |= (times_s >= begin_s) & (times_s < end_s)
        return inside

    judged = np.ones(len(times_s), dtype=bool)
    for edge_s in (edge for span in true for edge in span):
        judged &= np.abs(times_s - edge_s) > FORGIVEN_S
    one, other = covered(said) & judged, covered(true) & judged
    return F1(int((one & other).sum()), int((one & ~other).sum()), int((other & ~one).sum()))


def measure_activity(
    snr_db: float = 10.0,
    seeds: Iterable[int] = range(7),
    kinds: Sequence[Noise] = ("white", "pink", "hum", "babble"),
    make_model: Callable[[], VoiceModel] = SileroVoice,
) -> F1:
    """How well speech is told from noise."""
    total = F1(0, 0, 0)
    for seed in seeds:
        scene = sound.talk(seed, snr_db, kinds[seed % len(kinds)])
        said = intervals(played(scene, make_model=make_model))
        total += compared(said, scene.people[0], scene.duration_s)
    return total


def measure_peer(
    snr_db: float = 10.0,
    seeds: Iterable[int] = range(7),
    kinds: Sequence[Noise] = ("white", "pink", "hum", "babble"),
) -> F1:
    """The same with webrtcvad, as strict as it can be.

    Raises:
        ImportError: webrtcvad is not installed.
    """
    import webrtcvad  # type: ignore[import-untyped,unused-ignore]

    class Peer:
        def __init__(self) -> None:
            self._judge = webrtcvad.Vad(3)

        def forget(self) -> None:
            self._judge = webrtcvad.Vad(3)

        def likelihood(self, frame: np.ndarray) -> float:
            whole = (np.clip(frame[:480], -1, 1) * 32767).astype("<i2")  # it takes 30 ms
            return float(self._judge.is_speech(whole.tobytes(), sound.RATE_HZ))

    return measure_activity(snr_db, seeds, kinds, Peer)


def measure_sides(seeds: Iterable[int] = range(6), crosstalk_db: float = -10.0) -> float:
    """Share of the time of speech in which left, right or both is told rightly."""
    right = whole = 0
    for seed in seeds:
        for who in ("left", "right", "both"):
            scene = sound.worn_pair(seed, who, crosstalk_db)
            told = played(scene, DetectorSettings(arrangement="each"))
            sides = [intervals(told, channel) for channel in (0, 1)]
            spans = [span for person in scene.people for span in person]
            for time_s in np.arange(min(a for a, _ in spans), max(b for _, b in spans), STEP_S):
                edges = [abs(time_s - edge) for span in spans for edge in span]
                if min(edges) <= FORGIVEN_S:
                    continue
                said, true = (
                    tuple(any(a <= time_s < b for a, b in one) for one in each)
                    for each in (sides, scene.people)
                )
                whole += any(true)
                right += any(true) and said == true
    return right / max(1, whole)


def measure_direction(
    seeds: Iterable[int] = range(4),
    angles_deg: Sequence[float] = (-60, -30, -10, 0, 20, 45, 70),
    spacing_m: float = 0.15,
) -> list[float]:
    """Errors of the directions told with the beginning of speech, in degrees, sorted."""
    errors: list[float] = []
    settings = DetectorSettings(arrangement="pair", spacing_m=spacing_m)
    for seed in seeds:
        for angle_deg in angles_deg:
            told = played(sound.spaced_pair(seed, angle_deg, spacing_m), settings)
            angles = [one.change.angle_rad for one in told if one.change.speaking]
            errors += [abs(math.degrees(one) - angle_deg) for one in angles if one is not None]
    return sorted(errors)


@dataclass(frozen=True, slots=True)
class OwnVoiceResult:
    """How the robot's own voice was told from people's."""

    false_alarms: int
    """Times at which the robot took itself for a person."""
    scenes: int
    found: int
    """People who talked over it and were found in time."""
    interruptions: int
    delays_s: tuple[float, ...]
    """How long each took to be found; infinite where one was not."""

    @property
    def found_share(self) -> float:
        return self.found / max(1, self.interruptions)


def measure_own_voice(
    seeds: Iterable[int] = range(7),
    delays_s: Sequence[float] = (0.05, 0.15, 0.25, 0.4),
    *,
    echo_db: float = 0.0,
    with_samples: bool = True,
) -> OwnVoiceResult:
    """The robot speaks alone, and with a person who talks over it after some seconds."""
    false = scenes = found = interruptions = 0
    took: list[float] = []
    for number, seed in enumerate(seeds):
        delay_s = delays_s[number % len(delays_s)]
        alone = sound.echo(seed, delay_s, echo_db=echo_db)
        scenes += 1
        false += sum(one.change.speaking for one in played(alone, with_samples=with_samples))
        person_at_s = 2.0 + 0.31 * (number % 8)
        scene = sound.echo(seed, delay_s, echo_db=echo_db, person_at_s=person_at_s)
        told = [one for one in played(scene, with_samples=with_samples) if one.change.speaking]
        began_s = scene.people[0][0][0]
        interruptions += 1
        false += sum(one.known_s < began_s for one in told)
        late_s = min(
            (one.known_s - began_s for one in told if one.known_s >= began_s), default=math.inf
        )
        took.append(late_s)
        found += late_s <= FOUND_WITHIN_S
    return OwnVoiceResult(false, scenes, found, interruptions, tuple(took))
