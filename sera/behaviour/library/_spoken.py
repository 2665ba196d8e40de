"""The words of a line without its markup, roughly: enough to count and to find a question mark."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"<[^<>]*>|\\[^\\\s]*\\")


def spoken(text: str) -> str:
    """What a voice would read, with tags as they stand."""
    return " ".join(_MARKUP.sub(" ", text).split())
