"""Keys that buttons of a layout may have, written as people read them: `Alt+1`, `s`, `c w`."""

from __future__ import annotations

import re

_MODIFIERS = {"ctrl": "Ctrl", "control": "Ctrl", "alt": "Alt", "shift": "Shift"}
_NAMED = ("Home", "End", "PageUp", "PageDown", "Insert", "Delete", "Backspace")
_NAMES = {name.lower(): name for name in (*_NAMED, *(f"F{number}" for number in range(1, 25)))}
_FUNCTION_KEY = re.compile(r"F\d+\Z")

CONSOLE_KEYS = {
    "F8": "it stops the robot's voice",
    "F9": "it stops everything",
    "Ctrl+K": "it opens the palette",
    "?": "it shows all keys",
    "/": "it goes to the search",
    ".": "it cuts a line short",
    "Alt+P": "it previews what is typed",
    "Alt+A": "it accepts a suggestion",
    "Alt+Z": "it rejects a suggestion",
    "Alt+E": "it changes a suggestion",
    "a": "it accepts a suggestion",
    "z": "it rejects a suggestion",
    "e": "it changes a suggestion",
    "h": "it says a filler",
    "i": "it puts a waiting line first",
    "o": "it takes the last order back",
    "p": "it holds a waiting line",
    "q": "it goes through waiting lines",
    "r": "it repeats the last line",
    "u": "it moves a waiting line up",
    "x": "it removes a waiting line",
}
"""Keys of the console itself, and what they do."""
FIRST_STROKES = {
    "g": "it begins the keys of pages and characters (`g o`, `g 1`)",
    "b": "it begins the keys of postures and animations",
    "d": "it begins the keys of the autonomy dial",
    "D": "it begins the keys of the autonomy dial",
    "H": "it begins the keys that hand a channel over",
    "f": "it begins the keys of filters",
    "j": "it begins the keys of the emotion pad",
    "l": "it begins the keys of the gaze",
    "t": "it goes to the line for free text",
    "v": "it begins the keys of views",
    "w": "it begins the keys that take a channel in hand",
}
"""First strokes that the console uses, alone or before another."""
_FOR_KEYBOARDS = {
    *("enter", "escape", "esc", "tab", "space", "return"),
    *("arrowup", "arrowdown", "arrowleft", "arrowright", "up", "down", "left", "right"),
    *("[", "]", "{", "}"),
}
_BROWSERS = {"F1", "F3", "F5", "F6", "F7", "F11", "F12", "Ctrl+W", "Ctrl+T", "Ctrl+N", "Ctrl+R"}
_BROWSERS |= {"Ctrl+L", "Ctrl+P", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+A", "Ctrl+Z", "Ctrl+F"}
FREE = "free are digits, F2, F4, F10, the letters k, m, n, s, y, and c with a second stroke"


def key_of(written: str) -> str:
    """The key as the pages know it: `alt+w` → `Alt+W`, `C  w` → `c w`.

    Raises:
        ValueError: it is none, or not free; with the reason.
    """
    strokes = written.split()
    if not 1 <= len(strokes) <= 2:
        raise ValueError(f"a key is one stroke or two, such as Alt+1 or `c w`; {FREE}")
    known = [_stroke(stroke) for stroke in strokes]
    _require_free(known)
    return " ".join(known)


def _stroke(written: str) -> str:
    *modifiers, name = re.split(r"\+(?=.)", written)
    held = {_MODIFIERS.get(each.lower()) for each in modifiers}
    if None in held or len(held) < len(modifiers):
        raise ValueError(f"'{written}' is no key: before the + stand Ctrl, Alt or Shift, each once")
    if name.lower() in _FOR_KEYBOARDS:
        raise ValueError(f"{name} is needed to work without a mouse; {FREE}")
    shown = _NAMES.get(name.lower())
    if shown is None:
        if len(name) != 1 or not name.isprintable():
            raise ValueError(f"there is no key '{name[:20]}'; {FREE}")
        # A letter with Shift is another letter to a browser: Shift+A is `A`.
        upper = "Shift" in held or held & {"Ctrl", "Alt"}
        if "Shift" in held and not (name.isalpha() and len(held) == 1):
            raise ValueError(f"'{written}': Shift goes with a letter or a function key alone")
        shown, held = (name.upper() if upper else name.lower()), held - {"Shift"}
    order = [each for each in ("Ctrl", "Alt", "Shift") if each in held]
    return "+".join([*order, shown])


def _require_free(strokes: list[str]) -> None:
    first = strokes[0]
    for place, stroke in enumerate(strokes):
        # A second stroke is heard only after the first: there a letter means nothing else.
        if stroke in CONSOLE_KEYS and (place == 0 or len(stroke) > 1 or stroke in "?/"):
            raise ValueError(f"{stroke} is the console's own key: {CONSOLE_KEYS[stroke]}; {FREE}")
        if stroke in _BROWSERS:
            raise ValueError(f"{stroke} is kept by browsers; {FREE}")
    if first in FIRST_STROKES:
        raise ValueError(f"{first} is the console's own key: {FIRST_STROKES[first]}; {FREE}")
    if len(strokes) > 1 and _FUNCTION_KEY.match(first):
        raise ValueError(f"{first} works alone, so nothing can follow it; {FREE}")


def clash(key: str, other: str) -> bool:
    """Whether two keys cannot both be heard: the same, or one begins the other."""
    return key == other or key.startswith(f"{other} ") or other.startswith(f"{key} ")
