"""Program files: everything that is wrong is said at once, by line, and nothing else is raised."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.animation.controllers import BUILT_IN
from sera.animation.program import ProgramError, load_program
from tests.helpers import so_many

ANY_TIME = settings(
    deadline=None,
    max_examples=so_many(25, 60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def loaded(program_of, text):
    """The program, or None and its problems; anything else that is raised fails the test."""
    try:
        return program_of(text), ()
    except ProgramError as error:
        return None, error.problems


def test_all_problems_come_at_once_in_the_order_of_the_file(program_of):
    text = """\
[program]
titel = "x"
[[signals]]
name = "a"
type = "Wav"
[[layers]]
name = "one"
only = ["Gazin"]
[[layers.controllers]]
type = "Wave"
amplitud = 2
[[layers.controllers]]
type = "Posture"
posture = "hott"
"""
    with pytest.raises(ProgramError, match="titel") as caught:
        program_of(text)
    assert len(caught.value.problems) == 1  # tables first: their keys decide what the rest means
    with pytest.raises(ProgramError) as caught:
        program_of(text.replace("titel", "title"))
    problems = caught.value.problems
    assert [problem.line for problem in problems] == [5, 8, 11, 12]
    said = str(caught.value)
    for sentence in (
        "there is no controller 'Wav'; did you mean 'Wave'?",
        "there is no channel or body set 'Gazin'; did you mean 'Gazing'?",
        "unknown key 'amplitud'; did you mean 'amplitude'?",
        "there is no posture 'hott'; did you mean 'hot'?",
    ):
        assert sentence in said


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('name = "x"', "the type of the controller is missing"),
        ("type = 3", "the type of the controller is missing"),
        ('type = "Wave"\nname = 3', "3 cannot be the name"),
        ('type = "Wave"\nname = "a.b"', "'a.b' cannot be the name"),
        ('type = "Wave"\nshape = "sin"', "there is no wave 'sin'; did you mean 'sine'?"),
        ('type = "Wave"\namplitude = "loud"', "amplitude"),
        ('type = "Wave"\namplitude = inf', "amplitude"),
        ('type = "Animate"\nanimation = "nodd"', "did you mean 'nod'?"),
        ('type = "WriteToChannel"\nchannel = "Gazing.Horizontl"', "Gazing.Horizontal"),
        ('type = "Spring"\nchannels = ["Torso.Leen"]', "Torso.Lean"),
        ('type = "Spring"\nchannels = ["Torso.Lean"]\nfrequency_hz = 900', "frequency_hz"),
        ('type = "Expression"\ntext = "1 +"', "this is no arithmetic"),
        ('type = "Expression"\ntext = "__import__(\'os\')"', "__import__"),
        ('type = "Drift"', "amounts: this key is missing"),
        ('type = "Point"\nfade_s = 0', "fade_s 0"),
    ],
)
def test_a_controller_that_cannot_be_made_says_why(program_of, table, sentence):
    text = f'[[layers]]\nname = "one"\nmode = "override"\n[[layers.controllers]]\n{table}\n'
    with pytest.raises(ProgramError) as caught:
        program_of(text)
    assert sentence in str(caught.value)
    assert all(problem.line >= 4 for problem in caught.value.problems)


def test_names_that_are_not_given_are_free_ones(program_of):
    text = (
        '[[signals]]\ntype = "Wave"\n[[signals]]\ntype = "Wave"\n'
        '[[signals]]\ntype = "Float"\nname = "wave"\n'
    )
    assert [each.name for each in program_of(text).signals] == ["wave2", "wave3", "wave"]
    with pytest.raises(ProgramError, match="another controller here is called 'wave'"):
        program_of(text + '[[signals]]\ntype = "Float"\nname = "wave"\n')


def test_an_empty_file_is_a_program_that_does_nothing(program_of):
    program = program_of("")
    assert program.layers == ()
    pose = program.engine().step()
    assert list(pose) == [0.0] * len(pose)


def test_a_file_that_is_not_there_or_no_toml_is_a_program_error(program_of, tmp_path):
    body = program_of("").body
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ProgramError):
            load_program(path, body)
    with pytest.raises(ProgramError, match=r"program\.toml:2"):
        program_of("[program]\ntitle = Alive\n")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "b", "", "neutral", "nod", "sine", "Gazing.Horizontal", "1 + a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["from", "message", "field", "expression", "Torso.Lean", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)
KEYS = sorted({name for kind in BUILT_IN.values() for name in kind.Parameters.model_fields})


def in_toml(value) -> str:
    if isinstance(value, dict):
        inside = ", ".join(
            f"{json.dumps(key)} = {in_toml(each)}"
            for key, each in value.items()
            if each is not None
        )
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(in_toml(each) for each in value if each is not None)}]"
    return json.dumps(value)


TABLES = st.fixed_dictionaries(
    {"type": st.sampled_from(sorted(BUILT_IN))},
    optional={
        "name": st.sampled_from(["a", "b", "a b", ""]),
        **dict.fromkeys(KEYS, VALUES),
    },
)


@ANY_TIME
@given(
    st.sampled_from(["signals", "layers.controllers"]),
    st.lists(TABLES, max_size=4),
    st.sampled_from(["add", "override"]),
)
def test_garbage_is_refused_by_line_or_makes_a_program_that_steps(program_of, where, tables, mode):
    lines = [] if where == "signals" else ["[[layers]]", 'name = "one"', f'mode = "{mode}"']
    for table in tables:
        lines.append(f"[[{where}]]")
        lines += [f"{key} = {in_toml(each)}" for key, each in table.items() if each is not None]
    program, problems = loaded(program_of, "\n".join(lines) + "\n")
    assert all(problem.line for problem in problems)
    if program is None:
        assert problems
        return
    engine = program.engine()
    for _ in range(3):
        pose = engine.step()
    assert all(
        low <= x <= high
        for x, low, high in zip(
            pose,
            (s.lower for s in program.body.own.values()),
            (s.upper for s in program.body.own.values()),
            strict=True,
        )
    )


@ANY_TIME
@given(
    st.sampled_from(sorted(BUILT_IN)), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4)
)
def test_any_parameter_of_any_controller_may_be_nonsense(program_of, kind, parameters):
    known = BUILT_IN[kind].Parameters.model_fields
    lines = [
        f"{key} = {in_toml(each)}"
        for key, each in parameters.items()
        if each is not None and key in known
    ]
    head = ["[[layers]]", 'name = "one"', 'mode = "override"', "[[layers.controllers]]"]
    text = "\n".join([*head, f'type = "{kind}"', *lines])
    program, problems = loaded(program_of, text)
    assert all(problem.line >= 4 for problem in problems)
    if program is not None:
        program.engine().step()


@ANY_TIME
@given(st.text(max_size=200))
def test_any_text_is_a_program_or_a_program_error(program_of, text):
    program, problems = loaded(program_of, text.encode("utf-8", "ignore").decode())
    assert (program is None) == bool(problems)
