"""The motion of a stretch of a recording, thinned to what eyes can follow.

Units and frames: `at_s` counts from the beginning of the run; everything else is as it was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sera.recording._reader import Record
from sera.recording.review._json import safe_json
from sera.recording.review._times import has_sound_time

THINNED_TYPES = frozenset({"JointFrame", "PersonMoved", "HeadDirection", "MarkerMoved"})
REPLAYED_TYPES = THINNED_TYPES | {
    *("PersonDetected", "PersonLost", "PeopleState", "MarkerSeen", "MarkerLost"),
    *("TargetUpdated", "TargetRemoved", "BehaviourState", "Gaze", "Point", "GazeState"),
    *("EngagementChanged", "SpeechActivity", "AttentionChanged"),
    *("SpeechStarted", "SpeechWord", "SpeechFinished"),
}
"""What a 3-D view needs to show it again."""
_HASTE = 0.85
"""Frames that come a little early still count, or 30 Hz would be thinned to 15 for 29 Hz."""


def motion_lines(
    records: Iterable[Record], *, origin_s: float, from_s: float, hz: float, limit_bytes: int
) -> Iterator[bytes]:
    """JSON lines, one a message; where the limit is reached, the last one is `{"more_from_s"}`.

    Of what was said before `from_s` only the newest of each kind comes, with its own time: that
    is how things stood when the stretch began.

    Args:
        records: from some seconds before `from_s` to the end of the stretch.
        origin_s: beginning of the run on the clock of the log.
        from_s: beginning of the stretch, from the beginning of the run.
        hz: how many frames a second to keep of a stream.
        limit_bytes: where to stop.
    """
    apart_s = _HASTE / hz
    standing: dict[tuple[str, str, str, str], bytes] | None = {}
    last_s: dict[tuple[str, str, str, str], float] = {}
    written = 0
    for record in records:
        if record.type not in REPLAYED_TYPES or not has_sound_time(record):
            continue
        at_s = record.received_s - origin_s
        person = record.data.get("person") or record.data.get("marker")
        key = (record.type, str(record.source), str(record.character), str(person or ""))
        if at_s < from_s and standing is not None:
            standing.pop(key, None)  # so that it goes to the end of the order
            standing[key] = _line(record, at_s)
            continue
        if standing is not None:
            for line in standing.values():
                written += len(line)
                yield line
            standing = None
        if record.type in THINNED_TYPES:
            if 0 <= at_s - last_s.get(key, -1e9) < apart_s:
                continue
            last_s[key] = at_s
        if written > limit_bytes:
            yield safe_json({"more_from_s": round(at_s, 3)}) + b"\n"
            return
        line = _line(record, at_s)
        written += len(line)
        yield line
    yield from (standing or {}).values()


def _line(record: Record, at_s: float) -> bytes:
    fields = {
        "at_s": round(at_s, 4),
        "type": record.type,
        "id": record.id,
        "source": record.source,
        "character": record.character,
        "cause": record.cause,
        "data": record.data,
    }
    return safe_json(fields) + b"\n"
