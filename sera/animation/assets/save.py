"""Writes animations as the TOML or JSON files that `load` reads.

Tangents are written only where the usual, smooth ones would give another curve.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sera.animation.assets.animation import DEFAULT_FADE_S, AnimatedChannel, Animation
from sera.animation.assets.curve import Curve
from sera.animation.assets.tangents import HOLD, Key
from sera.animation.assets.units import written_factor, written_unit

KeyRow: TypeAlias = list[float | str]
_DECIMALS = 12
_KEYS_A_LINE = 6


def save_animation(animation: Animation, path: Path) -> None:
    """Write the file, as JSON where its suffix says so and as TOML otherwise."""
    write = animation_json if path.suffix == ".json" else animation_toml
    path.write_text(write(animation), encoding="utf-8")


def animation_json(animation: Animation) -> str:
    """The animation as the text of a JSON file."""
    return json.dumps(animation_data(animation), indent=1, ensure_ascii=False) + "\n"


def animation_toml(animation: Animation) -> str:
    """The animation as the text of a TOML file."""
    data = animation_data(animation)
    lines = ["[animation]"]
    lines += [f"{key} = {_toml(value)}" for key, value in data["animation"].items()]
    for channel in data["channels"]:
        lines += ["", "[[channels]]"]
        lines += [f"{key} = {_toml(channel[key])}" for key in ("name", "unit")]
        keys = [_toml(row) for row in channel["keys"]]
        if len(keys) <= _KEYS_A_LINE:
            lines.append(f"keys = [{', '.join(keys)}]")
            continue
        lines.append("keys = [")
        for first in range(0, len(keys), _KEYS_A_LINE):
            lines.append(f"    {', '.join(keys[first : first + _KEYS_A_LINE])},")
        lines.append("]")
    return "\n".join(lines) + "\n"


def animation_data(animation: Animation) -> dict[str, Any]:
    """The animation in the shape of its file."""
    about: dict[str, Any] = {"name": animation.name, "title": animation.title or animation.name}
    if animation.layer is not None:
        about["layer"] = animation.layer
    if animation.fade_s != DEFAULT_FADE_S:
        about["fade_s"] = animation.fade_s
    if animation.loop:
        about["loop"] = True
    if not animation.additive:
        about["additive"] = False
    if animation.side is not None:
        about["side"] = animation.side
    if animation.anchors:
        about["anchors"] = dict(animation.anchors)
    channels = [_channel(channel, loop=animation.loop) for channel in animation.channels]
    return {"animation": about, "channels": channels}


def _channel(channel: AnimatedChannel, *, loop: bool) -> dict[str, Any]:
    return {
        "name": channel.name,
        "unit": written_unit(channel.unit),
        "keys": _rows(channel.curve, written_factor(channel.unit), loop=loop),
    }


def _rows(curve: Curve, factor: float, *, loop: bool) -> list[KeyRow]:
    knots = curve.knots
    keys = [Key(float(t), float(v)) for t, v in zip(knots.times_s, knots.values, strict=True)]
    usual = Curve.through(keys, closed=loop).knots
    size = max(float(np.max(np.abs(usual.arriving))), 1.0)
    rows: list[KeyRow] = []
    for n, key in enumerate(keys):
        row: KeyRow = [_rounded(key.time_s), _rounded(key.value * factor)]
        arriving = float(knots.arriving[n]) * factor
        leaving = float(knots.leaving[n]) * factor
        is_usual = (
            abs(knots.arriving[n] - usual.arriving[n]) <= 1e-12 * size
            and abs(knots.leaving[n] - usual.leaving[n]) <= 1e-12 * size
        )
        if knots.holds[n]:
            row += [_rounded(arriving), HOLD]
        elif not is_usual and arriving == leaving:
            row.append(_rounded(arriving))
        elif not is_usual:
            row += [_rounded(arriving), _rounded(leaving)]
        rows.append(row)
    return rows


def _rounded(value: float) -> float:
    """Without the last digits, in which degrees that were radians differ from those written."""
    return round(value, _DECIMALS) + 0.0


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _toml_text(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_text(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    return repr(float(value))


def _toml_text(text: str) -> str:
    # JSON's escapes are TOML's; the delete character alone TOML wants escaped as well.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
