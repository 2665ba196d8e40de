"""ERIK: hold an expressive posture while the end point faces a given orientation.

    from sera.kinematics import Chain, erik

    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    solver = erik.Solver(chain, symmetric_endpoint=True)
    solution = solver.solve(posture_rad, target_wxyz)

`docs/erik.md` tells the algorithm, what was corrected in the document and what is better here.
"""

from sera.kinematics.erik._solution import BatchSolution, Solution
from sera.kinematics.erik._solver import METHODS, Method, Solver
from sera.kinematics.erik._tree_solver import EndPointErrors, TreeSolution, TreeSolver
from sera.kinematics.erik.hyperparameters import Hyperparameters

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
