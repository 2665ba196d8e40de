"""Sessions of a study: drawn, frozen, kept, resumed, excluded and erased.

`StudyFolder` begins sessions and knows what became of them; `freeze` copies what a session is made
of; `take_rows` makes the rows that analysis and export start from; `look_at` is what
`sera study status` tells; `erase` takes one participant out of everything.
"""

from sera.study.sessions._files import (
    MEGABYTE,
    SessionError,
    WrittenAlready,
    free_bytes,
    write_json_once,
    write_once,
)
from sera.study.sessions._inputs import study_file_of
from sera.study.sessions._lock import Held, locked
from sera.study.sessions._recorded_runs import note_runs_without_log
from sera.study.sessions._wish import Wish
from sera.study.sessions.erase import Erased, erase
from sera.study.sessions.folder import StudyFolder
from sera.study.sessions.freeze import Frozen, differences, read_frozen
from sera.study.sessions.kept import (
    KeptSession,
    SessionHead,
    conditions_of,
    scenario_condition,
)
from sera.study.sessions.rows import rows_of, take_rows, why_excluded
from sera.study.sessions.status import SessionLine, StudyStatus, look_at, note_revealing

__all__ = [
    "MEGABYTE",
    "Erased",
    "Frozen",
    "Held",
    "KeptSession",
    "SessionError",
    "SessionHead",
    "SessionLine",
    "StudyFolder",
    "StudyStatus",
    "Wish",
    "WrittenAlready",
    "conditions_of",
    "differences",
    "erase",
    "free_bytes",
    "locked",
    "look_at",
    "note_revealing",
    "note_runs_without_log",
    "read_frozen",
    "rows_of",
    "scenario_condition",
    "study_file_of",
    "take_rows",
    "why_excluded",
    "write_json_once",
    "write_once",
]
