"""Scores of the forms that the published studies used: SAM on nine points, NASA-TLX with weights.

Units and frames: SAM scores from -1 to 1; places count from the left, from 1. NASA-TLX ratings
and load from 0 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal

from sera.emotion.pad import AXES, PAD

SAM_POINTS = 9
SamLayout = Literal["published", "rising"]
"""published: happy, excited and dominated stand on the left, as on the study's sheet. rising: less
of everything stands on the left, as on SERA's own form."""
TLX_PARTS = ("mental", "physical", "temporal", "performance", "effort", "frustration")
TLX_CHOICES = tuple(combinations(TLX_PARTS, 2))
"""The fifteen pairs of which a person chooses what mattered more."""


def sam_score(place: int, axis: str, layout: SamLayout = "published") -> float:
    """What a mark at a place of an axis's row means.

    Raises:
        ValueError: there is no such place or axis.
    """
    if axis not in AXES:
        raise ValueError(f"there is no axis '{axis}'; it is one of {', '.join(AXES)}")
    if isinstance(place, bool) or not isinstance(place, int) or not 1 <= place <= SAM_POINTS:
        raise ValueError(f"a place is a whole number from 1 to {SAM_POINTS}, not {place!r}")
    middle = (SAM_POINTS + 1) // 2
    falls = layout == "published" and axis != "dominance"
    return (middle - place if falls else place - middle) / (middle - 1)


def sam_pad(pleasure: int, arousal: int, dominance: int, layout: SamLayout = "published") -> PAD:
    """The emotion that three marks mean."""
    marks = zip((pleasure, arousal, dominance), AXES, strict=True)
    return PAD(*(sam_score(place, axis, layout) for place, axis in marks))


def sam_places(pad: PAD, layout: SamLayout = "published") -> tuple[int, int, int]:
    """The three marks that come nearest to an emotion."""
    places = []
    for axis, value in zip(AXES, pad.values, strict=True):
        falls = layout == "published" and axis != "dominance"
        steps = math.floor((SAM_POINTS // 2) * (-value if falls else value) + 0.5)
        places.append(steps + (SAM_POINTS + 1) // 2)
    return places[0], places[1], places[2]


def tlx_weights(chosen: Iterable[str]) -> dict[str, int]:
    """How often each part was chosen in the fifteen pairs; the weights sum to fifteen.

    Args:
        chosen: the one that mattered more of each pair, in the order of `TLX_CHOICES`.

    Raises:
        ValueError: too few or too many, or a part that is not of its pair.
    """
    answers = list(chosen)
    if len(answers) != len(TLX_CHOICES):
        raise ValueError(f"there are {len(TLX_CHOICES)} pairs to choose of, not {len(answers)}")
    weights = dict.fromkeys(TLX_PARTS, 0)
    for answer, pair in zip(answers, TLX_CHOICES, strict=True):
        if answer not in pair:
            raise ValueError(f"'{answer}' is not of the pair {pair[0]} and {pair[1]}")
        weights[answer] += 1
    return weights


def tlx_load(ratings: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """The weighted load.

    Raises:
        ValueError: a part is missing, or the weights do not sum to fifteen.
    """
    missing = [part for part in TLX_PARTS if part not in ratings or part not in weights]
    if missing:
        raise ValueError(f"a rating or a weight is missing for {', '.join(missing)}")
    total = sum(weights[part] for part in TLX_PARTS)
    if total != len(TLX_CHOICES):
        raise ValueError(f"the weights sum to {total}, but fifteen pairs give fifteen")
    return math.fsum(weights[part] * ratings[part] for part in TLX_PARTS) / total
