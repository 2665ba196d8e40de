"""The principles of animation, as curves that a program makes on a body."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sera.animation.controllers import Gaze

DT_S = 0.02
CHANNEL = "Torso.Twist"


def step_through(table: str, target_deg: float = 40.0, channel: str = CHANNEL) -> str:
    """A channel that jumps to a target after half a second, and a filter over it."""
    return f"""
[[signals]]
name = "leap"
type = "Expression"
text = "{target_deg} * (time_s > 0.5)"
[[layers]]
name = "lead"
[[layers.controllers]]
type = "WriteToChannel"
channel = "{channel}"
value = {{ from = "leap" }}
[[layers]]
name = "principle"
mode = "override"
[[layers.controllers]]
channels = ["{channel}"]
{table}
"""


@pytest.fixture
def curve(program_of, blended):
    """The channel in degrees, from the frame of the jump on."""

    def run(table: str, frames: int = 150, target_deg: float = 40.0, robot: str = "keepon"):
        engine = program_of(step_through(table, target_deg), robot).engine()
        values = np.degrees(blended(engine, CHANNEL, 25 + frames))
        assert np.abs(values[:24]).max() < 1e-9
        return values[25:]

    return run


@pytest.mark.parametrize("robot", ["keepon", "adelino"])
def test_anticipation_goes_back_first_and_arrives_exactly(curve, robot):
    values = curve('type = "Anticipation"', robot=robot)
    back = int(np.argmin(values))
    assert values[back] == pytest.approx(-0.11 * 40.0, abs=0.2)
    assert 0.2 <= back * DT_S <= 0.3
    assert np.all(np.diff(values[back:]) >= -1e-9)
    assert values[-1] == pytest.approx(40.0)


def test_distances_of_anticipation_are_written_in_degrees(curve):
    assert curve('type = "Anticipation"\nlargest_back = 2.0').min() == pytest.approx(-2.0, abs=0.1)
    assert curve('type = "Anticipation"\nleast_travel = 41.0').min() >= -1e-9
    assert curve('type = "Anticipation"', target_deg=4.0).min() >= -1e-9  # too short to announce


def test_follow_through_trails_overshoots_by_its_share_and_settles(curve):
    values = curve('type = "FollowThrough"\novershoot = 0.2\nlag_s = 0.1', frames=250)
    assert np.abs(values[:4]).max() < 1e-9
    assert values.max() == pytest.approx(48.0, abs=0.5)
    assert values[-1] == pytest.approx(40.0, abs=0.05)


def test_slow_in_and_out_has_no_speed_at_either_end(curve):
    values = curve('type = "SlowInOut"\nduration_s = 1.0', frames=60)
    speeds = np.abs(np.diff(values)) / DT_S
    assert speeds[0] < 3.0
    assert speeds[48:].max() < 3.0
    assert speeds.max() == pytest.approx(1.875 * 40.0, rel=0.02)
    assert int(np.argmax(speeds)) == pytest.approx(24, abs=2)
    assert values[-1] == pytest.approx(40.0)


def test_exaggeration_enlarges_contrast_and_stays_in_range(curve):
    assert curve('type = "Exaggeration"\ncontrast = 1.5', target_deg=20.0)[-1] == pytest.approx(
        30.0
    )
    far = curve('type = "Exaggeration"\ncontrast = 3.0', target_deg=80.0)[-1]
    assert 80.0 < far <= 90.0
    assert curve('type = "Exaggeration"\ncontrast = 1.0')[-1] == pytest.approx(40.0)
    assert curve('type = "Exaggeration"\ncontrast = 2.0\namount = 0.5', target_deg=20.0)[
        -1
    ] == pytest.approx(30.0)


def test_a_delay_is_the_same_later(curve):
    late = curve('type = "Delay"\ndelay_s = 0.3', frames=40)
    assert np.abs(late[:14]).max() < 1e-9
    assert late[16:] == pytest.approx(np.full(24, 40.0))


def test_a_spring_swings_when_lightly_damped_and_does_not_when_critical(curve):
    light = curve('type = "Spring"\ndamping_ratio = 0.2', frames=400)
    assert light.max() > 55.0
    assert light[-1] == pytest.approx(40.0, abs=0.05)
    firm = curve('type = "Spring"\ndamping_ratio = 1.0')
    assert np.all(np.diff(firm) >= -1e-9)
    assert firm.max() <= 40.0 + 1e-9


def test_a_low_pass_takes_its_time_and_a_lookup_follows_its_points(curve):
    smooth = curve('type = "LowPass"\ncutoff_hz = 1.0')
    assert np.all(np.diff(smooth) > -1e-9)
    assert smooth[0] < 10.0
    assert smooth[-1] == pytest.approx(40.0, abs=0.01)
    assert curve('type = "Lookup"\npoints = [[0, 0], [20, 30], [60, 34]]')[-1] == pytest.approx(
        32.0
    )


@pytest.mark.parametrize("kind", ["Spring", "Anticipation", "FollowThrough", "Exaggeration"])
def test_a_filter_leaves_a_channel_alone_that_nobody_moves(program_of, kind):
    text = (
        '[[layers]]\nname = "one"\nmode = "override"\n'
        f'[[layers.controllers]]\ntype = "{kind}"\nchannels = ["{CHANNEL}", "Gazing.Horizontal"]\n'
    )
    engine = program_of(text).engine()
    for _ in range(10):
        engine.step()
        assert not engine.blend.mask.any()


ARMS = """
[[signals]]
name = "leap"
type = "Expression"
text = "40 * (time_s > 0.5)"
[[layers]]
name = "lead"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Arms.LeftBend"
value = { from = "leap" }
[[layers.controllers]]
type = "WriteToChannel"
channel = "Arms.RightBend"
value = { expression = "KIND * leap" }
[[layers]]
name = "principle"
mode = "override"
[[layers.controllers]]
pairs = [["Arms.LeftBend", "Arms.RightBend"]]
"""


def both_arms(program, frames=60):
    engine = program.engine()
    columns = [engine.layout.index(f"Arms.{side}Bend") for side in ("Left", "Right")]
    values = []
    for _ in range(frames):
        engine.step()
        values.append(np.degrees(engine.blend.values[columns]))
    return np.array(values).T


def test_asymmetry_makes_one_side_late_and_smaller(program_of):
    text = ARMS.replace("KIND", "1") + 'type = "Asymmetry"\ndelay_s = 0.1\nscale = 0.5\n'
    left, right = both_arms(program_of(text, "nao"))
    rise_left, rise_right = (int(np.argmax(np.diff(side) > 5.0)) for side in (left, right))
    assert rise_left - rise_right == pytest.approx(5, abs=1)
    assert right[-1] == pytest.approx(40.0)
    neutral = left[0]
    assert left[-1] - neutral == pytest.approx(0.5 * (40.0 - neutral))
    left, right = both_arms(program_of(text + 'late_side = "right"\n', "nao"))
    assert int(np.argmax(np.diff(right) > 5.0)) > int(np.argmax(np.diff(left) > 5.0))


def test_a_mirror_exchanges_sides_and_turns_single_channels_about_neutral(program_of, blended):
    text = ARMS.replace("KIND", "0.25") + 'type = "Mirror"\nchannels = ["Torso.Twist"]\n'
    left, right = both_arms(program_of(text, "nao"))
    assert (left[-1], right[-1]) == (pytest.approx(10.0), pytest.approx(40.0))
    turned = step_through('type = "Mirror"')
    assert math.degrees(blended(program_of(turned).engine(), CHANNEL, 60)[-1]) == pytest.approx(
        -40.0
    )


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("stretch", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_squash_keeps_the_volume(program_of, axes, stretch):
    text = f"""
[[layers]]
name = "one"
[[layers.controllers]]
type = "Squash"
stretch = {stretch}
largest_stretch = 1.3
lateral_axes = {axes}
height = {{ "Torso.Lean" = 10.0 }}
width = {{ "Torso.Sway" = 10.0 }}
"""
    engine = program_of(text).engine()
    engine.step()
    find = engine.layout.index
    height = 1.0 + math.degrees(engine.blend.values[find("Torso.Lean")]) / 10.0
    width = 1.0 + math.degrees(engine.blend.values[find("Torso.Sway")]) / 10.0
    assert height == pytest.approx(1.3**stretch)
    assert height * width**axes == pytest.approx(1.0)


def test_a_gaze_dips_in_pitch_while_yaw_travels(program_of):
    program = program_of(
        '[[layers]]\nname = "gaze"\nmode = "override"\n'
        '[[layers.controllers]]\ntype = "Gaze"\nhorizontal_deg = -30\n'
    )
    engine = program.engine()
    ((_layer, gaze),) = program.find(Gaze)
    columns = [engine.layout.index(f"Gazing.{way}") for way in ("Horizontal", "Vertical")]
    for _ in range(60):  # from where the face was turned
        engine.step()
    assert np.degrees(engine.blend.values[columns]) == pytest.approx([-30.0, 0.0])
    gaze.look(math.radians(30.0), 0.0)
    path = []
    for _ in range(60):
        engine.step()
        path.append(np.degrees(engine.blend.values[columns]))
    yaw, pitch = np.array(path).T
    assert np.all(np.diff(yaw) >= -1e-9)
    assert pitch.min() == pytest.approx(-0.12 * 60.0, abs=0.1)
    assert pitch.max() <= 1e-9
    assert yaw[int(np.argmin(pitch))] == pytest.approx(0.0, abs=3.0)
    assert path[-1] == pytest.approx([30.0, 0.0])


def test_a_gaze_is_slower_for_more_seconds_a_degree(program_of):
    def frames_to_arrive(per_degree: float) -> int:
        program = program_of(
            '[[layers]]\nname = "gaze"\nmode = "override"\n[[layers.controllers]]\ntype = "Gaze"\n'
            f"least_duration_s = 0.1\nseconds_per_deg = {per_degree}\n"
        )
        engine = program.engine()
        engine.step()
        program.find(Gaze)[0][1].look(math.radians(50.0), 0.0)
        column = engine.layout.index("Gazing.Horizontal")
        for frame in range(300):
            engine.step()
            if engine.blend.values[column] == pytest.approx(math.radians(50.0)):
                return frame + 1
        return 300

    assert frames_to_arrive(0.01) * DT_S == pytest.approx(0.6, abs=0.05)
    assert frames_to_arrive(0.02) * DT_S == pytest.approx(1.1, abs=0.05)


def test_wires_turn_a_gaze(program_of, blended):
    program = program_of(
        '[[layers]]\nname = "gaze"\nmode = "override"\n[[layers.controllers]]\ntype = "Gaze"\n'
        'horizontal_deg = { expression = "20 * (time_s > 0.5)" }\n'
    )
    engine = program.engine()
    assert max(blended(engine, "Gazing.Horizontal", 20)) == 0.0
    assert blended(engine, "Gazing.Horizontal", 80)[-1] == pytest.approx(math.radians(20.0))
    program.find(Gaze)[0][1].look(-0.2, 0.0)  # an order stands until the wire changes
    assert blended(engine, "Gazing.Horizontal", 60)[-1] == pytest.approx(-0.2)
