"""The gaze: a state machine that decides where to look and says why, policies, and a timeline."""

from sera.behaviour.gaze._fixation import LEAST_S as LEAST_FIXATION_S
from sera.behaviour.gaze._fixation import travel_s
from sera.behaviour.gaze._free import Reach
from sera.behaviour.gaze._machine import GazeMachine
from sera.behaviour.gaze._orders import (
    EyesLight,
    GazeIgnored,
    GazeOrder,
    GazeProposal,
    GazeProposalLapsed,
    Order,
    Why,
    position_of,
)
from sera.behaviour.gaze._policy import (
    BUILT_IN_POLICIES,
    GazePolicy,
    PolicyFileError,
    find_policy,
    load_policies,
    read_policies,
)
from sera.behaviour.gaze._timeline import (
    UNKNOWN_REASON,
    TimelineBand,
    TimelineEntry,
    TimelineLook,
    TimelineMark,
    draw_timeline,
    looks_of,
)

__all__ = [
    "BUILT_IN_POLICIES",
    "LEAST_FIXATION_S",
    "UNKNOWN_REASON",
    "EyesLight",
    "GazeIgnored",
    "GazeMachine",
    "GazeOrder",
    "GazePolicy",
    "GazeProposal",
    "GazeProposalLapsed",
    "Order",
    "PolicyFileError",
    "Reach",
    "TimelineBand",
    "TimelineEntry",
    "TimelineLook",
    "TimelineMark",
    "Why",
    "draw_timeline",
    "find_policy",
    "load_policies",
    "looks_of",
    "position_of",
    "read_policies",
    "travel_s",
]
