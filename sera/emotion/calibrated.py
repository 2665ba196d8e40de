"""A map of features that asks what people see: the inverse of the simulated perceiver.

    calibrated = feature_map("calibrated")
    calibrated.features(PAD.named("fear"))

Design overview: for an intended emotion those features are taken whose perceived one, by the
published response model, lies nearest. The model says that jerkiness does next to nothing and that
activity drives everything: of several features that are seen alike, those nearest to the document's
are taken. The answers are computed once for a grid of emotions and are straight between its points,
so that features change steadily with what is felt and a call costs some microseconds.

The model restates one table of one study with one robot. The map is a starting point for a study
of one's own, not a finding.

Units and frames: PAD from -1 to 1, features from 0 to 1; only features that were shown in the
study, 0.125 to 0.875, are made use of.
Threading: immutable once made.
Safety: deterministic; the answer lies within the features that were shown.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sera.emotion.features import Features, features_of
from sera.emotion.pad import PAD, STUDY_SIZE
from sera.emotion.perceiver import TERMS, ResponseModel

FloatArray = NDArray[np.float64]
_NODES = 9
"""Points of the grid along each axis of emotion."""
_LATTICE = 13
"""Points along each feature from which the search starts."""
_TOWARDS_DOCUMENT = 1e-3
"""How much a distance from the document's features counts beside one of what is perceived."""
_STEPS = 40
"""Rounds of the search, after which nothing moves any more."""


class CalibratedMap:
    """Features by what people see in them.

    Args:
        model: what they see.
    """

    def __init__(self, model: ResponseModel) -> None:
        self._model = model
        self._terms = np.array([model.mean_terms[term] for term in TERMS])
        self._table = self._computed()

    @classmethod
    @cache
    def published(cls) -> CalibratedMap:
        """The map of the published study."""
        return cls(ResponseModel())

    def features(self, pad: PAD) -> Features:
        """The features that are seen as the emotion, or as near to it as can be."""
        values = self._table
        for value in pad.values:
            place = (value + 1.0) / 2.0 * (_NODES - 1)
            below = min(int(place), _NODES - 2)
            share = place - below
            values = (1.0 - share) * values[below] + share * values[below + 1]
        jerkiness, activity, gaze = values.tolist()
        return Features(jerkiness, activity, gaze)

    def pad(self, features: Features) -> PAD:
        """What people see in features, on average."""
        return self._model.mean(features)

    def _computed(self) -> FloatArray:
        """The best features at every point of the grid of emotions, all at once."""
        axis, line = np.linspace(-1.0, 1.0, _NODES), np.linspace(-1.0, 1.0, _LATTICE)
        wanted = np.array(list(product(axis, repeat=3)))
        starts = np.array(list(product(line, repeat=3)))
        document = _codes(np.array([features_of(PAD(*one)).values for one in wanted.tolist()]))
        # Squared distances of all starts from all that is wanted, by the binomial formula.
        cost = _apart(wanted, self._seen(starts))
        cost += _TOWARDS_DOCUMENT * _apart(document, starts)
        codes = self._refined(starts[np.argmin(cost, axis=1)], wanted, document)
        return np.asarray((0.5 + 0.5 * STUDY_SIZE * codes).reshape(_NODES, _NODES, _NODES, 3))

    def _refined(self, codes: FloatArray, wanted: FloatArray, document: FloatArray) -> FloatArray:
        """Coordinate descent: the model is straight along each feature, so each step is exact."""
        codes = codes.copy()
        for _ in range(_STEPS):
            for axis in range(3):
                codes[:, axis] = 0.0
                rest = self._seen(codes)
                codes[:, axis] = 1.0
                slope = self._seen(codes) - rest
                towards = np.einsum("ij,ij->i", slope, wanted - rest)
                towards += _TOWARDS_DOCUMENT * document[:, axis]
                best = towards / (np.einsum("ij,ij->i", slope, slope) + _TOWARDS_DOCUMENT)
                codes[:, axis] = np.clip(best, -1.0, 1.0)
        return codes

    def _seen(self, codes: FloatArray) -> FloatArray:
        factors = [np.prod(codes[:, np.flatnonzero(term)], axis=1) for term in TERMS]
        return np.asarray(np.stack(factors, axis=1) @ self._terms)


def _codes(features: FloatArray) -> FloatArray:
    """Features from -1, the lowest that was shown, to 1, the highest."""
    return np.clip((2.0 * features - 1.0) / STUDY_SIZE, -1.0, 1.0)


def _apart(rows: FloatArray, columns: FloatArray) -> FloatArray:
    squares = (rows**2).sum(axis=1)[:, None] + (columns**2).sum(axis=1)[None, :]
    return np.asarray(squares - 2.0 * rows @ columns.T)
