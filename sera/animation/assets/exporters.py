"""Animations for other programs: CSV, and timelines for NAOqi.

CSV: one row a key time of any channel, or a row every 1/rate seconds.

NAOqi: names, times and keys as `ALMotion.angleInterpolation` takes them, resampled at a rate.
Angles are in radians; hands are opened from 0 to 1. `joints` says which of its joints a channel
moves and with which sign: Gazing.Vertical looks up, NAO's HeadPitch turns down.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sera.animation.assets._csv_table import TIME
from sera.animation.assets.animation import Animation
from sera.animation.assets.units import written_factor, written_unit
from sera.animation.channels import OWN_SET, Unit
from sera.kinematics._arrays import FloatArray

NAOQI_RATE_HZ = 25.0
_RATES_HZ = (1.0, 1000.0)
NAOQI_HEAD: Mapping[str, tuple[str, float]] = {
    "Gazing.Horizontal": ("HeadYaw", -1.0),
    "Gazing.Vertical": ("HeadPitch", -1.0),
}
"""What the generic gaze moves on a NAO or a Pepper: yaw is positive to the left, pitch down."""


def animation_csv(animation: Animation, rate_hz: float | None = None) -> str:
    """The text of a CSV file; angles in degrees.

    Args:
        animation: any.
        rate_hz: rows a second; None: a row for each key, with cells only where a channel has one.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    channels = animation.channels
    headings = [f"{channel.name} [{written_unit(channel.unit)}]" for channel in channels]
    writer.writerow([TIME, *headings])
    factors = [written_factor(channel.unit) for channel in channels]
    if rate_hz is None:
        tables = [
            dict(zip(c.curve.knots.times_s.tolist(), c.curve.knots.values.tolist(), strict=True))
            for c in channels
        ]
        for time_s in sorted({time_s for table in tables for time_s in table}):
            cells = [
                _shown(table[time_s] * factor) if time_s in table else ""
                for table, factor in zip(tables, factors, strict=True)
            ]
            writer.writerow([_shown(time_s), *cells])
        return text.getvalue()
    times_s, values = _resampled(animation, rate_hz)
    for time, row in zip(times_s.tolist(), values * np.array(factors), strict=True):
        writer.writerow([_shown(time), *(_shown(value) for value in row.tolist())])
    return text.getvalue()


@dataclass(frozen=True)
class NaoqiTimeline:
    """Arguments of `angleInterpolation`: joints, and times and angles of each."""

    names: list[str]
    times: list[list[float]]
    """Seconds, increasing and above zero."""
    keys: list[list[float]]
    """Radians; hands from 0 to 1."""
    is_absolute: bool
    left_out: tuple[str, ...] = ()
    """Channels that NAOqi cannot move: lights, voice, metres."""

    def to_json(self) -> str:
        """The text of a JSON file with names, times, keys and isAbsolute."""
        table = {
            "names": self.names,
            "times": self.times,
            "keys": self.keys,
            "isAbsolute": self.is_absolute,
        }
        return json.dumps(table, indent=1) + "\n"


def naoqi_timeline(
    animation: Animation,
    rate_hz: float = NAOQI_RATE_HZ,
    joints: Mapping[str, tuple[str, float]] = NAOQI_HEAD,
) -> NaoqiTimeline:
    """The animation for NAOqi, one key every 1/rate seconds.

    Own channels keep their name without the set, generic ones need an entry in `joints`.

    Raises:
        ValueError: the rate is senseless, or two channels move the same joint.
    """
    times_s, values = _resampled(animation, rate_hz)
    # NAOqi interpolates from where the robot is, and refuses a key at the time zero.
    later_s, later = times_s[1:], values[1:]
    names: list[str] = []
    keys: list[list[float]] = []
    left_out: list[str] = []
    for column, channel in enumerate(animation.channels):
        body_set, _, own = channel.name.partition(".")
        joint, sign = joints.get(channel.name, (own if body_set == OWN_SET else "", 1.0))
        is_hand = channel.unit is Unit.PERCENT and joint.endswith("Hand")
        if not joint or not (channel.unit is Unit.RADIAN or is_hand):
            left_out.append(channel.name)
            continue
        if joint in names:
            raise ValueError(f"'{channel.name}' and another channel both move {joint}")
        names.append(joint)
        keys.append([round(value, 9) + 0.0 for value in (sign * later[:, column]).tolist()])
    times = [[round(time_s, 6) for time_s in later_s.tolist()] for _ in names]
    return NaoqiTimeline(names, times, keys, not animation.additive, tuple(left_out))


def _resampled(animation: Animation, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Times at the rate, with the very end as the last one, and the values at them."""
    if not _RATES_HZ[0] <= rate_hz <= _RATES_HZ[1]:
        raise ValueError(
            f"a rate of {rate_hz:g} Hz is senseless: from {_RATES_HZ[0]:g} to {_RATES_HZ[1]:g}"
        )
    last_s = animation.duration_s
    count = max(math.ceil(last_s * rate_hz - 1e-6), 1)
    times_s = np.append(np.arange(count) / rate_hz, last_s)
    values = [channel.curve.sample(times_s) for channel in animation.channels]
    return times_s, np.stack(values, axis=-1) if values else np.empty((len(times_s), 0))


def _shown(value: float) -> str:
    return repr(round(value, 12) + 0.0)
