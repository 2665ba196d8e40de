"""Which greetings are shown, and in which order; pure.

The published session: a neutral greeting that nobody rates, two for practice with any emotion, the
eight corners of the space, and two of four named emotions. In which order the corners came is not
published; here it is drawn anew for each participant.

Units and frames: points of pleasure, arousal and dominance, each from -1 to 1.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from sera.emotion import PAD
from sera.emotion.published import CORNERS, EMOTIONS
from sera.runtime.located import nearest_name

from .messages import Block

PRACTICE = 2
"""Greetings to practise the form with; their ratings do not count."""
NAMED = 2
"""How many of the named emotions each participant sees."""
Named = Callable[[str], PAD]
"""The point of an emotion by its name."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """One greeting."""

    block: Block
    place: int
    """Which one of its block, from 1."""
    pad: PAD
    shown: str | None = None
    """What the study calls it; None where nothing is asked of it that counts."""

    @property
    def step(self) -> str:
        """The step of `study.toml` that it belongs to, such as `show_corner_3`."""
        return f"show_{self.block}_{self.place}"


def demonstration(named: Named) -> list[Greeting]:
    """A neutral greeting, all corners in the order of the printed table, and all four emotions."""
    return [_neutral(), *_corners(CORNERS), *_emotions(EMOTIONS, named)]


def session(chance: random.Random, named: Named) -> list[Greeting]:
    """What one participant sees; the same for the same source of chance."""
    practice = [
        Greeting("practice", place, PAD(*(chance.uniform(-1.0, 1.0) for _ in range(3))))
        for place in range(1, PRACTICE + 1)
    ]
    corners = chance.sample(CORNERS, len(CORNERS))
    chosen = chance.sample(EMOTIONS, NAMED)
    return [_neutral(), *practice, *_corners(corners), *_emotions(chosen, named)]


def greeting_by_name(name: str, named: Named) -> Greeting:
    """The greeting that a Wizard asks for.

    Raises:
        LookupError: there is none; with the nearest name.
    """
    if name.upper() in CORNERS:
        return _corners([name.upper()])[0]
    if name in EMOTIONS:
        return _emotions([name], named)[0]
    if name == "neutral":
        return _neutral()
    known = ("neutral", *CORNERS, *EMOTIONS)
    near = nearest_name(name, known)
    hint = f"; did you mean '{near}'?" if near else f" (there are {', '.join(known)})"
    raise LookupError(f"there is no greeting '{name[:40]}'{hint}")


def _neutral() -> Greeting:
    return Greeting("neutral", 1, PAD.neutral())


def _corners(letters: list[str] | tuple[str, ...]) -> list[Greeting]:
    return [
        Greeting("corner", place, PAD.corner(corner), corner)
        for place, corner in enumerate(letters, start=1)
    ]


def _emotions(names: list[str] | tuple[str, ...], named: Named) -> list[Greeting]:
    return [
        Greeting("emotion", place, named(name), name) for place, name in enumerate(names, start=1)
    ]
