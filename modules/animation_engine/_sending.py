"""From what the engine made to what goes to the body: frames at the body's rate, as JointFrames.

Design overview: a program may want fewer frames than the engine makes, on a grid of its own, and
may want values that have not changed left out; a frame still goes out some times a second, because
bodies take silence for a dead engine.
Units and frames: as JointFrame. Threading: one owner. Safety: values are the engine's, unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.animation.channels import Kind
from sera.animation.output import (
    Choker,
    DirtyFilter,
    OutputFilters,
    OutputFrame,
    RepeatedValueFilter,
)
from sera.animation.program import Program
from sera.messages import JointFrame

REFRESH_S = 0.4
"""How often an unchanged value goes out again: it may have been lost on the way."""
KEEP_ALIVE_S = 0.19
"""How often a frame goes out in any case: with whole frames in between that is every 0.2 s."""


class Sender:
    """Makes the JointFrames of one program.

    Args:
        program: says which values go out, and how often at most.
        step_s: between two frames of the engine.
        rate_hz: how often at most, where that is less than the program says.
    """

    def __init__(self, program: Program, step_s: float, rate_hz: float | None = None) -> None:
        own, joints = program.body.own, program.body.joints
        self._joints = [n for n in own if own[n].kind is Kind.STATIONARY and n in joints]
        self._others = [n for n in own if n not in self._joints]
        self._choker = Choker(min(program.output_rate_hz, 1.0 / step_s, rate_hz or math.inf))
        self._filters: OutputFilters | None = None
        if not program.repeat_unchanged:
            self._filters = OutputFilters(
                choker=self._choker,
                dirty=DirtyFilter(KEEP_ALIVE_S),
                repeated=RepeatedValueFilter(refresh_s=REFRESH_S),
            )
        self._before: dict[str, float] = {}

    def frame(self, values: dict[str, float], number: int, now_s: float) -> JointFrame | None:
        """What goes out at this moment of the grid; None: nothing."""
        if self._filters is None:
            return self._framed(values, number) if self._choker.is_due(now_s) else None
        dirty, self._before = values != self._before, values
        whole = OutputFrame(values=values, time_s=now_s, sequence=number)
        sent = self._filters.pass_on(whole, dirty=dirty, now_s=now_s)
        return None if sent is None else self._framed(sent.values, number)

    def reset(self) -> None:
        """Send everything with the next frame: the body may have missed what went out."""
        self._choker.reset()
        if self._filters is not None:
            self._filters.reset()

    def _framed(self, values: Mapping[str, float], number: int) -> JointFrame:
        # Without validation: names and numbers are the engine's own, and it is done 50 times a
        # second.
        return JointFrame.of_known(
            joints_rad={name: values[name] for name in self._joints if name in values},
            channels={name: values[name] for name in self._others if name in values},
            frame=number,
        )
