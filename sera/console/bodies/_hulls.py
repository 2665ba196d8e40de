"""The shapes of a body, each in the frame of the link that carries it.

Design overview: a body file says its shapes; one that says none gets some along its links, as
drawings of it do (`sera.animation.body.shapes`), but fixed to the links, so that they move with
them.

Units and frames: metres, in a URDF's axes (x forward, y to the left, z up).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sera.animation.body.load import read_file

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.body._file import ShapeTable

Vector = tuple[float, float, float]

_GREYS = {"light": "#ededed", "middle": "#c7c7c7", "dark": "#595959"}
_GLOWING = "#33bfff"
_DIMMED = "#404d59"
_LINK_RADIUS = 0.028
"""Of the height: how thick a link is that nobody drew."""


@dataclass(frozen=True, slots=True)
class Hull:
    """A ball, a capsule between two, or the hull around several."""

    joint: str | None
    """The joint that carries it; None: the base."""
    points_m: list[Vector]
    radii_m: list[float]
    colour: str = _GREYS["light"]
    on_top: bool = False
    glows: dict[str, Any] | None = None
    """The light that makes it shine, with its range and the colours at both ends."""
    slides: dict[str, Any] | None = None
    """The channel that moves it, and how far for each unit of its value."""

    def as_json(self, link: str) -> dict[str, Any]:
        return {
            "link": link,
            "points_m": [list(point) for point in self.points_m],
            "radii_m": self.radii_m,
            "colour": self.colour,
            "on_top": self.on_top,
            "glows": self.glows,
            "slides": self.slides,
        }


def urdf_axes(vector: Any) -> Vector:
    """One of our vectors (Y up, facing +Z) in a URDF's axes."""
    x, y, z = (float(part) for part in vector)
    return (z, x, y)


def hulls_of(body: Body, height_m: float) -> dict[str, Hull]:
    """Every shape by an id that is fit for a URDF."""
    _, file = read_file(body.folder)
    hulls = [_told(table, body) for table in file.shapes] or _guessed(body, height_m)
    return {f"shape_{number}": hull for number, hull in enumerate(hulls)}


def _told(table: ShapeTable, body: Body) -> Hull:
    glows = slides = None
    if table.glows is not None:
        spec = body.own[table.glows]
        glows = {
            "channel": table.glows,
            "lower": spec.lower,
            "upper": spec.upper,
            "dimmed": _DIMMED,
            "glowing": _GLOWING,
        }
    if table.slides is not None:
        slides = {"channel": table.slides.channel, "by_m": list(urdf_axes(table.slides.by_m))}
    count = len(table.points_m)
    radii = table.radius_m if isinstance(table.radius_m, list) else [table.radius_m] * count
    return Hull(
        joint=table.joint or None,
        points_m=[urdf_axes(point) for point in table.points_m],
        radii_m=[float(radius) for radius in radii],
        colour=_DIMMED if glows else table.colour or _GREYS[table.shade],
        on_top=table.on_top,
        glows=glows,
        slides=slides,
    )


@dataclass(slots=True)
class _Tips:
    """Where links end that begin at one joint."""

    places: list[Vector] = field(default_factory=list)


def _guessed(body: Body, height_m: float) -> list[Hull]:
    tree = body.tree
    thin = _LINK_RADIUS * height_m
    tips: dict[str | None, _Tips] = {}
    for joint in tree.joints:
        tips.setdefault(joint.parent, _Tips()).places.append(urdf_axes(joint.origin_m))
    for end in tree.end_points.values():
        tips.setdefault(end.joint, _Tips()).places.append(urdf_axes(end.offset_m))
    hulls: list[Hull] = []
    for parent, known in tips.items():
        far = [tip for tip in known.places if max(map(abs, tip)) > 1e-6]
        if far:
            radius = 1.6 * thin if len(far) > 1 else thin
            points: list[Vector] = [(0.0, 0.0, 0.0), *far]
            hulls.append(Hull(parent, points, [radius] * len(points)))
    for name, end in tree.end_points.items():
        looks = any(chain.end_point == name and chain.aims == "Gazing" for chain in body.chains)
        radius = (2.2 if looks or name in {"head", "face"} else 1.3) * thin
        hulls.append(Hull(end.joint, [urdf_axes(end.offset_m)], [radius]))
    return hulls or [Hull(joint.name, [(0.0, 0.0, 0.0)], [thin]) for joint in tree.joints]
