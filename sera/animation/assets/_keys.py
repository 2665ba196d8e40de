"""Reads the keys of one channel, with everything that may be wrong with them."""

from __future__ import annotations

from typing import Any

from sera.animation.assets._fields import Fields
from sera.animation.assets.tangents import LEAVING_ONLY, TANGENTS, Key, Tangent
from sera.runtime.located import KeyPath, nearest_name

CLOSEST_S = 1e-4
"""Keys of one channel are at least this far apart: no body and no eye can tell them otherwise."""
LONGEST_S = 86_400.0
_SHAPE = "a key is [time_s, value], with a tangent after it if you like"


def read_keys(
    fields: Fields, table: dict[str, Any], path: KeyPath, factor: float, tangent: str
) -> list[Key] | None:
    """The keys in inside units, None where anything is wrong with them.

    Args:
        fields: where problems go.
        table: the channel's table.
        path: of its keys.
        factor: from written values to those inside.
        tangent: of keys that name none.
    """
    written = table.get("keys")
    if not isinstance(written, list):
        fix = "add keys = [[0.0, 0], [0.5, 10], [1.0, 0]]: seconds and values"
        fields.wrong(path, "the list of keys is missing", fix=fix)
        return None
    if len(written) < 2:
        count = "one key alone does" if written else "no keys do"
        fields.wrong(path, f"{count} not make a motion", fix="give two keys or more")
        return None
    before = len(fields.problems)
    keys: list[Key] = []
    for number, each in enumerate(written):
        key = _key(fields, each, (*path, number), factor, tangent)
        if key is None:
            continue
        if keys and key.time_s < keys[-1].time_s + CLOSEST_S:
            _complain_of_order(fields, (*path, number), keys[-1].time_s, key.time_s)
        keys.append(key)
    return keys if len(fields.problems) == before else None


def _complain_of_order(fields: Fields, path: KeyPath, before_s: float, time_s: float) -> None:
    if time_s < before_s:
        message = f"the time goes backwards, from {before_s:g} s to {time_s:g} s"
    else:
        message = f"the times {before_s:g} s and {time_s:g} s are the same or too close"
    fields.wrong(path, message, fix="times of keys increase")


def _key(fields: Fields, written: Any, path: KeyPath, factor: float, tangent: str) -> Key | None:
    if not isinstance(written, list) or not 2 <= len(written) <= 4:
        fields.wrong(path, "this is no key", fix=_SHAPE)
        return None
    time_s = fields.number(written[0], (*path, 0), "the time")
    value = fields.number(written[1], (*path, 1), "the value")
    if time_s is not None and not 0.0 <= time_s <= LONGEST_S:
        fields.wrong((*path, 0), f"the time {time_s:g} s is not from 0 to {LONGEST_S:g} s")
        time_s = None
    arriving: Tangent | None
    if len(written) == 4:
        arriving = _tangent(fields, written[2], (*path, 2), factor)
        if arriving in LEAVING_ONLY:
            fix = f'write [{written[0]}, {written[1]}, "flat", "{arriving}"]'
            fields.wrong((*path, 2), f"a curve cannot arrive by '{arriving}'", fix=fix)
    else:
        arriving = _tangent(fields, (written[2:] or [tangent])[0], (*path, 2), factor)
    leaving = _tangent(fields, written[3], (*path, 3), factor) if len(written) == 4 else arriving
    if time_s is None or value is None or arriving is None or leaving is None:
        return None
    return Key(time_s, value * factor, arriving, leaving)


def _tangent(fields: Fields, written: Any, path: KeyPath, factor: float) -> Tangent | None:
    if isinstance(written, str):
        if written in TANGENTS:
            return written
        near = nearest_name(written, TANGENTS)
        fix = f"tangents are {', '.join(TANGENTS)}, or a slope in units a second"
        fields.wrong(path, f"there is no tangent '{written}'", nearest=near, fix=fix)
        return None
    slope = fields.number(written, path, "a tangent is a name, or a slope, which")
    return None if slope is None else slope * factor
