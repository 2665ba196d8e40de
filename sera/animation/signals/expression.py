"""Expression: arithmetic that a user writes in a program file, evaluated safely.

Design overview: Python's own parser makes a tree of the text, and nothing else of Python is used.
Every node must be on a short list (`_expression_tree.py`); each becomes a small function of the
inputs, put together once. No attribute, index, string, assignment, or call of anything but the
listed functions can pass, as there is no code for it. Length, depth, number of nodes and powers
are bounded.
Units and frames: the user's own. Truth is 1 and 0.
Threading: one owner.
Safety: the result is finite for finite inputs: each operation is held within ±1e9, a division by
nought gives ±1e9 with the sign of what is divided (0/0 is 0), the root of a negative number is 0.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass

from sera.animation.signals._checks import bounded
from sera.animation.signals._expression_tree import (
    CONSTANTS,
    FUNCTIONS,
    TIME_NAME,
    ExpressionProblem,
    compiled,
)

__all__ = ["Expression", "ExpressionProblem", "ExpressionSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionSettings:
    """The text and the names of its inputs, in the order in which `step` gets them."""

    text: str
    inputs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        taken = {*FUNCTIONS, *CONSTANTS, TIME_NAME}
        if len(self.inputs) > 64:
            raise ValueError(f"An expression has at most 64 inputs; these are {len(self.inputs)}.")
        for name in self.inputs:
            if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
                raise ValueError(
                    f"The input {name!r} is no name; use letters, digits and _, a letter first."
                )
            if name in taken:
                raise ValueError(f"The input {name!r} has a name that is taken; choose another.")
        if len(set(self.inputs)) != len(self.inputs):
            raise ValueError(f"Two inputs have one name: {', '.join(self.inputs)}.")


class Expression:
    """A compiled expression; `time_s` in it is the time since the reset."""

    __slots__ = ("_function", "_values", "settings")

    def __init__(self, settings: ExpressionSettings) -> None:
        """Raise ExpressionProblem, a ValueError, that says where and what is wrong."""
        self.settings = settings
        self._function = compiled(settings.text, settings.inputs)
        self._values = [0.0] * (len(settings.inputs) + 1)

    def reset(self) -> None:
        self._values[-1] = 0.0

    def step(self, dt_s: float, values: Sequence[float] = ()) -> float:
        """The result for these values of the inputs."""
        own = self._values
        if len(values) != len(own) - 1:
            raise ValueError(
                f"{len(values)} values came in for {len(own) - 1} inputs; give one each."
            )
        for index, value in enumerate(values):
            own[index] = bounded(value)
        own[-1] = bounded(own[-1] + dt_s)
        return self._function(own)
