"""What all signals share: finite outputs, exact repetition, clear sentences for bad settings."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation import signals as s

WORDS = [s.Word(0.0, 0.4), s.Word(0.4, 0.9, 1.0), s.Word(1.2, 1.5, 0.0)]
STEPS_S = st.floats(0.001, 0.5)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def started_nod() -> s.Nod:
    nod = s.Nod(s.NodSettings())
    nod.start(3)
    return nod


def started_sway() -> s.SpeechSway:
    sway = s.SpeechSway(s.SpeechSwaySettings())
    sway.begin(WORDS)
    return sway


def started_ease() -> s.EaseMove:
    move = s.EaseMove(s.EaseSettings())
    move.start(-1.0, 1.0)
    return move


SIGNALS: dict[str, tuple[Callable[[], Any], int]] = {
    "wave": (lambda: s.Wave(s.WaveSettings()), 2),
    "triangle": (lambda: s.Wave(s.WaveSettings(shape=s.WaveShape.TRIANGLE)), 2),
    "noise": (lambda: s.Noise(s.NoiseSettings(octaves=4), 1), 2),
    "breathing": (lambda: s.Breathing(s.BreathingSettings(), 1), 1),
    "blinking": (lambda: s.Blinking(s.BlinkSettings(), 1), 0),
    "saccades": (lambda: s.Saccades(s.SaccadeSettings(), 1), 1),
    "nod": (started_nod, 0),
    "gaze_arc": (lambda: s.GazeArc(s.GazeArcSettings()), 2),
    "sway": (started_sway, 0),
    "anticipation": (lambda: s.Anticipation(s.AnticipationSettings()), 1),
    "exaggeration": (lambda: s.Exaggeration(s.ExaggerationSettings(follows_s=1.0)), 2),
    "asymmetry": (lambda: s.Asymmetry(s.AsymmetrySettings(scale=2.0)), 2),
    "follow_through": (lambda: s.FollowThrough(s.FollowThroughSettings(overshoot=0.4)), 1),
    "squash": (lambda: s.Squash(s.SquashSettings()), 1),
    "ease": (started_ease, 0),
    "slow_in_out": (lambda: s.SlowInOut(s.SlowInOutSettings()), 1),
    "spring": (lambda: s.Spring(s.SpringSettings(damping_ratio=0.02, frequency_hz=50.0)), 1),
    "creeping_spring": (lambda: s.Spring(s.SpringSettings(damping_ratio=10.0)), 1),
    "delay": (lambda: s.Delay(s.DelaySettings()), 1),
    "mirror": (lambda: s.Mirror(s.MirrorSettings()), 1),
    "lookup": (
        lambda: s.Lookup(
            s.LookupSettings(points=((0.0, 0.0), (1e-8, 1e9)), ends=s.TableEnds.EXTRAPOLATE)
        ),
        1,
    ),
    "low_pass": (lambda: s.LowPass(s.LowPassSettings(speed_factor=1000.0)), 1),
}
RANDOM = ("noise", "breathing", "blinking", "saccades")


def outputs(result: float | tuple[float, ...]) -> tuple[float, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", SIGNALS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_finite_inputs_give_finite_outputs_at_any_step_length(name, data):
    make, inputs = SIGNALS[name]
    signal = make()
    frames = data.draw(st.lists(st.tuples(STEPS_S, *[ANY] * inputs), min_size=1, max_size=40))
    for frame in frames:
        assert all(math.isfinite(value) for value in outputs(signal.step(*frame)))


@pytest.mark.parametrize("name", SIGNALS)
def test_the_same_steps_give_the_same_curve(name):
    make, inputs = SIGNALS[name]
    random = np.random.default_rng(3)
    frames = np.column_stack([random.uniform(0.001, 0.5, 300), random.normal(size=(300, inputs))])
    first, second = make(), make()
    for frame in frames.tolist():
        assert first.step(*frame) == second.step(*frame)


@pytest.mark.parametrize("name", [n for n in SIGNALS if n not in {"nod", "sway", "ease"}])
def test_a_reset_starts_the_same_curve_again(name):
    make, inputs = SIGNALS[name]
    signal = make()
    frames = [(0.02, *[math.sin(0.1 * number)] * inputs) for number in range(200)]
    before = [signal.step(*frame) for frame in frames]
    signal.reset()
    assert [signal.step(*frame) for frame in frames] == before


@pytest.mark.parametrize("name", SIGNALS)
def test_a_step_keeps_no_memory(name):
    make, inputs = SIGNALS[name]
    signal = make()
    zeros = [0.25] * inputs

    def run():
        for _ in range(2000):
            signal.step(0.01, *zeros)

    run()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        run()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A delay's ring is as long as ever, but its numbers are made anew: at most 24 bytes each.
    assert after - before < 8000


@pytest.mark.parametrize("name", RANDOM)
def test_another_seed_gives_another_curve(name):
    kinds = {
        "noise": lambda seed: s.Noise(s.NoiseSettings(), seed),
        "breathing": lambda seed: s.Breathing(s.BreathingSettings(), seed),
        "blinking": lambda seed: s.Blinking(s.BlinkSettings(), seed),
        "saccades": lambda seed: s.Saccades(s.SaccadeSettings(), seed),
    }

    def curve(seed):
        signal = kinds[name](seed)
        return [signal.step(0.02) for _ in range(1000)]

    assert curve(1) != curve(2)
    assert curve(np.random.default_rng(5)) == curve(np.random.default_rng(5))


def test_a_seed_must_be_a_whole_number():
    for bad in (-1, 1.5, True, "seven"):
        with pytest.raises(ValueError, match="seed"):
            s.Noise(s.NoiseSettings(), bad)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: s.WaveSettings(shape="round"), "sine, square, triangle"),
        (lambda: s.WaveSettings(frequency_hz=-1.0), "frequency_hz is -1"),
        (lambda: s.NoiseSettings(amplitude=math.nan), "amplitude is nan"),
        (lambda: s.NoiseSettings(octaves=2.5), "octaves"),
        (lambda: s.NoiseSettings(octaves="two"), "octaves is 'two'"),
        (lambda: s.BreathingSettings(inhale_share=0.6, exhale_share=0.6), "room for 1"),
        (lambda: s.BlinkSettings(closing_s=0.3), "closes faster than it opens"),
        (lambda: s.BlinkSettings(mean_interval_s=0.5), "mean_interval_s"),
        (lambda: s.SaccadeSettings(radius_rad=math.inf), "radius_rad"),
        (lambda: s.NodSettings(kind="bow"), "nod, shake"),
        (lambda: s.GazeArcSettings(dip_share=2.0), "dip_share is 2"),
        (lambda: s.SpeechSwaySettings(mouth_opening=1.1), "mouth_opening"),
        (lambda: s.AnticipationSettings(back_s=0.0), "back_s"),
        (lambda: s.ExaggerationSettings(lower=1.0, upper=0.0), "must be the larger"),
        (lambda: s.AsymmetrySettings(late_side="top"), "left, right"),
        (lambda: s.FollowThroughSettings(overshoot=0.9), "overshoot"),
        (lambda: s.SquashSettings(lateral_axes=3), "give 1 or 2"),
        (lambda: s.EaseSettings(shape="wobbly"), "slow-in"),
        (lambda: s.SlowInOutSettings(duration_s=0.0), "duration_s"),
        (lambda: s.SpringSettings(damping_ratio=0.0), "damping_ratio"),
        (lambda: s.DelaySettings(delay_s=-0.1), "delay_s"),
        (lambda: s.MirrorSettings(centre=math.inf), "centre"),
        (lambda: s.LookupSettings(points=((0.0, 1.0),)), "at least 2"),
        (lambda: s.LookupSettings(points=((0.0, 1.0), (0.0, 2.0))), "sort the points"),
        (lambda: s.LookupSettings(ends="stop"), "clamp, extrapolate"),
        (lambda: s.LowPassSettings(cutoff_hz=0.0), "cutoff_hz"),
    ],
)
def test_a_bad_setting_is_named_with_what_to_give(make, named):
    with pytest.raises(ValueError, match=named):
        make()
