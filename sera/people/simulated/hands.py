"""Hands on the floor plan: what a page asks of simulated people, checked and done.

A page says it as an `ActivityEvent` with one of these events, the person and its data:
`person_dragged` (x_m, z_m), `person_turned` (horizontal_deg), `person_looks` (at), `person_says`
(text), `person_comes`, `person_leaves`, `person_let_go`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.people.simulated.crowd import Crowd
from sera.people.simulated.script import AROUND, AWAY, ROBOT
from sera.runtime.located import nearest_name

EVENTS = (
    "person_dragged",
    "person_turned",
    "person_looks",
    "person_says",
    "person_comes",
    "person_leaves",
    "person_let_go",
)
_FARTHEST_M = 50.0
_LONGEST_TEXT = 500


def obey(
    crowd: Crowd, event: str, person: str | None, data: Mapping[str, object], now_s: float
) -> str | None:
    """Do what a hand on the floor plan asks; one sentence where that cannot be."""
    who = crowd.people.get(person or "")
    if who is None:
        near = nearest_name(person or "", crowd.people)
        meant = f"; did you mean '{near}'?" if near else ""
        known = ", ".join(crowd.people)
        return f"{event}: nobody here is called '{person}'{meant} (simulated: {known})"
    try:
        if event == "person_dragged":
            far = _FARTHEST_M
            who.drag((_number(data, "x_m", -far, far), _number(data, "z_m", -far, far)))
        elif event == "person_turned":
            who.turn(_number(data, "horizontal_deg", -180.0, 180.0))
        elif event == "person_looks":
            who.look(_target(crowd, data))
        elif event == "person_says":
            if not who.present:
                return f"{event}: {person} is not here; let them come first"
            who.mouth.want(_text(data), now_s, at_once=True)
        elif event == "person_comes":
            who.come()
        elif event == "person_leaves":
            who.leave()
        else:
            who.let_go()
    except ValueError as error:
        return f"{event}: {error}"
    return None


def _number(data: Mapping[str, object], key: str, low: float, high: float) -> float:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"`{key}` must be a number, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"`{key}` must lie between {low:g} and {high:g}, not {value:g}")
    return float(value)


def _text(data: Mapping[str, object]) -> str:
    text = data.get("text")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("`text` must hold some words")
    if len(text) > _LONGEST_TEXT:
        raise ValueError(f"`text` has {len(text)} characters; {_LONGEST_TEXT} are the most")
    return " ".join(text.split())


def _target(crowd: Crowd, data: Mapping[str, object]) -> str:
    at = data.get("at")
    known = [ROBOT, AWAY, AROUND, *crowd.scene.places_m({}), *crowd.people]
    if not isinstance(at, str) or at not in known:
        near = nearest_name(str(at), known)
        meant = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"there is nothing called '{at}' to look at{meant}")
    return at
