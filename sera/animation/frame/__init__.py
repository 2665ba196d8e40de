"""Partial frames: the documented buffer, the matrices behind it, and the blending of layers."""

from sera.animation.frame._kernels import blend_rows, blend_speeds, clamp_rows, weigh_rows
from sera.animation.frame.blending import Blend, Ignored, Owner
from sera.animation.frame.block import FrameBlock
from sera.animation.frame.buffer import FrameBuffer
from sera.animation.frame.frame_types import FrameType, from_frame_type, to_frame_type
from sera.animation.frame.layout import ChannelLayout
from sera.animation.frame.operators import BlendMode, add, blend, override, subtract

__all__ = [
    "Blend",
    "BlendMode",
    "ChannelLayout",
    "FrameBlock",
    "FrameBuffer",
    "FrameType",
    "Ignored",
    "Owner",
    "add",
    "blend",
    "blend_rows",
    "blend_speeds",
    "clamp_rows",
    "from_frame_type",
    "override",
    "subtract",
    "to_frame_type",
    "weigh_rows",
]
