"""Emotion in motion: the second stage of bodies with hands, and the hands that work meanwhile."""

from sera.animation.expression.hands import HandEnd, HandOrder, HandWish, WorkingHand
from sera.animation.expression.null_space import NullSpaceStage

__all__ = ["HandEnd", "HandOrder", "HandWish", "NullSpaceStage", "WorkingHand"]
