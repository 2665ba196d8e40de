"""What a log file looks like: a header line, one line a message, an optional last line.

Everything is JSON, one object a line (JSONL), keys always in the same order:

- header `{"sera_log", "run", "scenario", "seed", "clock", "started", "version", "robots",
  "condition"}`, without `robots` where the bodies are not known and without `condition` where
  there was none; a writer that continues a log after a crash writes a second header in the middle;
- message `{"received", "topic", "type", "id", "time", "source", "character", "cause", "protocol",
  "data"}`: `received` and `time` in seconds on the clock of the run;
- what was no message `{"received", "topic", "malformed": {"why", "payload", "encoding", "bytes"}}`;
- gap `{"lost": <lines>}`, where a full disk cost lines;
- last line `{"end", "malformed", "lost", "counts"}` of a run that ended in an orderly way.

JSONL rather than MCAP: a file that was cut anywhere still opens without repair, people and every
statistics program can read it, and it is written at least as fast (`make bench-recording`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT_VERSION = 1
MALFORMED_TYPE = "(malformed)"
"""Stands for the message type where something arrived that was no message."""
LOG_NAME = "log.jsonl"
"""Name of the log in the folder of a run."""
RUN_INFO_NAME = "run.json"
"""Name of the description of a run in its folder."""


@dataclass(frozen=True, kw_only=True)
class LogHeader:
    """The first line of a log: which run it belongs to."""

    run: str
    """Id of the run, the second level of its topics."""
    scenario: str = ""
    seed: int | None = None
    clock: str = "real"
    """`real`, `virtual` or `scaled`."""
    started: float = 0.0
    """Start of the run on the clock of `received`, seconds; 0 in virtual time."""
    version: str = ""
    """Version of SERA that wrote the log."""
    robots: dict[str, str] | None = None
    """The body of each character that had one, by name; None: not known, as in older logs."""
    condition: str | None = None
    """The condition that the scenario was run in; None: none, or not known, as in older logs."""

    def line(self, **more: Any) -> bytes:
        """The header as a line of a log file."""
        told = asdict(self)
        for key in ("robots", "condition"):
            if told[key] is None:
                del told[key]
        return json_line({"sera_log": FORMAT_VERSION, **told, **more})

    @classmethod
    def from_line(cls, record: dict[str, Any]) -> LogHeader:
        """The header in a parsed line; what is missing or of a wrong type gets its default."""
        seed, started = record.get("seed"), record.get("started")
        return cls(
            run=str(record.get("run") or ""),
            scenario=str(record.get("scenario") or ""),
            seed=seed if isinstance(seed, int) and seed >= 0 else None,
            clock=str(record.get("clock") or "real"),
            started=float(started) if isinstance(started, int | float) else 0.0,
            version=str(record.get("version") or ""),
            robots=_names(record.get("robots")),
            condition=str(record.get("condition") or "") or None,
        )


def _names(value: Any) -> dict[str, str] | None:
    """Names by name, as far as they are ones; None where there is something else."""
    if not isinstance(value, dict):
        return None
    return {key: name for key, name in value.items() if isinstance(name, str) and name}


def json_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; text that UTF-8 cannot hold (half a surrogate pair) is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def json_line(value: Any) -> bytes:
    """One line of a JSONL file."""
    return json_bytes(value) + b"\n"


def participants_folder(log_path: Path) -> Path:
    """Where the originals of a log's pseudonyms are kept.

    In the folder of a run that is `participants/` beside the log; a log on its own has
    `<log>.participants/`.
    """
    plain = log_path.with_suffix("") if log_path.suffix == ".gz" else log_path
    if plain.name == LOG_NAME and (plain.parent / RUN_INFO_NAME).exists():
        return plain.parent / "participants"
    return plain.with_name(f"{plain.name}.participants")
