"""The simulated body: lag, limits, determinism."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec
from sera.animation.output import BridgeLost, OutputFrame, SimulatedBridge, StopMeans


class _Clock:
    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


async def _pan(bridge):
    return (await bridge.heartbeat()).joints["Body.pan"]


async def test_it_can_be_described_before_it_is_connected(clock, specs):
    described = SimulatedBridge(specs, clock).describe()
    assert described.channels == ("Body.pan", "Body.tilt", "Body.light")
    assert described.measures


async def test_it_starts_in_the_pose_it_is_given_and_stays_there(clock, specs):
    bridge = SimulatedBridge(specs, clock, start={"Body.pan": -0.7})
    await bridge.connect()
    clock.advance(5.0)
    reading = await bridge.heartbeat()
    assert reading.joints == {"Body.pan": -0.7, "Body.tilt": 0.1, "Body.light": 0.0}
    assert reading.stiffness == {"Body.pan": 1.0, "Body.tilt": 1.0}


async def test_without_limits_a_joint_closes_the_distance_like_a_first_order_servo(clock):
    free = ChannelSpec(name="Body.pan", lower=-2.0, upper=2.0)
    bridge = SimulatedBridge([free], clock, time_constants_s=0.2)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 1.0}))
    clock.advance(0.2)
    assert await _pan(bridge) == pytest.approx(1.0 - math.exp(-1.0), abs=0.005)
    clock.advance(0.4)
    assert await _pan(bridge) == pytest.approx(1.0 - math.exp(-3.0), abs=0.005)


async def test_velocity_and_acceleration_stay_within_limits_and_there_is_no_overshoot(clock, specs):
    bridge = SimulatedBridge(specs, clock, start={"Body.pan": -1.0}, time_constants_s=0.01)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.9}))
    values = [await _pan(bridge)]
    for _ in range(1000):
        clock.advance(0.002)
        values.append(await _pan(bridge))
    velocities = [(b - a) / 0.002 for a, b in itertools.pairwise(values)]
    accelerations = [(b - a) / 0.002 for a, b in itertools.pairwise(velocities)]
    assert max(velocities) == pytest.approx(2.0)
    assert max(map(abs, accelerations)) <= 20.0 * (1 + 1e-6)
    assert max(values) <= 0.9 + 1e-9
    assert values[-1] == pytest.approx(0.9, abs=1e-6)


async def test_a_slower_speed_that_is_asked_for_is_kept(clock, specs):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 1.0}, speeds={"Body.pan": 0.1}))
    clock.advance(1.0)
    assert await _pan(bridge) == pytest.approx(0.1, abs=0.005)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=10), st.integers(1, 7))
async def test_a_run_does_not_depend_on_how_often_the_body_is_measured(targets, looks):
    spec = ChannelSpec(
        name="Body.pan", lower=-1.0, upper=1.0, max_velocity=3.0, max_acceleration=30.0
    )
    clocks = (_Clock(), _Clock())
    bridges = [SimulatedBridge([spec], clock) for clock in clocks]
    for bridge in bridges:
        await bridge.connect()
    for target in targets:
        for bridge in bridges:
            await bridge.animate(OutputFrame(values={"Body.pan": target}))
        start_s = clocks[0].now_s
        for look in range(looks):
            clocks[1].now_s = start_s + 0.1 * (look + 1) / looks
            await bridges[1].heartbeat()
        clocks[0].now_s = clocks[1].now_s = start_s + 0.1
        first, second = [await _pan(bridge) for bridge in bridges]
        assert first == second
        assert -1.0 <= first <= 1.0


async def test_stopped_it_brakes_and_ignores_frames_until_release(clock, specs):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 1.0}))
    clock.advance(0.2)
    at_stop = await _pan(bridge)
    await bridge.stop("test")
    await bridge.animate(OutputFrame(values={"Body.pan": -1.0}))
    clock.advance(1.0)
    held = await _pan(bridge)
    # v²/2a is the shortest way to stand still.
    assert 0.0 <= held - at_stop <= 2.0**2 / (2 * 20.0) + 0.01
    clock.advance(1.0)
    assert await _pan(bridge) == held
    await bridge.release()
    clock.advance(1.0)
    assert await _pan(bridge) == held


async def test_limp_it_can_be_pushed_and_wakes_where_it_was_left(clock, specs):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    await bridge.stop("test", StopMeans.COMPLIANT)
    assert (await bridge.heartbeat()).stiffness["Body.pan"] == 0.0
    bridge.push({"Body.pan": 0.6})
    await bridge.release()
    clock.advance(1.0)
    assert await _pan(bridge) == 0.6


async def test_unplugged_every_call_says_so_and_plugged_in_it_answers_again(clock, specs):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    bridge.unplug()
    with pytest.raises(BridgeLost):
        await bridge.animate(OutputFrame(values={}))
    with pytest.raises(BridgeLost, match="unplugged"):
        await bridge.connect()
    bridge.plug_in()
    await bridge.connect()
    assert await _pan(bridge) == 0.0
