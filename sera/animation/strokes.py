"""Strokes: the moment of a gesture that means something, and how soon a body gets there.

Design overview: an animation file names its moment (`anchors = { stroke = 0.58 }`); where it does
not, the moment is that of the apex of its keys. A body that is slower than the file arrives later,
at the earliest when its limits let it cover the last swing: a trapezoid of velocity, which is what
its motion filter makes of a swing that is too quick. Plain Python on a few keys, so that whoever
orders a gesture reckons with it without loading the engine.

Units and frames: seconds from the beginning of the gesture; radians, or the channel's own unit.
Threading: pure; `load_strokes` reads files.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from sera.animation.channels import ChannelSpec, Unit

STROKE = "stroke"
QUICKEST = 0.6
"""What is left of a preparation that is quickened as far as it may be."""
_HAND_IS_THE_POINT = 10.0
"""Degrees by which arms must move for a gesture to be one of the hands."""
_AT_THE_APEX = 0.95
_TOGETHER_S = 0.1
"""Swings that end this near to the stroke are part of it."""
_SMALL_RAD = math.radians(3.0)
_SETTLING_S = 0.03
_SHORT_SWING = 1.3
"""What a motion filter adds to a swing at its limits: most to one too short for top velocity."""


def shortest_s(distance: float, spec: ChannelSpec) -> float:
    """How long a channel takes from rest to rest at its limits."""
    velocity, acceleration = spec.max_velocity, spec.max_acceleration
    if distance * acceleration <= velocity * velocity:
        return 2.0 * math.sqrt(distance / acceleration)
    return distance / velocity + velocity / acceleration


@dataclass(frozen=True, slots=True)
class Stroke:
    """When an animation has its stroke, as authored and on one body."""

    at_s: float
    swings: tuple[tuple[float, float, ChannelSpec], ...] = ()
    """When the last swing to it begins, how far it goes, and which channel goes."""

    def reached_s(self, pace: float = 1.0, amplitude: float = 1.0) -> float:
        """When the body gets there if the preparation takes `pace` times as long as authored."""
        ends_s = (
            pace * begins_s + _filtered_s(amplitude * distance, spec) + _SETTLING_S
            for begins_s, distance, spec in self.swings
        )
        return max(pace * self.at_s, *ends_s) if self.swings else pace * self.at_s


def _filtered_s(distance: float, spec: ChannelSpec) -> float:
    least_s, ramps_s = shortest_s(distance, spec), 2.0 * spec.max_velocity / spec.max_acceleration
    return max(least_s, _SHORT_SWING * min(least_s, ramps_s))


def apex_s(keys: Mapping[str, Sequence[tuple[float, float]]]) -> float | None:
    """When the hands, or else the head and the body, are first as far out as they go.

    Args:
        keys: times and values in degrees by channel; None comes back where nothing moves.
    """
    arms = {name: each for name, each in keys.items() if name.startswith("Arms.")}
    swing = max((_swing(each) for each in arms.values()), default=0.0)
    chosen = arms if swing >= _HAND_IS_THE_POINT else keys
    times_s = sorted({time_s for each in chosen.values() for time_s, _value in each})
    out = [sum(abs(_at(each, t) - each[0][1]) for each in chosen.values()) for t in times_s]
    most = max(out, default=0.0)
    found = (t for t, far in zip(times_s, out, strict=True) if far >= _AT_THE_APEX * most)
    return next(found) if most > 0.0 else None


def load_strokes(folders: Iterable[Path], specs: Mapping[str, ChannelSpec]) -> dict[str, Stroke]:
    """The strokes of all animations in these folders, by name; later folders win.

    Loops have none. Whoever plays a file says what is wrong with it; here it is passed over.
    """
    found: dict[str, Stroke] = {}
    for folder in folders:
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            try:
                read = json.loads if file.suffix == ".json" else tomllib.loads
                data = read(file.read_text(encoding="utf-8"))
                about = data.get("animation", {})
                stroke = None if about.get("loop") else _stroke_of(about, data["channels"], specs)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
                continue
            name = about.get("name", file.stem)
            names = (name, f"{name}_left", f"{name}_right") if "side" in about else (name,)
            found |= {} if stroke is None else dict.fromkeys(names, stroke)
    return found


def _stroke_of(
    about: Mapping[str, Any],
    channels: Sequence[Mapping[str, Any]],
    specs: Mapping[str, ChannelSpec],
) -> Stroke | None:
    keys = {
        each["name"]: [(float(key[0]), float(key[1])) for key in each["keys"]] for each in channels
    }
    at_s = about.get("anchors", {}).get(STROKE, apex_s(keys))
    if at_s is None:
        return None
    swings = []
    for name, each in keys.items():
        spec = specs.get(name)
        if spec is None or spec.unit is not Unit.RADIAN:
            continue
        last = min(range(len(each)), key=lambda n, each=each: abs(each[n][0] - at_s))  # type: ignore[misc]
        if last == 0 or abs(each[last][0] - at_s) > _TOGETHER_S:
            continue
        distance = math.radians(abs(each[last][1] - each[last - 1][1]))
        if distance >= _SMALL_RAD:
            swings.append((each[last - 1][0], distance, spec))
    return Stroke(float(at_s), tuple(swings))


def _swing(keys: Sequence[tuple[float, float]]) -> float:
    return max(value for _, value in keys) - min(value for _, value in keys)


def _at(keys: Sequence[tuple[float, float]], time_s: float) -> float:
    """The value on straight lines between keys."""
    for (from_s, before), (to_s, after) in pairwise(keys):
        if from_s <= time_s <= to_s:
            return before + (after - before) * (time_s - from_s) / (to_s - from_s)
    return keys[0][1] if time_s < keys[0][0] else keys[-1][1]
