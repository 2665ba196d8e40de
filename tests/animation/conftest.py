"""Programs from a few lines, on the bodies that are delivered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sera.animation.assets import AnimatedChannel, Animation, Curve, Key
from sera.animation.assets.repertoire import load_repertoire
from sera.animation.body import Body, load_body
from sera.animation.channels import Unit
from sera.animation.engine import Engine
from sera.animation.program import Program, load_program

CHANNEL = "Torso.Twist"
ROBOTS = Path(__file__).parents[2] / "robots"


@cache
def body_of(name: str) -> Body:
    return load_body(ROBOTS / name)


@cache
def repertoire_of(name: str) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    found = load_repertoire(body_of(name), ROBOTS / "shared")
    return found.animations, {each: dict(p.values) for each, p in found.postures.items()}


@pytest.fixture
def program_of(tmp_path: Path) -> Callable[..., Program]:
    """Load a program from its text, for Keepon unless told otherwise."""

    def load(text: str, robot: str = "keepon", **more: Any) -> Program:
        path = tmp_path / "program.toml"
        path.write_text(text, encoding="utf-8")
        animations, postures = repertoire_of(robot)
        given = {"animations": animations, "postures": postures, **more}
        return load_program(path, body_of(robot), **given)

    return load


@pytest.fixture
def blended() -> Callable[..., list[float]]:
    """What the layers make of a channel, frame by frame, before rules and filter."""

    def run(engine: Engine, channel: str, frames: int) -> list[float]:
        column = engine.layout.index(channel)
        values = []
        for _ in range(frames):
            engine.step()
            values.append(float(engine.blend.values[column]))
        return values

    return run


@pytest.fixture
def ramp_of() -> Callable[..., Animation]:
    """An animation of one channel that rises steadily to 1 (radian) in `length_s`."""

    def make(name: str, length_s: float = 1.0, channel: str = CHANNEL, **more: Any) -> Animation:
        keys = [Key(0.0, 0.0, "linear", "linear"), Key(length_s, 1.0, "linear", "linear")]
        curve = Curve.through(keys)
        given = {"fade_s": 0.0, "additive": False, **more}
        return Animation(name, (AnimatedChannel(channel, Unit.RADIAN, curve),), **given)

    return make
