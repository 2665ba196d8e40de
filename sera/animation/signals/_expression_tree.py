"""From an expression's text to a function of its inputs: the list of what is allowed.

Design overview: `ast.parse` only builds a tree; it runs nothing. `_Builder` walks it and knows a
method for each allowed node. Whatever has no method is refused with its position.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from sera.animation.signals._checks import LARGEST, bounded

Values = list[float]
Node = Callable[[Values], float]

LONGEST = 500
DEEPEST = 24
MOST_NODES = 200
HIGHEST_POWER = 8
TIME_NAME = "time_s"
CONSTANTS = {"pi": math.pi}


class ExpressionProblem(ValueError):
    """What is wrong with an expression, and at which character (from 1)."""

    def __init__(self, sentence: str, position: int) -> None:
        self.position = position
        super().__init__(f"Character {position}: {sentence}")


def _add(a: Node, b: Node) -> Node:
    return lambda values: bounded(a(values) + b(values))


def _subtract(a: Node, b: Node) -> Node:
    return lambda values: bounded(a(values) - b(values))


def _multiply(a: Node, b: Node) -> Node:
    return lambda values: bounded(a(values) * b(values))


def _divide(a: Node, b: Node) -> Node:
    def divided(values: Values) -> float:
        upper, lower = a(values), b(values)
        if abs(lower) * LARGEST < abs(upper) or lower == 0.0:
            return math.copysign(LARGEST, upper) if upper != 0.0 else 0.0
        return bounded(upper / lower)

    return divided


def _root(a: Node) -> Node:
    return lambda values: math.sqrt(max(0.0, a(values)))


def _lerp(a: Node, b: Node, c: Node) -> Node:
    def between(values: Values) -> float:
        start = a(values)
        return bounded(start + c(values) * (b(values) - start))

    return between


def _fold(choose: Callable[[float, float], float]) -> Callable[..., Node]:
    def make(first: Node, *others: Node) -> Node:
        def folded(values: Values) -> float:
            result = first(values)
            for other in others:
                result = choose(result, other(values))
            return result

        return folded

    return make


FUNCTIONS: dict[str, tuple[int, int, Callable[..., Node]]] = {
    "min": (2, 8, _fold(min)),
    "max": (2, 8, _fold(max)),
    "abs": (1, 1, lambda a: lambda values: abs(a(values))),
    "clamp": (3, 3, lambda a, b, c: lambda values: min(max(a(values), b(values)), c(values))),
    "sin": (1, 1, lambda a: lambda values: math.sin(a(values))),
    "cos": (1, 1, lambda a: lambda values: math.cos(a(values))),
    "sqrt": (1, 1, _root),
    "lerp": (3, 3, _lerp),
}
"""Least and most arguments, and the maker; `clamp(x, least, most)`, `lerp(a, b, share)`."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Node, Node], Node]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _multiply,
    ast.Div: _divide,
}

_COMPARISONS: dict[type[ast.cmpop], Callable[[Node, Node], Node]] = {
    ast.Lt: lambda a, b: lambda values: 1.0 if a(values) < b(values) else 0.0,
    ast.LtE: lambda a, b: lambda values: 1.0 if a(values) <= b(values) else 0.0,
    ast.Gt: lambda a, b: lambda values: 1.0 if a(values) > b(values) else 0.0,
    ast.GtE: lambda a, b: lambda values: 1.0 if a(values) >= b(values) else 0.0,
    ast.Eq: lambda a, b: lambda values: 1.0 if a(values) == b(values) else 0.0,
    ast.NotEq: lambda a, b: lambda values: 1.0 if a(values) != b(values) else 0.0,
}


def compiled(text: str, inputs: Sequence[str]) -> Node:
    """A function of the inputs' values, with the time as the last one."""
    if not isinstance(text, str):
        raise ExpressionProblem(f"{text!r} is no text; write the expression in quotes.", 1)
    if len(text) > LONGEST:
        raise ExpressionProblem(
            f"the expression has {len(text)} characters; the longest may have {LONGEST}. "
            "Split it over two controllers.",
            LONGEST + 1,
        )
    if "\0" in text:
        raise ExpressionProblem("this is no arithmetic (a null byte).", text.index("\0") + 1)
    stripped = text.strip(" \t")
    shift = len(text) - len(text.lstrip(" \t"))
    if not stripped:
        raise ExpressionProblem("the expression is empty; write 0 for nothing.", 1)
    try:
        with warnings.catch_warnings():
            # The parser warns of odd literals; all of them are refused below or harmless.
            warnings.simplefilter("ignore")
            tree = ast.parse(stripped, mode="eval")
    except SyntaxError as problem:
        at = _syntax_position(problem, stripped) + shift
        raise ExpressionProblem(f"this is no arithmetic ({problem.msg}).", at) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionProblem("this is no arithmetic.", 1 + shift) from None
    return _Builder(stripped, shift, inputs).node(tree.body, 1)


def _syntax_position(problem: SyntaxError, text: str) -> int:
    """The character that the parser stopped at, one behind the last where the text just ends."""
    lines = text.splitlines(keepends=True)
    line = problem.lineno or 1
    if not problem.offset or line > len(lines):
        return len(text) + 1
    before = sum(len(earlier) for earlier in lines[: line - 1])
    return min(before + max(problem.offset, 1), len(text) + 1)


class _Builder:
    """Turns a tree into nested functions."""

    def __init__(self, text: str, shift: int, inputs: Sequence[str]) -> None:
        self._lines = text.splitlines(keepends=True) or [""]
        self._shift = shift
        self._places = {name: place for place, name in enumerate(inputs)}
        self._places[TIME_NAME] = len(inputs)
        self._count = 0

    def node(self, tree: ast.AST, depth: int) -> Node:
        self._count += 1
        if depth > DEEPEST:
            self._refuse(tree, f"it is nested deeper than {DEEPEST}; split it.")
        if self._count > MOST_NODES:
            self._refuse(tree, f"it has more than {MOST_NODES} parts; split it.")
        if isinstance(tree, ast.Constant):
            return self._number(tree)
        if isinstance(tree, ast.Name):
            return self._name(tree)
        make = _COMPOUND.get(type(tree))
        if make is None:
            self._refuse(
                tree,
                f"{type(tree).__name__} is not allowed; use numbers, names, + - * / ** and "
                f"{', '.join(FUNCTIONS)}.",
            )
        return make(self, tree, depth + 1)

    def _refuse(self, tree: ast.AST, sentence: str) -> NoReturn:
        line = min(getattr(tree, "lineno", 1), len(self._lines)) - 1
        # The parser counts bytes of UTF-8; people count characters.
        column = len(
            self._lines[line].encode()[: getattr(tree, "col_offset", 0)].decode(errors="ignore")
        )
        before = sum(len(text) for text in self._lines[:line])
        raise ExpressionProblem(sentence, self._shift + before + column + 1)

    def _refuse_name(self, tree: ast.AST, name: str, what: str, known: Sequence[str]) -> NoReturn:
        from sera.runtime.located import nearest_name

        near = nearest_name(name, known)
        hint = f"did you mean {near!r}?" if near else f"known are {', '.join(sorted(known))}."
        self._refuse(tree, f"there is no {what} {name!r}; {hint}")

    def _number(self, tree: ast.Constant) -> Node:
        if type(tree.value) not in {int, float}:
            self._refuse(tree, f"{tree.value!r} is no number; only numbers are allowed.")
        if not -LARGEST <= tree.value <= LARGEST:  # type: ignore[operator]
            self._refuse(tree, f"the number is larger than {LARGEST:g}.")
        number = float(tree.value)  # type: ignore[arg-type]
        return lambda _values: number

    def _name(self, tree: ast.Name) -> Node:
        if tree.id in CONSTANTS:
            number = CONSTANTS[tree.id]
            return lambda _values: number
        if tree.id in FUNCTIONS:
            self._refuse(tree, f"{tree.id!r} is a function; write {tree.id}(…).")
        if tree.id not in self._places:
            self._refuse_name(tree, tree.id, "input", [*self._places, *CONSTANTS])
        place = self._places[tree.id]
        return lambda values: values[place]

    def _binary(self, tree: ast.BinOp, depth: int) -> Node:
        if isinstance(tree.op, ast.Pow):
            return self._power(tree, depth)
        make = _ARITHMETIC.get(type(tree.op))
        if make is None:
            self._refuse(tree, f"{type(tree.op).__name__} is not allowed; use + - * / **.")
        return make(self.node(tree.left, depth), self.node(tree.right, depth))

    def _power(self, tree: ast.BinOp, depth: int) -> Node:
        exponent = tree.right
        if (
            not isinstance(exponent, ast.Constant)
            or type(exponent.value) is not int
            or not 0 <= exponent.value <= HIGHEST_POWER
        ):
            self._refuse(exponent, f"a power is a whole number from 0 to {HIGHEST_POWER}; for "
                         "roots use sqrt, for negative powers 1 / x.")  # fmt: skip
        base = self.node(tree.left, depth)
        power = exponent.value
        return lambda values: bounded(base(values) ** power)

    def _unary(self, tree: ast.UnaryOp, depth: int) -> Node:
        inner = self.node(tree.operand, depth)
        if isinstance(tree.op, ast.USub):
            return lambda values: -inner(values)
        if isinstance(tree.op, ast.Not):
            return lambda values: 1.0 if inner(values) == 0.0 else 0.0
        if not isinstance(tree.op, ast.UAdd):
            self._refuse(tree, "~ is not allowed; use - or not.")
        return inner

    def _call(self, tree: ast.Call, depth: int) -> Node:
        if not isinstance(tree.func, ast.Name):
            self._refuse(tree, f"only these can be called: {', '.join(FUNCTIONS)}.")
        name = tree.func.id
        if name not in FUNCTIONS:
            self._refuse_name(tree, name, "function", list(FUNCTIONS))
        least, most, make = FUNCTIONS[name]
        if tree.keywords:
            self._refuse(tree, f"{name} takes its values by place, without names.")
        if not least <= len(tree.args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            self._refuse(tree, f"{name} takes {wanted} values; these are {len(tree.args)}.")
        return make(*[self.node(argument, depth) for argument in tree.args])

    def _compare(self, tree: ast.Compare, depth: int) -> Node:
        if len(tree.ops) != 1:
            self._refuse(tree, "compare two values at a time.")
        make = _COMPARISONS.get(type(tree.ops[0]))
        if make is None:
            self._refuse(tree, "compare with < <= > >= == or !=.")
        return make(self.node(tree.left, depth), self.node(tree.comparators[0], depth))

    def _choice(self, tree: ast.IfExp, depth: int) -> Node:
        test = self.node(tree.test, depth)
        then = self.node(tree.body, depth)
        other = self.node(tree.orelse, depth)
        return lambda values: then(values) if test(values) != 0.0 else other(values)


_COMPOUND: dict[type[ast.AST], Callable[[_Builder, Any, int], Node]] = {
    ast.BinOp: _Builder._binary,
    ast.UnaryOp: _Builder._unary,
    ast.Call: _Builder._call,
    ast.Compare: _Builder._compare,
    ast.IfExp: _Builder._choice,
}
"""Every node with parts that is allowed; what is not here cannot pass."""
