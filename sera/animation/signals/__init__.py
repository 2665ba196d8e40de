"""Signals: the maths of animation controllers, without an engine around them.

Design overview: each file is one signal: frozen settings, checked when they are made, and a small
object with `step(dt_s, …)` and `reset()`. A step advances by `dt_s` and gives the value at its
end. Random ones take a seed or a numpy Generator and repeat exactly after a reset. The engine's
controllers wrap them.
Units and frames: radians, seconds, hertz; where a signal has no unit of its own it keeps its
input's.
Threading: a signal belongs to one owner; none looks at a clock, blocks, or grows while it runs.
Safety: finite inputs give finite outputs for steps from 1 ms to 0.5 s; limits of a body are the
engine's.
"""

from __future__ import annotations

from sera.animation.signals._checks import RandomSource
from sera.animation.signals._fade import Fade
from sera.animation.signals._minimum_jerk import MinimumJerkMove
from sera.animation.signals.anticipation import Anticipation, AnticipationSettings
from sera.animation.signals.asymmetry import Asymmetry, AsymmetrySettings, Side
from sera.animation.signals.blinking import Blinking, BlinkSettings
from sera.animation.signals.breathing import Breathing, BreathingSettings
from sera.animation.signals.delay import Delay, DelaySettings
from sera.animation.signals.ease import EaseMove, EaseSettings, EaseShape, ease
from sera.animation.signals.exaggeration import Exaggeration, ExaggerationSettings
from sera.animation.signals.expression import Expression, ExpressionProblem, ExpressionSettings
from sera.animation.signals.follow_through import FollowThrough, FollowThroughSettings
from sera.animation.signals.gaze_arc import GazeArc, GazeArcSettings
from sera.animation.signals.lookup import Lookup, LookupSettings, TableEnds
from sera.animation.signals.low_pass import LowPass, LowPassSettings
from sera.animation.signals.mirror import Mirror, MirrorSettings
from sera.animation.signals.mouth import MouthCurve
from sera.animation.signals.nod import Nod, NodKind, NodSettings
from sera.animation.signals.noise import Noise, NoiseSettings
from sera.animation.signals.saccades import Saccades, SaccadeSettings, saccade_duration_s
from sera.animation.signals.slow_in_out import SlowInOut, SlowInOutSettings
from sera.animation.signals.spring import Spring, SpringSettings
from sera.animation.signals.squash import Squash, SquashSettings
from sera.animation.signals.sway import SpeechSway, SpeechSwaySettings, Word
from sera.animation.signals.trigger import Trigger
from sera.animation.signals.wave import Wave, WaveSettings, WaveShape

__all__ = [
    "Anticipation",
    "AnticipationSettings",
    "Asymmetry",
    "AsymmetrySettings",
    "BlinkSettings",
    "Blinking",
    "Breathing",
    "BreathingSettings",
    "Delay",
    "DelaySettings",
    "EaseMove",
    "EaseSettings",
    "EaseShape",
    "Exaggeration",
    "ExaggerationSettings",
    "Expression",
    "ExpressionProblem",
    "ExpressionSettings",
    "Fade",
    "FollowThrough",
    "FollowThroughSettings",
    "GazeArc",
    "GazeArcSettings",
    "Lookup",
    "LookupSettings",
    "LowPass",
    "LowPassSettings",
    "MinimumJerkMove",
    "Mirror",
    "MirrorSettings",
    "MouthCurve",
    "Nod",
    "NodKind",
    "NodSettings",
    "Noise",
    "NoiseSettings",
    "RandomSource",
    "SaccadeSettings",
    "Saccades",
    "Side",
    "SlowInOut",
    "SlowInOutSettings",
    "SpeechSway",
    "SpeechSwaySettings",
    "Spring",
    "SpringSettings",
    "Squash",
    "SquashSettings",
    "TableEnds",
    "Trigger",
    "Wave",
    "WaveSettings",
    "WaveShape",
    "Word",
    "ease",
    "saccade_duration_s",
]
