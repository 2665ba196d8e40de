"""Links and joints of a URDF as records, checked one by one and as a whole.

Frames: the URDF's own (x forward, z up), metres and radians. `sera.kinematics.urdf` turns them
into ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from sera.kinematics._angles import nearest_of
from sera.kinematics._quaternions import Vector
from sera.kinematics._urdf_xml import Element, parse, read_source

MOVING = ("revolute", "continuous", "prismatic")
KNOWN = (*MOVING, "fixed")
_ZERO: Vector = (0.0, 0.0, 0.0)
_X: Vector = (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class UrdfLink:
    """A link: what has mass."""

    name: str
    mass_kg: float
    centre_m: Vector


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint between two links."""

    name: str
    kind: str
    parent: str
    child: str
    origin_m: Vector
    origin_rpy_rad: Vector
    axis: Vector
    lower: float
    upper: float
    velocity_limit: float
    mimic: str | None
    multiplier: float
    shift: float
    where: str


@dataclass(frozen=True, slots=True)
class UrdfRobot:
    """A whole robot: every link hangs on the root through exactly one row of joints."""

    name: str
    root: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]  # in the order of the file
    carriers: dict[str, UrdfJoint]  # the joint that carries a link, for all links but the root

    @property
    def leaves(self) -> list[str]:
        """Links that carry no other, in the order of the file."""
        parents = {joint.parent for joint in self.joints.values()}
        return [name for name in self.links if name not in parents]

    def link(self, name: str, what: str) -> UrdfLink:
        if name not in self.links:
            raise ValueError(
                f"{self.name!r} has no {what} {name!r}; {nearest_of(name, self.links)}"
            )
        return self.links[name]


def read_robot(source: str | Path) -> UrdfRobot:
    """Read a URDF from a path or a text."""
    text, called = read_source(source)
    robot = parse(text, called)
    links: dict[str, UrdfLink] = {}
    for element in robot.all("link"):
        link = _link(element)
        if link.name in links:
            raise ValueError(f"{element.where}: two links are called {link.name!r}; rename one.")
        links[link.name] = link
    if not links:
        raise ValueError(f"{robot.where}: the robot has no <link>; give the robot's whole URDF.")
    joints: dict[str, UrdfJoint] = {}
    for element in robot.all("joint"):
        joint = _joint(element, links)
        if joint.name in joints:
            raise ValueError(f"{joint.where}: two joints are called {joint.name!r}; rename one.")
        joints[joint.name] = joint
    for joint in joints.values():
        _check_mimic(joint, joints)
    carriers, root = _connected(links, joints, called)
    name = " ".join(robot.attributes.get("name", "").split()) or "robot"
    return UrdfRobot(name, root, links, joints, carriers)


def _link(element: Element) -> UrdfLink:
    name = element.name()
    inertial = element.first("inertial")
    if inertial is None:
        return UrdfLink(name, 0.0, _ZERO)
    owner = f"link {name!r}"
    mass = inertial.first("mass")
    mass_kg = 0.0 if mass is None else mass.number("value", owner=owner)
    if mass_kg < 0.0:
        raise ValueError(f"{inertial.where}: the mass of {owner} is {mass_kg:g}; none is negative.")
    origin = inertial.first("origin")
    return UrdfLink(
        name, mass_kg, _ZERO if origin is None else origin.vector("xyz", _ZERO, owner=owner)
    )


def _joint(element: Element, links: dict[str, UrdfLink]) -> UrdfJoint:
    name = element.name()
    owner = f"joint {name!r}"
    kind = element.attributes.get("type", "")
    _check_kind(element, name, kind)
    origin = element.first("origin")
    lower, upper, velocity_limit = _limits(element, kind, owner)
    mimic = element.first("mimic") if kind in MOVING else None
    return UrdfJoint(
        name=name,
        kind=kind,
        parent=_end(element, "parent", owner, links),
        child=_end(element, "child", owner, links),
        origin_m=_ZERO if origin is None else origin.vector("xyz", _ZERO, owner=owner),
        origin_rpy_rad=_ZERO if origin is None else origin.vector("rpy", _ZERO, owner=owner),
        axis=_axis(element, kind, owner),
        lower=lower,
        upper=upper,
        velocity_limit=velocity_limit,
        mimic=None if mimic is None else " ".join(mimic.attributes.get("joint", "").split()),
        multiplier=1.0 if mimic is None else mimic.number("multiplier", 1.0, owner=owner),
        shift=0.0 if mimic is None else mimic.number("offset", 0.0, owner=owner),
        where=element.where,
    )


def _check_kind(element: Element, name: str, kind: str) -> None:
    if kind in {"floating", "planar"}:
        count = "six" if kind == "floating" else "three"
        raise ValueError(
            f"{element.where}: joint {name!r} is {kind}: it has {count} degrees of freedom, and a "
            'joint here has one. Where it places the robot in its room write type="fixed"; '
            "otherwise split it into revolute and prismatic joints."
        )
    if kind not in KNOWN:
        said = f"the unknown type {kind!r}" if kind else "no type"
        raise ValueError(f"{element.where}: joint {name!r} has {said}; {nearest_of(kind, KNOWN)}")


def _end(element: Element, tag: str, owner: str, links: dict[str, UrdfLink]) -> str:
    end = element.first(tag)
    if end is None or "link" not in end.attributes:
        raise ValueError(f'{element.where}: {owner} has no <{tag} link="…"/>; add it.')
    name = " ".join(end.attributes["link"].split())
    if name not in links:
        hint = nearest_of(name, links)
        raise ValueError(
            f"{end.where}: {owner} has the {tag} {name!r}, but there is no such link; {hint}"
        )
    return name


def _axis(element: Element, kind: str, owner: str) -> Vector:
    axis = element.first("axis")
    if axis is None or kind not in MOVING:
        return _X  # what URDF says of a joint without an axis
    vector = axis.vector("xyz", None, owner=owner)
    if math.hypot(*vector) < 1e-9:
        raise ValueError(f"{axis.where}: the axis of {owner} is 0 0 0; give it a direction.")
    return vector


def _limits(element: Element, kind: str, owner: str) -> tuple[float, float, float]:
    """Lower, upper and velocity limit."""
    limit = element.first("limit")
    if kind == "fixed" or (kind == "continuous" and limit is None):
        return -math.pi, math.pi, math.inf
    if limit is None:
        raise ValueError(
            f"{element.where}: {owner} is {kind} but has no <limit>; add "
            '<limit lower="…" upper="…" velocity="…" effort="…"/>'
            + (', or make it type="continuous".' if kind == "revolute" else ".")
        )
    velocity = math.inf
    if limit.attributes.get("velocity", "").strip().lower() not in {"", "inf", "+inf"}:
        velocity = limit.number("velocity", owner=owner)
    velocity = velocity if velocity > 0.0 else math.inf  # nought means that nobody measured it
    if kind == "continuous":
        return -math.pi, math.pi, velocity
    # What URDF says of a limit that is not given: nought.
    lower = limit.number("lower", 0.0, owner=owner)
    upper = limit.number("upper", 0.0, owner=owner)
    if lower > upper:
        raise ValueError(
            f"{limit.where}: {owner} has its lower limit {lower:g} above its upper limit "
            f"{upper:g}; swap them."
        )
    return lower, upper, velocity


def _check_mimic(joint: UrdfJoint, joints: dict[str, UrdfJoint]) -> None:
    if joint.mimic is None:
        return
    if joint.mimic not in joints:
        raise ValueError(
            f"{joint.where}: joint {joint.name!r} mimics {joint.mimic!r}, but there is no such "
            f"joint; {nearest_of(joint.mimic, joints)}"
        )
    seen = [joint.name]
    while joint.mimic is not None:
        joint = joints[joint.mimic]
        if joint.name in seen:
            ring = " -> ".join([*seen, joint.name])
            raise ValueError(f"{joint.where}: joints mimic each other in a ring: {ring}; free one.")
        seen.append(joint.name)


def _connected(
    links: dict[str, UrdfLink], joints: dict[str, UrdfJoint], called: str
) -> tuple[dict[str, UrdfJoint], str]:
    carriers: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in carriers:
            raise ValueError(
                f"{joint.where}: the link {joint.child!r} is the child of two joints, "
                f"{carriers[joint.child].name!r} and {joint.name!r}; a URDF is a tree: remove one."
            )
        carriers[joint.child] = joint
    roots = [name for name in links if name not in carriers]
    if len(roots) > 1:
        names = ", ".join(map(repr, roots))
        raise ValueError(
            f"{called}: the robot falls into pieces: the links {names} are nobody's child; one is "
            "the root, connect the others with fixed joints."
        )
    if roots:
        carried = {roots[0]}
        children: dict[str, list[str]] = {}
        for joint in joints.values():
            children.setdefault(joint.parent, []).append(joint.child)
        waiting = [roots[0]]
        while waiting:
            waiting.extend(children.get(waiting.pop(), ()))
            carried.update(waiting)
        if len(carried) == len(links):
            return carriers, roots[0]
        lost = [joint for joint in joints.values() if joint.child not in carried]
    else:
        lost = list(joints.values())
    ring = ", ".join(repr(joint.name) for joint in lost)
    raise ValueError(
        f"{lost[0].where}: the joints {ring} go round in a loop that hangs on nothing; a URDF is a "
        "tree: remove one of them."
    )
