"""Bodies: what a robot has, how far and fast it may move, and what generic channels do to it."""

from sera.animation.body.body import Body, Health, IkChain
from sera.animation.body.enslaving import Curve, Rule, Share, Weights
from sera.animation.body.face import Face, face_of
from sera.animation.body.load import BodyError, load_body
from sera.animation.body.sets import AIMS, GENERIC, GENERIC_SETS, GenericChannel

__all__ = [
    "AIMS",
    "GENERIC",
    "GENERIC_SETS",
    "Body",
    "BodyError",
    "Curve",
    "Face",
    "GenericChannel",
    "Health",
    "IkChain",
    "Rule",
    "Share",
    "Weights",
    "face_of",
    "load_body",
]
