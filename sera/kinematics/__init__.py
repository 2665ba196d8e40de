"""Bodies and their motion as pure maths: rotations, chains, trees, inverse kinematics, filters.

    from sera.kinematics import Chain, erik

    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    solver = erik.Solver(chain, symmetric_endpoint=True)
    solution = solver.solve(posture_rad, target_wxyz)

Conventions: right-handed, +Y up, the zero pose faces +Z; metres, radians, quaternions (w, x, y, z).
Inner loops are compiled by numba at their first call and kept on disk (`sera doctor --warm` does
it beforehand). Nothing here knows of the bus, a clock or a file beyond a URDF that it is given.
"""

from sera.kinematics import baselines, erik, inverse, rotations, trajectories
from sera.kinematics.chain import Chain
from sera.kinematics.filter import (
    FilterCharacter,
    FilterLimits,
    MotionFilter,
    VectorFilter,
    preset,
)
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.pose import Pose
from sera.kinematics.tree import EndPoint, Frames, Tree

__all__ = [
    "Chain",
    "EndPoint",
    "FilterCharacter",
    "FilterLimits",
    "Frames",
    "Joint",
    "JointKind",
    "MotionFilter",
    "Pose",
    "Tree",
    "VectorFilter",
    "baselines",
    "erik",
    "inverse",
    "preset",
    "rotations",
    "trajectories",
]
