"""Where log records go while a command runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


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
