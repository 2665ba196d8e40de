"""Commands that join a run which is alive: monitor, send, module run."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sera.recording import LogReader

DYING = '''
from sera import Module, on
from sera.messages import PlayAnimation


class Dying(Module):
    """Dies of its first second."""

    async def run(self) -> None:
        await self.clock.sleep(0.2)
        raise RuntimeError("no more")
'''


class Alive:
    """A run that goes on for as long as the tests of this file need it."""

    def __init__(self, place, run) -> None:
        self.place = place
        self.run = run
        (self.file,) = Path(place.environment["XDG_RUNTIME_DIR"], "sera").glob("*.json")
        self.about = json.loads(self.file.read_text())

    def sera(self, *arguments: object):
        return self.place.sera(*arguments, timeout_s=20)


@pytest.fixture(scope="module")
def alive(tmp_path_factory) -> Iterator[Alive]:
    from tests.cli.conftest import place_in  # noqa: PLC0415

    place = place_in(tmp_path_factory.mktemp("alive"))
    run = place.start("run", "hello", "--condition", "busy")
    try:
        run.wait_for("visitor_1 arrives")
        yield Alive(place, run)
    finally:
        run.kill()
