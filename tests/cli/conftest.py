"""The command line as its users call it, kept apart from whatever else runs on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

OTHERS = ("SERA_PATH", "SERA_BROKER", "SERA_DEBUG", "SERA_RUNS", "COLUMNS")


@dataclass
class Place:
    """A folder to call `sera` in, with recordings and announcements of its own."""

    folder: Path
    environment: dict[str, str]

    def sera(self, *arguments: object, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def start(self, *arguments: object) -> Started:
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Started(process)

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "sera", *map(str, arguments)]

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@dataclass
class Started:
    """A `sera` that is running; what it writes is gathered."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, words: str, timeout_s: float = 15) -> str:
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s:
            for line in self.lines:
                if words in line:
                    return line
            if self.process.poll() is not None:
                self._reader.join(2)
                if words in self.text:
                    continue
                break
            time.sleep(0.02)
        raise AssertionError(f"{words!r} did not come:\n{self.text}")

    def end(self, timeout_s: float = 10) -> int:
        code = self.process.wait(timeout_s)
        self._reader.join(2)
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(5)


def place_in(folder: Path) -> Place:
    environment = {key: value for key, value in os.environ.items() if key not in OTHERS}
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    work = folder / "work"
    work.mkdir()
    environment |= {"XDG_RUNTIME_DIR": str(runtime), "SERA_RUNS": str(folder / "runs")}
    return Place(work, environment)


@pytest.fixture(scope="session")
def make_place() -> Callable[[Path], Place]:
    return place_in


@pytest.fixture
def place(tmp_path) -> Place:
    return place_in(tmp_path)


@pytest.fixture
def start(place) -> Iterator[Callable[..., Started]]:
    """Start `sera` beside the test; whatever is still running afterwards is ended."""
    started: list[Started] = []

    def begin(*arguments: object) -> Started:
        started.append(place.start(*arguments))
        return started[-1]

    yield begin
    for each in started:
        each.kill()
