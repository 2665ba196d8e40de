"""How a line is to be spoken: language, loudness, speed and pitch, the same for every voice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

_RANGES = {"volume": (0.0, 1.0), "rate": (0.25, 4.0), "pitch": (0.5, 2.0)}


@dataclass(frozen=True, slots=True)
class VoiceSettings:
    """What may differ from line to line; the ranges are those of the message Speak.

    Raises:
        ValueError: a figure lies outside its range.
    """

    language: str | None = None
    """Language tag such as `en` or `pt-PT`; None: the voice's own."""
    volume: float | None = None
    """From 0, silent, to 1, as loud as the voice can; None: as the voice is set."""
    rate: float = 1.0
    """Speed, 1 is the voice's own."""
    pitch: float = 1.0
    """Pitch, 1 is the voice's own."""

    def __post_init__(self) -> None:
        for name, (lowest, highest) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and lowest <= value <= highest):
                raise ValueError(f"{name} {value} is outside {lowest:g} to {highest:g}")

    def with_language(self, language: str) -> VoiceSettings:
        """The same, speaking `language` where none was asked for."""
        return self if self.language is not None else replace(self, language=language)
