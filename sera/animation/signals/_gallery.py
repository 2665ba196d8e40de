"""A sheet with the curves of all signals, for looking at them.

Each panel is one signal at 100 Hz with its default or telling settings. matplotlib is needed for
this alone and is imported when the sheet is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sera.animation.signals.anticipation import Anticipation, AnticipationSettings
from sera.animation.signals.asymmetry import Asymmetry, AsymmetrySettings
from sera.animation.signals.blinking import Blinking, BlinkSettings
from sera.animation.signals.breathing import Breathing, BreathingSettings
from sera.animation.signals.delay import Delay, DelaySettings
from sera.animation.signals.ease import EaseShape, ease
from sera.animation.signals.exaggeration import Exaggeration, ExaggerationSettings
from sera.animation.signals.expression import Expression, ExpressionSettings
from sera.animation.signals.follow_through import FollowThrough, FollowThroughSettings
from sera.animation.signals.gaze_arc import GazeArc, GazeArcSettings
from sera.animation.signals.lookup import Lookup, LookupSettings, TableEnds
from sera.animation.signals.low_pass import LowPass, LowPassSettings
from sera.animation.signals.mirror import Mirror, MirrorSettings
from sera.animation.signals.mouth import MouthCurve
from sera.animation.signals.nod import Nod, NodKind, NodSettings
from sera.animation.signals.noise import Noise, NoiseSettings
from sera.animation.signals.saccades import Saccades, SaccadeSettings
from sera.animation.signals.slow_in_out import SlowInOut, SlowInOutSettings
from sera.animation.signals.spring import Spring, SpringSettings
from sera.animation.signals.squash import Squash, SquashSettings
from sera.animation.signals.sway import SpeechSway, SpeechSwaySettings, Word
from sera.animation.signals.trigger import Trigger
from sera.animation.signals.wave import Wave, WaveSettings, WaveShape

_DT_S = 0.01
_SEED = 7

Row = tuple[float, ...]
Panel = tuple[str, tuple[str, ...], float, Callable[[], Callable[[float], Row]]]
"""Title, names of the curves, seconds, and what makes a function from the time to their values."""


def draw_gallery(path: Path) -> None:
    """Write a PNG with one panel for each signal."""
    from matplotlib.figure import Figure

    panels = _panels()
    columns = 4
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(5.0 * columns, 2.6 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, (title, names, seconds, make) in zip(axes, panels, strict=False):
        function = make()
        times = [_DT_S * number for number in range(1, round(seconds / _DT_S) + 1)]
        curves = list(zip(*[function(time) for time in times], strict=True))
        for name, curve in zip(names, curves, strict=True):
            axis.plot(times, curve, label=name, linewidth=1.3)
        axis.set_title(title, fontsize=10)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=7)
        axis.legend(fontsize=7, loc="best")
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    figure.savefig(path, dpi=80)


def _panels() -> Sequence[Panel]:
    return [
        ("wave", ("sine", "square", "triangle"), 2.0, _waves),
        ("noise, 1 and 3 octaves", ("1", "3"), 10.0, _noises),
        ("breathing, aroused after 20 s", ("lungs",), 40.0, _breathing),
        ("blinking", ("lid",), 20.0, _blinking),
        ("one blink", ("lid",), 0.5, _one_blink),
        ("saccades", ("yaw", "pitch"), 8.0, _saccades),
        ("nod and shake, 3", ("nod", "shake"), 3.0, _nods),
        ("gaze arc, 60° left and right", ("yaw", "pitch"), 4.0, _arc),
        ("speech sway (tenfold) and mouth", ("sway", "mouth"), 3.0, _speech),
        ("mouth by a curve that breaks off", ("mouth",), 1.0, _mouth),
        ("anticipation", ("target", "value"), 3.0, _anticipation),
        ("exaggeration", ("in", "out"), 4.0, _exaggeration),
        ("asymmetry", ("left", "right"), 3.0, _asymmetry),
        ("follow-through", ("lead", "trail"), 3.0, _follow_through),
        ("squash and stretch", ("height", "width"), 2.0, _squash),
        ("ease", tuple(EaseShape), 1.0, _eases),
        ("slow in/out, target changes", ("target", "value"), 3.0, _slow_in_out),
        ("spring, damping 0.3, 1, 2", ("0.3", "1", "2"), 2.0, _springs),
        ("delay 0.3 s", ("in", "out"), 2.0, _delay),
        ("mirror", ("in", "out"), 2.0, _mirror),
        ("look-up table", ("clamped", "extrapolated"), 2.0, _lookup),
        ("trigger", ("wire", "active"), 2.0, _trigger),
        ("clamp(2 * sin(x), -1, 1.5)", ("value",), 7.0, _expression),
        ("low-pass and one-euro", ("in", "plain", "one-euro"), 4.0, _low_pass),
    ]


def _target(time_s: float) -> float:
    """A signal that steps to 1 and back."""
    return 1.0 if 0.3 <= time_s < 1.7 else 0.0


def _sine(time_s: float) -> float:
    return ease(EaseShape.SINE, abs(2.0 * ((0.7 * time_s) % 1.0) - 1.0))


def _waves() -> Callable[[float], Row]:
    waves = [Wave(WaveSettings(shape=shape)) for shape in WaveShape]
    return lambda _time: tuple(wave.step(_DT_S) for wave in waves)


def _noises() -> Callable[[float], Row]:
    noises = [Noise(NoiseSettings(octaves=count), _SEED) for count in (1, 3)]
    return lambda _time: tuple(noise.step(_DT_S) for noise in noises)


def _breathing() -> Callable[[float], Row]:
    breathing = Breathing(BreathingSettings(), _SEED)
    return lambda time: (breathing.step(_DT_S, 0.0 if time < 20.0 else 1.0),)


def _blinking() -> Callable[[float], Row]:
    blinking = Blinking(BlinkSettings(double_share=0.4), _SEED)
    return lambda _time: (blinking.step(_DT_S),)


def _one_blink() -> Callable[[float], Row]:
    blinking = Blinking(BlinkSettings(double_share=0.0), _SEED)
    blinking.blink_now()
    return lambda _time: (blinking.step(_DT_S),)


def _saccades() -> Callable[[float], Row]:
    saccades = Saccades(SaccadeSettings(), _SEED)
    return lambda _time: saccades.step(_DT_S)


def _nods() -> Callable[[float], Row]:
    nods = [Nod(NodSettings(kind=kind)) for kind in NodKind]
    for nod in nods:
        nod.start(3)
    return lambda _time: tuple(nod.step(_DT_S) for nod in nods)


def _arc() -> Callable[[float], Row]:
    arc = GazeArc(GazeArcSettings())

    def yaw(time_s: float) -> float:
        if time_s < 0.3 or time_s >= 3.0:
            return 0.0
        return -1.047 if time_s < 1.5 else 1.047

    return lambda time: arc.step(_DT_S, yaw(time), 0.0)


def _speech() -> Callable[[float], Row]:
    speech = SpeechSway(SpeechSwaySettings())
    speech.begin([Word(0.2, 0.4), Word(0.4, 0.95, 0.9), Word(1.1, 1.3, 0.1), Word(1.3, 1.9, 1.0)])

    def values(_time: float) -> Row:
        sway, mouth = speech.step(_DT_S)
        return 10.0 * sway, mouth

    return values


def _mouth() -> Callable[[float], Row]:
    mouth = MouthCurve()
    mouth.begin([(0.1, 0.0), (0.2, 0.8), (0.3, 0.3), (0.4, 1.0), (0.6, 0.6), (0.9, 0.0)])

    def values(time: float) -> Row:
        if 0.65 <= time < 0.65 + _DT_S:
            mouth.stop()
        return (mouth.step(_DT_S),)

    return values


def _anticipation() -> Callable[[float], Row]:
    signal = Anticipation(AnticipationSettings())
    return lambda time: (_target(time), signal.step(_DT_S, _target(time)))


def _exaggeration() -> Callable[[float], Row]:
    wave = Wave(WaveSettings(amplitude=0.8, frequency_hz=0.5))
    signal = Exaggeration(ExaggerationSettings(contrast=1.8))

    def values(time_s: float) -> Row:
        value = wave.step(_DT_S, gain=time_s / 4.0)
        return value, signal.step(_DT_S, value)

    return values


def _asymmetry() -> Callable[[float], Row]:
    signal = Asymmetry(AsymmetrySettings())
    return lambda time: signal.step(_DT_S, _sine(time), _sine(time))


def _follow_through() -> Callable[[float], Row]:
    lead = SlowInOut(SlowInOutSettings(duration_s=0.3))
    trail = FollowThrough(FollowThroughSettings(overshoot=0.2))

    def values(time_s: float) -> Row:
        value = lead.step(_DT_S, _target(time_s))
        return value, trail.step(_DT_S, value)

    return values


def _squash() -> Callable[[float], Row]:
    wave = Wave(WaveSettings())
    signal = Squash(SquashSettings())
    return lambda _time: signal.step(_DT_S, wave.step(_DT_S))


def _eases() -> Callable[[float], Row]:
    return lambda time: tuple(ease(shape, time) for shape in EaseShape)


def _slow_in_out() -> Callable[[float], Row]:
    signal = SlowInOut(SlowInOutSettings())

    def target(time_s: float) -> float:
        if time_s < 0.3:
            return 0.0
        return 1.0 if time_s < 0.6 or time_s >= 1.5 else -0.5

    return lambda time: (target(time), signal.step(_DT_S, target(time)))


def _springs() -> Callable[[float], Row]:
    springs = [Spring(SpringSettings(damping_ratio=ratio)) for ratio in (0.3, 1.0, 2.0)]
    return lambda _time: tuple(spring.step(_DT_S, 1.0) for spring in springs)


def _delay() -> Callable[[float], Row]:
    signal = Delay(DelaySettings(delay_s=0.3))
    return lambda time: (_sine(time), signal.step(_DT_S, _sine(time)))


def _mirror() -> Callable[[float], Row]:
    signal = Mirror(MirrorSettings())
    return lambda time: (_sine(time), signal.step(_DT_S, _sine(time)))


def _lookup() -> Callable[[float], Row]:
    points = ((0.4, 0.0), (0.8, 1.0), (1.2, 0.6), (1.6, 0.8))
    tables = [Lookup(LookupSettings(points=points, ends=ends)) for ends in TableEnds]
    return lambda time: tuple(table.step(_DT_S, time) for table in tables)


def _trigger() -> Callable[[float], Row]:
    trigger = Trigger()

    def values(time_s: float) -> Row:
        wire = 0.4 <= time_s < 0.6 or 1.2 <= time_s < 1.25
        return 0.9 * wire, float(trigger.step(_DT_S, wire))

    return values


def _expression() -> Callable[[float], Row]:
    signal = Expression(ExpressionSettings(text="clamp(2 * sin(x), -1, 1.5)", inputs=("x",)))
    return lambda time: (signal.step(_DT_S, (time,)),)


def _low_pass() -> Callable[[float], Row]:
    tremble = Noise(NoiseSettings(amplitude=0.1, frequency_hz=20.0), _SEED)
    plain = LowPass(LowPassSettings())
    quick = LowPass(LowPassSettings(speed_factor=0.3))

    def values(time_s: float) -> Row:
        value = _target(time_s - 1.0) + tremble.step(_DT_S)
        return value, plain.step(_DT_S, value), quick.step(_DT_S, value)

    return values
