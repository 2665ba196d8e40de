"""The words of the projected screen: `texts.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from sera.runtime.located import FileProblem, FileProblems, LocatedToml

from .messages import ScreenShown
from .pieces import MOST_NOTES

FILLED_IN: dict[str, dict[str, Any]] = {
    "part": {"level": 1, "part": 1, "parts": 1},
    "guess": {"note": ""},
    "listen": {"note": ""},
    "repeat": {"note": ""},
    "listen_again": {"note": ""},
    "repeat_again": {"note": ""},
    "piece": {"title": "", "composer": "", "level": 1},
}
"""What the words of each screen may ask for in braces; the others nothing."""


class TextsError(FileProblems):
    """Everything that is wrong in the words of the screen."""

    what = "file of texts"


def load_texts(path: Path, language: str) -> dict[str, Any]:
    """The words of the screen.

    Raises:
        LookupError: the language is not there.
        TextsError: words are missing or ask for what nobody fills in, by line.
    """
    try:
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise TextsError([problem]) from None
    if language not in document.data:
        raise LookupError(f"{path.name} has no [{language}]; it has {', '.join(document.data)}")
    found: dict[str, Any] = document.data[language]
    screens = get_args(ScreenShown.model_fields["screen"].annotation)
    problems = []
    for key in (*screens, "listen_again", "repeat_again", "ordinals"):
        why = _wrong_words(key, found.get(key))
        if why:
            problems.append(document.problem((language, key), why))
    if problems:
        raise TextsError(problems)
    return found


def _wrong_words(key: str, lines: Any) -> str | None:
    pages = lines if key == "story" and isinstance(lines, list) else [lines]
    for page in pages:
        if not isinstance(page, list) or not all(isinstance(line, str) for line in page):
            return "must be a list of lines" if lines is not None else "this key is missing"
        try:
            for line in page:
                line.format(**FILLED_IN.get(key, {}))
        except (LookupError, ValueError, AttributeError):
            known = ", ".join(f"{{{name}}}" for name in FILLED_IN.get(key, ()))
            return f"braces are filled in for {known or 'nothing'} here"
    if key == "ordinals" and len(lines) < MOST_NOTES:
        return f"a part has up to {MOST_NOTES} notes, which need as many words"
    return None
