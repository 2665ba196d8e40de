"""What an upload is called: cleaned for people to read, never a path."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 120
UNNAMED = "sheet.xlsx"
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def label_of(written: str | None) -> str:
    """The last part of a name as people see it, without what cannot be printed."""
    last = re.split(r"[/\\]", written or "")[-1]
    seen = "".join(" " if _is_unseen(letter) else letter for letter in last)
    shown = " ".join(seen.split())
    if not shown.strip("."):
        return UNNAMED
    if len(shown) > LONGEST:
        ending = ending_of(shown, "")
        shown = f"{shown[: LONGEST - len(ending) - 1]}…{ending}"
    return shown


def ending_of(label: str, otherwise: str = ".xlsx") -> str:
    """`.xlsx`, `.csv` …, in small letters."""
    found = _ENDING.search(label)
    return found.group().lower() if found else otherwise


def copy_name(label: str) -> str:
    """What the copy with comments is called."""
    return f"{_ENDING.sub('', label)}-findings.xlsx"


def _is_unseen(letter: str) -> bool:
    # Among them the signs that turn the direction of writing, with which an ending is disguised.
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
