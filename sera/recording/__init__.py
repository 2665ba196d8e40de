"""Recordings of runs: a crash-safe log of all messages, pseudonyms for people, and ways to read it.

`LogWriter` writes, `LogReader` reads; `filter_records`, `trace`, `summarise` and `export` work on
what was read; `erase_participant` deletes the originals of one person; `RunFolder`,
`list_recordings` and `find_log` know where logs are kept.
"""

from __future__ import annotations

from sera.recording._erase import Erasure, UnknownParticipant, erase_participant
from sera.recording._export import Exported, ExportError, export, record_line
from sera.recording._filter import filter_records
from sera.recording._format import MALFORMED_TYPE, LogHeader, participants_folder
from sera.recording._line_file import sync_files
from sera.recording._participants import UNASSIGNED, Participant, list_participants
from sera.recording._reader import LogReader, Record
from sera.recording._recordings import (
    InStudy,
    Recording,
    UnknownRun,
    find_log,
    find_recording,
    list_recordings,
)
from sera.recording._run_folder import LAST, RunFolder, RunInfo, list_runs, runs_folder
from sera.recording._summary import LogSummary, summarise
from sera.recording._trace import TraceStep, UnknownMessageId, trace
from sera.recording._writer import LogWriter

__all__ = [
    "LAST",
    "MALFORMED_TYPE",
    "UNASSIGNED",
    "Erasure",
    "ExportError",
    "Exported",
    "InStudy",
    "LogHeader",
    "LogReader",
    "LogSummary",
    "LogWriter",
    "Participant",
    "Record",
    "Recording",
    "RunFolder",
    "RunInfo",
    "TraceStep",
    "UnknownMessageId",
    "UnknownParticipant",
    "UnknownRun",
    "erase_participant",
    "export",
    "filter_records",
    "find_log",
    "find_recording",
    "list_participants",
    "list_recordings",
    "list_runs",
    "participants_folder",
    "record_line",
    "runs_folder",
    "summarise",
    "sync_files",
    "trace",
]
