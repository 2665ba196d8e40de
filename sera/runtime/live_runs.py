"""Which runs are alive on this machine, and how to join them.

A run writes a small file about itself, so that `sera monitor`, `sera send` and `sera module run`
in another terminal find its broker without being told. A file whose process is gone (kill -9,
power cut) is stale: it is ignored and removed.

Safety
    The file holds the broker's password, so the folder and the file belong to one user alone. A
    folder that somebody else could have prepared (`/tmp` is everybody's) is refused.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from sera.runtime.located import nearest_name

NOTES_SUFFIX = ".notes"
_STRANGE = re.compile(r"[^A-Za-z0-9._-]")
_SUFFIX = ".json"
_UNKNOWN_START_S = 0.0
_PAGES_FILE = "pages.txt"

_log = logging.getLogger("sera.live_runs")


class LiveRunError(LookupError):
    """The run that was meant cannot be told; the message says what there is and what to do."""


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that is alive on this machine."""

    run: str
    broker: str
    """The whole address, password included: for programs, not for people."""
    scenario: str
    scenario_file: str
    pid: int
    process_started_s: float
    """When the process started: a process id alone may belong to somebody else by now."""
    started_s: float

    @property
    def is_alive(self) -> bool:
        started_s = process_start(self.pid)
        if started_s is None or _UNKNOWN_START_S in (started_s, self.process_started_s):
            return started_s is not None
        return abs(started_s - self.process_started_s) < 1.0

    def __str__(self) -> str:
        since = time.strftime("%H:%M:%S", time.localtime(self.started_s))
        return f"{self.run} (scenario {self.scenario}, since {since}, process {self.pid})"


def live_runs_folder() -> Path:
    """Where this user's runs announce themselves; not necessarily there yet."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path(tempfile.gettempdir())) / "sera" / "live"
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and Path(base).is_dir():
        return Path(base) / "sera"
    return Path(tempfile.gettempdir()) / f"sera-{os.getuid()}"


def announce(run_id: str, *, broker: str, scenario: str, scenario_file: Path) -> None:
    """Put a run of this process on the list. Where that fails the run goes on all the same."""
    pid = os.getpid()
    process_started_s = process_start(pid) or _UNKNOWN_START_S
    run = LiveRun(run_id, broker, scenario, str(scenario_file), pid, process_started_s, time.time())
    try:
        register(run)
    except OSError as error:
        _log.warning(
            "`sera monitor` and `sera send` will not find this run by themselves: %s", error
        )


def register(run: LiveRun) -> Path:
    """Put a run on the list; returns its file.

    Raises:
        OSError: the folder cannot be made, or is not safely this user's own.
    """
    folder = live_runs_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    require_own(folder)
    return write_private(folder / f"{run.run}{_SUFFIX}", json.dumps(asdict(run)))


def write_private(path: Path, text: str) -> Path:
    """Write a file that only this user may read; nobody ever reads half of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(path)
    return path


def unregister(run_id: str) -> None:
    """Take a run off the list, with its modules' notes; harmless where it is not on it."""
    with contextlib.suppress(OSError):
        (live_runs_folder() / f"{run_id}{_SUFFIX}").unlink(missing_ok=True)
    shutil.rmtree(notes_folder(run_id), ignore_errors=True)


def notes_folder(run_id: str) -> Path:
    """Where modules of a run leave what their next life must know; it goes with the run."""
    name = _STRANGE.sub("_", run_id)
    return live_runs_folder() / f"{name}{NOTES_SUFFIX}"


def announce_pages(run_id: str, address: str) -> None:
    """Say where the run's console is, so that `sera console` finds it.

    The address may hold a token, so the file is this user's alone, as the run's own is.
    """
    folder = notes_folder(run_id)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        require_own(folder)
        write_private(folder / _PAGES_FILE, address)
    except OSError as error:
        _log.warning("`sera console` will not find this run's pages by itself: %s", error)


def withdraw_pages(run_id: str) -> None:
    """The run's console is closed."""
    with contextlib.suppress(OSError):
        (notes_folder(run_id) / _PAGES_FILE).unlink(missing_ok=True)
        notes_folder(run_id).rmdir()  # where nobody else left anything


def pages_of(run_id: str) -> str | None:
    """The address of a run's console; None where it has none."""
    try:
        return (notes_folder(run_id) / _PAGES_FILE).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def list_live_runs() -> list[LiveRun]:
    """The runs that are alive on this machine, oldest first; stale files are removed."""
    return [run for run, alive in _read_all() if alive]


def clear_stale_runs() -> list[str]:
    """Remove the files of runs whose process is gone; returns the ids of these runs."""
    return [run.run for run, alive in _read_all() if not alive]


def find_live_run(run_id: str | None = None) -> LiveRun:
    """The run of that id, or the only one that is alive.

    Raises:
        LiveRunError: there is none, or there are several.
    """
    alive = list_live_runs()
    if run_id is not None:
        for run in alive:
            if run.run == run_id:
                return run
    return _the_one(run_id, alive)


def _the_one(run_id: str | None, alive: list[LiveRun]) -> LiveRun:
    elsewhere = "for a run on another machine give its broker, --broker mqtt://HOST:PORT"
    if not alive:
        wanted = "no run" if run_id is None else f"no run {run_id!r}, nor any other,"
        raise LiveRunError(
            f"{wanted} is alive on this machine: start one with `sera run NAME`; {elsewhere}"
        )
    listed = "".join(f"\n  {run}" for run in alive)
    if run_id is not None:
        near = nearest_name(run_id, [run.run for run in alive])
        hint = f"; did you mean '{near}'?" if near else ""
        raise LiveRunError(
            f"no run {run_id!r} is alive on this machine{hint} ({elsewhere}); alive are:{listed}"
        )
    if len(alive) > 1:
        raise LiveRunError(f"several runs are alive, choose one with --run ID:{listed}")
    return alive[0]


def _read_all() -> list[tuple[LiveRun, bool]]:
    folder = live_runs_folder()
    try:
        require_own(folder)
        paths = sorted(folder.glob(f"*{_SUFFIX}"))
    except OSError:
        return []  # nobody has announced anything
    found = []
    for path in paths:
        try:
            run = LiveRun(**json.loads(path.read_bytes()))
            alive = run.is_alive
        except (OSError, ValueError, TypeError):  # not ours, or of another version
            continue
        if not alive:
            unregister(run.run)
        found.append((run, alive))
    return sorted(found, key=lambda entry: (entry[0].started_s, entry[0].run))


def require_own(folder: Path) -> None:
    """Refuse a folder that somebody else could have prepared.

    Raises:
        OSError: it is no folder, or not this user's alone.
    """
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{folder} is not a folder: remove it")
    if sys.platform == "win32":  # the folder of the user's own data is private there
        return
    if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{folder} is not this user's own alone: remove it")


def process_start(pid: int) -> float | None:
    """When a process started, in seconds since 1970; None where there is none of that id."""
    try:
        import psutil
    except ImportError:  # it leans on modules that not every system has
        return _UNKNOWN_START_S if _exists(pid) else None
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def _exists(pid: int) -> bool:
    if sys.platform == "win32":  # the question below would end the process there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
