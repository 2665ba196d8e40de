"""The command line as its users call it, kept apart from whatever else runs on the machine.

`Place.sera` calls a command in this process, which is quick; `Place.start` and `Place.command`
are for what is about processes: signals, terminals, kills, runs that others join.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sera.cli import app
from sera.messages import _base as vocabulary
from sera.runtime.workspace import built_in_root
from tests.bus.brokers import shared_brokers  # noqa: F401
from tests.cli.small_study import Lab
from tests.helpers import PATIENCE_S, wait_until

OTHERS = ("SERA_PATH", "SERA_BROKER", "SERA_DEBUG", "SERA_RUNS", "COLUMNS")
SPACES = ("modules", "robots", "scenarios")


def _workspace_modules() -> dict[str, object]:
    """What was imported from workspaces and scenarios."""
    return {
        name: module
        for name, module in sys.modules.items()
        if (top := name.partition(".")[0]) in SPACES or top.startswith("sera_scenario_")
    }


@contextlib.contextmanager
def leaving_no_traces() -> Iterator[None]:
    """Afterwards nothing is left of a workspace: no path, no module, no message.

    What comes with SERA stays imported, as it would be imported again and again.
    """
    built_in = str(built_in_root())
    path, folder, environment = list(sys.path), Path.cwd(), dict(os.environ)
    modules, messages = _workspace_modules(), dict(vocabulary._registry)
    spaces = {name: dict(vars(modules[name])) for name in SPACES if name in modules}
    try:
        yield
    finally:
        sys.path[:] = path
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for name, module in _workspace_modules().items():
            if name not in modules and (
                not (getattr(module, "__file__", None) or "").startswith(built_in)
            ):
                del sys.modules[name]
        sys.modules.update(modules)  # type: ignore[arg-type]
        for name, before in spaces.items():
            vars(modules[name]).update(before)
        kept = {
            name: message
            for name, message in vocabulary._registry.items()
            if getattr(sys.modules.get(message.__module__), name, None) is message
        }
        vocabulary._registry.clear()
        vocabulary._registry.update(kept | messages)


@pytest.fixture(autouse=True)
def no_traces() -> Iterator[None]:
    with leaving_no_traces():
        yield


@contextlib.contextmanager
def _as_in_a_process() -> Iterator[None]:
    """Without the handlers of pytest: what nobody handles goes to standard error."""
    handlers, logging.root.handlers = logging.root.handlers, []
    try:
        yield
    finally:
        logging.root.handlers = handlers


@dataclass
class Place:
    """A folder to call `sera` in, with recordings and announcements of its own."""

    folder: Path
    environment: dict[str, str]

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Be in this folder, with its environment."""
        with leaving_no_traces():
            os.chdir(self.folder)
            os.environ.clear()
            os.environ.update(self.environment)
            yield

    def sera(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Call a command in this process; what it told is given as if it had been another."""
        words = [str(argument) for argument in arguments]
        with self.entered(), _as_in_a_process(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["sera", *words])
            result = CliRunner().invoke(app, words, prog_name="sera")
        errors = result.stderr
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            errors += "".join(traceback.format_exception(result.exception))
        return subprocess.CompletedProcess(words, result.exit_code, result.stdout, errors)

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

    def wait_for(self, words: str) -> str:
        """The first line with these words, once it was written."""

        def found() -> str | None:
            is_over = not self._reader.is_alive()
            line = next((line for line in list(self.lines) if words in line), None)
            assert line or not is_over, f"{words!r} did not come:\n{self.text}"
            return line

        return str(wait_until(found, f"{words!r} in\n{self.text}"))

    def end(self) -> int:
        """Wait for its end, and for all that it wrote; gives the exit code."""
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)


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


@pytest.fixture(scope="session")
def without_traces() -> Callable[[], contextlib.AbstractContextManager[None]]:
    return leaving_no_traces


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


@pytest.fixture
def lab(place: Place) -> Lab:
    """A workspace with a small study."""
    return Lab(place)


class Terminal:
    """A terminal of 100 by 40 characters with `sera` in it."""

    def __init__(self, place: Place, *arguments: object) -> None:
        import fcntl
        import pty
        import struct
        import termios

        def sit_down() -> None:
            """The terminal becomes the session's own, so that it brings Ctrl-C and its end."""
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whose tests run with nohup ignores it

        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.modes = termios.tcgetattr(self.slave)[3]
        self.process = subprocess.Popen(
            place.command(*arguments),
            cwd=place.folder,
            env={**place.environment, "TERM": "xterm-256color"},
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=sit_down,  # noqa: PLW1509  # two calls
        )
        self.shown = ""

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def read_until(self, words: str, times: int = 1) -> None:
        """Wait until it has shown these words, so many times."""

        def shows() -> bool:
            is_over = self.process.poll() is not None
            while select.select([self.master], [], [], 0)[0]:
                self.shown += os.read(self.master, 65536).decode(errors="replace")
            assert not is_over or words in self.shown, f"{words!r} did not come:\n{self.shown}"
            return self.shown.count(words) >= times

        wait_until(shows, f"{words!r} in a terminal")

    def end(self) -> int:
        return self.process.wait(PATIENCE_S)

    def close_window(self) -> None:
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
        if self.master >= 0:
            self.close_window()


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """Open a terminal in which `sera` runs; it is closed afterwards."""
    opened: list[Terminal] = []

    def open_terminal(place: Place, *arguments: object) -> Terminal:
        opened.append(Terminal(place, *arguments))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()
