"""Where log records go while a command runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sera.runtime._faults import SENT_TOO


def is_sent_too(record: logging.LogRecord) -> bool:
    """Whether a record is a fault that is a message of the run, too, and is told as such."""
    return bool(getattr(record, SENT_TOO, False))


@contextmanager
def showing_logs(handler: logging.Handler, levels: Mapping[str, int]) -> Iterator[None]:
    """Show what SERA logs, at these levels by logger; afterwards everything is as before."""
    before = {name: logging.getLogger(name).level for name in levels}
    root = logging.getLogger("sera")
    root.addHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    try:
        yield
    finally:
        root.removeHandler(handler)
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
