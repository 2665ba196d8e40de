"""A run in a real terminal: the live table, Ctrl-C typed, the window closed."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are a thing of POSIX", allow_module_level=True)

import fcntl
import pty
import struct
import termios

CURSOR_HIDDEN, CURSOR_SHOWN = "\x1b[?25l", "\x1b[?25h"


class Terminal:
    """A terminal of 100 by 40 characters with `sera` in it."""

    def __init__(self, place, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        environment = {**place.environment, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            place.command(*arguments),
            cwd=place.folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            # The terminal becomes the session's own, so that it brings Ctrl-C and its end.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  # one call
        )
        os.close(slave)
        self.shown = ""

    def read_until(self, words: str, timeout_s: float = 15) -> None:
        deadline_s = time.monotonic() + timeout_s
        while words not in self.shown:
            left_s = deadline_s - time.monotonic()
            assert left_s > 0, f"{words!r} did not come:\n{self.shown}"
            if select.select([self.master], [], [], left_s)[0]:
                try:
                    self.shown += os.read(self.master, 65536).decode(errors="replace")
                except OSError:  # the other side is closed
                    assert words in self.shown, self.shown
                    return

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(5)


@pytest.fixture
def terminal(place):
    opened: list[Terminal] = []

    def open_terminal(*arguments: str) -> Terminal:
        opened.append(Terminal(place, *arguments))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


def without_codes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_the_table_is_drawn_below_the_story_and_ctrl_c_gives_the_terminal_back(terminal):
    window = terminal("run", "hello", "--no-record")
    window.read_until("visitor_1 looks at the robot")  # by then the table has been drawn anew
    window.read_until("Ctrl-C stops")
    assert CURSOR_HIDDEN in window.shown
    text = without_codes(window.shown)
    assert re.search(r"module +status +messages +per second +faults +restarts", text)
    assert re.search(r"world\.visitor +present +\d+ +\d+\.\d +- +-", text)
    assert re.search(r"Hello +\d+\.\d s +\w+ at mqtt://127\.0\.0\.1:\d+", text)
    assert re.search(r"\d+ messages · not recorded · Ctrl-C stops", text)
    os.write(window.master, b"\x03")
    window.read_until("hello stopped after")
    assert window.process.wait(3) == 130
    assert window.shown.rindex(CURSOR_SHOWN) > window.shown.rindex(CURSOR_HIDDEN)
    assert "once more ends it at once" in window.shown


def test_when_the_window_is_closed_the_run_ends_cleanly(terminal, place):
    window = terminal("run", "hello")
    window.read_until("ada says: ")
    live = Path(place.environment["XDG_RUNTIME_DIR"], "sera")
    assert len(list(live.glob("*.json"))) == 1
    os.close(window.master)
    assert window.process.wait(4) == 129
    assert list(live.iterdir()) == []
    assert "ended in an orderly way" in place.sera("log", "summary").stdout
