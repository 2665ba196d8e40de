"""Whether the parts that a profile names are the body's: joints, end points, arms, postures."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from sera.emotion._profile_file import AnchorTable, NullSpaceFile, PostureFile
from sera.emotion.pad import PAD
from sera.emotion.posture_profile import Anchor
from sera.emotion.profile import HandPart, HeadPart
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name

if TYPE_CHECKING:
    from sera.animation.body import Body

_DRAWN_IN_RAD = 0.05
"""How far beyond a limit a printed posture may lie and still be meant: rounding, an older unit."""


def joint_problems(document: LocatedToml, file: NullSpaceFile, body: Body) -> list[FileProblem]:
    """Joints that the body lacks, and postures far beyond the limits."""
    problems: list[FileProblem] = []
    for name, table in file.joints.items():
        if name not in body.joints:
            problems.append(_no_joint(document, ("joints", name), name, body))
            continue
        spec = body.own[name]
        for key in ("lowest_deg", "fullest_deg"):
            degrees: float = getattr(table, key)
            asked = math.radians(degrees)
            if spec.lower - _DRAWN_IN_RAD <= asked <= spec.upper + _DRAWN_IN_RAD:
                continue
            lower, upper = math.degrees(spec.lower), math.degrees(spec.upper)
            message = f"{degrees:g} lies beyond the limits of {name}, {lower:g} to {upper:g}"
            problems.append(document.problem(("joints", name, key), message))
    return problems


def head_of(
    document: LocatedToml, file: NullSpaceFile, body: Body
) -> tuple[HeadPart | None, list[FileProblem]]:
    """The head, where the body has that end point."""
    if file.head is None:
        return None, []
    problems = _end_point_problems(document, ("head", "end_point"), file.head.end_point, body)
    return (None, problems) if problems else (HeadPart(file.head.end_point, file.head.face), [])


def hands_of(
    document: LocatedToml, file: NullSpaceFile, body: Body
) -> tuple[tuple[HandPart, ...], list[FileProblem]]:
    """The hands, where the body has their end points and joints."""
    problems: list[FileProblem] = []
    hands = []
    for name, table in file.hands.items():
        place: KeyPath = ("hands", name)
        problems += _end_point_problems(document, (*place, "end_point"), table.end_point, body)
        problems += [
            _no_joint(document, (*place, "joints", number), joint, body)
            for number, joint in enumerate(table.joints)
            if joint not in body.joints
        ]
        hands.append(HandPart(name, table.end_point, tuple(table.joints)))
    return tuple(hands), problems


def posture_anchors(
    document: LocatedToml, file: PostureFile, body: Body, postures: Collection[str] | None
) -> tuple[tuple[Anchor, ...], list[FileProblem]]:
    """The anchors, where the body has their postures."""
    known = _posture_names(body.folder) if postures is None else postures
    problems: list[FileProblem] = []
    anchors: list[Anchor] = []
    for number, table in enumerate(file.anchors):
        place: KeyPath = ("anchors", number)
        if table.posture not in known:
            message = f"'{body.name}' has no posture '{table.posture}'"
            near = nearest_name(table.posture, known)
            problems.append(document.problem((*place, "posture"), message, nearest=near))
        try:
            pad = _point(table)
        except LookupError as error:
            problems.append(document.problem((*place, "emotion"), str(error)))
            continue
        if any(anchor.pad == pad for anchor in anchors):
            key = "pad" if table.pad is not None else "emotion"
            message = "another anchor has this place already; give each its own"
            problems.append(document.problem((*place, key), message))
        anchors.append(Anchor(pad, table.posture, table.weight))
    return tuple(anchors), problems


def _point(table: AnchorTable) -> PAD:
    if table.pad is not None:
        return PAD(*table.pad)
    return PAD.named(table.emotion or "")


def _posture_names(folder: Path) -> set[str]:
    """What the robot's folder, the shared one beside it and the built-in one hold."""
    from sera.animation.assets.posture import load_postures
    from sera.animation.assets.repertoire import POSTURES, SHARED
    from sera.runtime.workspace import built_in_root

    built_in = built_in_root()
    shared = [folder.parent] if built_in is None else [folder.parent, built_in / "robots"]
    names: set[str] = set()
    for where in (*(robots / SHARED / POSTURES for robots in shared), folder / POSTURES):
        if where.is_dir():
            names |= set(load_postures(where))
    return names


def _end_point_problems(
    document: LocatedToml, place: KeyPath, name: str, body: Body
) -> list[FileProblem]:
    known = _end_points(body)
    if name in known:
        return []
    message = f"'{body.name}' has no end point '{name}'"
    fix = f"it has {', '.join(known)}" if known else "add [[end_points]] to its body.toml"
    return [document.problem(place, message, nearest=nearest_name(name, known), fix=fix)]


def _end_points(body: Body) -> list[str]:
    from sera.animation.body.load import read_file

    _, file = read_file(body.folder)
    if file.robot.urdf is not None:  # the tree alone knows them; it loads numba
        return list(body.tree.end_points)
    return [end.name for end in file.end_points]


def _no_joint(document: LocatedToml, place: KeyPath, name: str, body: Body) -> FileProblem:
    message = f"'{body.name}' has no joint '{name}'"
    return document.problem(place, message, nearest=nearest_name(name, body.joints))
