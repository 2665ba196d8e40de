"""Whether a replay came out as the recording: message by message, with the first divergence.

A recording of virtual time must come out identical: the same types, characters and fields at the
same times. One of real time was made by processes that took their time: the same messages in the
same order are asked for, without measured numbers, and motion is measured as a distance.

Units and frames: seconds from the beginning of the run; joints in radians.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from math import isclose, sqrt
from typing import Any

from sera.recording.replay._player import Said

TOLERANCE = 1e-9
LISTED = 50
ALIGNED_AT_MOST = 6_000
"""Beyond so many of one type, messages are compared one by one and not aligned."""
MOTION = "JointFrame"
_MEASURED_NUMBER = re.compile(r"\d+\.\d+")
MEASURED = frozenset(
    {"EngineState", "GazeState", "BehaviourState", "ActionExpired", "BlendReport", "BodyState"}
)
"""What depends on how long the machine took: not compared where it took its own time."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where the replay differs."""

    at_s: float
    source: str
    type: str
    then: dict[str, Any] | None
    """What was recorded; None: nothing."""
    now: dict[str, Any] | None
    """What came out; None: nothing."""

    @property
    def in_words(self) -> str:
        """One sentence."""
        where = f"{self.at_s:.3f} s, {self.source}, {self.type}"
        if self.then is None:
            return f"{where}: came out and was not recorded: {_short(self.now)}"
        if self.now is None:
            return f"{where}: was recorded and did not come out: {_short(self.then)}"
        return f"{where}: recorded {_short(self.then)}; came out {_short(self.now)}"


@dataclass(slots=True)
class Row:
    """One type of message from one source."""

    source: str
    type: str
    then: int = 0
    now: int = 0
    same: int = 0
    worst_time_s: float = 0.0
    """How far apart in time two of the same were at most."""


@dataclass(frozen=True, slots=True)
class MotionDistance:
    """How far the motion is from the recorded one, at the recorded frames' times."""

    source: str
    frames: int
    rms_rad: float
    p95_rad: float
    worst_rad: float
    worst_at_s: float


@dataclass(slots=True)
class Comparison:
    """How a replay and its recording agree."""

    exact: bool
    """Whether they must be identical."""
    rows: list[Row] = field(default_factory=list)
    divergences: list[Divergence] = field(default_factory=list)
    """The first ones by time."""
    differing: int = 0
    motion: list[MotionDistance] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return not self.differing

    @property
    def first(self) -> Divergence | None:
        return self.divergences[0] if self.divergences else None

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "same": self.same}


def compare(
    recorded: Sequence[Said], said: Sequence[Said], *, exact: bool, from_s: float = 0.0
) -> Comparison:
    """Compare what modules said then and now.

    Args:
        recorded: of the recording, in its order.
        said: of the replay, in its order.
        exact: whether fields and times must be equal; else the order of messages must be.
        from_s: where to begin.
    """
    found = Comparison(exact)
    then, now = _by_kind(recorded, from_s), _by_kind(said, from_s)
    divergences: list[Divergence] = []
    for key in sorted(then.keys() | now.keys()):
        old, new = then.get(key, []), now.get(key, [])
        source, type_name = key
        if type_name == MOTION:
            found.motion += _distance(source, old, new)
        if not exact and (type_name in MEASURED or type_name == MOTION):
            continue
        row = Row(source, type_name, len(old), len(new))
        pairs = list(_pairs(old, new, exact=exact))
        for left, right in pairs:
            if left is not None and right is not None and _agree(left, right, exact=exact):
                row.same += 1
                row.worst_time_s = max(row.worst_time_s, abs(left.at_s - right.at_s))
            else:
                divergences.append(_divergence(key, left, right))
        found.rows.append(row)
    divergences.sort(key=lambda one: one.at_s)
    found.differing = len(divergences)
    found.divergences = divergences[:LISTED]
    return found


def _by_kind(said: Sequence[Said], from_s: float) -> dict[tuple[str, str], list[Said]]:
    kinds: dict[tuple[str, str], list[Said]] = {}
    for one in said:
        if one.at_s >= from_s:
            kinds.setdefault((one.source, one.type), []).append(one)
    return kinds


def _pairs(
    old: list[Said], new: list[Said], *, exact: bool
) -> Sequence[tuple[Said | None, Said | None]]:
    """Who stands beside whom; None where there is nobody."""
    in_turn: list[tuple[Said | None, Said | None]] = list(zip_longest(old, new))
    agreeing = sum(_agree(left, right, exact=exact) for left, right in zip(old, new, strict=False))
    if agreeing == len(in_turn) or len(in_turn) > ALIGNED_AT_MOST:
        return in_turn
    left, right = [gist_of(one) for one in old], [gist_of(one) for one in new]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    aligned: list[tuple[Said | None, Said | None]] = []
    for _, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        aligned += zip_longest(old[old_from:old_to], new[new_from:new_to])
    same = sum(block.size for block in matcher.get_matching_blocks())
    # Where both are as good, one that differs stands beside what came in its place.
    return in_turn if len(old) == len(new) and agreeing >= same else aligned


def _agree(left: Said, right: Said, *, exact: bool) -> bool:
    if left.character != right.character:
        return False
    if not exact:
        return gist_of(left) == gist_of(right)
    return abs(left.at_s - right.at_s) <= TOLERANCE and alike(left.data, right.data)


def alike(left: Any, right: Any) -> bool:
    """Whether fields are equal, numbers to within the tolerance."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(alike(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, float) or isinstance(right, float):
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        return numbers and isclose(left, right, rel_tol=0.0, abs_tol=TOLERANCE)
    return bool(left == right)


def gist_of(said: Said) -> str:
    """What a message says without what was measured: numbers with a fraction, and ids."""
    return json.dumps([said.character, _gist(said.data)], sort_keys=True)


def _gist(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _gist(one) for key, one in value.items() if not isinstance(one, float)}
    if isinstance(value, list):
        return [_gist(one) for one in value]
    if isinstance(value, str):
        return _MEASURED_NUMBER.sub("#", value)  # "breaking: 8.7 s on visitor_1"
    return None if isinstance(value, float) else value


def _divergence(key: tuple[str, str], left: Said | None, right: Said | None) -> Divergence:
    at_s = min(one.at_s for one in (left, right) if one is not None)
    return Divergence(
        round(at_s, 6),
        *key,
        None if left is None else left.data,
        None if right is None else right.data,
    )


def _distance(source: str, old: list[Said], new: list[Said]) -> list[MotionDistance]:
    """Distance of joints at the recorded times, with the replay read between its frames."""
    if not old or len(new) < 2:
        return []
    errors: list[tuple[float, float]] = []
    after = 0
    for frame in old:
        while after < len(new) and new[after].at_s < frame.at_s:
            after += 1
        if after == len(new) or new[0].at_s > frame.at_s:
            continue
        later = new[after]
        earlier = new[max(0, after - 1)]
        span_s = later.at_s - earlier.at_s
        share = (frame.at_s - earlier.at_s) / span_s if span_s > 0 else 1.0
        joints = frame.data.get("joints_rad") or {}
        from_rad, to_rad = earlier.data.get("joints_rad") or {}, later.data.get("joints_rad") or {}
        far_rad = [
            abs(angle - (from_rad[name] + share * (to_rad[name] - from_rad[name])))
            for name, angle in joints.items()
            if name in from_rad and name in to_rad
        ]
        if far_rad:
            errors.append((max(far_rad), frame.at_s))
    if not errors:
        return []
    ordered = sorted(error for error, _ in errors)
    worst_rad, worst_at_s = max(errors)
    rms_rad = sqrt(sum(error * error for error in ordered) / len(ordered))
    p95_rad = ordered[int(0.95 * (len(ordered) - 1))]
    return [MotionDistance(source, len(errors), rms_rad, p95_rad, worst_rad, round(worst_at_s, 3))]


def _short(data: dict[str, Any] | None) -> str:
    text = json.dumps(data, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:159]}…"
