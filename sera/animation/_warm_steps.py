"""One small call of everything in the animation rooms that has kernels, see `sera._warm`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sera.animation.body.enslaving import Share
from sera.animation.channels import ChannelSpec
from sera.animation.engine.enslaving import compile_rules
from sera.animation.frame import Blend, ChannelLayout, FrameBlock


def steps() -> dict[str, Callable[[], None]]:
    """What is called, by what it is for."""
    return {"layers": _layers, "enslaving": _enslaving}


def _layout() -> ChannelLayout:
    return ChannelLayout((ChannelSpec(name="Body.pan"), ChannelSpec(name="Gazing.Horizontal")))


def _layers() -> None:
    block = FrameBlock(_layout(), 2)
    block.begin_frame(0.02)
    blend = Blend(block)
    blend.run()
    blend.clamp()


def _enslaving() -> None:
    layout = _layout()
    rules = compile_rules(layout, {"Gazing.Horizontal": Share("Gazing.Horizontal", {"pan": -1.0})})
    rules.apply(np.zeros(2), np.ones(2, dtype=np.uint8), np.zeros(2))
