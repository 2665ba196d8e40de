"""A log that is easy to write to: its clock is turned by hand and envelopes number themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, Message
from sera.recording import LogHeader, LogReader, LogWriter, Record

HEADER = LogHeader(run="r1", scenario="hello", seed=7, clock="virtual", version="0.1")


class Recording:
    """One log in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now_s = 0.0
        self.problems: list[str] = []
        self.writer = self.open("refuse")
        self._sequence = 0

    def open(self, if_exists: Any, path: Path | None = None) -> LogWriter:
        return LogWriter(
            path or self.path,
            header=HEADER,
            clock_now=lambda: self.now_s,
            on_problem=self.problems.append,
            if_exists=if_exists,
        )

    def say(
        self,
        message: Message,
        *,
        source: str = "ada.mind",
        character: str = "ada",
        cause: str | None = None,
    ) -> str:
        """Record a message a tenth of a second after the last one; returns its id."""
        self._sequence += 1
        self.now_s += 0.1
        message_id = f"{source}-1-{self._sequence}"
        envelope = Envelope(message, message_id, self.now_s - 0.05, source, character, cause)
        self.writer.write(envelope, self.now_s)
        return message_id

    def log_text(self) -> str:
        self.writer.flush()
        return self.path.read_text(encoding="utf-8")

    def records(self, *, restore: bool = False) -> list[Record]:
        self.writer.flush()
        return list(LogReader(self.path, restore=restore))

    def data(self, *, restore: bool = False) -> list[dict[str, Any]]:
        return [record.data for record in self.records(restore=restore)]

    def originals(self, participant: str) -> str:
        self.writer.flush()
        folder = self.path.with_name(f"{self.path.name}.participants")
        return (folder / f"{participant}.jsonl").read_text(encoding="utf-8")


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path / "test.jsonl")


@pytest.fixture
def new_recording(tmp_path: Path) -> Callable[[str], Recording]:
    return lambda name: Recording(tmp_path / name / "test.jsonl")


def record(
    path: Path,
    scenario: str,
    *,
    clock: Any = "virtual",
    condition: str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **over: Any,
) -> Path:
    """Run a scenario of the built-in workspace and keep its log."""
    from sera.runtime.clock import run as run_in_loop
    from sera.runtime.launcher import Run, RunOptions
    from sera.runtime.scenario import load_scenario
    from sera.runtime.workspace import Workspace

    workspace = Workspace.discover(Path(__file__).parents[2])
    workspace.activate()
    loaded = load_scenario(scenario, workspace, condition).overridden(**over)
    loaded = loaded.with_settings(settings or {})

    async def go() -> None:
        await Run(loaded, workspace, RunOptions(log=path)).execute()

    run_in_loop(go(), clock=clock)
    return path


@pytest.fixture(scope="session")
def make_recording() -> Callable[..., Path]:
    """Runs a scenario and keeps its log: `make_recording(path, "hello", seed=5)`."""
    return record


@pytest.fixture(scope="session")
def hello_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One visit in virtual time."""
    return record(tmp_path_factory.mktemp("replay") / "hello.jsonl", "hello", seed=5)


@pytest.fixture(scope="session")
def tutor_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute of a lesson in virtual time."""
    folder = tmp_path_factory.mktemp("replay")
    return record(folder / "tutor.jsonl", "tutor", seed=3, duration_s=40.0)
