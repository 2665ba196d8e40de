"""How an emotion moves a body: jerkiness, activity and directness of gaze, and what maps to them.

    features = features_of(PAD.named("fear"))
    activity = features.activity

The document's map is linear: less pleasure makes motion jerkier, more arousal makes it livelier,
more dominance makes gaze more direct. It was the author's choice rather than a finding, so that
maps can be replaced: `register_map` adds one, `feature_map(name)` finds it.

Units and frames: features from 0 to 1; rates of features per second.
Threading: features are immutable; maps are registered at import, before anything runs.
Safety: what is not a finite number is refused; what lies beyond 0 to 1 is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sera.emotion.pad import PAD
from sera.runtime.located import nearest_name


@dataclass(frozen=True, slots=True)
class Features:
    """What a motion is like."""

    jerkiness: float = 0.5
    """0: even, 1: as jerky as the body's profile allows."""
    activity: float = 0.5
    """0: still in its lowest posture, 1: swinging about its fullest."""
    gaze: float = 0.5
    """0: averted, 1: straight at the partner."""

    def __post_init__(self) -> None:
        for name in ("jerkiness", "activity", "gaze"):
            value = getattr(self, name)
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if isinstance(value, str | bool) or not math.isfinite(number):
                raise ValueError(f"{name} is {value!r}; give a number from 0 to 1")
            object.__setattr__(self, name, min(max(number, 0.0), 1.0) + 0.0)

    @property
    def values(self) -> tuple[float, float, float]:
        """Jerkiness, activity and gaze."""
        return self.jerkiness, self.activity, self.gaze

    def pad(self) -> PAD:
        """The emotion that moves a body so, by the document's map."""
        return PAD(1.0 - 2.0 * self.jerkiness, 2.0 * self.activity - 1.0, 2.0 * self.gaze - 1.0)


class FeatureRates(NamedTuple):
    """How fast features change."""

    jerkiness_per_s: float = 0.0
    activity_per_s: float = 0.0
    gaze_per_s: float = 0.0


def features_of(pad: PAD) -> Features:
    """The document's map."""
    return Features(
        jerkiness=(1.0 - pad.pleasure) / 2.0,
        activity=(1.0 + pad.arousal) / 2.0,
        gaze=(1.0 + pad.dominance) / 2.0,
    )


def feature_rates_of(pad_per_s: tuple[float, float, float]) -> FeatureRates:
    """How fast the document's map changes where the emotion changes by so much a second."""
    pleasure, arousal, dominance = pad_per_s
    return FeatureRates(-pleasure / 2.0, arousal / 2.0, dominance / 2.0)


class FeatureMap(Protocol):
    """From what is felt to how the body moves, and back."""

    def features(self, pad: PAD) -> Features: ...

    def pad(self, features: Features) -> PAD: ...


class DocumentMap:
    """The linear map of the document."""

    def features(self, pad: PAD) -> Features:
        return features_of(pad)

    def pad(self, features: Features) -> PAD:
        return features.pad()


def _calibrated() -> FeatureMap:
    from sera.emotion.calibrated import CalibratedMap

    return CalibratedMap.published()


_makers: dict[str, Callable[[], FeatureMap]] = {
    "document": DocumentMap,
    "calibrated": _calibrated,
}
_made: dict[str, FeatureMap] = {}


def register_map(name: str, maker: Callable[[], FeatureMap]) -> None:
    """Make a map known by name; `maker` is called when it is first asked for.

    Raises:
        ValueError: the name is empty, or taken by another.
    """
    if not name:
        raise ValueError("a feature map needs a name")
    if _makers.get(name, maker) is not maker:
        raise ValueError(f"there is a feature map '{name}' already; choose another name")
    _makers[name] = maker


def map_names() -> tuple[str, ...]:
    """All maps by name, the document's first."""
    return tuple(_makers)


def feature_map(name: str = "document") -> FeatureMap:
    """The map of that name.

    Raises:
        LookupError: there is none; with the nearest name and all of them.
    """
    if name not in _makers:
        near = nearest_name(name, _makers)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"there is no feature map '{name}'{hint} (known: {', '.join(_makers)})")
    if name not in _made:
        _made[name] = _makers[name]()
    return _made[name]
