"""Looking back at a recording: what stands on its time line, and how everybody moved.

`look_over` condenses a log of any length into one bounded overview; `motion_lines` gives the
motion of a stretch of it, thinned; `records_between` finds a stretch without reading the rest.
"""

from __future__ import annotations

from sera.recording.review._hidden import CONDITION_TYPE, without_condition
from sera.recording.review._json import safe_json
from sera.recording.review._light import Tally, light_records
from sera.recording.review._motion import REPLAYED_TYPES, motion_lines
from sera.recording.review._overview import Entry, Overview, is_counted_only, look_over
from sera.recording.review._seek import records_between
from sera.recording.review._tail import LogEnd, end_of_log

__all__ = [
    "CONDITION_TYPE",
    "REPLAYED_TYPES",
    "Entry",
    "LogEnd",
    "Overview",
    "Tally",
    "end_of_log",
    "is_counted_only",
    "light_records",
    "look_over",
    "motion_lines",
    "records_between",
    "safe_json",
    "without_condition",
]
