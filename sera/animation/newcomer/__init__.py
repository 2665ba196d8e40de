"""Newcomers: a URDF that nobody here has seen becomes a body that looks about."""

from sera.animation.newcomer.proposal import Proposal, propose_body

__all__ = ["Proposal", "propose_body"]
