"""Simulated motors that warm up, and joints that cost nothing once they have arrived."""

from __future__ import annotations

import math

import pytest

from sera.animation.output import HeatModel, OutputFrame, SimulatedBridge

HEAT = HeatModel(rise_c=50.0, time_constant_s=10.0, ambient_c=20.0)


@pytest.fixture
async def warm(specs, clock):
    bridge = SimulatedBridge(specs, clock, heat=HEAT)
    await bridge.connect()
    return bridge


async def temperature_c(bridge) -> float:
    return (await bridge.heartbeat()).temperature_c["Body.pan"]


async def _go_to_and_fro(bridge, clock, duration_s, *, look_every=1):
    for step in range(round(duration_s / 0.02)):
        wish = 0.9 if (step // 40) % 2 else -0.9
        await bridge.animate(OutputFrame(values={"Body.pan": wish}))
        clock.advance(0.02)
        if step % look_every == 0:
            await bridge.heartbeat()


async def test_a_body_at_rest_has_the_temperature_of_the_room(warm, clock):
    assert await temperature_c(warm) == 20.0
    clock.advance(25.0)
    assert await temperature_c(warm) == 20.0


async def test_motion_warms_up_and_rest_cools_down_with_the_time_constant(warm, clock):
    await _go_to_and_fro(warm, clock, 20.0)
    hot_c = await temperature_c(warm)
    assert 45.0 < hot_c < 70.0
    await warm.stop("test")
    clock.advance(1.0)
    await warm.heartbeat()  # what was still moving has stopped
    standing_c = await temperature_c(warm)
    clock.advance(10.0)
    cooled_c = await temperature_c(warm)
    assert cooled_c - 20.0 == pytest.approx((standing_c - 20.0) * math.exp(-1.0), rel=1e-6)


async def test_the_temperature_does_not_depend_on_how_often_somebody_looks(specs, clock):
    found = []
    for look_every in (1, 7):
        bridge = SimulatedBridge(specs, clock, heat=HEAT)
        await bridge.connect()
        await _go_to_and_fro(bridge, clock, 4.0, look_every=look_every)
        found.append(await temperature_c(bridge))
    assert found[0] == pytest.approx(found[1], rel=1e-9)


async def test_without_a_model_there_are_no_temperatures(specs, clock):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    assert (await bridge.heartbeat()).temperature_c == {}


async def test_a_joint_arrives_exactly_and_stays(specs, clock):
    bridge = SimulatedBridge(specs, clock)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.7}))
    clock.advance(5.0)
    assert (await bridge.heartbeat()).joints["Body.pan"] == 0.7
    assert bridge._joints["Body.pan"].velocity == 0.0


@pytest.mark.parametrize("wrong", [{"rise_c": -1.0}, {"time_constant_s": 0.0}])
def test_a_heat_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="heat with a rise"):
        HeatModel(**wrong)
