"""Emotion in motion: what is felt, how a body shows it, and how people read it.

    from sera.emotion import PAD

    PAD(pleasure=-0.75, arousal=0.75, dominance=-0.75).features()
    PAD.named("happiness").octant

Conventions: right-handed, +Y up, the zero pose faces +Z; metres, radians, quaternions (w, x, y, z).
Nothing here knows of the bus or of a clock. A name is imported when it is first asked for: who
speaks of emotions alone should wait neither for numpy nor for a body.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sera.emotion.pad import AXES, PAD, Octant, extroversion, nurturance

if TYPE_CHECKING:
    from sera.emotion.emotions import Emotion, Emotions, EmotionsError, load_emotions
    from sera.emotion.export import LowRateExport, export_expression, export_motion
    from sera.emotion.features import (
        FeatureMap,
        FeatureRates,
        Features,
        feature_map,
        features_of,
        map_names,
        register_map,
    )
    from sera.emotion.feeling import Feeling, Felt
    from sera.emotion.gaze import averted, directed, head_target, look_at
    from sera.emotion.generator import ExpressiveMotion, StartOffset
    from sera.emotion.instruments import sam_pad, sam_places, sam_score, tlx_load, tlx_weights
    from sera.emotion.perceiver import Perceiver, ResponseModel
    from sera.emotion.posture_profile import Manner, PostureProfile
    from sera.emotion.profile import (
        NullSpaceProfile,
        Profile,
        ProfileError,
        has_profile,
        load_profile,
    )
    from sera.emotion.published import PublishedStudy, published_study

__all__ = [
    "AXES",
    "PAD",
    "Emotion",
    "Emotions",
    "EmotionsError",
    "ExpressiveMotion",
    "FeatureMap",
    "FeatureRates",
    "Features",
    "Feeling",
    "Felt",
    "LowRateExport",
    "Manner",
    "NullSpaceProfile",
    "Octant",
    "Perceiver",
    "PostureProfile",
    "Profile",
    "ProfileError",
    "PublishedStudy",
    "ResponseModel",
    "StartOffset",
    "averted",
    "directed",
    "export_expression",
    "export_motion",
    "extroversion",
    "feature_map",
    "features_of",
    "has_profile",
    "head_target",
    "load_emotions",
    "load_profile",
    "look_at",
    "map_names",
    "nurturance",
    "published_study",
    "register_map",
    "sam_pad",
    "sam_places",
    "sam_score",
    "tlx_load",
    "tlx_weights",
]

_HOMES = {
    "emotions": ("Emotion", "Emotions", "EmotionsError", "load_emotions"),
    "export": ("LowRateExport", "export_expression", "export_motion"),
    "features": (
        "FeatureMap",
        "FeatureRates",
        "Features",
        "feature_map",
        "features_of",
        "map_names",
        "register_map",
    ),
    "feeling": ("Feeling", "Felt"),
    "gaze": ("averted", "directed", "head_target", "look_at"),
    "generator": ("ExpressiveMotion", "StartOffset"),
    "instruments": ("sam_pad", "sam_places", "sam_score", "tlx_load", "tlx_weights"),
    "perceiver": ("Perceiver", "ResponseModel"),
    "posture_profile": ("Manner", "PostureProfile"),
    "profile": ("NullSpaceProfile", "Profile", "ProfileError", "has_profile", "load_profile"),
    "published": ("PublishedStudy", "published_study"),
}
"""Which file has which names."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        found = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = found  # asked for once only
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
