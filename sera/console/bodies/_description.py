"""Everything that a page needs to draw a body and to move it.

Units and frames: metres and radians in a URDF's axes (x forward, y to the left, z up), each shape
in the frame of its link; `ground_m` and `height_m` along the upward axis, from the body's frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sera.animation.body import face_of
from sera.animation.body.shapes import shapes_of
from sera.animation.channels import Unit
from sera.console.bodies._hulls import hulls_of
from sera.console.bodies._names import LinkNames, link_names
from sera.console.bodies._urdf import urdf_of

if TYPE_CHECKING:
    from sera.animation.body import Body

_FACES = {"x": (0, 1, 0), "y": (0, 0, 1), "z": (1, 0, 0)}
"""Our axes, along which a face may look, in a URDF's."""


def description_of(body: Body) -> dict[str, Any]:
    """A body as `GET bodies/<robot>` tells it."""
    drawn = shapes_of(body, {})
    names = link_names(body.tree)
    hulls = hulls_of(body, drawn.height_m)
    moving = [name for name in body.joints if name in body.tree.joint_names]
    return {
        "name": body.name,
        "title": body.title,
        "urdf": urdf_of(body, hulls, names),
        "hulls": {key: hull.as_json(names.carrying(hull.joint)) for key, hull in hulls.items()},
        "joints": [_range(body, name) for name in moving],
        "channels": [_range(body, name) for name in body.own if name not in moving],
        "face": _face(body, names),
        "ground_m": drawn.ground_m,
        "height_m": drawn.height_m,
    }


def _range(body: Body, name: str) -> dict[str, Any]:
    spec = body.own[name]
    return {
        "name": name,
        "lower": spec.lower,
        "upper": spec.upper,
        "neutral": spec.neutral,
        "unit": "m" if spec.unit is Unit.METRE else spec.unit.value,
    }


def _face(body: Body, names: LinkNames) -> dict[str, Any] | None:
    """What looks: the end point that aims the gaze, or one that is called head or face."""
    face = face_of(body)
    if face is None:
        return None
    sign = -1 if face.axis.startswith("-") else 1
    return {
        "link": names.of_end_point[face.end_point],
        "offset": [0.0, 0.0, 0.0],
        "direction": [sign * part for part in _FACES[face.axis.removeprefix("-")]],
    }
