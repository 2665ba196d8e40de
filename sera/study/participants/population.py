"""Persons of a seeded population: how they walk, look, learn, tire and answer.

The figures are plausible for young adults, chosen so that the game of AvantSatie comes out with
effects of the published size; they were measured on nobody. A person depends on the seed of the
population and on his or her number alone, whatever the condition.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """What one person is like."""

    head_m: float
    """Height of the eyes above the floor."""
    walking_m_s: float
    """Speed between two places."""
    reaction_s: float
    """From a decision to the first movement."""
    attention: float
    """How often the robot is looked at after a guess, 0-1."""
    noise_m: float
    """Spread of errors in seeing where a part of a body is."""
    caution: float
    """How many examples it takes to believe in a meaning."""
    cleverness: float
    """How much of what a posture says is used in the next choice, 0-1."""
    memory: float
    """How probable it is to remember that a key was tried, 0-1."""
    musicality: float
    """How much a next note is expected to be near the one before, 0-1."""
    laziness: float
    """How much a far key is avoided."""
    thinking_s: float
    """Time for making sense of a posture that means something."""
    patience_s: float
    """How long somebody watches a robot that does not move."""
    fatigue_per_s: float
    """Share of the attention that is gone after each second."""
    agreement: float
    """Leaning towards high answers, in points of a six-point scale."""
    answer_noise: float
    """Spread of answers, in points of a six-point scale."""
    age: int


def draw_person(seed: int | str, number: int) -> Person:
    """One person of the population of that seed."""
    chance = random.Random(f"population/{seed}/{number}")  # noqa: S311  # not for secrets

    def spread(median: float, factor: float) -> float:
        return median * math.exp(chance.gauss(0.0, math.log(factor)))

    def within(low: float, value: float, high: float) -> float:
        return min(max(value, low), high)

    return Person(
        head_m=within(1.35, chance.gauss(1.6, 0.09), 1.9),
        walking_m_s=within(0.6, chance.gauss(1.1, 0.15), 1.7),
        reaction_s=within(0.25, spread(0.45, 1.25), 1.2),
        attention=within(0.1, chance.betavariate(3.0, 1.6), 1.0),
        noise_m=within(0.02, spread(0.07, 1.5), 0.3),
        caution=within(1.0, spread(7.0, 1.7), 30.0),
        cleverness=within(0.02, 0.7 * chance.betavariate(1.0, 2.4), 1.0),
        memory=within(0.4, chance.betavariate(6.0, 1.2), 1.0),
        musicality=chance.betavariate(2.0, 2.5),
        laziness=within(0.0, chance.gauss(0.12, 0.06), 0.4),
        thinking_s=within(0.3, spread(1.5, 1.4), 4.0),
        patience_s=within(0.3, spread(0.8, 1.4), 2.5),
        fatigue_per_s=within(0.0, chance.gauss(0.0005, 0.0002), 0.002),
        agreement=chance.gauss(0.3, 0.5),
        answer_noise=within(0.4, spread(0.9, 1.3), 2.0),
        age=round(within(18, 18 + spread(4.3, 1.8), 35)),
    )
