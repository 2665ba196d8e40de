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
    from sera.emotion.generator import ExpressiveMotion, StartOffset
    from sera.emotion.posture_profile import Manner, PostureProfile
    from sera.emotion.profile import (
        NullSpaceProfile,
        Profile,
        ProfileError,
        has_profile,
        load_profile,
    )

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
    "Manner",
    "NullSpaceProfile",
    "Octant",
    "PostureProfile",
    "Profile",
    "ProfileError",
    "StartOffset",
    "extroversion",
    "feature_map",
    "features_of",
    "has_profile",
    "load_emotions",
    "load_profile",
    "map_names",
    "nurturance",
    "register_map",
]

_HOMES = {
    "emotions": ("Emotion", "Emotions", "EmotionsError", "load_emotions"),
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
    "generator": ("ExpressiveMotion", "StartOffset"),
    "posture_profile": ("Manner", "PostureProfile"),
    "profile": ("NullSpaceProfile", "Profile", "ProfileError", "has_profile", "load_profile"),
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
