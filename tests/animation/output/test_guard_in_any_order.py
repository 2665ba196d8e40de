"""Whatever happens in whatever order, a guarded body never jumps, nor moves while it is stopped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec
from sera.animation.output import (
    BridgeLost,
    GuardedBridge,
    GuardState,
    OutputFrame,
    SimulatedBridge,
)

_SPEC = ChannelSpec(name="Body.pan", lower=-1.0, upper=1.0, max_velocity=2.0)
_STEP_S = 0.02
_EVENTS = (
    "frame up",
    "frame down",
    "silence",
    "stop",
    "release",
    "rest",
    "unplug",
    "plug in",
    "hot",
    "cool",
    "heartbeat",
)


class _Story:
    """A guarded body to which things happen."""

    def __init__(self, means: str) -> None:
        self.now_s = 0.0
        self.means = means
        self.body = SimulatedBridge([_SPEC], lambda: self.now_s, rigid=True)
        self.guard = GuardedBridge(
            self.body, [_SPEC], lambda: self.now_s, stop_means=means, rest={"Body.pan": -0.3}
        )
        self.stopped = False

    @property
    def pan(self) -> float:
        return self.body._joints["Body.pan"].value

    async def happen(self, event: str) -> None:
        if event == "stop":
            self.stopped = True
            await self.guard.stop("operator")
        elif event == "release":
            self.stopped = False
            await self.guard.release()
        elif event == "rest":
            await self.guard.rest()
        elif event == "unplug":
            self.body.unplug()
        elif event == "plug in":
            self.body.plug_in()
        elif event in {"hot", "cool"}:
            self.body.pretend(temperature_c={"Body.pan": 90.0 if event == "hot" else 30.0})
        elif event == "heartbeat":
            try:
                await self.guard.heartbeat()
            except BridgeLost:
                assert self.guard.state in {GuardState.UNREACHABLE, GuardState.STOPPED}

    async def step(self, event: str) -> None:
        before = self.pan
        still = self.stopped and self.means != "rest"
        await self.happen(event)
        if event.startswith("frame"):
            target = 1.0 if event == "frame up" else -1.0
            await self.guard.animate(OutputFrame(values={"Body.pan": target}))
        self.now_s += _STEP_S
        await self.guard.tick()
        assert -1.0 <= self.pan <= 1.0
        # After a gap the guard allows the way of two frames at once, never that of the gap.
        assert abs(self.pan - before) <= 2.0 * 2 * _STEP_S + 1e-9
        if still and event != "release":
            assert self.pan == before


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(["hold", "compliant", "rest"]),
    st.lists(st.tuples(st.sampled_from(_EVENTS), st.integers(1, 40)), max_size=25),
)
async def test_no_order_of_events_makes_a_jump_or_leads_into_a_corner(means, events):
    story = _Story(means)
    await story.guard.connect()
    for event, repeats in events:
        for _ in range(repeats):
            await story.step(event)
    for event in ("plug in", "cool", "release", *["frame up"] * 300, "heartbeat"):
        await story.step(event)
    for _ in range(100):
        await story.step("frame up")
    assert story.guard.state is GuardState.FOLLOWING
    assert story.pan == pytest.approx(1.0)
