"""Gestures can be seen: they reach most of what the animator gave them, within the limits."""

from __future__ import annotations

from sera.animation.assets.repertoire import Repertoire
from sera.animation.sheets import reached_share
from sera.animation.stage_set import StageSet

REQUIRED = ("nod", "shake", "affirm", "wave")
LEAST_SHARE = 0.9


def measure_gestures(
    stage_set: StageSet,
    names: tuple[str, ...] = REQUIRED,
    repertoire: Repertoire | None = None,
) -> dict[str, float]:
    """Least share of the authored swing over a body's own channels, by gesture.

    A gesture that moves nothing on this body is left out.
    """
    found = repertoire or stage_set.repertoire()
    neutral = found.postures.get("neutral")
    shares = {}
    for name in names:
        reached = reached_share(stage_set.body, found.animation(name), neutral)
        if reached:
            shares[name] = min(reached.values())
    return shares
