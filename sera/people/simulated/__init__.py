"""People who are not there: they walk, look and speak, and senses report them as they would."""

from sera.people.simulated._ears import SimulatedEars
from sera.people.simulated._head import Head
from sera.people.simulated._person import Home, SimulatedPerson
from sera.people.simulated._senses import (
    Box,
    Figure,
    Seen,
    SenseSettings,
    SimulatedCamera,
    SimulatedTracker,
    hides_body,
)
from sera.people.simulated._walk import Walker
from sera.people.simulated.casting import DOOR, Cast, cast
from sera.people.simulated.crowd import Crowd, Observed
from sera.people.simulated.hands import EVENTS, obey
from sera.people.simulated.script import FloorPoint, ScriptStep, Traits, script_problems

__all__ = [
    "DOOR",
    "EVENTS",
    "Box",
    "Cast",
    "Crowd",
    "Figure",
    "FloorPoint",
    "Head",
    "Home",
    "Observed",
    "ScriptStep",
    "Seen",
    "SenseSettings",
    "SimulatedCamera",
    "SimulatedEars",
    "SimulatedPerson",
    "SimulatedTracker",
    "Traits",
    "Walker",
    "cast",
    "hides_body",
    "obey",
    "script_problems",
]
