"""From wizard to autonomy: recordings of restricted perception become a policy that one can read.

`find_recordings` finds logs, `read_table` makes cases of them, `learn` grows a tree or a forest
and says how well it does, `Policy` is saved and loaded as JSON and chooses, `told` prints it all.
The module `learned_policy` acts by it or suggests.
"""

from __future__ import annotations

from sera.study.policy.features import Feature, Moment, encode, find_features, moment_of
from sera.study.policy.fitting import misfit
from sera.study.policy.policy import (
    NOTHING,
    Choice,
    Chosen,
    Node,
    Policy,
    PolicyFileError,
    Tree,
)
from sera.study.policy.report import readable, told
from sera.study.policy.sources import find_recordings, scenario_of
from sera.study.policy.table import NotLearnable, PolicyTable, Recording, Row, read_table
from sera.study.policy.training import Learned, NeedsScikitLearn, Validation, learn
from sera.study.policy.visible import Seen, Visible

__all__ = [
    "NOTHING",
    "Choice",
    "Chosen",
    "Feature",
    "Learned",
    "Moment",
    "NeedsScikitLearn",
    "Node",
    "NotLearnable",
    "Policy",
    "PolicyFileError",
    "PolicyTable",
    "Recording",
    "Row",
    "Seen",
    "Tree",
    "Validation",
    "Visible",
    "encode",
    "find_features",
    "find_recordings",
    "learn",
    "misfit",
    "moment_of",
    "read_table",
    "readable",
    "scenario_of",
    "told",
]
