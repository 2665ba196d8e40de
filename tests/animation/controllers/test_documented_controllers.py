"""The documented controllers do in a program what the documents say."""

from __future__ import annotations

import math

import pytest

from sera.animation.controllers import BUILT_IN
from sera.animation.engine import Output, Signal
from sera.messages import SetEmotion, SetPosture
from sera.messages.motion import Pad
from tests.helpers import some_of

NEEDED = {
    "Breathing": 'amounts = { "Torso.Lean" = 2.0, "Gazing.Vertical" = 1.0 }',
    "Drift": 'amounts = { "Torso.Sway" = 2.0, "Gazing.Roll" = 1.0 }',
    "Asymmetry": 'pairs = [["Arms.LeftRaise", "Arms.RightRaise"]]',
    "Message": 'message = "SetEmotion"\nfield = "pad.arousal"',
    "MessageArrived": 'message = "SetEmotion"',
    "Expression": 'text = "sin(time_s)"',
    **{
        name: 'channels = ["Gazing.Horizontal", "Gazing.Vertical"]'
        for name, kind in BUILT_IN.items()
        if "channels" in kind.Parameters.model_fields
        and kind.Parameters.model_fields["channels"].is_required()
    },
}


def written(table: str) -> str:
    """A layer that writes the signal `x` of this table into a channel, in degrees."""
    return f"""
[[layers]]
name = "one"
[[layers.controllers]]
name = "x"
{table}
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = {{ from = "x" }}
"""


def results(program, name, frames):
    engine = program.engine()
    found = next(each for each in program.controllers if each.name == name)
    values = []
    for _ in range(frames):
        engine.step()
        values.append(found.result)
    return values


@pytest.mark.parametrize(
    ("kind", "robot"),
    [
        (kind, robot)
        for number, kind in enumerate(BUILT_IN)
        for robot in some_of(("adelino", "nao", "keepon", "emys"), seed=number)
    ],
)
def test_every_type_is_made_from_a_minimal_table_and_steps_without_fault(program_of, kind, robot):
    faults = []
    mode = "override" if BUILT_IN[kind].reads_below else "add"
    text = (
        f'[[layers]]\nname = "one"\nmode = "{mode}"\n'
        f'[[layers.controllers]]\ntype = "{kind}"\n{NEEDED.get(kind, "")}\n'
    )
    program = program_of(text, robot)
    engine = program.engine(on_fault=lambda *fault: faults.append(fault))
    for _ in range(200):
        engine.step()
    assert not faults
    (controller,) = program.controllers
    assert type(controller) is BUILT_IN[kind]


@pytest.mark.parametrize("kind", BUILT_IN)
def test_every_parameter_and_type_says_what_it_means(kind):
    assert BUILT_IN[kind].__doc__
    fields = BUILT_IN[kind].Parameters.model_fields
    assert [name for name, field in fields.items() if not field.description] == []
    assert BUILT_IN[kind].wires <= fields.keys()


@pytest.mark.parametrize("kind", [k for k, each in BUILT_IN.items() if issubclass(each, Signal)])
def test_every_wire_is_an_attribute_that_the_program_can_set(program_of, kind):
    text = f'[[signals]]\nname = "x"\ntype = "{kind}"\n{NEEDED.get(kind, "")}\n'
    (signal,) = program_of(text).signals
    for name in BUILT_IN[kind].wires:
        assert not callable(getattr(signal, name))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('type = "Float"\nvalue = 0.4', 0.4),
        ('type = "AddFloat"\ninput = 0.5\nvalue = -0.2', 0.3),
        ('type = "MultiplyFloat"\ninput = 0.5\nvalue = -0.2', -0.1),
        ('type = "MultiplyFloat"\ninput = 0.5', 0.5),
        ('type = "AbsFloat"\ninput = -0.7', 0.7),
        ('type = "IfFloat"\ninput = 2.0\ntest = 2.0\nif_true = 0.1\nif_false = 0.9', 0.1),
        ('type = "IfFloat"\ninput = 2.0\ntest = 2.5\nif_true = 0.1\nif_false = 0.9', 0.9),
        ('type = "IntStep"\nsteps = -1\nstep_size = 1', -1.0),
    ],
)
def test_constants_and_arithmetic_give_what_they_say(program_of, blended, table, expected):
    engine = program_of(written(table)).engine()
    assert blended(engine, "Torso.Twist", 3) == pytest.approx([math.radians(expected)] * 3)


def test_an_int_step_is_the_product_of_its_two_factors_and_an_int(program_of):
    program = program_of('[[signals]]\nname = "x"\ntype = "IntStep"\nsteps = 7\nstep_size = -3\n')
    assert results(program, "x", 2) == [-21, -21]
    assert program.signals[0].output is Output.INT


def test_a_random_float_is_new_in_every_frame_within_its_ends_and_by_its_seed(program_of):
    text = '[[signals]]\nname = "x"\ntype = "RandomFloat"\nmin = -2.0\nmax = 3.0\n'
    values = results(program_of(text, seed=1), "x", 400)
    assert min(values) >= -2.0
    assert max(values) <= 3.0
    assert len(set(values)) == 400
    assert min(values) < -1.8
    assert max(values) > 2.8
    assert values == results(program_of(text, seed=1), "x", 400)
    assert values != results(program_of(text, seed=2), "x", 400)


def test_controllers_of_the_same_name_in_two_layers_do_not_move_alike(program_of):
    layer = '[[layers]]\nname = "{}"\n[[layers.controllers]]\ntype = "RandomFloat"\n'
    program = program_of(layer.format("one") + layer.format("two"))
    engine = program.engine()
    engine.step()
    one, two = program.controllers
    assert one.result != two.result


@pytest.mark.parametrize(
    ("shape", "phase", "expected"),
    [
        ("sine", 0.0, [math.sin(math.tau * 0.04), math.sin(math.tau * 0.08)]),
        ("sine", 90.0, [math.cos(math.tau * 0.04), math.cos(math.tau * 0.08)]),
        ("square", 0.0, [1.0, 1.0]),
        ("square", 180.0, [-1.0, -1.0]),
        ("triangle", 0.0, [0.16, 0.32]),
    ],
)
def test_a_wave_has_its_shape_amplitude_and_phase(program_of, shape, phase, expected):
    text = (
        f'[[signals]]\nname = "x"\ntype = "Wave"\nshape = "{shape}"\nphase = {phase}\n'
        "frequency = 2.0\namplitude = 3.0\n"
    )
    assert results(program_of(text), "x", 2) == pytest.approx([3.0 * each for each in expected])


def test_a_wave_repeats_after_its_period_and_swings_both_ways(program_of):
    text = '[[signals]]\nname = "x"\ntype = "Wave"\nfrequency = 2.0\namplitude = 0.5\n'
    values = results(program_of(text), "x", 100)
    assert values[:25] == pytest.approx(values[25:50])
    assert max(values) == pytest.approx(0.5, abs=0.01)
    assert min(values) == pytest.approx(-0.5, abs=0.01)


def test_a_changed_text_is_true_for_one_frame_and_texts_are_joined(program_of):
    text = """
[[signals]]
name = "asked"
type = "Message"
message = "SetPosture"
field = "posture"
[[signals]]
name = "joined"
type = "StrConcat"
input = { from = "asked" }
other = "-er"
[[signals]]
name = "changed"
type = "StrChanged"
input = { from = "joined" }
"""
    program = program_of(text)
    engine = program.engine()
    by_name = {each.name: each for each in program.signals}
    seen = []
    for frame in range(8):
        if frame in (2, 5):
            program.receive(SetPosture(posture="hot" if frame == 2 else "cold"))
        engine.step()
        seen.append(by_name["changed"].result)
    assert seen == [False, False, True, False, False, True, False, False]
    assert by_name["joined"].result == "cold-er"


def test_write_to_channel_writes_in_its_unit_and_sets_the_speed(program_of):
    text = """
[[layers]]
name = "one"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Gazing.Horizontal"
value = 30.0
speed = 0.5
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Lean"
value = 1.0
unit = "percent"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Arms.LeftRaise"
value = 5.0
"""
    program = program_of(text)
    engine = program.engine()
    engine.step()
    layout, blend = engine.layout, engine.blend
    column = layout.index("Gazing.Horizontal")
    assert blend.values[column] == pytest.approx(math.radians(30.0))
    assert blend.speeds[column] == 0.5
    assert blend.speed_mask[column]
    lean = layout.index("Torso.Lean")
    assert blend.values[lean] == pytest.approx(layout.upper[lean])
    assert not blend.speed_mask[lean]


def test_add_ani_buffer_adds_another_frame_and_leaves_other_channels(program_of, blended):
    text = """
[[layers]]
name = "one"
[[layers.controllers]]
name = "aside"
type = "WriteToChannel"
channel = "Torso.Twist"
value = 0.25
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = 0.5
[[layers.controllers]]
type = "AddAniBuffer"
other = { from = "aside" }
weight = -2.0
"""
    program = program_of(text)
    engine = program.engine()
    assert blended(engine, "Torso.Twist", 3) == pytest.approx([0.0, 0.0, 0.0])
    assert not engine.blend.mask[engine.layout.index("Gazing.Horizontal")]
    assert [each.off_chain for each in program.controllers] == [True, False, False]


def test_what_fades_aside_fades_where_it_is_added(program_of, blended):
    text = """
[[layers]]
name = "one"
[[layers.controllers]]
name = "aside"
type = "Posture"
posture = "bent"
weight = 0.25
[[layers.controllers]]
type = "AddAniBuffer"
other = { from = "aside" }
"""
    program = program_of(text, postures={"bent": {"Torso.Twist": 0.8}})
    assert blended(program.engine(), "Torso.Twist", 1) == pytest.approx([0.2])


POSTURES = {"low": {"Torso.Twist": -0.8}, "high": {"Torso.Twist": 0.4, "Gazing.Roll": 0.2}}


def posture_over(base_deg: float, table: str) -> str:
    return f"""
[[layers]]
name = "one"
mode = "override"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = {base_deg}
[[layers.controllers]]
type = "Posture"
posture = "low"
{table}
"""


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", -0.8),
        ("weight = 0.25", 0.75 * 0.5 + 0.25 * -0.8),
        ("weight = 0.0", 0.5),
        ("additive = true", 0.5 - 0.8),
        ("additive = true\nweight = 0.5", 0.5 - 0.4),
    ],
)
def test_a_posture_covers_or_adds_to_its_input_by_its_weight(program_of, blended, table, expected):
    program = program_of(posture_over(math.degrees(0.5), table), postures=POSTURES)
    assert blended(program.engine(), "Torso.Twist", 2) == pytest.approx([expected] * 2)


def test_a_wired_posture_is_blended_in_and_an_unknown_one_changes_nothing(program_of, blended):
    text = """
[[layers]]
name = "one"
mode = "override"
[[layers.controllers]]
type = "Posture"
posture = { message = "SetPosture", field = "posture" }
blend_s = 0.2
"""
    faults = []
    program = program_of(text, postures=POSTURES)
    engine = program.engine(on_fault=lambda *fault: faults.append(fault))
    assert set(blended(engine, "Torso.Twist", 5)) == {0.0}
    program.receive(SetPosture(posture="high"))
    values = blended(engine, "Torso.Twist", 40)
    assert values == sorted(values)
    assert 0.0 < values[4] < 0.4
    assert values[-1] == pytest.approx(0.4)
    program.receive(SetPosture(posture="hihg"))
    assert blended(engine, "Torso.Twist", 3) == pytest.approx([0.4] * 3)
    (posture,) = [each for each in program.controllers if each.name == "posture"]
    assert posture.refused == ["there is no posture 'hihg'; did you mean 'high'?"]
    assert not faults


def test_a_message_field_drives_a_parameter_and_empty_fields_change_nothing(program_of):
    text = """
[[signals]]
name = "arousal"
type = "Message"
message = "SetEmotion"
field = "pad.arousal"
default = 1
"""
    program = program_of(text)
    assert program.hears == (SetEmotion,)
    engine = program.engine()
    engine.step()
    (signal,) = program.signals
    assert signal.result == 1.0
    program.receive(SetEmotion(pad=Pad(pleasure=0.0, arousal=-0.5, dominance=0.0)))
    engine.step()
    assert signal.result == -0.5
    program.receive(SetEmotion(name="joy"))
    engine.step()
    assert signal.result == -0.5
