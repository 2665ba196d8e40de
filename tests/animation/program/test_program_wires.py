"""Wires: types fit, circles are refused, names are found, and order in the file does not matter."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.animation.program import ProgramError
from sera.messages import SetEmotion
from sera.messages.motion import Pad

ANY_TIME = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def signal(name: str, kind: str, *lines: str) -> str:
    return "\n".join(["[[signals]]", f'name = "{name}"', f'type = "{kind}"', *lines, ""])


def refusal(program_of, text: str, robot: str = "keepon") -> str:
    with pytest.raises(ProgramError) as caught:
        program_of(text, robot)
    assert all(problem.line for problem in caught.value.problems)
    return str(caught.value)


def result_of(program, name: str, frames: int = 1):
    engine = program.engine()
    for _ in range(frames):
        engine.step()
    return next(each for each in program.controllers if each.name == name).result


def test_a_text_cannot_drive_a_number_and_the_sentence_says_from_where_to_where(program_of):
    text = signal("words", "StrConcat") + signal("sum", "AddFloat", 'input = { from = "words" }')
    said = refusal(program_of, text)
    assert "words (string) → sum.input (float): a string cannot drive a float" in said
    assert "program.toml:7:" in said


@pytest.mark.parametrize(
    ("source", "kind", "parameter", "advice"),
    [
        ("StrConcat", "Trigger", "input", "StrChanged tells when a text changes"),
        ("Float", "StrConcat", "input", ""),
        ("Float", "IntStep", "steps", ""),
        ("Trigger", "IntStep", "steps", ""),
    ],
)
def test_other_kinds_that_do_not_fit_are_refused(program_of, source, kind, parameter, advice):
    text = signal("a", source) + signal("b", kind, f'{parameter} = {{ from = "a" }}')
    said = refusal(program_of, text)
    assert f"→ b.{parameter}" in said
    assert advice in said


def test_ints_and_bools_drive_floats(program_of):
    text = (
        signal("count", "IntStep", "steps = 3", "step_size = 2")
        + signal("on", "Trigger", "active = true")
        + signal("sum", "AddFloat", 'input = { from = "count" }', 'value = { from = "on" }')
    )
    assert result_of(program_of(text), "sum") == 7.0


def test_a_circle_is_refused_with_the_way_around(program_of):
    text = (
        signal("a", "AddFloat", 'input = { from = "c" }')
        + signal("b", "AddFloat", 'input = { from = "a" }')
        + signal("c", "AbsFloat", 'input = { from = "b" }')
        + signal("d", "AddFloat", 'input = { from = "c" }')
    )
    said = refusal(program_of, text)
    assert "the wires run in a circle: a → b → c → a" in said
    assert "d" not in said.partition("circle:")[2].partition("(")[0]
    own = refusal(program_of, signal("a", "AddFloat", 'input = { from = "a" }'))
    assert "a → a" in own
    formula = refusal(program_of, signal("a", "AddFloat", 'input = { expression = "1 + a" }'))
    assert "a.input → a → a.input" in formula


def test_an_unknown_signal_is_answered_with_the_nearest_name(program_of):
    text = signal("loudness", "Float") + signal("x", "AbsFloat", 'input = { from = "loudnes" }')
    assert "there is no signal 'loudnes' here; did you mean 'loudness'?" in refusal(
        program_of, text
    )
    text = signal("loudness", "Float") + signal("x", "Expression", 'text = "2 * loudnes"')
    said = refusal(program_of, text)
    assert "signals[1].text: there is no signal 'loudnes' here; did you mean 'loudness'?" in said
    alone = refusal(program_of, signal("q", "AbsFloat", 'input = { from = "zzz" }'))
    assert "there are q" in alone


def test_a_parameter_that_takes_no_wire_says_which_ones_do(program_of):
    text = signal("a", "Float") + signal("n", "Noise", 'octaves = { from = "a" }')
    said = refusal(program_of, text)
    assert "'octaves' of NoiseFloat cannot be driven by a wire" in said
    assert "wires may drive gain, rate" in said
    said = refusal(program_of, signal("m", "MessageArrived", 'message = { from = "m" }'))
    assert "it has no wires" in said


def test_a_wire_with_anything_else_in_it_is_refused(program_of):
    for wire in ('{ from = "a", gain = 2 }', "{ from = 3 }", '{ expression = "1", field = "x" }'):
        text = signal("a", "Float") + signal("b", "AbsFloat", f"input = {wire}")
        assert "a wire is {" in refusal(program_of, text)


def test_formulas_and_messages_stand_in_line_as_wires(program_of):
    text = (
        signal("loudness", "Float", "value = 0.5")
        + signal("x", "AddFloat", 'input = { expression = "2 * loudness + 1" }', "value = 10.0")
        + signal(
            "y",
            "AbsFloat",
            'input = { message = "SetEmotion", field = "pad.arousal", default = -0.25 }',
        )
    )
    program = program_of(text)
    engine = program.engine()
    by_name = {each.name: each for each in program.signals}
    engine.step()
    assert (by_name["x"].result, by_name["y"].result) == (12.0, 0.25)
    assert program.hears == (SetEmotion,)
    program.receive(SetEmotion(pad=Pad(pleasure=0.0, arousal=-0.5, dominance=0.0)))
    engine.step()
    assert by_name["y"].result == 0.5


@pytest.mark.parametrize(
    ("wire", "sentence"),
    [
        ('message = "SetEmotio"\nfield = "name"', "SetEmotion"),
        ('message = "SetEmotion"\nfield = "pad.arousl"', "did you mean 'arousal'?"),
        ('message = "SetEmotion"\nfield = "pda"', "did you mean 'pad'?"),
        ('message = "SetEmotion"\nfield = "name.more"', "has no field 'name.more'"),
        ('message = "SetEmotion"\nfield = "pad"', "is no single value"),
        ('message = "BodyState"\nfield = "load"', "is no single value"),
        ('message = "SetEmotion"\nfield = "pad.arousal"\ndefault = "loud"', "'loud' is no float"),
        ('message = "SetEmotion"\nfield = ""', "has no field ''"),
    ],
)
def test_a_field_that_cannot_drive_anything_is_explained(program_of, wire, sentence):
    assert sentence in refusal(program_of, signal("x", "Message", wire))


@pytest.mark.parametrize(
    ("message", "field", "default", "kind"),
    [
        ("BodyState", "health", '"ok"', "string"),
        ("Point", "arm", '"left"', "string"),
        ("PlayAnimation", "repeats", "3", "int"),
        ("SetLayer", "active", "true", "bool"),
        ("BodyState", "battery", "1", "float"),
    ],
)
def test_every_single_valued_field_says_its_kind(program_of, message, field, default, kind):
    lines = (f'message = "{message}"', f'field = "{field}"', f"default = {default}")
    (made,) = program_of(signal("x", "Message", *lines)).signals
    assert made.output.value == kind


LAYER = """
[[layers]]
name = "{name}"
[[layers.controllers]]
name = "out"
type = "WriteToChannel"
channel = "Torso.Twist"
value = {{ from = "gain" }}
"""


def test_a_signal_of_the_layer_hides_a_shared_one_of_its_name(program_of, blended):
    own = '[[layers.controllers]]\nname = "gain"\ntype = "Float"\nvalue = 20.0\n'
    shared = signal("gain", "Float", "value = 5.0")
    alone = program_of(shared + LAYER.format(name="one"))
    assert blended(alone.engine(), "Torso.Twist", 1) == pytest.approx([math.radians(5.0)])
    hidden = program_of(shared + LAYER.format(name="one") + own)
    assert blended(hidden.engine(), "Torso.Twist", 1) == pytest.approx([math.radians(20.0)])
    said = refusal(program_of, LAYER.format(name="one") + own + LAYER.format(name="two"))
    assert "layers[1].controllers[0].value: there is no signal 'gain' here" in said


def test_what_moves_channels_belongs_into_a_layer_and_its_frame_into_add_ani_buffer(program_of):
    said = refusal(program_of, signal("x", "Posture"))
    assert "'x' moves channels and belongs into a layer" in said
    text = LAYER.format(name="one") + '[[layers.controllers]]\nname = "gain"\ntype = "Posture"\n'
    said = refusal(program_of, text)
    assert "gain (frame) → out.value (float)" in said
    assert "a frame goes into AddAniBuffer" in said
    text = (
        '[[layers]]\nname = "one"\n[[layers.controllers]]\nname = "f"\ntype = "Float"\n'
        '[[layers.controllers]]\ntype = "AddAniBuffer"\nother = { from = "f" }\n'
    )
    assert "WriteToChannel, and wire that" in refusal(program_of, text)


def test_frames_run_through_chains_aside(program_of, blended):
    def write(name: str, degrees: float) -> str:
        return (
            f'[[layers.controllers]]\nname = "{name}"\ntype = "WriteToChannel"\n'
            f'channel = "Torso.Twist"\nvalue = {degrees}\n'
        )

    def add(name: str, other: str, weight: float) -> str:
        return (
            f'[[layers.controllers]]\nname = "{name}"\ntype = "AddAniBuffer"\n'
            f'other = {{ from = "{other}" }}\nweight = {weight}\n'
        )

    head = '[[layers]]\nname = "one"\n'
    forwards = head + write("w", 8.0) + add("half", "w", 0.5) + write("main", 1.0)
    backwards = head + write("main", 1.0)
    for text in (
        forwards + add("end", "half", 2.0),
        backwards + add("end", "half", 2.0) + add("half", "w", 0.5) + write("w", 8.0),
    ):
        engine = program_of(text).engine()
        assert blended(engine, "Torso.Twist", 2) == pytest.approx([math.radians(9.0)] * 2)


def test_a_filter_cannot_feed_another_controller(program_of):
    text = """
[[layers]]
name = "one"
mode = "override"
[[layers.controllers]]
name = "spring"
type = "Spring"
channels = ["Torso.Twist"]
[[layers.controllers]]
type = "AddAniBuffer"
other = { from = "spring" }
"""
    assert "'spring' changes the chain it stands in and cannot feed" in refusal(program_of, text)


def test_a_chain_longer_than_pythons_stack_is_ordered(program_of):
    links = [signal("s0", "Float", "value = 1.0")]
    links += [
        signal(f"s{n}", "AddFloat", f'input = {{ from = "s{n - 1}" }}', "value = 1.0")
        for n in range(1, 1500)
    ]
    assert result_of(program_of("".join(reversed(links))), "s1499") == 1500.0


OPERATORS = {
    "AddFloat": lambda a, b: a + b,
    "MultiplyFloat": lambda a, b: a * b,
    "IfFloat": lambda a, b: 0.5 if a == b else 2.0,
    "AbsFloat": lambda a, _b: abs(a),
}


@st.composite
def graphs(draw):
    """Signals, each driven by some before it: name to (type, first, second)."""
    count = draw(st.integers(1, 12))
    numbers = st.floats(-3.0, 3.0, allow_nan=False).map(lambda x: round(x, 3))
    nodes = []
    for place in range(count):
        inputs = st.integers(0, place - 1) | numbers if place else numbers
        nodes.append((draw(st.sampled_from(sorted(OPERATORS))), draw(inputs), draw(inputs)))
    order = draw(st.permutations(range(count)))
    return nodes, order


@ANY_TIME
@given(graphs())
def test_any_net_of_operators_gives_what_direct_evaluation_gives(program_of, graph):
    nodes, order = graph
    expected: list[float] = []
    for kind, *inputs in nodes:
        a, b = (expected[each] if isinstance(each, int) else each for each in inputs)
        expected.append(OPERATORS[kind](a, b))
    second = {"AddFloat": "value", "MultiplyFloat": "value", "IfFloat": "test", "AbsFloat": None}
    tables = []
    for place in order:
        kind, *inputs = nodes[place]
        lines = [
            f"{name} = " + (f'{{ from = "s{each}" }}' if isinstance(each, int) else f"{each!r}")
            for name, each in zip(("input", second[kind]), inputs, strict=True)
            if name is not None
        ]
        if kind == "IfFloat":
            lines += ["if_true = 0.5", "if_false = 2.0"]
        tables.append(signal(f"s{place}", kind, *lines))
    program = program_of("".join(tables))
    program.engine().step()
    found = {each.name: each.result for each in program.signals}
    assert [found[f"s{place}"] for place in range(len(nodes))] == pytest.approx(expected)


def test_the_order_in_the_file_does_not_change_the_motion(program_of, blended):
    wave = 'name = "w"\ntype = "Wave"\namplitude = 20\nfrequency = { from = "f" }\n'
    steady = 'name = "f"\ntype = "Float"\nvalue = 0.7\n'
    out = 'type = "WriteToChannel"\nchannel = "Torso.Twist"\nvalue = { expression = "w + f" }\n'
    parts = [f"[[layers.controllers]]\n{table}" for table in (wave, steady, out)]
    motions = []
    for seed in range(4):
        random.Random(seed).shuffle(parts)
        program = program_of('[[layers]]\nname = "one"\n' + "".join(parts))
        motions.append(blended(program.engine(), "Torso.Twist", 30))
    assert all(motion == motions[0] for motion in motions)
    assert max(motions[0]) > 0.2
