"""How likely it is that a piece of sound holds a voice: silero's network, or energy without it.

Design overview: a model takes frames of 512 samples in turn and keeps what it needs to remember
of one stream; a stream of its own needs a model of its own. The network's file comes from the
silero-vad package, which is looked up and never imported.
Units and frames: samples from -1 to 1 at 16 kHz, likelihood from 0 to 1.
Threading: one caller at a time; the network computes in the caller's thread.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import math
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

RATE_HZ = 16_000
FRAME = 512
"""Samples of a frame, 32 ms."""
_CONTEXT = 64
"""Samples of the frame before that the network is shown again."""
_MODEL = "silero_vad/data/silero_vad.onnx"


class VoiceModelMissing(RuntimeError):
    """The network cannot be used; the message says what to install."""


class VoiceModel(Protocol):
    """Judges one stream, frame by frame."""

    def likelihood(self, frame: npt.NDArray[np.float32]) -> float:
        """How likely the next 512 samples hold a voice."""

    def forget(self) -> None:
        """Begin a new stream."""


class SileroVoice:
    """The network of silero-vad through onnxruntime.

    Raises:
        VoiceModelMissing: onnxruntime or the network's file is not installed.
    """

    def __init__(self) -> None:
        self._session = _session()
        self._rate = np.array(RATE_HZ, dtype=np.int64)
        self.forget()

    def forget(self) -> None:
        self._state = np.zeros((2, 1, 128), dtype=np.float32)
        self._context = np.zeros((1, _CONTEXT), dtype=np.float32)

    def likelihood(self, frame: npt.NDArray[np.float32]) -> float:
        shown = np.concatenate([self._context, frame[None, :]], axis=1, dtype=np.float32)
        given = {"input": shown, "state": self._state, "sr": self._rate}
        output, self._state = self._session.run(None, given)
        self._context = shown[:, -_CONTEXT:]
        return float(output[0, 0])


class EnergyVoice:
    """Energy in the band of voices above the noise, whose level is tracked.

    Args:
        margin_db: how far above the noise a sound is as likely a voice as not.
    """

    def __init__(self, margin_db: float = 9.0) -> None:
        self._margin_db = margin_db
        frequencies = np.fft.rfftfreq(FRAME, 1 / RATE_HZ)
        self._band = (frequencies >= 150) & (frequencies <= 4000)
        self._window = np.hanning(FRAME)
        self.forget()

    def forget(self) -> None:
        self._floor_db: float | None = None

    def likelihood(self, frame: npt.NDArray[np.float32]) -> float:
        power = np.abs(np.fft.rfft(frame * self._window)[self._band]) ** 2
        level_db = 10 * math.log10(float(power.mean()) + 1e-12)
        if self._floor_db is None:
            self._floor_db = level_db
        elif level_db < self._floor_db:  # falls at once, rises by 2 dB a second
            self._floor_db += 0.5 * (level_db - self._floor_db)
        else:
            self._floor_db += min(level_db - self._floor_db, 2.0 * FRAME / RATE_HZ)
        above_db = level_db - self._floor_db - self._margin_db
        return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, above_db / 2.0))))


def model_path() -> Path:
    """The network's file.

    Raises:
        VoiceModelMissing: the package is not installed, or holds no such file.
    """
    try:
        path = Path(str(importlib.metadata.distribution("silero-vad").locate_file(_MODEL)))
    except importlib.metadata.PackageNotFoundError:
        raise VoiceModelMissing(
            "silero-vad is not installed, so voices are told from noise by loudness alone: "
            "pip install --no-deps silero-vad"
        ) from None
    if not path.is_file():
        raise VoiceModelMissing(
            "silero-vad is installed without its network, so voices are told from noise by "
            "loudness alone: pip install --no-deps --force-reinstall silero-vad"
        )
    return path


@cache
def _session() -> Any:
    """One network for all streams of a process: it keeps nothing between calls."""
    path = model_path()
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        raise VoiceModelMissing(
            "onnxruntime is not installed, so voices are told from noise by loudness alone: "
            "pip install 'sera-hri[hearing]'"
        ) from None
    options = runtime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise VoiceModelMissing(
            f"the network of silero-vad cannot be read ({error}), so voices are told from noise "
            "by loudness alone: pip install --no-deps --force-reinstall silero-vad"
        ) from None


__all__ = [
    "FRAME",
    "RATE_HZ",
    "EnergyVoice",
    "SileroVoice",
    "VoiceModel",
    "VoiceModelMissing",
    "model_path",
]
