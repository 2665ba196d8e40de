"""Compiled enslaving does what the rules say, on every body."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import Body, load_body
from sera.animation.channels import OWN_SET
from sera.animation.engine import compile_rules
from sera.animation.frame.layout import ChannelLayout

REPOSITORY = Path(__file__).parents[3]
BODIES = sorted(file.parent for file in (REPOSITORY / "robots").glob("*/body.toml"))


def layout_of(body: Body) -> ChannelLayout:
    return ChannelLayout(tuple(body.channels.values()))


def applied(body: Body, values: dict[str, float]) -> dict[str, float]:
    layout = layout_of(body)
    numbers, masks = layout.neutral.copy(), np.zeros(len(layout), dtype=np.uint8)
    for name, value in values.items():
        numbers[layout.index(name)] = value
        masks[layout.index(name)] = 1
    own = layout.neutral.copy()
    compile_rules(layout, body.rules).apply(numbers, masks, own)
    return {name: float(own[layout.index(f"{OWN_SET}.{name}")]) for name in body.own}


@pytest.mark.parametrize("folder", BODIES, ids=lambda folder: folder.name)
def test_each_generic_channel_alone_does_what_its_rule_says(folder):
    body = load_body(folder)
    for name in body.rules:  # what only chains aim by has none
        spec = body.generic[name]
        for share in (0.0, 0.3, 0.8, 1.0):
            value = spec.from_percent(share)
            moved = applied(body, {name: value})
            wanted = body.rules[name].distribute(value, body.own)
            at_rest = body.rules[name].distribute(spec.neutral, body.own)
            for target, offset in wanted.items():
                own = body.own[target]
                expected = own.clamp(own.neutral + offset - at_rest[target])
                assert moved[target] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("folder", BODIES, ids=lambda folder: folder.name)
def test_whatever_the_generic_channels_say_own_ones_stay_within_their_ranges(folder):
    body = load_body(folder)
    generator = np.random.default_rng(2)
    for _ in range(50):
        values = {name: float(generator.normal(0.0, 5.0)) for name in body.generic}
        for name, value in applied(body, values).items():
            assert body.own[name].lower <= value <= body.own[name].upper


def test_what_is_not_animated_or_no_number_moves_nothing():
    body = load_body(REPOSITORY / "robots" / "pepper")
    still = applied(body, {})
    assert still == {name: spec.neutral for name, spec in body.own.items()}
    assert applied(body, {"Gazing.Horizontal": math.nan}) == still
    assert applied(body, {"Torso.Lean": math.inf}) == still


def test_two_channels_that_move_one_joint_add_up_within_its_range():
    body = load_body(REPOSITORY / "robots" / "adelino")
    together = applied(body, {"Gazing.Horizontal": 0.5, "Torso.Twist": 0.4})
    assert together["base"] == pytest.approx(-0.9)
    assert applied(body, {"Gazing.Horizontal": 1.5, "Torso.Twist": 1.5})["base"] == pytest.approx(
        -math.pi / 2
    )
