"""Example-based posture synthesis as a second stage: authored postures in place of a solver.

Design overview: a file has, for each expression, one authored posture at every point of a grid of
directions. What the layers pose says which expressions are meant: at an expression's own rest
posture it is that one, between two of them a mixture. The chain then takes the interpolated
example for the direction. Where the gaze leaves the grid, as for a look at the floor, ERIK takes
over within a few degrees: examples are authored for where partners are expected.

Units and frames: degrees in the file, radians inside; yaw to the robot's left, elevation upwards.
Threading: one owner, the engine.
Safety: examples are checked against the joints' limits when they are loaded; what is between them
is within the limits, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.animation.engine.second_stage import ErikStage, StageFrame, wanted_of
from sera.kinematics.baselines.ebps import ExamplePostures
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.frame import ChannelLayout

FloatArray = NDArray[np.float64]
MARGIN_RAD = math.radians(12.0)
"""How far beyond the grid the solver has wholly taken over."""


class ExamplesError(FileProblems):
    """Everything that is wrong in a file of examples."""

    what = "file of example postures"


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


class _Example(_Table):
    yaw_deg: float
    elevation_deg: float
    joints_deg: list[float]


class _Expression(_Table):
    rest_deg: list[float]
    """The posture that means this expression where nobody aims."""
    examples: list[_Example] = Field(min_length=1)


class ExamplesFile(_Table):
    """The file as people write it."""

    end_point: str
    joints: list[str] = Field(min_length=1)
    """In the order of all angles in the file, from root to end."""
    expressions: dict[str, _Expression] = Field(min_length=1)


def load_examples(path: Path) -> ExamplesFile:
    """Read a file of example postures.

    Raises:
        ExamplesError: with every problem, by line.
    """
    try:
        document = LocatedToml.load(path)
        file = ExamplesFile.model_validate(document.data)
    except FileProblem as problem:
        raise ExamplesError([problem]) from None
    except ValidationError as error:
        raise ExamplesError(problems_of(error, document, ExamplesFile, document.data)) from None
    if problems := _wrong_lengths(document, file):
        raise ExamplesError(problems)
    return file


def _wrong_lengths(document: LocatedToml, file: ExamplesFile) -> list[FileProblem]:
    """Postures with more or fewer angles than there are joints."""
    found: list[tuple[tuple[str | int, ...], int]] = []
    for name, expression in file.expressions.items():
        where: tuple[str | int, ...] = ("expressions", name)
        found.append(((*where, "rest_deg"), len(expression.rest_deg)))
        for place, one in enumerate(expression.examples):
            found.append(((*where, "examples", place, "joints_deg"), len(one.joints_deg)))
    wanted = len(file.joints)
    return [
        document.problem(key, f"{count} angles for {wanted} joints ({', '.join(file.joints)})")
        for key, count in found
        if count != wanted
    ]


@dataclass(frozen=True, slots=True)
class _Bound:
    """The examples of one chain of the body."""

    number: int
    postures: ExamplePostures
    rests: FloatArray


class ExampleStage(ErikStage):
    """Takes postures from examples; where there are none, from the solver.

    Args:
        examples: the file.
        every: as for ERIK, for what is beyond the examples.
    """

    def __init__(self, examples: ExamplesFile, *, every: int = 1) -> None:
        super().__init__(every=every)
        self.name = "examples"
        self._file = examples
        self._bound: _Bound | None = None

    def bind(self, body: Body, layout: ChannelLayout) -> None:
        """Check the examples against the body.

        Raises:
            ValueError: the body has no such chain, or an example is beyond its limits.
        """
        super().bind(body, layout)
        ends = [chain.aiming.chain.end_point for chain in self._chains]
        if self._file.end_point not in ends:
            raise ValueError(
                f"the examples are for the end point '{self._file.end_point}', but the body aims "
                f"with {', '.join(ends) or 'nothing'}"
            )
        number = ends.index(self._file.end_point)
        joints = self._chains[number].aiming.joints
        if tuple(self._file.joints) != joints:
            raise ValueError(
                f"the examples are for the joints {', '.join(self._file.joints)}, but the body "
                f"has {', '.join(joints)}"
            )
        expressions: dict[str, dict[tuple[float, float], Any]] = {
            name: {
                (math.radians(one.yaw_deg), math.radians(one.elevation_deg)): np.radians(
                    one.joints_deg
                )
                for one in expression.examples
            }
            for name, expression in self._file.expressions.items()
        }
        rests = np.radians([each.rest_deg for each in self._file.expressions.values()])
        chain = body.tree.chain(self._file.end_point)
        self._bound = _Bound(number, ExamplePostures(chain, expressions), rests)

    def step(self, frame: StageFrame) -> None:
        bound = self._bound
        assert bound is not None
        chain = self._chains[bound.number]
        posture = frame.posed[chain.columns].copy()
        strength, horizontal, vertical = wanted_of(frame.blend, chain)
        share = strength * self._within_grid(bound, -horizontal, vertical)
        if share < 1.0 or len(self._chains) > 1:
            super().step(frame)
        if share <= 0.0:
            return
        example = np.zeros(len(posture))
        for name, weight in self._mixture(bound, posture).items():
            example += weight * bound.postures.posture(name, -horizontal, vertical)
        solved = frame.posed[chain.columns]
        frame.posed[chain.columns] = solved + share * (example - solved)

    @staticmethod
    def _within_grid(bound: _Bound, yaw: float, elevation: float) -> float:
        """1 on the grid, falling to 0 a little beyond it."""
        yaws, elevations = bound.postures.yaws_rad, bound.postures.elevations_rad
        beyond = max(
            yaws[0] - yaw, yaw - yaws[-1], elevations[0] - elevation, elevation - elevations[-1]
        )
        return min(1.0, max(0.0, 1.0 - beyond / MARGIN_RAD))

    @staticmethod
    def _mixture(bound: _Bound, posture: FloatArray) -> dict[str, float]:
        """Which expressions a posture is between: the two nearest, by where it lies on the way."""
        names = bound.postures.expressions
        away = np.linalg.norm(bound.rests - posture, axis=1)
        nearest = np.argsort(away, kind="stable")
        first = int(nearest[0])
        if len(names) == 1 or away[first] == 0.0:
            return {names[first]: 1.0}
        best = (math.inf, first, 0.0)
        from_first = posture - bound.rests[first]
        for second in nearest[1:].tolist():
            way = bound.rests[second] - bound.rests[first]
            length = float(way @ way)
            if length == 0.0:
                continue
            part = min(1.0, max(0.0, float(from_first @ way) / length))
            beside = from_first - part * way
            off = math.sqrt(float(beside @ beside))
            if off < best[0] - 1e-9:
                best = (off, second, part)
        _, second, part = best
        return (
            {names[first]: 1.0 - part, names[second]: part}
            if second != first
            else {names[first]: 1.0}
        )
