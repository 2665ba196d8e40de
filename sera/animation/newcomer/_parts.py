"""Which joints of an unknown robot are its gaze, arms, trunk, eyes and hands.

Design overview: names are asked first where they are clear (a link called head), and the tree
decides where they are not: the gaze then goes to the longest row of turning joints. What grips,
rolls or walks is kept out of gaze and arms.

Units and frames: our axes (Y up, forward +Z, the robot's left is +X), metres, in the zero pose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from sera.animation.newcomer._skeleton import Skeleton
from sera.kinematics._urdf_read import MOVING, UrdfJoint, UrdfRobot
from sera.kinematics.tree import Tree

_GRIPS = re.compile(r"grip|claw|hand$")
_FINGERS = re.compile(r"finger|knuckle|thumb|phalan|pinky|wheel|caster|rotor|propell|track")
_FINGER_WORDS = {"index", "middle", "ring", "little"}
_PASSIVE = re.compile(r"passive")
_LEGS = re.compile(r"leg|foot|ankle|toe|knee|thigh|calf|hip|haa|hfe|kfe")
_FACE = re.compile(r"(eye)?lids?|(eye)?brows?|mouth|jaw|lips?|ears?|antennas?")
_HEADS = (re.compile(r"head"), re.compile(r"face"), re.compile(r"cam|gaze|vision"))
_EYE = re.compile(r"eye")
_LEFT, _RIGHT = {"l", "left"}, {"r", "right"}
_ARM_LIKE = 5
"""A camera at the end of so many joints is held by an arm, not by a neck."""


@dataclass(frozen=True, slots=True)
class Limb:
    """A row of joints that turn or slide, from its root to a link."""

    link: str
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """What was found; joints by name."""

    gaze: Limb
    is_head: bool
    """The zero pose of a head looks ahead; that of an arm may look anywhere."""
    trunk: tuple[str, ...]
    """Joints that carry both the gaze and an arm."""
    arms: dict[str, Limb] = field(default_factory=dict)
    """`Left` and `Right`; joints beyond the trunk."""
    fingers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lids: dict[str, str] = field(default_factory=dict)
    eyes: tuple[str, ...] = ()
    mouth: str | None = None
    brows: tuple[str, ...] = ()
    passive: tuple[str, ...] = ()
    """Joints of the gaze that no motor seems to move: a loop that was cut to make a tree."""
    walks: bool = False
    """The gaze is carried by a leg, for want of a head and an arm."""


def words_of(name: str) -> list[str]:
    """The words of a name: `LShoulderPitch`, `left_arm-1`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


class _Finder:
    def __init__(self, skeleton: Skeleton, tree: Tree) -> None:
        self.robot: UrdfRobot = skeleton.robot
        self.tree = tree
        frames = tree.forward(tree.neutral)
        self.places = dict(zip(tree.frame_names, frames.positions_m, strict=True))
        self.free = {
            name: joint
            for name, joint in self.robot.joints.items()
            if joint.kind in MOVING and joint.mimic is None
        }
        self.said = {
            name: f"{name} {joint.child}".lower() for name, joint in self.robot.joints.items()
        }
        self.paths = {link: self._path(link) for link in self.robot.links}
        grips = self._grippers()
        self.barred = {
            name
            for name, joint in self.robot.joints.items()
            if joint.kind in MOVING
            and (joint.mimic is not None or name in grips or self._grips(name))
        }
        self.passive = {name for name in self.free if _PASSIVE.search(_joined(name))}
        self.of_face = {
            name for name in self.free if any(_FACE.fullmatch(word) for word in words_of(name))
        }
        self.of_eyes = {name for name in self.free if _EYE.search(_joined(name))} - self.of_face

    def _path(self, link: str) -> tuple[UrdfJoint, ...]:
        row: list[UrdfJoint] = []
        while link != self.robot.root:
            row.append(self.robot.carriers[link])
            link = row[-1].parent
        return tuple(reversed(row))

    def _grips(self, name: str) -> bool:
        """Whether the names say that a joint moves a finger, a gripper or a wheel."""
        words = [word for word in words_of(name) if word not in {"joint", "link"}]
        return bool(
            _GRIPS.search("".join(words))
            or _FINGERS.search(self.said[name])
            or ("hand" in words and _FINGER_WORDS.intersection(words))
        )

    def _grippers(self) -> set[str]:
        """Two or more short slides, or a slide and its follower, on one link at the end."""
        leaves = set(self.robot.leaves)
        by_parent: dict[str, list[UrdfJoint]] = {}
        for joint in self.robot.joints.values():
            if joint.kind == "prismatic" and joint.child in leaves:
                by_parent.setdefault(joint.parent, []).append(joint)
        return {j.name for group in by_parent.values() if len(group) > 1 for j in group}

    def movers(self, link: str, barred: set[str]) -> tuple[str, ...] | None:
        """The joints that move on the way to a link; None where a barred one is among them."""
        row = [joint.name for joint in self.paths[link] if joint.kind in MOVING]
        return None if barred.intersection(row) else tuple(row)

    def turning(self, row: tuple[str, ...]) -> int:
        return sum(self.robot.joints[name].kind != "prismatic" for name in row)

    def length_m(self, link: str) -> float:
        return float(sum(np.linalg.norm(joint.origin_m) for joint in self.paths[link]))

    def best(self, links: list[str], barred: set[str]) -> Limb | None:
        """The limb with the most joints that turn; the longest of these; the last of these."""
        found: list[tuple[int, float, int, str, tuple[str, ...]]] = []
        for place, link in enumerate(links):
            row = self.movers(link, barred)
            if row and self.turning(row):
                length_m = round(self.length_m(link), 4)
                found.append((self.turning(row), length_m, -place, link, row))
        if not found:
            return None
        *_, link, row = max(found)
        return Limb(link, row)


def _says(name: str, pattern: str) -> bool:
    return any(re.fullmatch(pattern, word) for word in words_of(name))


def _joined(name: str) -> str:
    return "".join(words_of(name))


def find_parts(skeleton: Skeleton, tree: Tree) -> Parts | None:
    """The parts of a robot; None where no joint turns that could carry a gaze."""
    finder = _Finder(skeleton, tree)
    gaze, is_head = _gaze(finder)
    if gaze is None:
        return None
    branches = _branches(finder, gaze)
    arms = _arms(finder, branches, gaze)
    shared = {name for limb in arms.values() for name in limb.joints}
    trunk = tuple(name for name in gaze.joints if name in shared)
    arms = {
        side: Limb(limb.link, tuple(n for n in limb.joints if n not in trunk))
        for side, limb in arms.items()
    }
    free = [name for name in finder.free if name not in gaze.joints]
    return Parts(
        gaze=gaze,
        is_head=is_head,
        trunk=trunk,
        arms=arms,
        fingers=_fingers(finder, arms),
        lids=_by_side(finder, [name for name in free if _says(name, r"(eye)?lids?")]),
        eyes=tuple(name for name in free if name in finder.of_eyes),
        mouth=next((name for name in free if _says(name, r"mouth|jaw")), None),
        brows=tuple(name for name in free if _says(name, r"(eye)?brows?")),
        passive=tuple(name for name in gaze.joints if name in finder.passive),
        walks=not is_head and any(_LEGS.search(_joined(name)) for name in gaze.joints),
    )


def _gaze(finder: _Finder) -> tuple[Limb | None, bool]:
    barred = finder.barred | finder.of_face
    links = list(finder.robot.links)
    choices = []
    for pattern in _HEADS:
        named = [link for link in links if pattern.search(link.lower())]
        limb = finder.best(named, barred | finder.of_eyes) or finder.best(named, barred)
        if limb is not None:
            choices.append(limb)
    for limb in choices:
        # Between two arms even a head that only pans is where people look.
        if _has_head(limb) and len(_arms(finder, _branches(finder, limb), limb)) == 2:
            return limb, True
        if finder.turning(limb.joints) >= 2:
            return limb, finder.turning(limb.joints) < _ARM_LIKE or _has_head(limb)
    walks = {name for name in finder.free if _LEGS.search(_joined(name))}
    anything = finder.best(links, barred | walks) or finder.best(links, barred)
    if choices and (anything is None or finder.turning(anything.joints) < 2):
        return choices[0], True
    # Better a gripper or a wheel that looks about than a robot that does not.
    return anything or finder.best(links, _followers(finder)), False


def _has_head(limb: Limb) -> bool:
    return "head" in limb.link.lower()


def _followers(finder: _Finder) -> set[str]:
    return {joint.name for joint in finder.robot.joints.values() if joint.mimic is not None}


def _branches(finder: _Finder, gaze: Limb) -> list[Limb]:
    """The best limb of everything that branches off the gaze or the base."""
    barred = finder.barred | finder.of_face | finder.of_eyes | finder.passive
    by_root: dict[str, list[str]] = {}
    for link in finder.robot.links:
        row = finder.movers(link, barred)
        beyond = [name for name in row or () if name not in gaze.joints]
        if beyond:
            by_root.setdefault(beyond[0], []).append(link)
    limbs = (finder.best(links, barred) for links in by_root.values())
    return [limb for limb in limbs if limb is not None]


def _arms(finder: _Finder, branches: list[Limb], gaze: Limb) -> dict[str, Limb]:
    """The highest limb on each side with two or more joints of its own that turn."""
    highest: dict[str, tuple[float, Limb]] = {}
    for limb in branches:
        own = tuple(name for name in limb.joints if name not in gaze.joints)
        if finder.turning(own) < 2 or any(_LEGS.search(_joined(name)) for name in own):
            continue
        side = _side_of(finder, own)
        height_m = float(finder.places[own[0]][1])
        if side and (side not in highest or height_m > highest[side][0]):
            highest[side] = (height_m, limb)
    return {side: limb for side, (_, limb) in sorted(highest.items())}


def _side_of(finder: _Finder, row: tuple[str, ...]) -> str | None:
    words = [word for name in row for word in words_of(name)]
    words += [word for name in row for word in words_of(finder.robot.joints[name].child)]
    left, right = (sum(word in side for word in words) for side in (_LEFT, _RIGHT))
    if left != right:
        return "Left" if left > right else "Right"
    across_m = float(np.mean([finder.places[name][0] for name in row]))
    if abs(across_m) < 0.01:
        return None
    return "Left" if across_m > 0.0 else "Right"


def _by_side(finder: _Finder, names: list[str]) -> dict[str, str]:
    sides: dict[str, str] = {}
    for name in names:
        sides.setdefault(_side_of(finder, (name,)) or "Left", name)
    return sides


def _fingers(finder: _Finder, arms: dict[str, Limb]) -> dict[str, tuple[str, ...]]:
    """What opens and closes beyond the last joint of an arm."""
    hands = {}
    for side, arm in arms.items():
        beyond = {
            joint.name
            for path in finder.paths.values()
            if arm.joints[-1] in {step.name for step in path}
            for joint in path
            if joint.name in finder.free and joint.name in finder.barred
        }
        if beyond:
            hands[side] = tuple(name for name in finder.free if name in beyond)
    return hands
