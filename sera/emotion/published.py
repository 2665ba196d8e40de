"""The published study's figures as data, for simulated perceivers and tables beside a run's own.

    study = published_study()
    study.cells["LHL"].mean          # perceived pleasure, arousal, dominance
    study.recognition["fear"]        # {"calm": 1, "fear": 2, "happiness": 12, ...}

Design overview: `published.toml` beside this file says where the figures come from and what was
corrected in them.
Units and frames: pleasure, arousal and dominance from -1 to 1; counts of people.
Threading: immutable.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Triple = tuple[float, float, float]
CORNERS = ("LLL", "LLH", "LHL", "LHH", "HLL", "HLH", "HHL", "HHH")
"""Low or high pleasure, arousal and dominance, in the order of the printed table."""
EMOTIONS = ("calm", "fear", "happiness", "sadness")
"""What was shown for naming."""
NONE = "none"
"""The answer that it was none of the four."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What was perceived of one point of emotion."""

    corner: str
    mean: Triple
    sd: Triple
    people: int


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """The figures of the study."""

    cells: Mapping[str, Cell]
    recognition: Mapping[str, Mapping[str, int]]
    """Shown emotion to answers to how many people gave them."""
    correlations: Mapping[str, Mapping[str, Triple]]
    """Which answers (`all`, `low_activity`, …) to feature to Spearman's r with each axis."""


@cache
def published_study() -> PublishedStudy:
    """The study on Pepper's greeting."""
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    cells = {
        corner: Cell(
            corner,
            _triple(data["cells"][corner]["mean"]),
            _triple(data["cells"][corner]["sd"]),
            int(data["participants"]),
        )
        for corner in CORNERS
    }
    correlations = {
        which: {feature: _triple(values) for feature, values in table.items()}
        for which, table in data["correlations"].items()
    }
    recognition = {shown: dict(data["recognition"][shown]) for shown in EMOTIONS}
    return PublishedStudy(cells, recognition, correlations)


def _triple(values: list[float]) -> Triple:
    first, second, third = (float(value) for value in values)
    return first, second, third
