"""The guard: limits, stop, silence, lost connections, health."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec
from sera.animation.output import (
    Bridge,
    BridgeLost,
    GuardedBridge,
    GuardState,
    OutputFrame,
    SimulatedBridge,
    StopMeans,
)
from sera.animation.output.guard import FIRST_FRAME_S


class _Watched(SimulatedBridge):
    """A simulated body that takes values over at once and remembers what it was sent."""

    def __init__(self, specs, clock, **options):
        super().__init__(specs, clock, rigid=True, **options)
        self.sent: list[dict[str, float]] = []
        self.orders: list[str] = []

    async def animate(self, frame):
        await super().animate(frame)
        self.sent.append(dict(frame.values))

    async def stop(self, reason, means=StopMeans.HOLD):
        await super().stop(reason, means)
        self.orders.append(f"stop {means}")

    async def release(self):
        await super().release()
        self.orders.append("release")

    async def rest(self):
        await super().rest()
        self.orders.append("rest")


class _Run:
    """A guard, its body, and time in frames."""

    def __init__(self, specs, clock, **options):
        start = options.pop("start", None)
        self.clock = clock
        self.body = _Watched(specs, clock, start=start)
        self.reports = []
        self.guard = GuardedBridge(self.body, specs, clock, report=self.reports.append, **options)

    async def frames(self, count, **values):
        for _ in range(count):
            pose = {f"Body.{name}": value for name, value in values.items()}
            await self.guard.animate(OutputFrame(values=pose))
            await self.pass_time(0.02)

    async def pass_time(self, duration_s):
        for _ in range(round(duration_s / 0.02)):
            self.clock.advance(0.02)
            await self.guard.tick()

    async def pan(self):
        return (await self.guard.heartbeat()).joints["Body.pan"]

    @property
    def states(self):
        return [report.state for report in self.reports if report.changed]


@pytest.fixture
async def run(specs, clock):
    result = _Run(specs, clock)
    await result.guard.connect()
    return result


async def test_the_first_frame_starts_from_the_measured_pose_and_not_from_zero(specs, clock):
    run = _Run(specs, clock, start={"Body.pan": -0.9})
    await run.guard.connect()
    clock.advance(0.02)
    await run.frames(1, pan=1.0)
    assert run.body.sent == [{"Body.pan": pytest.approx(-0.9 + 2.0 * 0.02)}]


async def test_values_are_kept_in_range_and_within_velocity(run):
    await run.frames(200, pan=50.0, tilt=-50.0)
    pans = [values["Body.pan"] for values in run.body.sent]
    assert max(b - a for a, b in itertools.pairwise(pans)) <= 2.0 * 0.02 + 1e-12
    assert run.body.sent[-1] == {"Body.pan": 1.0, "Body.tilt": -0.5}
    assert run.guard.counts.clamped == 400


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=True, allow_infinity=True), st.floats(0.0, 3.0)),
        max_size=40,
    )
)
async def test_whatever_comes_in_what_goes_out_is_finite_in_range_and_slow_enough(frames):
    now = [0.0]
    spec = ChannelSpec(name="Body.pan", lower=-1.0, upper=1.0, max_velocity=2.0)
    body = _Watched([spec], lambda: now[0])
    guard = GuardedBridge(body, [spec], lambda: now[0])
    await guard.connect()
    last, last_s = 0.0, 0.0
    for value, gap_s in frames:
        now[0] += gap_s
        await guard.animate(OutputFrame(values={"Body.pan": value}, speeds={"Body.pan": value}))
        sent = body.sent[-1].get("Body.pan", last) if body.sent else last
        assert -1.0 <= sent <= 1.0
        assert abs(sent - last) <= 2.0 * (now[0] - last_s) + 1e-9
        last, last_s = sent, now[0]


async def test_a_value_that_is_no_number_is_refused_and_reported_once(run):
    await run.frames(1, pan=0.01)
    await run.frames(5, pan=math.nan)
    assert run.body.sent[1:] == [{}] * 5
    assert run.guard.counts.refused == 5
    sentences = [report.sentence for report in run.reports if not report.changed]
    assert sentences == ["the value for 'Body.pan' is not a finite number; the channel holds"]


async def test_an_unknown_channel_is_reported_with_the_nearest_name(run):
    await run.frames(3, pann=0.1)
    sentences = [report.sentence for report in run.reports if not report.changed]
    assert sentences == ["the body has no channel 'Body.pann'; did you mean 'Body.pan'?"]


async def test_a_stop_takes_effect_within_one_frame_and_only_release_ends_it(run):
    await run.frames(5, pan=1.0)
    await run.guard.stop("operator")
    held = await run.pan()
    sent = len(run.body.sent)
    await run.frames(100, pan=1.0)
    assert await run.pan() == held
    assert len(run.body.sent) == sent
    assert run.guard.state is GuardState.STOPPED
    assert run.guard.problem == "operator"
    await run.guard.release()
    await run.frames(100, pan=1.0)
    assert await run.pan() == 1.0


@pytest.mark.parametrize(("means", "stiffness"), [("hold", 1.0), ("compliant", 0.0)])
async def test_what_stop_means_is_what_the_body_does(specs, clock, means, stiffness):
    run = _Run(specs, clock, stop_means=means)
    await run.guard.connect()
    await run.guard.stop("operator")
    assert (await run.guard.heartbeat()).stiffness["Body.pan"] == stiffness


async def test_a_limp_body_that_was_pushed_goes_on_from_there_after_release(specs, clock):
    run = _Run(specs, clock, stop_means="compliant")
    await run.guard.connect()
    await run.guard.stop("operator")
    run.body.push({"Body.pan": -0.8})
    await run.guard.release()
    clock.advance(0.02)
    await run.frames(1, pan=1.0)
    assert run.body.sent[-1]["Body.pan"] == pytest.approx(-0.8 + 2.0 * 0.02)


async def test_stop_can_mean_a_controlled_way_to_the_rest_pose(specs, clock):
    run = _Run(specs, clock, stop_means="rest", rest={"Body.pan": -0.4})
    await run.guard.connect()
    await run.frames(30, pan=1.0)
    before = await run.pan()
    await run.guard.stop("operator")
    await run.frames(1, pan=1.0)
    assert 0.0 < before - await run.pan() <= 0.4 * 2.0 * 0.05
    await run.frames(200, pan=1.0)
    assert await run.pan() == -0.4
    assert run.body.orders[-1] == "rest"
    assert run.guard.state is GuardState.STOPPED


async def test_a_body_waits_for_its_first_frame_for_a_while(run):
    assert run.guard.is_waiting
    await run.pass_time(FIRST_FRAME_S - 0.02)
    assert run.guard.is_waiting
    await run.pass_time(0.04)
    assert not run.guard.is_waiting, "it is time to wonder why"


async def test_a_body_that_had_a_frame_waits_for_no_first_one(run):
    await run.frames(1, pan=0.1)
    assert not run.guard.is_waiting


async def test_no_frame_for_half_a_second_is_the_safe_state_and_the_next_one_ends_it(run):
    await run.frames(5, pan=0.1)
    await run.pass_time(0.46)
    assert run.guard.state is GuardState.FOLLOWING
    await run.pass_time(0.04)
    assert run.guard.state is GuardState.SAFE
    assert run.body.orders[-1] == "stop hold"
    await run.frames(1, pan=0.1)
    assert run.guard.state is GuardState.FOLLOWING
    assert run.states[-2:] == [GuardState.SAFE, GuardState.FOLLOWING]


async def test_a_lost_body_is_reconnected_with_back_off_and_without_a_jump(run):
    await run.frames(5, pan=1.0)
    run.body.unplug()
    attempts = []
    connect = run.body.connect

    async def counted():
        attempts.append(run.clock())
        await connect()

    run.body.connect = counted
    lost_s = run.clock()
    await run.frames(100, pan=1.0)
    assert run.guard.state is GuardState.UNREACHABLE
    waits_s = [time_s - lost_s for time_s in attempts]
    # Each attempt waits for the next tick, a frame later at most.
    assert waits_s == pytest.approx([0.12, 0.44, 1.46])
    run.body.push({"Body.pan": -1.0})
    run.body.plug_in()
    before = len(run.body.sent)
    await run.frames(150, pan=1.0)
    assert run.guard.state is GuardState.FOLLOWING
    assert run.body.sent[before]["Body.pan"] <= -1.0 + 2.0 * 0.021
    assert run.guard.counts.reconnects == 1


async def test_a_stop_while_the_cable_is_out_is_carried_out_when_it_is_back(run):
    run.body.unplug()
    await run.frames(1, pan=1.0)
    await run.guard.stop("operator")
    run.body.plug_in()
    await run.frames(50, pan=1.0)
    assert run.body.orders == ["release", "stop hold"]
    assert await run.pan() == 0.0
    assert run.guard.state is GuardState.STOPPED


async def test_a_body_that_is_not_there_at_first_is_found_later(specs, clock):
    run = _Run(specs, clock)
    run.body.unplug()
    await run.guard.connect()
    assert run.guard.state is GuardState.UNREACHABLE
    with pytest.raises(BridgeLost):
        await run.guard.heartbeat()
    run.body.plug_in()
    await run.frames(10, pan=0.1)
    assert run.guard.state is GuardState.FOLLOWING


async def test_a_hot_body_is_calmed_then_rested_and_comes_back_when_it_has_cooled(run):
    await run.frames(1, pan=0.0)
    run.body.pretend(temperature_c={"Body.pan": 72.0})
    await run.guard.heartbeat()
    await run.frames(10, pan=1.0)
    assert await run.pan() == pytest.approx(0.4 * 2.0 * 0.2, abs=0.4 * 2.0 * 0.02)
    run.body.pretend(temperature_c={"Body.pan": 81.0})
    await run.guard.heartbeat()
    await run.frames(100, pan=1.0)
    assert run.guard.state is GuardState.RESTING
    assert await run.pan() == 0.0
    run.body.pretend(temperature_c={"Body.pan": 76.0})
    await run.guard.heartbeat()
    assert run.guard.state is GuardState.RESTING
    run.body.pretend(temperature_c={"Body.pan": 40.0})
    await run.guard.heartbeat()
    await run.frames(100, pan=1.0)
    assert await run.pan() == 1.0


async def test_an_ordered_rest_lasts_until_release(run):
    await run.frames(50, pan=1.0)
    await run.guard.rest()
    await run.frames(200, pan=1.0)
    assert await run.pan() == 0.0
    assert run.guard.state is GuardState.RESTING
    assert run.body.orders == ["release", "rest"]
    await run.guard.release()
    await run.frames(50, pan=1.0)
    assert await run.pan() == 1.0


async def test_a_stop_during_a_frame_under_way_is_the_last_word(specs, clock):
    class Slow(_Watched):
        async def heartbeat(self):
            reading = await super().heartbeat()
            if self.orders.count("release") == 2 and guard.state is not GuardState.STOPPED:
                await guard.stop("operator")
            return reading

    body = Slow(specs, clock)
    guard = GuardedBridge(body, specs, clock)
    await guard.connect()
    clock.advance(1.0)
    await guard.tick()
    await guard.animate(OutputFrame(values={"Body.pan": 1.0}))
    assert guard.state is GuardState.STOPPED
    assert body.sent == []
    assert body.orders == ["release", "stop hold", "release", "stop hold"]


async def test_closing_leaves_the_body_still_and_says_so(run):
    await run.frames(2, pan=1.0)
    await run.guard.close()
    assert run.body.orders[-1] == "stop hold"
    assert run.states[-1] is GuardState.CLOSED


def test_the_guard_is_itself_a_bridge():
    assert issubclass(GuardedBridge, Bridge)


async def test_a_body_that_lags_is_let_go_only_when_it_lies_in_its_rest_pose(specs, clock):
    body = SimulatedBridge(specs, clock, time_constants_s=0.3, start={"Body.pan": 1.0})
    guard = GuardedBridge(body, specs, clock)
    await guard.connect()
    await guard.rest()
    while (await guard.heartbeat()).stiffness["Body.pan"] > 0.0:
        clock.advance(0.02)
        await guard.tick()
    assert (await guard.heartbeat()).joints["Body.pan"] == pytest.approx(0.0, abs=0.006)


async def test_a_body_that_cannot_reach_its_rest_pose_is_let_go_in_the_end(specs, clock):
    class Blocked(SimulatedBridge):
        async def animate(self, frame):
            pass

    guard = GuardedBridge(Blocked(specs, clock, start={"Body.pan": 0.5}), specs, clock)
    await guard.connect()
    await guard.rest()
    start_s = clock()
    while (await guard.heartbeat()).stiffness["Body.pan"] > 0.0:
        clock.advance(0.02)
        await guard.tick()
        assert clock() - start_s < 4.0


async def test_a_body_left_stopped_by_an_earlier_run_follows_after_connecting(specs, clock):
    run = _Run(specs, clock)
    await run.body.connect()
    await run.body.stop("an earlier run")
    await run.guard.connect()
    await run.frames(5, pan=0.1)
    assert await run.pan() == 0.1


async def test_a_stop_before_the_body_is_connected_holds_from_the_beginning(specs, clock):
    run = _Run(specs, clock)
    await run.guard.stop("operator")
    await run.guard.connect()
    await run.frames(5, pan=0.1)
    assert run.body.sent == []
    assert run.body.orders == ["stop hold"]
