"""The controller on bodies: tasks, ends of joints, fading, balance, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.joints import Joint
from sera.kinematics.priority import (
    CentreOfMassTask,
    Damping,
    GazeTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    PostureTask,
    PriorityController,
    RowsTask,
    Support,
)
from sera.kinematics.rotations import multiply, rotate
from sera.kinematics.tree import EndPoint, Tree

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)
DT_S = 0.02


def figure():
    """A trunk of two joints with a head and an arm of five, about a metre high."""
    joints = [
        Joint("lean", axis=(1, 0, 0), lower=-0.6, upper=0.6, velocity_limit=3, mass_kg=6,
              centre_m=(0, 0.2, 0)),
        Joint("sway", axis=(0, 0, 1), lower=-0.5, upper=0.5, velocity_limit=3, parent="lean",
              origin_m=(0, 0.4, 0), mass_kg=6, centre_m=(0, 0.2, 0)),
        Joint("yaw", axis=(0, 1, 0), lower=-2, upper=2, velocity_limit=6, parent="sway",
              origin_m=(0, 0.4, 0)),
        Joint("pitch", axis=(1, 0, 0), lower=-0.7, upper=0.6, velocity_limit=6, parent="yaw",
              mass_kg=1, centre_m=(0, 0.1, 0)),
        Joint("raise", axis=(1, 0, 0), lower=-2, upper=2, velocity_limit=6, parent="sway",
              origin_m=(-0.15, 0.3, 0)),
        Joint("out", axis=(0, 1, 0), lower=-1.5, upper=0.1, velocity_limit=6, parent="raise"),
        Joint("turn", axis=(0, 0, 1), lower=-2, upper=2, velocity_limit=6, parent="out",
              origin_m=(0, 0, 0.18), mass_kg=1),
        Joint("bend", axis=(0, 1, 0), lower=0.0, upper=1.5, velocity_limit=6, parent="turn"),
        Joint("wrist", axis=(0, 0, 1), lower=-1.8, upper=1.8, velocity_limit=9, parent="bend",
              origin_m=(0, 0, 0.15), mass_kg=0.5),
    ]  # fmt: skip
    ends = {"head": EndPoint("pitch", (0, 0.1, 0.08)), "hand": EndPoint("wrist", (0, 0, 0.08))}
    return Tree(joints, ends, name="figure")


FIGURE = figure()
MIDDLE = np.array([0.0, 0.0, 0.1, 0.0, 0.4, -0.5, 0.3, 0.7, 0.1])
FEET = Support(((-0.15, -0.12), (0.15, -0.12), (0.15, 0.15), (-0.15, 0.15)), margin_m=0.02)


def made(levels=None, axis=(0.0, 0.0, 1.0), **options):
    given_levels = levels or [
        [PositionTask(name="hand", end_point="hand")],
        [GazeTask(name="gaze", end_point="head", gain=5.0, axis=axis)],
    ]
    options.setdefault("posture", PostureTask(name="posture"))
    controller = PriorityController(FIGURE, given_levels, **options)
    controller.start_from(MIDDLE)
    controller.wish(MIDDLE)
    return controller


def looks(angles, axis=(0.0, 0.0, 1.0)):
    head = FIGURE.pose(angles, "head")
    return head.position_m, rotate(head.orientation_wxyz, axis)


# -- tasks ------------------------------------------------------------------------------------


@quick
@given(seed=seeds, axis=st.sampled_from([(0.0, 0.0, 1.0), (0.6, 0.0, 0.8)]))
def test_a_gaze_arrives_at_its_point_while_the_hand_stays(seed, axis):
    rng = np.random.default_rng(seed)
    controller = made(axis=axis)
    place = FIGURE.pose(MIDDLE, "hand").position_m
    point = np.array([rng.uniform(-1.5, 1.5), rng.uniform(0.6, 1.4), rng.uniform(1.0, 3.0)])
    controller["hand"].set(place)
    controller["gaze"].set(point)
    for _ in range(200):
        controller.step(DT_S)
    eyes, forward = looks(controller.angles_rad, axis)
    wish = (point - eyes) / np.linalg.norm(point - eyes)
    assert math.degrees(math.acos(min(1.0, forward @ wish))) < 0.2
    hand = FIGURE.pose(controller.angles_rad, "hand").position_m
    assert np.linalg.norm(hand - place) < 5e-4
    assert controller["gaze"].state.angle_rad < 0.01


def test_a_gaze_may_follow_a_direction_and_its_motion():
    controller = made()
    for number in range(300):
        angle = 0.5 * math.sin(number * DT_S)
        speed = 0.5 * math.cos(number * DT_S)
        controller["gaze"].set_direction(
            (math.sin(angle), 0.0, math.cos(angle)), spin_rad_s=(0.0, speed, 0.0)
        )
        controller.step(DT_S)
    assert controller["gaze"].state.angle_rad < 0.01


def test_the_centre_of_mass_goes_where_it_is_asked_to():
    levels = [[CentreOfMassTask(name="centre", gain=3.0)]]
    controller = made(levels)
    controller["centre"].set((0.05, 0.0, 0.04))
    for _ in range(200):
        controller.step(DT_S)
    x, _, z = FIGURE.centre_of_mass(controller.angles_rad)
    assert (x, z) == pytest.approx((0.05, 0.04), abs=1e-3)


def test_a_target_out_of_reach_is_approached_without_a_jump():
    controller = made()
    before = controller.angles_rad
    controller["hand"].set((0.0, 3.0, 3.0))
    away = []
    for _ in range(500):
        controller.step(DT_S)
        angles = controller.angles_rad
        assert np.abs(angles - before).max() < 0.05
        before = angles
        away.append(controller["hand"].state.distance_m)
    assert FIGURE.within_limits(angles)
    assert away[-1] == pytest.approx(min(away), abs=0.02)  # it stays at the nearest it can be
    assert np.abs(controller.velocity_rad_s).max() < 1e-3  # and does not tremble there


def test_a_level_is_strained_by_how_far_its_end_is_turned_away():
    controller = made([[OrientationTask(name="turn", end_point="hand", gain=2.0, far_rad=0.8)]])
    hand = FIGURE.pose(MIDDLE, "hand").orientation_wxyz
    turned = multiply(hand, (math.cos(0.1), math.sin(0.1), 0.0, 0.0))
    controller["turn"].set(orientation_wxyz=turned)
    controller.step(DT_S)
    assert controller._stack.strain.max() == pytest.approx(0.2 / 0.8)


@quick
@given(seed=seeds)
def test_the_report_tells_of_every_level(seed):
    rng = np.random.default_rng(seed)
    controller = made()
    controller["hand"].set(FIGURE.pose(MIDDLE + 0.02 * rng.normal(size=9), "hand").position_m)
    controller["gaze"].set((1.0, 1.0, 2.0))
    controller.step(DT_S)
    report = controller.report
    jacobian = FIGURE.jacobian(MIDDLE, "hand")[:3]
    smallest = np.linalg.svd(jacobian, compute_uv=False)[-1]
    if not report.at_end:
        assert report.levels[0].least_singular == pytest.approx(smallest, rel=1e-6)
    assert report.levels[0].leak < 1e-9
    assert report.directions_used == 5


# -- ends of joints -----------------------------------------------------------------------------


@quick
@given(seed=seeds)
def test_joints_never_leave_their_ranges_whatever_is_asked(seed):
    rng = np.random.default_rng(seed)
    for limits in ("damped", "document", "none"):
        controller = made(limits=limits)
        for _ in range(30):
            controller["hand"].set(rng.uniform(-2, 2, 3), velocity_m_s=rng.normal(size=3) * 5)
            controller["gaze"].set(rng.uniform(-3, 3, 3))
            controller.wish(rng.uniform(-5, 5, 9), rng.normal(size=9) * 20)
            controller.step(DT_S)
            assert FIGURE.within_limits(controller.angles_rad)


def test_near_its_end_a_joint_is_relieved_by_the_others():
    """The elbow is nearly straight: the hand goes on outwards by shoulder and trunk."""
    start = FIGURE.angles_of({"raise": 0.9, "bend": 0.02, "out": -0.2})
    moved = {}
    for limits in ("damped", "none"):
        controller = made(limits=limits, band_share=0.1)
        controller.start_from(start)
        controller.wish(start)
        place = FIGURE.pose(start, "hand").position_m
        controller["hand"].set(place, velocity_m_s=(-0.1, 0.0, 0.0))
        controller.step(1e-6)
        moved[limits] = controller.velocity_rad_s
        rates = FIGURE.jacobian(start, "hand")[:3] @ moved[limits]
        assert rates == pytest.approx([-0.1, 0.0, 0.0], abs=2e-3)
    bend = FIGURE.index("bend")
    assert moved["none"][bend] < 0.0  # it would be straightened beyond its end
    assert abs(moved["damped"][bend]) < 0.3 * abs(moved["none"][bend])


def test_motion_is_continuous_into_the_band_of_a_joint():
    """A posture beyond the end is approached ever more slowly: no velocity jumps."""
    controller = made(levels=[[GazeTask(name="gaze", end_point="head")]])
    before, steps = None, []
    for number in range(400):
        wish = MIDDLE.copy()
        wish[FIGURE.index("pitch")] = 0.8 * math.sin(0.02 * number)
        controller.wish(wish)
        controller.step(0.005)
        velocity = controller.velocity_rad_s
        if before is not None:
            steps.append(np.abs(velocity - before).max())
        before = velocity
    assert max(steps) < 0.05


def test_the_documents_level_drives_a_joint_out_of_its_band():
    controller = made(levels=[], limits="document", band_share=0.1, posture=None)
    start = MIDDLE.copy()
    start[FIGURE.index("pitch")] = 0.6
    controller.start_from(start)
    for _ in range(300):
        controller.step(DT_S)
    half = 0.65
    off_middle = (controller.angles_rad[FIGURE.index("pitch")] + 0.05) / half
    assert 0.88 < off_middle < 0.93


def test_locked_joints_stand_still():
    controller = made(locked=("lean", "sway"))
    controller["hand"].set((-0.2, 1.0, 0.4))
    for _ in range(50):
        controller.step(DT_S)
    assert controller.angles_rad[:2].tolist() == MIDDLE[:2].tolist()


# -- fading -------------------------------------------------------------------------------------


def test_a_task_that_fades_in_moves_nothing_at_first_and_everything_at_last():
    controller, without = made(), made()
    for each in (controller, without):
        each["gaze"].set((1.0, 0.8, 2.0))
    target = FIGURE.pose(MIDDLE, "hand").position_m + np.array([0.02, 0.01, 0.0])
    velocities = []
    for share in np.linspace(0.0, 1.0, 201):
        controller["hand"].set(target)
        controller["hand"].activation = float(share)
        controller.start_from(MIDDLE)
        controller.wish(MIDDLE)
        controller.step(1e-6)
        velocities.append(controller.velocity_rad_s)
    without.step(1e-6)
    assert np.allclose(velocities[0], without.velocity_rad_s, atol=1e-12)
    assert np.allclose(velocities[1], velocities[0], atol=0.1)
    steps = np.abs(np.diff(velocities, axis=0)).max(axis=1)
    assert steps.max() < 0.1
    reached = FIGURE.jacobian(MIDDLE, "hand")[:3] @ velocities[-1]
    assert np.allclose(reached, 10.0 * np.array([0.02, 0.01, 0.0]), atol=1e-6)


# -- balance ------------------------------------------------------------------------------------


@quick
@given(seed=seeds)
def test_the_centre_of_mass_stays_above_the_feet(seed):
    rng = np.random.default_rng(seed)
    controller = made(support=FEET)
    for _ in range(8):
        controller.wish(FIGURE.clamp(rng.uniform(-2, 2, 9)))
        controller["hand"].set(rng.uniform((-0.6, 0.3, -0.2), (0.4, 1.4, 0.8)))
        for _ in range(40):
            controller.step(DT_S)
            x, _, z = FIGURE.centre_of_mass(controller.angles_rad)
            assert FEET.inside_m(x, z) > 0.5 * FEET.margin_m


def test_without_the_guard_the_same_body_would_fall():
    controller = made(levels=[])
    wish = MIDDLE.copy()
    wish[0] = 0.6
    controller.wish(wish)
    for _ in range(300):
        controller.step(DT_S)
    x, _, z = FIGURE.centre_of_mass(controller.angles_rad)
    assert FEET.inside_m(x, z) < 0.0
    guarded = made(levels=[], support=FEET)
    guarded.wish(wish)
    for _ in range(300):
        guarded.step(DT_S)
    x, _, z = FIGURE.centre_of_mass(guarded.angles_rad)
    assert FEET.inside_m(x, z) == pytest.approx(FEET.margin_m, abs=2e-3)
    assert guarded.report.edges_held >= 1


@pytest.mark.parametrize(
    ("corners", "complaint"),
    [
        (((0, 0), (1, 0)), "three corners or more"),
        (((0, 0), (1, 0), (math.nan, 1)), "three corners or more"),
        (((0, 0), (1, 1), (1, 0), (0, 1)), "not convex"),
        (((0, 0), (1, 0), (2, 0)), "not convex"),
    ],
)
def test_a_polygon_that_is_none_is_refused(corners, complaint):
    with pytest.raises(ValueError, match=complaint):
        Support(corners)


def test_a_polygon_may_go_round_either_way():
    way = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    for corners in (way, way[::-1]):
        support = Support(corners)
        assert support.inside_m(0.5, 0.5) == pytest.approx(0.5)
        assert support.inside_m(0.5, 1.2) == pytest.approx(-0.2)


# -- bad input ----------------------------------------------------------------------------------


def test_what_is_wrong_is_said_in_a_sentence():
    controller = made()
    hand, gaze = controller["hand"], controller["gaze"]
    for call, complaint in (
        (lambda: controller["hnad"], "did you mean 'hand'"),
        (lambda: hand.set((1.0, math.nan, 0.0)), "finite"),
        (lambda: hand.set((1.0, 0.0)), "three numbers"),
        (lambda: hand.set((0, 1, 0), velocity_m_s=(0, math.inf, 0)), "three finite numbers"),
        (lambda: hand.set((0, 1, 0), (1, 0, 0, 0)), "has no orientation_wxyz"),
        (hand.set, "needs position_m"),
        (lambda: hand.set_direction((0, 0, 1)), "only a gaze"),
        (lambda: gaze.set_direction((0, 0, 0)), "which is none"),
        (lambda: hand.set_rows([[0.0]], [0.0]), "has rows of its own"),
        (lambda: setattr(hand, "activation", 1.5), "give 0 to 1"),
        (lambda: controller.wish([0.0] * 8), "9 joints"),
        (lambda: controller.wish([math.nan, *[0.0] * 8]), "is nan"),
        (lambda: controller.step(0.0), "more than nothing"),
        (lambda: made(levels=[[PoseTask(name="h", end_point="hnd")]]), "did you mean 'hand'"),
        (lambda: made(levels=[[PoseTask(name="h", end_point="hand")]] * 2), "Two tasks"),
        (lambda: made(levels=[[PostureTask(name="p")]]), "give it as `posture`"),
        (lambda: made(locked=("leann",)), "lean"),
        (lambda: made(damping=[Damping()]), "1 dampings for 2 levels"),
        (lambda: made(band_share=0.0), "band_share"),
        (lambda: PoseTask(name="", end_point="hand"), "needs a name"),
        (lambda: PoseTask(name="h", end_point="hand", gain=-1.0), "gain is -1.0"),
        (lambda: RowsTask(name="r", count=0), "are none"),
        (lambda: Damping(damping=-1.0), "0 or more"),
    ):
        with pytest.raises((ValueError, LookupError), match=complaint):
            call()


def test_a_body_without_masses_cannot_balance():
    bare = Tree([Joint("one", axis=(1, 0, 0))], {"end": EndPoint("one", (0, 1, 0))})
    with pytest.raises(ValueError, match="no masses"):
        PriorityController(bare, [], support=FEET)
