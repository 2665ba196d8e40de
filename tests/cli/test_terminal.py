"""A run in a real terminal: the live table, Ctrl-C typed, the window closed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are a thing of POSIX", allow_module_level=True)

CURSOR_HIDDEN, CURSOR_SHOWN = "\x1b[?25l", "\x1b[?25h"


def without_codes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_the_table_is_drawn_below_the_story_and_ctrl_c_gives_the_terminal_back(terminal, place):
    window = terminal(place, "run", "hello", "--no-record")
    window.read_until("visitor_1 looks at the robot")  # by then the table has been drawn anew
    window.read_until("Ctrl-C stops")
    assert CURSOR_HIDDEN in window.shown
    text = without_codes(window.shown)
    assert re.search(r"module +status +messages +per second +faults +restarts", text)
    assert re.search(r"world\.visitor +present +\d+ +\d+\.\d +- +-", text)
    assert re.search(r"Hello +\d+\.\d s +\w+ at mqtt://127\.0\.0\.1:\d+", text)
    assert re.search(r"\d+ messages · not recorded · Ctrl-C stops", text)
    window.type(b"\x03")
    window.read_until("hello stopped after")
    assert window.end() == 130
    assert window.shown.rindex(CURSOR_SHOWN) > window.shown.rindex(CURSOR_HIDDEN)
    assert "once more ends it at once" in window.shown


def test_when_the_window_is_closed_the_run_ends_cleanly(terminal, place):
    window = terminal(place, "run", "hello")
    window.read_until("ada says: ")
    live = Path(place.environment["XDG_RUNTIME_DIR"], "sera")
    assert len(list(live.glob("*.json"))) == 1
    window.close_window()
    assert window.end() == 129
    assert list(live.iterdir()) == []
    assert "ended in an orderly way" in place.sera("log", "summary").stdout
