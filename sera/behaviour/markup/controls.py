r"""Controls of the voice inside a line: `\pau=ms\` and `\rspd=percent\`."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_VALUE = 60
"""Characters between the sign = and the closing backslash, tags included."""


@dataclass(frozen=True, slots=True)
class ControlSpec:
    """One control, with what its number means and may be."""

    about: str
    unit: str
    lower: float
    upper: float
    example: str


CONTROLS = {
    "pau": ControlSpec("pause", "milliseconds", 0, 60_000, "300"),
    # The voice's own limits: Speak.rate goes from a quarter to four times.
    "rspd": ControlSpec("speed from here on", "percent", 25, 400, "80"),
}
