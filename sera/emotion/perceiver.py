"""Simulated perceivers: people who see in a motion what the study's people saw on average.

    perceiver = Perceiver(random.Random(7))
    perceiver.answer("LHL")          # PAD on the nine points of a SAM scale
    perceiver.choose("fear")         # "happiness", in four cases of five

Design overview: the eight published means are interpolated along the three features (a saturated
factorial model: it restates the table and predicts nothing beyond it), and so are the deviations.
An answer is drawn from the flattest distribution on the nine points that has just this mean and
deviation. The three axes are drawn apart, because how they go together is not published.

Units and frames: features from 0 to 1, PAD from -1 to 1. Beyond the features that were shown, 0.125
to 0.875, nothing is known: there the nearest that was shown counts.
Threading: one owner, for the random source.
Safety: for tests, rehearsals and simulated studies; what it answers is no evidence about people.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import TypeVar

from sera.emotion.features import Features
from sera.emotion.instruments import SAM_POINTS
from sera.emotion.pad import AXES, PAD, STUDY_SIZE
from sera.emotion.published import EMOTIONS, NONE, PublishedStudy, Triple, published_study
from sera.runtime.located import nearest_name

GRID = tuple(2.0 * k / (SAM_POINTS - 1) - 1.0 for k in range(SAM_POINTS))
"""The scores of the nine points."""
TERMS = tuple(product((0, 1), repeat=3))
"""Which of jerkiness, activity and gaze a term of the factorial model is the product of."""
_NEWTON_STEPS = 60
_TOLERANCE = 1e-13
_T = TypeVar("_T")


class ResponseModel:
    """Means and deviations of what is perceived, for any features.

    Args:
        study: the eight cells.
    """

    def __init__(self, study: PublishedStudy | None = None) -> None:
        cells = (study or published_study()).cells
        # Low pleasure is much jerkiness: the first sign of a corner turns round.
        corners = {
            (
                1 if letters[0] == "L" else -1,
                *(1 if one == "H" else -1 for one in letters[1:]),
            ): cell
            for letters, cell in cells.items()
        }
        self.mean_terms = _factorial({signs: cell.mean for signs, cell in corners.items()})
        self.sd_terms = _factorial({signs: cell.sd for signs, cell in corners.items()})

    def mean(self, features: Features) -> PAD:
        """What is perceived on average."""
        return PAD(*_evaluated(self.mean_terms, coded(features)))

    def sd(self, features: Features) -> Triple:
        """How far answers lie apart."""
        return _evaluated(self.sd_terms, coded(features))


class Perceiver:
    """One who rates motions and names emotions.

    Args:
        source: of random numbers.
        study: whose people are simulated.
    """

    def __init__(self, source: random.Random, study: PublishedStudy | None = None) -> None:
        self._random = source
        self._study = study or published_study()
        self.model = ResponseModel(self._study)

    def mean(self, shown: Features | str) -> PAD:
        """What is perceived on average of features, or of a corner such as "LHL"."""
        return self.model.mean(_features(shown))

    def answer(self, shown: Features | str) -> PAD:
        """One person's rating, on the nine points of each scale."""
        features = _features(shown)
        mean, sd = self.model.mean(features).values, self.model.sd(features)
        return PAD(*(self._drawn(GRID, spread(*one)) for one in zip(mean, sd, strict=True)))

    def choose(self, emotion: str) -> str:
        """One person's name for an emotion that is shown: one of the four, or `none`.

        Raises:
            LookupError: it was not shown in the study; with the nearest that was.
        """
        rows = self._study.recognition
        if emotion not in rows:
            near = nearest_name(emotion, rows)
            hint = f"; did you mean '{near}'?" if near else ""
            known = ", ".join(rows)
            raise LookupError(f"'{emotion}' was not shown for naming{hint} (known: {known})")
        answers = (*EMOTIONS, NONE)
        total = sum(rows[emotion].values())
        return self._drawn(answers, [rows[emotion].get(answer, 0) / total for answer in answers])

    def _drawn(self, values: Sequence[_T], chances: Sequence[float]) -> _T:
        return self._random.choices(values, weights=chances)[0]


def coded(features: Features) -> Triple:
    """Jerkiness, activity and gaze from -1, the lowest that was shown, to 1, the highest."""
    codes = [min(1.0, max(-1.0, (2.0 * one - 1.0) / STUDY_SIZE)) for one in features.values]
    return codes[0], codes[1], codes[2]


@cache
def spread(mean: float, sd: float) -> tuple[float, ...]:
    """Chances of the nine points with this mean and deviation, otherwise as flat as can be.

    The flattest (of greatest entropy) is an exponential of a parabola; its two parameters are
    found by Newton's method on a convex function. A deviation that nine points cannot have counts
    as the smallest, or the largest, that they can have with this mean.
    """
    below = min(max(i for i, x in enumerate(GRID) if x <= max(mean, -1.0)), SAM_POINTS - 2)
    share = (mean - GRID[below]) / (GRID[below + 1] - GRID[below])
    least = share * (1.0 - share) * (GRID[1] - GRID[0]) ** 2
    if sd**2 <= least + 1e-6:
        return _on_two(below, below + 1, share)
    if sd**2 >= 1.0 - mean**2 - 1e-6:
        return _on_two(0, SAM_POINTS - 1, (mean + 1.0) / 2.0)
    slope, bend = 0.0, 0.0
    square = sd**2 + mean**2
    chances = _exponential(slope, bend)
    for _ in range(_NEWTON_STEPS):
        moments = [
            math.fsum(p * x**k for p, x in zip(chances, GRID, strict=True)) for k in range(5)
        ]
        off_mean, off_square = mean - moments[1], square - moments[2]
        if max(abs(off_mean), abs(off_square)) < _TOLERANCE:
            break
        # The covariances of x and its square are the second derivatives.
        a, b = moments[2] - moments[1] ** 2, moments[3] - moments[1] * moments[2]
        c = moments[4] - moments[2] ** 2
        det = a * c - b * b
        step = ((c * off_mean - b * off_square) / det, (a * off_square - b * off_mean) / det)
        before, part = _potential(slope, bend, mean, square), 1.0
        while part > 1e-6 and (
            _potential(slope + part * step[0], bend + part * step[1], mean, square) > before
        ):
            part *= 0.5
        slope, bend = slope + part * step[0], bend + part * step[1]
        chances = _exponential(slope, bend)
    return chances


def _on_two(first: int, second: int, share: float) -> tuple[float, ...]:
    chances = [0.0] * SAM_POINTS
    chances[first] += 1.0 - share
    chances[second] += share
    return tuple(chances)


def _exponential(slope: float, bend: float) -> tuple[float, ...]:
    exponents = [slope * x + bend * x * x for x in GRID]
    top = max(exponents)
    weights = [math.exp(one - top) for one in exponents]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def _potential(slope: float, bend: float, mean: float, square: float) -> float:
    """The convex function whose least value has the wanted moments."""
    exponents = [slope * x + bend * x * x for x in GRID]
    top = max(exponents)
    total = math.fsum(math.exp(one - top) for one in exponents)
    return top + math.log(total) - slope * mean - bend * square


def _factorial(corners: Mapping[tuple[int, ...], Triple]) -> dict[tuple[int, ...], Triple]:
    """The eight coefficients of a model that has just these values at the corners."""
    found = {}
    for term in TERMS:
        sums = [0.0] * len(AXES)
        for signs, values in corners.items():
            sign = math.prod(one for one, used in zip(signs, term, strict=True) if used)
            sums = [
                total + sign * value / len(corners)
                for total, value in zip(sums, values, strict=True)
            ]
        found[term] = (sums[0], sums[1], sums[2])
    return found


def _evaluated(terms: Mapping[tuple[int, ...], Triple], codes: Triple) -> Triple:
    sums = [0.0] * len(AXES)
    for term, coefficients in terms.items():
        factor = math.prod(code for code, used in zip(codes, term, strict=True) if used)
        sums = [total + factor * one for total, one in zip(sums, coefficients, strict=True)]
    return sums[0], sums[1], sums[2]


def _features(shown: Features | str) -> Features:
    return PAD.corner(shown).features() if isinstance(shown, str) else shown
