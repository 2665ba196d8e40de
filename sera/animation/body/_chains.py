"""The chains of a body file: what they may aim, what they aim by, and the channels for that."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from sera.animation.body._file import BodyFile, ChainTable
from sera.animation.body._urdf_rows import joints_in_urdf, names_in_urdf
from sera.animation.body.body import IkChain
from sera.animation.body.sets import AIMS, GENERIC
from sera.animation.channels import ChannelSpec
from sera.runtime.located import FileProblem, LocatedToml, nearest_name

_ACROSS_RAD, _UP_RAD = math.pi, 0.5 * math.pi
_HELPED_RAD = math.radians(45.0)
"""How far beyond the neck's own reach a look may go where a trunk below it helps."""


def chains_of(
    document: LocatedToml, file: BodyFile
) -> tuple[tuple[IkChain, ...], list[FileProblem]]:
    """The chains, and those that aim by what does not exist or begin where they do not pass."""
    chains, problems = [], []
    for number, table in enumerate(file.ik):
        if table.aims not in AIMS:
            near = nearest_name(table.aims, AIMS)
            message = f"a chain cannot aim by '{table.aims}'"
            fix = f"one of {', '.join(AIMS)}"
            problems.append(
                document.problem(("ik", number, "aims"), message, nearest=near, fix=fix)
            )
        row = joints_towards(file, table.end_point)
        if table.begins is not None and file.robot.urdf is None and table.begins not in row:
            near = nearest_name(table.begins, row)
            message = f"'{table.begins}' is not on the way from the base to '{table.end_point}'"
            problems.append(document.problem(("ik", number, "begins"), message, nearest=near))
        if any(other.name == table.name for other in file.ik[:number]):
            message = f"another chain is called '{table.name}'; give each its own name"
            problems.append(document.problem(("ik", number), message))
        chains.append(_chain(table, symmetric_head=file.robot.symmetric_head))
    return tuple(chains), problems


def _chain(table: ChainTable, *, symmetric_head: bool) -> IkChain:
    return IkChain(
        name=table.name,
        end_point=table.end_point,
        symmetric=symmetric_head if table.symmetric is None else table.symmetric,
        aims=table.aims,
        face=table.face,
        begins=table.begins,
        upright=table.aims == "Gazing" if table.upright is None else table.upright,
    )


def joints_towards(file: BodyFile, end_point: str) -> list[str]:
    """Joints from the base to an end point, root first; none where a URDF has the kinematics."""
    carriers = {}
    for number, joint in enumerate(file.joints):
        before = file.joints[number - 1].name if number else ""
        carriers[joint.name] = before if joint.parent is None else joint.parent
    row: list[str] = []
    name = next((end.joint for end in file.end_points if end.name == end_point), "")
    while name in carriers and name not in row:
        row.append(name)
        name = carriers[name]
    return row[::-1]


def aimed_channels(
    chain: IkChain, file: BodyFile, own: dict[str, ChannelSpec], folder: Path
) -> dict[str, ChannelSpec]:
    """The channels that a chain aims by, as fast as the slowest joint that turns for it."""
    row = joints_towards(file, chain.end_point)
    if file.robot.urdf is not None:
        row = joints_in_urdf(folder / file.robot.urdf, chain.end_point)
    moving = row[row.index(chain.begins) :] if chain.begins in row else row
    # A slide has metres a second, and turns nothing.
    turning = [joint.name for joint in file.joints if joint.kind != "prismatic"]
    specs = [own[name] for name in turning if name in moving] or [own[name] for name in turning]
    found = {}
    for name, reach_rad in ((chain.horizontal, _ACROSS_RAD), (chain.vertical, _UP_RAD)):
        found[name] = ChannelSpec(
            name=name,
            kind=GENERIC[name].kind,
            unit=GENERIC[name].unit,
            lower=-reach_rad,
            upper=reach_rad,
            neutral=0.0,
            max_velocity=min((spec.max_velocity for spec in specs), default=math.inf),
            max_acceleration=min((spec.max_acceleration for spec in specs), default=math.inf),
            max_jerk=min((spec.max_jerk for spec in specs), default=math.inf),
        )
    return found


def further(aimed: ChannelSpec, by_rules: ChannelSpec | None, chain: IkChain) -> ChannelSpec:
    """How far a chain may be sent: as its rules reach, and where more than the neck can help, on.

    A head that looks the same upside down also looks behind itself.
    """
    if by_rules is None or (chain.symmetric and chain.upright):
        return aimed
    if chain.begins is None:
        return by_rules
    lower = max(aimed.lower, by_rules.lower - _HELPED_RAD)
    upper = min(aimed.upper, by_rules.upper + _HELPED_RAD)
    return replace(by_rules, lower=lower, upper=upper)


def end_point_problems(document: LocatedToml, file: BodyFile) -> list[FileProblem]:
    """End points on joints that do not exist, and chains that lead to no end point."""
    problems = []
    ends = [end.name for end in file.end_points]
    if file.robot.urdf is None:
        joints = [joint.name for joint in file.joints]
        for number, end in enumerate(file.end_points):
            if end.joint not in joints:
                place = ("end_points", number, "joint")
                near = nearest_name(end.joint, joints)
                message = f"there is no joint '{end.joint}'"
                problems.append(document.problem(place, message, nearest=near))
    else:
        ends = names_in_urdf(document.path.parent / file.robot.urdf)
    for number, chain in enumerate(file.ik):
        # A URDF that cannot be read is reported, in full, by whoever reads its kinematics.
        if chain.end_point not in ends and (ends or file.robot.urdf is None):
            near = nearest_name(chain.end_point, ends)
            message = f"there is no end point '{chain.end_point}'"
            problems.append(document.problem(("ik", number, "end_point"), message, nearest=near))
    return problems
