"""Controllers: what fills the layers of an animation program.

Frame controllers move channels, signals drive parameters; `BUILT_IN` has all of them under the
names that program files use.
"""

from sera.animation.controllers.emotions import EmotionGaze, EmotionPosture, EmotionSignal
from sera.animation.controllers.eyes_light import EyesLight
from sera.animation.controllers.faces import FaceController
from sera.animation.controllers.filters import CHANNEL_FILTERS, FLOAT_FILTERS
from sera.animation.controllers.frames import (
    AddAniBuffer,
    AsymmetricSides,
    SquashAndStretch,
    WriteToChannel,
)
from sera.animation.controllers.gazing import Gaze
from sera.animation.controllers.gestures import NodController
from sera.animation.controllers.idle import (
    BlinkingController,
    BreathingController,
    DriftController,
    SaccadeController,
)
from sera.animation.controllers.inputs import Expression, Message, MessageArrived
from sera.animation.controllers.mirroring import MirrorChannels
from sera.animation.controllers.moves import EaseFloat, NoiseFloat, TriggerSwitch
from sera.animation.controllers.playback import Ended
from sera.animation.controllers.playing import Animate
from sera.animation.controllers.pointing import Point
from sera.animation.controllers.postures import Posture
from sera.animation.controllers.speech import SpeechController
from sera.animation.controllers.values import (
    AbsFloat,
    AddFloat,
    Float,
    IfFloat,
    IntStep,
    MultiplyFloat,
    RandomFloat,
    StrChanged,
    StrConcat,
    Wave,
)
from sera.animation.engine.controller import Controller

BUILT_IN: dict[str, type[Controller]] = {
    # the documented ones
    "Float": Float,
    "RandomFloat": RandomFloat,
    "IntStep": IntStep,
    "Wave": Wave,
    "AddFloat": AddFloat,
    "MultiplyFloat": MultiplyFloat,
    "AbsFloat": AbsFloat,
    "IfFloat": IfFloat,
    "StrConcat": StrConcat,
    "StrChanged": StrChanged,
    "WriteToChannel": WriteToChannel,
    "AddAniBuffer": AddAniBuffer,
    "Posture": Posture,
    "Animate": Animate,
    # what bodies do by order
    "Gaze": Gaze,
    "Point": Point,
    "Nod": NodController,
    "Speech": SpeechController,
    "Face": FaceController,
    "EyesLight": EyesLight,
    # what is felt
    "Emotion": EmotionSignal,
    "EmotionGaze": EmotionGaze,
    "EmotionPosture": EmotionPosture,
    # idle life
    "Breathing": BreathingController,
    "Blinking": BlinkingController,
    "Drift": DriftController,
    "Saccades": SaccadeController,
    # principles, on channels and on single values
    "Asymmetry": AsymmetricSides,
    "Mirror": MirrorChannels,
    "Squash": SquashAndStretch,
    **CHANNEL_FILTERS,
    **FLOAT_FILTERS,
    # more signals
    "Noise": NoiseFloat,
    "Ease": EaseFloat,
    "Trigger": TriggerSwitch,
    "Message": Message,
    "MessageArrived": MessageArrived,
    "Expression": Expression,
}
"""Controller types by the name that program files use."""

__all__ = [
    "BUILT_IN",
    "CHANNEL_FILTERS",
    "FLOAT_FILTERS",
    "AbsFloat",
    "AddAniBuffer",
    "AddFloat",
    "Animate",
    "AsymmetricSides",
    "BlinkingController",
    "BreathingController",
    "DriftController",
    "EaseFloat",
    "EmotionGaze",
    "EmotionPosture",
    "EmotionSignal",
    "Ended",
    "Expression",
    "EyesLight",
    "FaceController",
    "Float",
    "Gaze",
    "IfFloat",
    "IntStep",
    "Message",
    "MessageArrived",
    "MirrorChannels",
    "MultiplyFloat",
    "NodController",
    "NoiseFloat",
    "Point",
    "Posture",
    "RandomFloat",
    "SaccadeController",
    "SpeechController",
    "SquashAndStretch",
    "StrChanged",
    "StrConcat",
    "TriggerSwitch",
    "Wave",
    "WriteToChannel",
]
