"""Targets: everything that can be looked or pointed at, by name."""

from sera.behaviour.targets._kinds import (
    BUILT_IN_ANGLES,
    BUILT_IN_NAMES,
    CLICKS,
    ELSEWHERE,
    PERSON,
    RANDOM,
    AliasTarget,
    AngleTarget,
    Kind,
    Place,
    PointTarget,
    PositionTarget,
    TargetRefused,
    UnknownTarget,
    place_of,
)
from sera.behaviour.targets._of_scenario import targets_of
from sera.behaviour.targets._people import Arrival, People, PersonState
from sera.behaviour.targets._settings import PeopleSettings, TargetSettings
from sera.behaviour.targets._table import TargetTable

__all__ = [
    "BUILT_IN_ANGLES",
    "BUILT_IN_NAMES",
    "CLICKS",
    "ELSEWHERE",
    "PERSON",
    "RANDOM",
    "AliasTarget",
    "AngleTarget",
    "Arrival",
    "Kind",
    "People",
    "PeopleSettings",
    "PersonState",
    "Place",
    "PointTarget",
    "PositionTarget",
    "TargetRefused",
    "TargetSettings",
    "TargetTable",
    "UnknownTarget",
    "place_of",
    "targets_of",
]
