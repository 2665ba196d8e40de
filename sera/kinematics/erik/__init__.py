"""ERIK: hold an expressive posture while the end point faces a given orientation.

    from sera.kinematics import Chain, erik

    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    solver = erik.Solver(chain, symmetric_endpoint=True)
    solution = solver.solve(posture_rad, target_wxyz)

`docs/erik.md` tells the algorithm, what was corrected in the document and what is better here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sera.kinematics.erik._solution import BatchSolution, Solution
from sera.kinematics.erik._solver import METHODS, Method, Solver
from sera.kinematics.erik.hyperparameters import Hyperparameters

if TYPE_CHECKING:
    from sera.kinematics.erik._tree_solver import EndPointErrors, TreeSolution, TreeSolver

__all__ = [
    "METHODS",
    "BatchSolution",
    "EndPointErrors",
    "Hyperparameters",
    "Method",
    "Solution",
    "Solver",
    "TreeSolution",
    "TreeSolver",
]

_OF_TREES = ("EndPointErrors", "TreeSolution", "TreeSolver")


def __getattr__(name: str) -> Any:
    """What solves whole trees is imported when it is first asked for: a chain needs none of it."""
    if name in _OF_TREES:
        return getattr(import_module(f"{__name__}._tree_solver"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
