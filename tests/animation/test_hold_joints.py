"""Joints held by hand: exactly where they were put, within all limits, and given back smoothly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.animator import BY_HAND, Animator
from sera.animation.stage_set import StageSet
from sera.messages import EmergencyStop, HoldJoints
from sera.messages import Gaze as GazeOrder
from sera.messages._parts import Direction

ROBOTS = Path(__file__).parents[2] / "robots"


def nao() -> Animator:
    return Animator(StageSet.find(ROBOTS / "nao", (ROBOTS.parent,), seed=1).program())


@pytest.fixture(scope="module")
def shared() -> Animator:
    return nao()


@pytest.fixture
def animator() -> Animator:
    return nao()


def steps(animator: Animator, seconds: float) -> list[dict[str, float]]:
    return [animator.step() for _ in range(round(seconds / animator.engine.step_s))]


def test_a_held_joint_ends_exactly_where_it_was_put_though_the_gaze_wants_it_elsewhere(
    animator: Animator,
) -> None:
    animator.handle(GazeOrder(direction=Direction(horizontal_deg=40.0)))
    steps(animator, 2.0)
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.31, "LElbowRoll": -0.7}))
    last = steps(animator, 3.0)[-1]
    assert last["HeadYaw"] == pytest.approx(0.31, abs=1e-6)
    assert last["LElbowRoll"] == pytest.approx(-0.7, abs=1e-6)


def test_it_stays_held_until_it_is_let_go_and_then_goes_back(animator: Animator) -> None:
    free = nao()
    animator.handle(HoldJoints(joints_rad={"LShoulderRoll": 0.9}))
    steps(animator, 2.0)
    values = [frame["LShoulderRoll"] for frame in steps(animator, 5.0)]
    assert max(abs(value - 0.9) for value in values) < 1e-6
    animator.handle(HoldJoints())
    assert animator.engine.hand.weights  # lets go by a blend, not at once
    back = steps(animator, 4.0)[-1]
    alone = steps(free, 11.0)[-1]
    assert back["LShoulderRoll"] == pytest.approx(alone["LShoulderRoll"], abs=0.02)
    assert animator.engine.hand.weights == {}


def test_a_joint_that_is_named_no_longer_is_let_go(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.5, "HeadPitch": 0.2}))
    steps(animator, 2.0)
    animator.handle(HoldJoints(joints_rad={"HeadPitch": 0.2}))
    steps(animator, 2.0)
    assert set(animator.engine.hand.weights) == {"HeadPitch"}


def test_what_is_beyond_the_limits_is_held_at_the_limit(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 40.0}))
    frames = steps(animator, 4.0)
    upper = animator.program.body.own["HeadYaw"].upper
    assert frames[-1]["HeadYaw"] == pytest.approx(upper, abs=1e-4)
    assert max(frame["HeadYaw"] for frame in frames) <= upper + 1e-9


@settings(max_examples=6, deadline=None)
@given(
    orders=st.lists(
        st.dictionaries(
            st.sampled_from(["HeadYaw", "HeadPitch", "LShoulderPitch", "RElbowYaw"]),
            st.floats(-4.0, 4.0),
        ),
        max_size=6,
    ),
    blend_s=st.floats(0.0, 0.5),
    pause_s=st.floats(0.02, 0.4),
)
def test_velocity_and_acceleration_hold_whatever_is_dragged(
    shared: Animator, orders: list[dict[str, float]], blend_s: float, pause_s: float
) -> None:
    frames = []
    for joints in orders:
        shared.handle(HoldJoints(joints_rad=joints, blend_s=blend_s))
        frames += steps(shared, max(pause_s, shared.engine.step_s))
    shared.handle(HoldJoints(blend_s=blend_s))
    frames += steps(shared, 0.5)
    own, dt_s = shared.program.body.own, shared.engine.step_s
    for name in ("HeadYaw", "HeadPitch", "LShoulderPitch", "RElbowYaw"):
        path = np.array([frame[name] for frame in frames])
        speed = np.diff(path) / dt_s
        assert np.abs(speed).max() <= own[name].max_velocity * (1 + 1e-6)
        assert np.abs(np.diff(speed) / dt_s).max() <= own[name].max_acceleration * (1 + 1e-6)
        assert own[name].lower - 1e-9 <= path.min()
        assert path.max() <= own[name].upper + 1e-9


@pytest.mark.parametrize(
    ("robot", "names"),
    [
        ("nao", ["HeadYaw", "HeadPitch"]),
        ("adelino", ["base", "head_twist"]),
        ("keepon", ["pan", "roll", "tilt"]),
    ],
)
def test_a_slider_thrown_from_limit_to_limit_stays_within_what_the_body_can_do(
    robot: str, names: list[str]
) -> None:
    animator = Animator(StageSet.find(ROBOTS / robot, (ROBOTS.parent,), seed=1).program())
    body, dt_s = animator.program.body, animator.engine.step_s
    ends = [{name: body.own[name].lower for name in names}]
    ends.append({name: body.own[name].upper for name in names})
    frames = steps(animator, 0.5)
    # The far end before it has arrived, at once and with a blend, and at last time to get there.
    for turn, wait_s in enumerate((0.06, 0.06, 0.3, 0.3, 1.0, 8.0)):
        blend_s = 0.2 if turn % 3 else 0.0
        animator.handle(HoldJoints(joints_rad=ends[turn % 2], blend_s=blend_s))
        frames += steps(animator, wait_s)
    for name in names:
        joint = body.own[name]
        path = np.array([frame[name] for frame in frames])
        speed = np.diff(path) / dt_s
        acceleration = np.diff(speed) / dt_s
        jerk = np.diff(acceleration) / dt_s
        assert np.abs(jerk).max() <= joint.max_jerk * (1 + 1e-6), name
        assert np.abs(speed).max() <= joint.max_velocity * (1 + 1e-6), name
        assert np.abs(acceleration).max() <= joint.max_acceleration * (1 + 1e-6), name
        assert joint.lower - 1e-9 <= path.min()
        assert path.max() <= joint.upper + 1e-9
        if robot != "adelino":  # bent so far it would lie under its table
            assert path[-1] == pytest.approx(ends[1][name], abs=1e-5), "it ends elsewhere"
        assert np.ptp(path) > 0.5 * (joint.upper - joint.lower), "it was not thrown"


def test_a_stream_of_values_is_followed_without_a_stop_between_them(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.0}, blend_s=0.2))
    steps(animator, 2.0)
    path = []
    for number in range(1, 17):
        animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.04 * number}, blend_s=0.2))
        path += [frame["HeadYaw"] for frame in steps(animator, 0.06)]
    moved = np.diff(path[len(path) // 3 :])
    assert moved.min() > 0.0
    path += [frame["HeadYaw"] for frame in steps(animator, 1.5)]
    assert path[-1] == pytest.approx(0.64, abs=1e-6)


def test_an_unknown_joint_is_refused_with_the_nearest_name_and_nothing_changes(
    animator: Animator,
) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.4}))
    with pytest.raises(LookupError, match="did you mean 'HeadPitch'"):
        animator.handle(HoldJoints(joints_rad={"HeadPich": 0.1}))
    steps(animator, 2.0)
    assert set(animator.engine.hand.weights) == {"HeadYaw"}


def test_the_stop_lets_go_at_once(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.4}))
    steps(animator, 1.0)
    animator.handle(EmergencyStop())
    assert animator.engine.hand.weights == {}


def test_a_changed_program_goes_on_holding(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.4}))
    steps(animator, 2.0)
    animator.exchange(StageSet.find(ROBOTS / "nao", (ROBOTS.parent,), seed=1).program())
    values = [frame["HeadYaw"] for frame in steps(animator, 1.0)]
    assert max(abs(value - 0.4) for value in values) < 1e-6


def test_the_blend_report_says_that_a_hand_owns_it(animator: Animator) -> None:
    animator.handle(HoldJoints(joints_rad={"HeadYaw": 0.4}))
    steps(animator, 1.0)
    report = animator.blend_report()
    assert report.layers[BY_HAND] == 1.0
    held = report.channels["Body.HeadYaw"]
    assert held.layers[BY_HAND] == 1.0
    assert sum(held.layers.values()) == pytest.approx(1.0)
    animator.handle(HoldJoints(blend_s=0.0))
    steps(animator, 1.0)
    assert BY_HAND not in animator.blend_report().layers
