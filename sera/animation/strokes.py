"""Strokes: the moment of a gesture that means something, and how soon a body gets there.

Design overview: an animation file names its moment (`anchors = { stroke = 0.58 }`); where it does
not, the moment is that of the apex of its keys. A body that is slower than the file arrives later:
its channels are let run after the keys at their limits, and the stroke is where the body, on its
way to the pose that the file has there, first turns round or stands. Plain Python on a few keys, so
that whoever orders a gesture reckons with it without loading the engine.

Units and frames: seconds from the beginning of the gesture; radians, or the channel's own unit.
Threading: pure; `load_strokes` reads files.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
_SMALL_RAD = math.radians(3.0)
_STEP_S, _WATCHED_S, _LAG_S = 0.02, 1.2, 0.03
_MOSTLY, _STANDS = 0.7, 0.05
"""Nearer than this share of the way, and slower than this share of its top speed."""


def shortest_s(distance: float, spec: ChannelSpec) -> float:
    """How long a channel takes from rest to rest at its limits."""
    velocity, acceleration = spec.max_velocity, spec.max_acceleration
    if distance * acceleration <= velocity * velocity:
        return 2.0 * math.sqrt(distance / acceleration)
    return distance / velocity + velocity / acceleration


Keys = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Stroke:
    """When an animation has its stroke, as authored and on one body."""

    at_s: float
    channels: tuple[tuple[ChannelSpec, Keys], ...] = ()
    """What moves, and its keys; radians."""

    def reached_s(self, pace: float = 1.0, amplitude: float = 1.0) -> float:
        """When the body gets there if the preparation takes `pace` times as long as authored."""
        return _reached_s(self, round(pace, 2), round(amplitude, 2))


@lru_cache(maxsize=1024)
def _reached_s(stroke: Stroke, pace: float, amplitude: float) -> float:
    """The body runs after the keys; its way is what it does of the stroke's pose."""
    ways = [amplitude * (_at(keys, stroke.at_s) - keys[0][1]) for _, keys in stroke.channels]
    if not any(abs(way) >= amplitude * _SMALL_RAD for way in ways):
        return pace * stroke.at_s
    places, speeds = [0.0] * len(ways), [0.0] * len(ways)
    gone = [0.0]
    for frame in range(1, round((pace * stroke.at_s + _WATCHED_S) / _STEP_S)):
        time_s = frame * _STEP_S
        authored_s = (
            time_s / pace if time_s < pace * stroke.at_s else (time_s + (1.0 - pace) * stroke.at_s)
        )
        for n, (spec, keys) in enumerate(stroke.channels):
            left = amplitude * (_at(keys, authored_s) - keys[0][1]) - places[n]
            speeds[n] = _followed(left, speeds[n], spec)
            places[n] += speeds[n] * _STEP_S
        gone.append(sum(way * place for way, place in zip(ways, places, strict=True)))
    steps = [after - before for before, after in pairwise(gone)]
    first = next(n for n, far in enumerate(gone) if far >= _MOSTLY * max(gone))
    slow = _STANDS * max(steps)
    stands = (n for n in range(first, len(steps)) if steps[n] <= slow)
    return next(stands, len(steps)) * _STEP_S + _LAG_S


def _followed(left: float, speed: float, spec: ChannelSpec) -> float:
    """The next speed of what goes after something within its limits, and can stop there."""
    most = min(spec.max_velocity, math.sqrt(2.0 * spec.max_acceleration * abs(left)))
    wanted = math.copysign(min(most, abs(left) / _STEP_S), left)
    by = spec.max_acceleration * _STEP_S
    return min(max(wanted, speed - by), speed + by)


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
    moving = [
        (spec, tuple((time_s, math.radians(value)) for time_s, value in each))
        for name, each in keys.items()
        if (spec := specs.get(name)) is not None and spec.unit is Unit.RADIAN
    ]
    return Stroke(float(at_s), tuple(moving))


def _swing(keys: Sequence[tuple[float, float]]) -> float:
    return max(value for _, value in keys) - min(value for _, value in keys)


def _at(keys: Sequence[tuple[float, float]], time_s: float) -> float:
    """The value between keys, which begins and ends softly."""
    for (from_s, before), (to_s, after) in pairwise(keys):
        if from_s <= time_s <= to_s:
            part = (time_s - from_s) / (to_s - from_s)
            return before + (after - before) * part * part * (3.0 - 2.0 * part)
    return keys[0][1] if time_s < keys[0][0] else keys[-1][1]
