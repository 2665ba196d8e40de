"""How the joints and end points of a body are called in its URDF.

Joints keep their own names, since frames of motion speak of them. Links need names of their own:
readers of URDF let nobody ask for a frame whose name a joint and a link share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sera.kinematics.tree import Tree


@dataclass(frozen=True, slots=True)
class LinkNames:
    """Names of links by what they belong to."""

    base: str
    of_joint: dict[str, str]
    of_end_point: dict[str, str]
    joint_of_end_point: dict[str, str]
    """The fixed joints that place end points."""

    def carrying(self, joint: str | None) -> str:
        """The link that a joint carries; the base for None."""
        return self.base if joint is None else self.of_joint[joint]


def link_names(tree: Tree) -> LinkNames:
    """A name for every link, none of which is used twice or by a joint."""
    taken = {joint.name for joint in tree.joints}

    def free(wanted: str) -> str:
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        return name

    base = free("base_link")
    of_joint = {joint.name: free(f"{joint.name}_link") for joint in tree.joints}
    of_end_point = {name: free(f"{name}_point") for name in tree.end_points}
    joint_of_end_point = {name: free(f"to_{of_end_point[name]}") for name in tree.end_points}
    return LinkNames(base, of_joint, of_end_point, joint_of_end_point)
