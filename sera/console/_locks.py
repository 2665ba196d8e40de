"""What the layout does not let a desk do, for the server that enforces it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sera.console.layout import FILE_NAME, Layout, load_layout

_NEVER_READ = -1


class LayoutLocks:
    """Asks the scenario's `console.toml`, which is read again when it was saved."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._saved_ns = _NEVER_READ
        self._layout: Layout | None = None

    def __call__(
        self, desk: str, message_type: str, data: dict[str, Any], character: str
    ) -> str | None:
        """Why a desk may not send this; None: it may."""
        layout = self._newest()
        return None if layout is None else layout.lock_for(desk, message_type, data, character)

    def _newest(self) -> Layout | None:
        if self._folder is None:
            return None
        try:
            saved_ns = (self._folder / FILE_NAME).stat().st_mtime_ns
        except OSError:
            saved_ns = 0
        if saved_ns != self._saved_ns:
            self._saved_ns = saved_ns
            layout = load_layout(self._folder) if saved_ns else None
            # A slip in the file must not open what was locked.
            if layout is None or layout.is_readable or self._layout is None:
                self._layout = layout
        return self._layout
