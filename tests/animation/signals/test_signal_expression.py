"""Expressions: right results, clear refusals, and nothing else is ever run."""

from __future__ import annotations

import builtins
import math
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sera.animation.signals import Expression, ExpressionProblem, ExpressionSettings


def value(text, **inputs):
    expression = Expression(ExpressionSettings(text=text, inputs=tuple(inputs)))
    return expression.step(0.0, tuple(inputs.values()))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 2 * 3 - 4 / 2", 5.0),
        ("-x ** 2", -9.0),
        ("(x - 1) * +2", 4.0),
        ("min(x, 1, 2) + max(x, 5)", 6.0),
        ("abs(-x)", 3.0),
        ("clamp(x, -1, 1)", 1.0),
        ("sin(pi / 2) + cos(0)", 2.0),
        ("sqrt(x + 6)", 3.0),
        ("lerp(10, 20, 0.25)", 12.5),
        ("1 if x > 2 else 0", 1.0),
        ("(x < 2) + (x >= 3) + (x == 3) + (x != 3) + (x <= 0)", 2.0),
        ("not x", 0.0),
        ("  x\t", 3.0),
        ("(x\n + 1)", 4.0),
    ],
)
def test_arithmetic_is_right(text, wanted):
    assert value(text, x=3.0) == pytest.approx(wanted)


def test_results_are_finite_where_arithmetic_is_not():
    assert value("x / y", x=1.0, y=0.0) == 1e9
    assert value("x / y", x=-1.0, y=0.0) == -1e9
    assert value("x / y", x=0.0, y=0.0) == 0.0
    assert value("x / y", x=1.0, y=5e-324) == 1e9
    assert value("sqrt(x)", x=-4.0) == 0.0
    assert value("(x ** 8) ** 8", x=1e300) == 1e9


def test_time_runs_from_the_reset():
    expression = Expression(ExpressionSettings(text="2 * time_s"))
    assert expression.step(0.5) == 1.0
    assert expression.step(0.5) == 2.0
    expression.reset()
    assert expression.step(0.5) == 1.0


@pytest.mark.parametrize(
    ("text", "position", "named"),
    [
        ("1 + spede", 5, "did you mean 'speed'"),
        ("1 + sine(speed)", 5, "did you mean 'sin'"),
        ("  qqqq", 3, "known are pi, speed, time_s"),
        ("speed.real", 1, "Attribute is not allowed"),
        ("2 * speed[0]", 5, "Subscript is not allowed"),
        ("2 * 'é' + zzz", 5, "only numbers"),
        ("1 +", 4, "no arithmetic"),
        ("True", 1, "True is no number"),
        ("1j", 1, "no number"),
        ("speed ** speed", 10, "a power is a whole number"),
        ("2 ** 99", 6, "from 0 to 8"),
        ("2 ** -1", 6, "1 / x"),
        ("1e10", 1, "larger than 1e\\+09"),
        ("9" * 400, 1, "larger than"),
        ("5 // 2", 1, "FloorDiv is not allowed"),
        ("~speed", 1, "~ is not allowed"),
        ("1 < 2 < 3", 1, "two values at a time"),
        ("1 is 1", 1, "compare with"),
        ("sin", 1, r"write sin\("),
        ("sin(1, 2)", 1, "sin takes 1 values; these are 2"),
        ("min(1)", 1, "2 to 8"),
        ("min(*[1, 2])", 1, "2 to 8"),
        ("sin(x=1)", 1, "without names"),
        ("speed(1)", 1, "no function 'speed'"),
        ("(lambda: 1)()", 1, "only these can be called"),
        ("[speed]", 1, "List is not allowed"),
        ("(y := 1)", 2, "NamedExpr is not allowed"),
        ("1 and 2", 1, "BoolOp is not allowed"),
        ("__import__('os')", 1, "no function '__import__'"),
        ("", 1, "empty"),
        ("1+" * 300 + "1", 501, "601 characters"),
        ("-" * 100 + "1", 25, "deeper than 24"),
        ("\x00", 1, "no arithmetic"),
    ],
)
def test_a_bad_expression_names_the_position_and_the_way_out(text, position, named):
    with pytest.raises(ExpressionProblem, match=named) as caught:
        Expression(ExpressionSettings(text=text, inputs=("speed",)))
    assert caught.value.position == position


def test_positions_count_characters_not_bytes():
    with pytest.raises(ExpressionProblem) as caught:
        Expression(ExpressionSettings(text="'ééé' if zzz else 1", inputs=()))
    assert caught.value.position == len("'ééé' if ") + 1


def test_broad_expressions_are_refused_too():
    leaves = "max(" + ",".join(["-1"] * 8) + ")"
    wide = "max(" + ",".join([leaves] * 8) + ")"
    with pytest.raises(ExpressionProblem, match="more than 200 parts"):
        Expression(ExpressionSettings(text=f"{wide}+{wide}"))


@pytest.mark.parametrize(
    ("names", "named"),
    [
        (("a b",), "is no name"),
        (("if",), "is no name"),
        (("sin",), "is taken"),
        (("time_s",), "is taken"),
        (("a", "a"), "Two inputs"),
    ],
)
def test_bad_input_names_are_refused(names, named):
    with pytest.raises(ValueError, match=named):
        ExpressionSettings(text="1", inputs=names)


def test_the_number_of_values_must_fit():
    with pytest.raises(ValueError, match="2 values came in for 1 inputs"):
        Expression(ExpressionSettings(text="a", inputs=("a",))).step(0.02, (1.0, 2.0))


PIECES = [
    "x", "y", "pi", "time_s", "1", "0", "2.5", "1e9", "+", "-", "*", "/", "**", "(", ")", ",", " ",
    "min(", "max(", "abs(", "clamp(", "sin(", "cos(", "sqrt(", "lerp(", "if", "else", "not", "<",
    "==", ".", "[", "]", "{", "}", ":", "'", "lambda", "__import__", "os", "system", "eval(",
    "exec(", "open(", "print(", "for", "in", "await", "yield", ":=", "f'{x}'", "@", "%",
    "x.__class__", "8", "\n", "#", ";", "=", "é",
]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(text=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES)).map("".join)))
@example("().__class__.__base__.__subclasses__()")
@example("(lambda f: f(f))(lambda f: f(f))")
@example("9**9**9**9")
def test_any_text_is_refused_or_gives_a_finite_number_and_runs_nothing_else(text):
    events = []
    with pytest.MonkeyPatch.context() as patched:
        for name in ("eval", "exec", "open", "print", "input", "breakpoint"):
            patched.setattr(
                builtins, name, lambda *_a, _name=name, **_k: events.append(_name), raising=True
            )
        try:
            expression = Expression(ExpressionSettings(text=text, inputs=("x", "y")))
        except ExpressionProblem as problem:
            position = problem.position
        else:
            position = 1
            for x in (0.0, -1.0, 1e308, 5e-324):
                assert math.isfinite(expression.step(0.02, (x, 0.0)))
    assert 1 <= position <= max(501, len(text) + 1)
    assert events == []


NUMBERS = st.one_of(st.sampled_from(["x", "y", "pi"]), st.integers(0, 99).map(str))
ARITHMETIC = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["sin", "cos", "abs"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"min({t[0]}, {t[1]})"),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(text=ARITHMETIC, x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0))
def test_what_is_allowed_means_what_it_means_in_python(text, x, y):
    names = {"x": x, "y": y, "pi": math.pi, "sin": math.sin, "cos": math.cos}
    wanted = eval(text, {"__builtins__": {"abs": abs, "min": min}}, names)
    if abs(wanted) < 1e8 and len(text) < 500:
        assert value(text, x=x, y=y) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_no_code_is_compiled_while_an_expression_is_evaluated():
    expression = Expression(ExpressionSettings(text="clamp(x * 2, 0, 1)", inputs=("x",)))
    heard = []
    armed = [True]

    def hear(event, _arguments):
        if armed[0] and event in {"compile", "exec", "import", "open", "os.system"}:
            heard.append(event)

    sys.addaudithook(hear)
    try:
        expression.step(0.02, (0.2,))
    finally:
        armed[0] = False
    assert heard == []
