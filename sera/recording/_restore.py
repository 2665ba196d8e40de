"""Puts originals back in place of pseudonyms, where they are still kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sera.recording._format import participants_folder
from sera.recording._participants import Scalar, list_participants, read_originals
from sera.recording._pseudonyms import PSEUDONYM


class Originals:
    """The originals of one log; a participant's file is read when it is first needed."""

    def __init__(self, log_path: Path) -> None:
        self._files = {
            one.label: one.path for one in list_participants(participants_folder(log_path))
        }
        self._known: dict[str, dict[str, Scalar]] = {}

    def restored(self, data: dict[str, Any]) -> dict[str, Any]:
        """The fields of a record with all originals that are still there."""
        restored: dict[str, Any] = self._value(data)
        return restored

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            whole = PSEUDONYM.fullmatch(value)
            if whole:
                return self._original(whole)
            return PSEUDONYM.sub(lambda match: str(self._original(match)), value)
        if isinstance(value, dict):
            return {str(self._value(key)): self._value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return value

    def _original(self, match: re.Match[str]) -> Scalar:
        label = match[1]
        known = self._known.get(label)
        if known is None:
            path = self._files.get(label)
            entries = read_originals(path) if path is not None else ()
            known = self._known[label] = {one.pseudonym: one.original for one in entries}
        return known.get(match[0], match[0])
