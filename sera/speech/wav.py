"""WAV files in and out, and where the sound in them begins and ends."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass

LONGEST_S = 3600.0
QUIET = 0.02
"""Below this part of the loudest moment counts as silence."""
_WINDOW_S = 0.01


class WavError(ValueError):
    """Bytes that are not a WAV file of plain samples."""


@dataclass(frozen=True, slots=True)
class Sound:
    """One channel of 16-bit little-endian samples."""

    pcm: bytes
    rate_hz: int

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / 2 / self.rate_hz


def read_wav(content: bytes) -> Sound:
    """The sound in a WAV file; channels are mixed, 8, 24 and 32 bits become 16.

    Raises:
        WavError: it is no WAV file, is compressed, or is longer than an hour.
    """
    if not content:
        raise WavError("nothing came, not even the head of a WAV file")
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate_hz = (
                file.getnchannels(),
                file.getsampwidth(),
                file.getframerate(),
            )
            if rate_hz < 1 or channels < 1:
                raise WavError(f"a sample rate of {rate_hz} Hz in {channels} channels")
            # The head of a streamed file names a length of 2 GiB; read what is there.
            frames = file.readframes(min(file.getnframes(), int(LONGEST_S * rate_hz) + 1))
    except (wave.Error, EOFError, RuntimeError) as error:
        begin = content[:12]
        raise WavError(f"not a WAV file of plain samples ({error}; it begins {begin!r})") from None
    frames = frames[: len(frames) // (channels * width) * channels * width]
    if len(frames) / (channels * width) > LONGEST_S * rate_hz:
        raise WavError(f"longer than {LONGEST_S:g} s")
    if (channels, width) != (1, 2):
        frames = _to_mono_16(frames, channels, width)
    return Sound(frames, rate_hz)


def write_wav(sound: Sound) -> bytes:
    """The bytes of a WAV file."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sound.rate_hz)
        file.writeframes(sound.pcm)
    return target.getvalue()


def louder(pcm: bytes, factor: float) -> bytes:
    """The samples times `factor`, cut where they leave 16 bits."""
    import numpy as np

    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64) * factor
    return bytes(np.clip(np.rint(samples), -32768, 32767).astype("<i2").tobytes())


def levels(sound: Sound, window_s: float = _WINDOW_S) -> list[float]:
    """Loudness (root mean square, 0 to 1) of one window after the other."""
    import numpy as np

    samples = np.frombuffer(sound.pcm, dtype="<i2").astype(np.float64) / 32768
    window = max(1, round(window_s * sound.rate_hz))
    padded = np.pad(samples, (0, -len(samples) % window)).reshape(-1, window)
    result: list[float] = np.sqrt((padded**2).mean(axis=1)).tolist()
    return result


def sounding_s(sound: Sound) -> tuple[float, float]:
    """When the first and the last sound are heard; the whole where all is silent."""
    loudness = levels(sound)
    threshold = QUIET * max(loudness, default=0.0)
    heard = [index for index, level in enumerate(loudness) if level > threshold]
    if not heard:
        return 0.0, sound.duration_s
    return heard[0] * _WINDOW_S, min(sound.duration_s, (heard[-1] + 1) * _WINDOW_S)


def _to_mono_16(frames: bytes, channels: int, width: int) -> bytes:
    import numpy as np

    if width == 1:
        samples = (np.frombuffer(frames, dtype=np.uint8).astype(np.float64) - 128) * 256
    elif width in (2, 4):
        scale = 1.0 if width == 2 else 1 / 65536
        samples = np.frombuffer(frames, dtype=f"<i{width}").astype(np.float64) * scale
    elif width == 3:
        triples = np.frombuffer(frames, dtype=np.uint8).reshape(-1, 3).astype(np.int32)
        whole = (triples[:, 0] << 8) | (triples[:, 1] << 16) | (triples[:, 2] << 24)
        samples = whole.astype(np.float64) / 65536
    else:
        raise WavError(f"samples of {width} bytes")
    mixed = samples.reshape(-1, channels).mean(axis=1)
    return bytes(np.clip(np.rint(mixed), -32768, 32767).astype("<i2").tobytes())
