"""How animations go over into each other and into rest: where to begin, and how long it takes.

Design overview: what is playing contributes to channels; the seams of the engine say how long a
body takes to lose or to gain that. A gesture that is ordered again begins at the moment, at or
before its stroke, at which it is nearest to what it shows already and is about to show.

Units and frames: seconds; values in the channels' own units. Threading: one owner, the player.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sera.animation.assets import Animation
from sera.animation.controllers.playback import Playback
from sera.animation.engine.controller import Row

STROKE = "stroke"
_LOOK_EVERY_S = 1.0 / 30.0
_ON_ITS_WAY_S = 0.15
"""What swings to one side is nearer to what swings there, too, than to what comes back."""
_LOOK_AHEAD_S = (0.0, 0.2, 0.4, 0.6)
"""While it fades out, a gesture may still be on its way up: what it comes to counts."""


def contribution(playback: Playback, later_s: float = 0.0) -> list[float]:
    """What it adds to each of its channels, or, if it sets them, as much of its value as counts."""
    values = playback.values(later_s)
    return [
        weight * value for weight, value in zip(playback.weights(), values, strict=True)
    ]  # fmt: skip


def fade_out_s(
    row: Row, playback: Playback, at_least_s: float, limbs: Sequence[str] | None = None
) -> float:
    """How long it takes to lose a playback, or what it does with some limbs."""
    columns = {
        column: place
        for place, column in enumerate(playback.columns)
        if column is not None and (limbs is None or playback.limbs[place] in limbs)
    }
    if not playback.animation.additive:
        return row.seams.without_s(row.passthrough, columns, at_least_s)
    longest_s = at_least_s
    for later_s in _LOOK_AHEAD_S:
        values = contribution(playback, later_s * playback.speed)
        changes = {column: -values[place] for column, place in columns.items()}
        longest_s = max(longest_s, row.seams.changed_s(changes, at_least_s))
    return longest_s


def fade_in_s(
    row: Row, animation: Animation, columns: Sequence[int | None], at_least_s: float
) -> float:
    """How long it takes to come from where the body is to where an animation begins."""
    now = row.seams.blend.values
    begins = zip(columns, animation.at(0.0), strict=True)
    changes = {
        column: value if animation.additive else value - float(now[column])
        for column, value in begins
        if column is not None
    }
    return row.seams.changed_s(changes, at_least_s)


def entry_s(animation: Animation, playing: Sequence[Playback]) -> float:
    """When, at or before its stroke, an animation is nearest to what is shown of it already."""
    times_s = np.arange(0.0, _stroke_s(animation) + _LOOK_EVERY_S, _LOOK_EVERY_S)
    away = np.zeros(len(times_s))
    for later_s in (0.0, _ON_ITS_WAY_S):
        shown = np.sum([contribution(each, later_s * each.speed) for each in playing], axis=0)
        away += ((animation.sample(times_s + later_s) - shown) ** 2).sum(axis=1)
    return float(times_s[int(away.argmin())])


def _stroke_s(animation: Animation) -> float:
    """Its stroke; a loop may be entered anywhere, and others where they are farthest from rest."""
    if animation.loop:
        return animation.duration_s
    if STROKE in animation.anchors:
        return animation.anchors[STROKE]
    times_s = np.arange(0.0, animation.duration_s, _LOOK_EVERY_S)
    if not len(times_s):
        return 0.0
    values = animation.sample(times_s)
    return float(times_s[int(((values - values[0]) ** 2).sum(axis=1).argmax())])
