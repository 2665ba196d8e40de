"""Nothing leaves the engine outside its limits: random orders, and a layer gone mad.

Design overview: the body's own program runs under random messages of every kind; on top lies a
layer that writes anything into any channel, numbers of all sizes and none at all among it. Every
frame is compared with the range and with velocity, acceleration and jerk by differences.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sera.animation.animator import Animator
from sera.animation.engine import Controller, Engine, Layer, Row
from sera.animation.frame import BlendMode
from sera.animation.stage_set import StageSet
from sera.messages import (
    Direction,
    EmergencyStop,
    Gaze,
    Message,
    Pad,
    PlayAnimation,
    Point,
    SetEmotion,
    SetLayer,
    SetMood,
    SetPosture,
    SpeechFinished,
    SpeechWord,
    StopAnimation,
)

SLACK = 1e-6
"""Relative; what rounding may do to a third difference."""
_SIZES = (0.1, 1.0, 10.0, 1e3, 1e12, 1e300)


@dataclass(frozen=True)
class LimitsResult:
    """What a body did under fuzzed orders."""

    robot: str
    frames: int
    exceeded: int
    """Frames in which some own channel left its range, velocity, acceleration or jerk."""
    orders: int
    refused: int
    worst: str | None
    """The first channel that broke a limit, and which."""


class Madness(Controller):
    """Writes anything anywhere."""

    def __init__(self, seed: int) -> None:
        """Be mad in the same way for the same seed."""
        self.name = "madness"
        self._chance = random.Random(seed)  # noqa: S311 - a test's chance

    def bind(self, row: Row) -> None:
        self._row = row
        self._wild: dict[int, float] = {}

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        chance = self._chance
        if chance.random() < 0.1:
            count = len(self._row.layout)
            self._wild = {
                chance.randrange(count): self._anything() for _ in range(chance.randrange(6))
            }
        for column, value in self._wild.items():
            self._row.write(column, value)

    def _anything(self) -> float:
        chance = self._chance
        if chance.random() < 0.01:
            return chance.choice((math.nan, math.inf, -math.inf))
        return chance.uniform(-1.0, 1.0) * chance.choice(_SIZES)


def measure_limits(stage_set: StageSet, frames: int, seed: int = 0) -> LimitsResult:
    """Run a body's program under random orders for so many frames."""
    chance = random.Random(seed)  # noqa: S311 - a test's chance
    animator = Animator(stage_set.program())
    mad = Layer("madness", [Madness(seed)], mode=BlendMode.OVERRIDE, weight=0.7)
    animator.engine = engine = Engine(
        stage_set.body,
        (*animator.program.layers, mad),
        signals=animator.program.signals,
        stages=animator.program.stages,
    )
    orders = _Orders(animator, chance, stage_set.repertoire().animations)
    checker = _Checker(engine)
    for _ in range(frames):
        if chance.random() < 0.05:
            orders.give()
        if mad.controllers[0].muted:  # it wrote what is no number: let it go on
            mad.controllers[0].muted = False
        checker.check(engine.step())
    return LimitsResult(
        stage_set.body.name, frames, checker.exceeded, orders.given, animator.refused, checker.worst
    )


class _Checker:
    """Differences of the frames against the limits."""

    def __init__(self, engine: Engine) -> None:
        specs = list(engine.body.own.values())
        step_s = engine.step_s
        self._names = list(engine.body.own)
        self._lower = np.array([spec.lower for spec in specs]) - SLACK
        self._upper = np.array([spec.upper for spec in specs]) + SLACK
        rates = [
            [min(spec.max_velocity, 1e9) for spec in specs],
            [min(spec.max_acceleration, 1e9) for spec in specs],
            [min(spec.max_jerk, 1e9) for spec in specs],
        ]
        self._most = [
            np.array(rate) * step_s**power * (1.0 + SLACK) + 1e-12
            for power, rate in enumerate(rates, start=1)
        ]
        start = np.array(list(engine.pose.values()))
        self._last = [start, np.zeros_like(start), np.zeros_like(start)]
        self.exceeded = 0
        self.worst: str | None = None

    def check(self, frame: np.ndarray) -> None:
        wrong = (frame < self._lower) | (frame > self._upper) | ~np.isfinite(frame)
        found = [("range", wrong)]
        change = frame
        for power, name in enumerate(("velocity", "acceleration", "jerk")):
            change, self._last[power] = change - self._last[power], change
            found.append((name, np.abs(change) > self._most[power]))
        broken = [(name, where) for name, where in found if where.any()]
        if broken:
            self.exceeded += 1
            name, where = broken[0]
            self.worst = self.worst or f"{name} of {self._names[int(np.argmax(where))]}"


class _Orders:
    """Random orders, most of them possible."""

    def __init__(
        self, animator: Animator, chance: random.Random, animations: Iterable[str]
    ) -> None:
        self._animator, self._chance = animator, chance
        self._animations = [*animations, "no_such"]
        self._layers = [layer.name for layer in animator.program.layers] + ["no_such"]
        self.given = 0

    def give(self) -> None:
        self.given += 1
        try:
            self._animator.handle(self._order(), str(self.given))
        except (LookupError, ValueError):
            return  # refused, as it should be

    def _order(self) -> Message:
        chance = self._chance
        anywhere = Direction(
            horizontal_deg=chance.uniform(-180, 180), vertical_deg=chance.uniform(-90, 90)
        )
        feeling = Pad(**{name: chance.uniform(-1.0, 1.0) for name in Pad.model_fields})
        choices: list[Message] = [
            SetEmotion(pad=feeling, blend_s=chance.choice((0.0, 0.2, 1.0))),
            SetMood(pad=feeling),
            Gaze(direction=anywhere, speed=chance.uniform(0.1, 10.0)),
            Point(direction=anywhere, arm=chance.choice(("left", "right", None))),
            SetPosture(
                posture=chance.choice(("hot", "cold", "neutral", "no_such")),
                weight=chance.random(),
                blend_s=chance.choice((0.0, 0.3)),
            ),
            SetLayer(
                layer=chance.choice(self._layers),
                weight=chance.random(),
                fade_s=chance.choice((0.0, 0.2)),
            ),
            SpeechWord(speech="x", index=0, text="wonderful", start_s=0.0),
            SpeechFinished(speech="x", duration_s=1.0),
            StopAnimation(fade_s=chance.choice((0.0, 0.2))),
            EmergencyStop(),
        ]
        play = PlayAnimation(
            animation=chance.choice(self._animations),
            speed=chance.uniform(0.1, 10.0),
            amplitude=chance.uniform(0.0, 2.0),
            fade_s=chance.choice((None, 0.0)),
        )
        return chance.choice([*choices, play, play, play])
