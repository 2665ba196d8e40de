"""The face of a body: which end point looks, and along which of its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from sera.animation.body.body import Body

_NAMES = ("head", "face", "gaze", "tip")
"""End points that look where no chain says it, the likeliest first."""


class Face(NamedTuple):
    """What looks."""

    end_point: str
    axis: Literal["x", "y", "z", "-x", "-y", "-z"] = "z"
    """The axis of the end point along which it looks."""


def face_of(body: Body) -> Face | None:
    """The end point that aims the gaze, or the one that is called a head; None: no face."""
    for chain in body.chains:
        if chain.aims == "Gazing":
            return Face(chain.end_point, chain.face)
    ends = body.tree.end_points
    return next((Face(name) for name in _NAMES if name in ends), None)
