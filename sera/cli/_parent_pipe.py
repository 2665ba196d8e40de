"""The pipe from `sera run` to the process of one module: what it is told, and when to end.

The file descriptor is read directly: a thread that waits inside `sys.stdin` would hold its lock
and disturb the end of the program.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Callable
from typing import Any

from sera.cli._errors import CommandError

_STDIN = 0


def read_first_line() -> dict[str, Any]:
    """What the parent hands down: one line of JSON.

    Raises:
        CommandError: it is missing or no object.
    """
    content = b""
    while not content.endswith(b"\n"):
        piece = os.read(_STDIN, 65536)
        if not piece:
            break
        content += piece
    try:
        handed_down = json.loads(content)
    except ValueError:
        handed_down = None
    if not isinstance(handed_down, dict) or "broker" not in handed_down:
        raise CommandError(
            "--child is for `sera run` itself, which hands the broker's address down on standard "
            "input; give --broker URL instead"
        )
    return handed_down


def call_at_end(callback: Callable[[], None]) -> None:
    """Call back in this event loop when the parent closes the pipe, or is gone."""
    loop = asyncio.get_running_loop()

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(_STDIN, 65536):
                pass
        with contextlib.suppress(RuntimeError):  # the loop is closed: we are leaving anyway
            loop.call_soon_threadsafe(callback)

    threading.Thread(target=wait, name="parent", daemon=True).start()
