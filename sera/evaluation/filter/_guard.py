"""What the guard changes: a joint sent from end to end, and presets held at the set-point."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sera.evaluation.filter._document_form import document_form
from sera.evaluation.filter._measure import Measures, Response, measure_step, respond
from sera.evaluation.filter._signals import RATE_HZ, simple_signal
from sera.kinematics._arrays import FloatArray
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, Preset, preset


@dataclass(frozen=True)
class GuardMeasures:
    """How one form treats the joint's limits; a share of 1 is exactly the limit."""

    form: str
    beyond_range: float  # negative: how far it stayed away from the nearer end
    share_of_acceleration: float
    share_of_jerk: float


def guard_example() -> tuple[Preset, FloatArray]:
    """A joint of ±1.5 rad that is sent from one end of its range to the other."""
    limits = FilterLimits(velocity=8.0, acceleration=40.0, jerk=1200.0, lower=-1.5, upper=1.5)
    character = FilterCharacter(0.1, 0.0, 8.0, limiter=Limiter.HARD)
    time_s = np.arange(round(2.4 * RATE_HZ)) / RATE_HZ
    signal = np.where(time_s < 0.2, 0.0, np.where(time_s < 1.3, 1.5, -1.5))
    return Preset("joint", "driven into its range", limits, character), signal


def guard_responses() -> dict[str, Response]:
    """The example in the document's form, in the same clamped, and with the guard."""
    example, signal = guard_example()
    responses = {}
    for title, clamped in (("the document's form", False), ("the document's form, clamped", True)):
        positions = document_form(
            signal, 0.0, example.limits, example.character, rate_hz=RATE_HZ, clamped=clamped
        )
        responses[title] = Response(signal, positions, 0.0, RATE_HZ)
    responses["with the stopping guard"] = respond(signal, example)
    return responses


def measure_guard() -> list[GuardMeasures]:
    """What the three forms do to the range, the acceleration and the jerk of the example."""
    example, _ = guard_example()
    _, (acceleration,), (jerk,) = example.limits.rates(1, 3)
    (lower,), (upper,) = example.limits.ends(1)
    return [
        GuardMeasures(
            form,
            float(np.max(np.maximum(response.positions - upper, lower - response.positions))),
            float(np.max(np.abs(response.differences(2))) / acceleration),
            float(np.max(np.abs(response.differences(3))) / jerk),
        )
        for form, response in guard_responses().items()
    ]


def measure_without_overshoot() -> dict[tuple[str, Limiter], Measures]:
    """Presets B and C on the simple signal, with the guard at the set-point."""
    found = {}
    for name in "BC":
        for limiter in Limiter:
            example = preset(name).with_limiter(limiter)
            held = replace(example, character=replace(example.character, overshoot=0.0))
            found[name, limiter] = measure_step(respond(simple_signal(), held))
    return found
