"""Text for terminals: harmless whatever it holds, and readable whatever the encoding."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def clean(text: str) -> str:
    """One line without what a terminal would obey, or an encoding could not hold."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\n", " "))


def note(sentence: str, style: str = "yellow") -> None:
    """Say something beside the result, on standard error: in colour where somebody looks."""
    if not sys.stderr.isatty():
        print(sentence, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True).print(Text(sentence, style=style), soft_wrap=True)


def standard_console() -> Console:
    """The console for standard output; without a terminal lines are never wrapped or cut."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=10_000, no_color=True)


def print_json(value: object) -> None:
    """A value for scripts: the only thing on standard output."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False), flush=True)


def forgive_encodings() -> None:
    """Let a terminal that cannot show a character show a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
