"""A body file written as URDF.

Design overview: one link for each joint and each end point, joints with their own names, axes and
limits, shapes as visuals. Balls and capsules of even thickness are spheres and cylinders, which
every program knows; other hulls are meshes with the address `hull:ID`, which the console's pages
make from the points that come beside the text.

Units and frames: metres and radians in a URDF's own axes: x forward, y to the left, z up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from sera.console.bodies._hulls import Hull, Vector, urdf_axes

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.console.bodies._names import LinkNames
    from sera.kinematics.joints import Joint
    from sera.kinematics.tree import EndPoint

_EFFORT = 10.0
"""URDF demands one; bodies of ours know none."""
_FAST = 100.0
"""Stands where a joint has no limit of its velocity."""


def urdf_of(body: Body, hulls: Mapping[str, Hull], names: LinkNames) -> str:
    """The text of a URDF that moves as the body's own tree does."""
    tree = body.tree
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(body.name)}>"]
    carried: dict[str, list[str]] = {}
    for key, hull in hulls.items():
        carried.setdefault(names.carrying(hull.joint), []).extend(_visuals(key, hull))
    links = [names.base, *names.of_joint.values(), *names.of_end_point.values()]
    for link in links:
        lines += [
            f"  <link name={quoteattr(link)}>",
            *(f"    {line}" for line in carried.get(link, [])),
            "  </link>",
        ]
    for joint in tree.joints:
        lines += _joint(joint, body, names)
    for name, end in tree.end_points.items():
        lines += _end_point(name, end, names)
    return "\n".join([*lines, "</robot>", ""])


def _joint(joint: Joint, body: Body, names: LinkNames) -> list[str]:
    kind = "continuous" if joint.continuous else joint.kind.value
    lines = [
        f"  <joint name={quoteattr(joint.name)} type={quoteattr(kind)}>",
        f"    <parent link={quoteattr(names.carrying(joint.parent))}/>",
        f"    <child link={quoteattr(names.of_joint[joint.name])}/>",
        f"    {_origin(urdf_axes(joint.origin_m), rpy_of(joint.origin_wxyz))}",
    ]
    if joint.moves:
        spec = body.own.get(joint.name)
        lower, upper = (joint.lower, joint.upper) if spec is None else (spec.lower, spec.upper)
        speed = joint.velocity_limit if spec is None else spec.max_velocity
        speed = speed if math.isfinite(speed) else _FAST
        lines.append(f'    <axis xyz="{_numbers(urdf_axes(joint.axis))}"/>')
        lines.append(
            f'    <limit lower="{lower!r}" upper="{upper!r}" effort="{_EFFORT!r}" '
            f'velocity="{speed!r}"/>'
        )
    if joint.mimic is not None:
        lines.append(
            f"    <mimic joint={quoteattr(joint.mimic)} "
            f'multiplier="{joint.multiplier!r}" offset="{joint.shift!r}"/>'
        )
    return [*lines, "  </joint>"]


def _end_point(name: str, end: EndPoint, names: LinkNames) -> list[str]:
    return [
        f'  <joint name={quoteattr(names.joint_of_end_point[name])} type="fixed">',
        f"    <parent link={quoteattr(names.carrying(end.joint))}/>",
        f"    <child link={quoteattr(names.of_end_point[name])}/>",
        f"    {_origin(urdf_axes(end.offset_m), rpy_of(end.offset_wxyz))}",
        "  </joint>",
    ]


def rpy_of(wxyz: Any) -> Vector:
    """One of our orientations as roll, pitch and yaw about the fixed axes of a URDF."""
    w, first, second, third = (float(part) for part in wxyz)
    x, y, z = third, first, second
    # The rotation matrix by the entries that are needed.
    r00, r10, r20 = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    r21, r22 = 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    level = math.hypot(r00, r10)
    pitch = math.atan2(-r20, level)
    if level < 1e-9:  # looks straight up or down: roll and yaw turn about one axis
        r01, r11 = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z)
        return (0.0, pitch, math.atan2(-r01, r11))
    return (math.atan2(r21, r22), pitch, math.atan2(r10, r00))


def _visuals(key: str, hull: Hull) -> list[str]:
    points, radii = hull.points_m, hull.radii_m
    if len(points) == 1:
        return _visual(key, hull, f'<sphere radius="{radii[0]!r}"/>', points[0])
    if len(points) == 2 and radii[0] == radii[1] and math.dist(*points) > 1e-9:
        return [
            *_capsule_side(key, hull),
            *_visual(f"{key}.begin", hull, f'<sphere radius="{radii[0]!r}"/>', points[0]),
            *_visual(f"{key}.end", hull, f'<sphere radius="{radii[1]!r}"/>', points[1]),
        ]
    return _visual(key, hull, f"<mesh filename={quoteattr(f'hull:{key}')}/>", (0.0, 0.0, 0.0))


def _capsule_side(key: str, hull: Hull) -> list[str]:
    begin, end = hull.points_m
    middle = tuple(0.5 * (a + b) for a, b in zip(begin, end, strict=True))
    dx, dy, dz = (b - a for a, b in zip(begin, end, strict=True))
    # A cylinder lies along z: lean it over by a pitch, then turn it by a yaw.
    turn = (0.0, math.atan2(math.hypot(dx, dy), dz), math.atan2(dy, dx))
    shape = f'<cylinder radius="{hull.radii_m[0]!r}" length="{math.dist(begin, end)!r}"/>'
    return _visual(key, hull, shape, (middle[0], middle[1], middle[2]), turn)


def _visual(
    name: str, hull: Hull, geometry: str, place: Vector, turn: Vector = (0.0, 0.0, 0.0)
) -> list[str]:
    red, green, blue = (int(hull.colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5))
    return [
        f"<visual name={quoteattr(name)}>",
        f"  {_origin(place, turn)}",
        f"  <geometry>{geometry}</geometry>",
        f'  <material name="colour_{hull.colour[1:]}">',
        f'    <color rgba="{red:.4f} {green:.4f} {blue:.4f} 1"/>',
        "  </material>",
        "</visual>",
    ]


def _origin(place: Vector, turn: Vector) -> str:
    return f'<origin xyz="{_numbers(place)}" rpy="{_numbers(turn)}"/>'


def _numbers(values: Vector) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
