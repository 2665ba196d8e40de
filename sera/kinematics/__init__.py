"""Bodies and their motion as pure maths: rotations, chains, trees, inverse kinematics, filters.

    from sera.kinematics import Chain, erik

    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    solver = erik.Solver(chain, symmetric_endpoint=True)
    solution = solver.solve(posture_rad, target_wxyz)

Conventions: right-handed, +Y up, the zero pose faces +Z; metres, radians, quaternions (w, x, y, z).
Inner loops are compiled by numba at their first call and kept on disk (`sera doctor --warm` does
it beforehand). Nothing here knows of the bus, a clock or a file beyond a URDF that it is given.

A name is imported when it is first asked for: who needs a filter alone should not wait for every
solver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sera.kinematics import (
        baselines,
        continuous,
        erik,
        inverse,
        priority,
        rotations,
        trajectories,
        visibility,
    )
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
    "continuous",
    "erik",
    "inverse",
    "preset",
    "priority",
    "rotations",
    "trajectories",
    "visibility",
]

_FILES = (
    "baselines",
    "continuous",
    "erik",
    "inverse",
    "priority",
    "rotations",
    "trajectories",
    "visibility",
)
_HOMES = {
    "Chain": "chain",
    "EndPoint": "tree",
    "FilterCharacter": "filter",
    "FilterLimits": "filter",
    "Frames": "tree",
    "Joint": "joints",
    "JointKind": "joints",
    "MotionFilter": "filter",
    "Pose": "pose",
    "Tree": "tree",
    "VectorFilter": "filter",
    "preset": "filter",
}
"""Where each name lives."""


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = found  # asked for once only
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
