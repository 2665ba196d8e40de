"""Simulated studies: many participants in virtual time, one after the other on every core.

`simulate` plays a study with participants of a seeded population and gives their rows;
`save_simulation` and `load_simulation` keep them. Every row is marked as simulated.
"""

from sera.study.simulation.jobs import Job, SimulationError, jobs_for
from sera.study.simulation.one import Simulated, Stage, play
from sera.study.simulation.results import load_simulation, save_simulation, simulations_in
from sera.study.simulation.run import players, simulate

__all__ = [
    "Job",
    "Simulated",
    "SimulationError",
    "Stage",
    "jobs_for",
    "load_simulation",
    "play",
    "players",
    "save_simulation",
    "simulate",
    "simulations_in",
]
