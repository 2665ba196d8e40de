"""What a change makes of a session: lines, gaze, postures and animations, timing, side by side.

Pure: from what modules said then and now to a table for people and JSON.

Units and frames: seconds from the beginning of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from sera.recording.replay._player import Said

FIRST = 5
SAME_TIME_S = 0.5
"""What is done then and now within that time is the same."""


class Moment(NamedTuple):
    """Something that a character did, from when to when."""

    from_s: float
    to_s: float
    character: str
    what: str


@dataclass(frozen=True, slots=True)
class Change:
    """One place where the two differ."""

    at_s: float
    character: str
    then: str | None
    now: str | None


@dataclass(slots=True)
class Aspect:
    """One way of looking at a session."""

    name: str
    then: int
    now: int
    same: int
    first: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Difference:
    """Two ways in which a session went."""

    aspects: list[Aspect]
    speaking_s: tuple[float, float]
    """How long was spoken altogether, then and now."""
    gaze_share: dict[str, tuple[float, float]]
    """By target: share of the time that was looked at it, then and now."""
    moments: dict[str, tuple[list[Moment], list[Moment]]] = field(default_factory=dict)
    """By aspect: everything, then and now, for a timeline."""

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        del told["moments"]
        return told


def difference(recorded: Sequence[Said], said: Sequence[Said], duration_s: float) -> Difference:
    """Lay what was recorded and what came out side by side."""
    aspects: list[Aspect] = []
    moments: dict[str, tuple[list[Moment], list[Moment]]] = {}
    for name, read in _ASPECTS.items():
        then, now = read(recorded, duration_s), read(said, duration_s)
        moments[name] = (then, now)
        aspects.append(_aspect(name, then, now))
    lines, gaze = moments["lines"], moments["gaze targets"]
    targets = dict.fromkeys(moment.what for side in gaze for moment in side)
    return Difference(
        aspects,
        (_total_s(lines[0]), _total_s(lines[1])),
        {target: (_share(gaze[0], target), _share(gaze[1], target)) for target in sorted(targets)},
        moments,
    )


def lines_said(said: Sequence[Said], duration_s: float) -> list[Moment]:
    """Every line from its beginning to its end."""
    found: dict[str, Moment] = {}
    for one in said:
        if one.type == "UtteranceStarted":
            text = str(one.data.get("text") or one.data.get("line") or "")
            key = str(one.data.get("utterance"))
            found[key] = Moment(one.at_s, duration_s, one.character, text)
        elif one.type in ("UtteranceFinished", "UtteranceCancelled"):
            key = str(one.data.get("utterance"))
            if key in found:
                found[key] = found[key]._replace(to_s=one.at_s)
    return list(found.values())


def gaze_targets(said: Sequence[Said], duration_s: float) -> list[Moment]:
    """What was looked at; following what moves is one look."""
    looks: list[Moment] = []
    last: dict[str, int] = {}
    for one in said:
        if one.type != "Gaze":
            continue
        target = str(one.data.get("target") or "somewhere")
        before = last.get(one.character)
        if before is not None:
            if looks[before].what == target:
                continue
            looks[before] = looks[before]._replace(to_s=one.at_s)
        last[one.character] = len(looks)
        looks.append(Moment(one.at_s, duration_s, one.character, target))
    return looks


def _named(type_name: str, key: str, lasts_s: float) -> Callable[..., list[Moment]]:
    def read(said: Sequence[Said], _duration_s: float) -> list[Moment]:
        return [
            Moment(one.at_s, one.at_s + lasts_s, one.character, str(one.data.get(key)))
            for one in said
            if one.type == type_name
        ]

    return read


_ASPECTS: dict[str, Callable[[Sequence[Said], float], list[Moment]]] = {
    "lines": lines_said,
    "gaze targets": gaze_targets,
    "animations": _named("PlayAnimation", "animation", 1.0),
    "postures": _named("SetPosture", "posture", 1.0),
    "pointing": _named("Point", "target", 1.0),
}


def _aspect(name: str, then: list[Moment], now: list[Moment]) -> Aspect:
    aspect = Aspect(name, len(then), len(now), 0)
    old_from, new_from = 0, 0
    for old_to, new_to in [*_at_the_same_time(then, now), (len(then), len(now))]:
        _lay_out(aspect, then[old_from:old_to], now[new_from:new_to])
        aspect.same += old_to < len(then)
        old_from, new_from = old_to + 1, new_to + 1
    return aspect


def _at_the_same_time(then: list[Moment], now: list[Moment]) -> list[tuple[int, int]]:
    """Places of what was done then and now at one moment: between these the rest is laid out.

    Without them a run of the same thing later on would be taken for the one that is looked at.
    """
    found: list[tuple[int, int]] = []
    first = 0
    for place, one in enumerate(now):
        while first < len(then) and then[first].from_s < one.from_s - SAME_TIME_S:
            first += 1
        for old in range(first, len(then)):
            if then[old].from_s > one.from_s + SAME_TIME_S:
                break
            if _key(then[old]) == _key(one):
                found.append((old, place))
                first = old + 1
                break
    return found


def _key(moment: Moment) -> tuple[str, str]:
    return moment.character, moment.what


def _lay_out(aspect: Aspect, then: list[Moment], now: list[Moment]) -> None:
    """Count what is the same in a stretch, in its order, and note what is not."""
    keys = [_key(one) for one in then], [_key(one) for one in now]
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    for tag, then_from, then_to, now_from, now_to in matcher.get_opcodes():
        if tag == "equal":
            aspect.same += then_to - then_from
            continue
        for step in range(max(then_to - then_from, now_to - now_from)):
            old = then[then_from + step] if then_from + step < then_to else None
            new = now[now_from + step] if now_from + step < now_to else None
            known = [one for one in (old, new) if one is not None]
            if len(aspect.first) < FIRST:
                at_s = min(one.from_s for one in known)
                what = [None if one is None else one.what for one in (old, new)]
                aspect.first.append(Change(round(at_s, 3), known[0].character, what[0], what[1]))


def _total_s(lines: list[Moment]) -> float:
    return round(sum(line.to_s - line.from_s for line in lines), 3)


def _share(looks: list[Moment], target: str) -> float:
    whole_s = _total_s(looks)
    part_s = sum(look.to_s - look.from_s for look in looks if look.what == target)
    return round(part_s / whole_s, 4) if whole_s > 0 else 0.0
