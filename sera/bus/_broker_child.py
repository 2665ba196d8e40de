"""The embedded broker's child process: how each kind is started, heard and ended.

mosquitto and amqtt get the same settings: nothing is stored on disk, no $SYS statistics, no
limit on what may wait for a slow client but memory, and packets up to `MAX_PACKET_BYTES`. That
is more than SERA's own limit of 1 MiB, so that an oversized message reaches its receivers and
is *reported* there with its sender instead of vanishing in the broker.

Safety
    The child never outlives this process, `kill -9` included: see `sera/_broker_process/hold.py`
    for mosquitto; amqtt ends when its standard input does. It runs in a session of its own, so
    that Ctrl-C in the terminal reaches the modules first and they can still say good-bye.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any, Literal

from sera._broker_process.passwords import password_line
from sera.bus._broker_errors import BrokerMissing
from sera.bus._broker_ports import Endpoint, needs_credentials

BrokerKind = Literal["mosquitto", "amqtt"]

MAX_PACKET_BYTES = 32 * 1024 * 1024
STOP_TIMEOUT_S = 2.0
WATCHER_POLL_S = 0.05
LOG_LINES_KEPT = 50

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_HOLD = _PACKAGE_ROOT / "sera" / "_broker_process" / "hold.py"
_NOT_ON_PATH = (
    "/usr/sbin",
    "/usr/local/sbin",
    "/opt/homebrew/sbin",
    "/opt/homebrew/opt/mosquitto/sbin",
    "/usr/local/opt/mosquitto/sbin",
)
_SAID_AT_EVERY_START = ("should not be run as root",)

_log = logging.getLogger("sera.broker")


def find_mosquitto() -> Path | None:
    """Find mosquitto on PATH and where distributions put it beside; None where it is missing."""
    found = shutil.which("mosquitto")
    if found is None:
        windows = (os.environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)"))
        folders = [*_NOT_ON_PATH, *(str(Path(base) / "mosquitto") for base in windows if base)]
        found = shutil.which("mosquitto", path=os.pathsep.join(folders))
    return Path(found) if found else None


def has_amqtt() -> bool:
    return importlib.util.find_spec("amqtt") is not None


def choose_kind(prefer: Literal["auto", "mosquitto", "amqtt"]) -> BrokerKind:
    """Take what is asked for, or mosquitto before amqtt.

    Raises:
        BrokerMissing: with how to install it.
    """
    if prefer not in ("auto", "mosquitto", "amqtt"):
        raise ValueError(f"broker {prefer!r}: choose 'auto', 'mosquitto' or 'amqtt'")
    if prefer != "amqtt" and find_mosquitto() is not None:
        return "mosquitto"
    if prefer == "mosquitto":
        raise BrokerMissing(
            "mosquitto is not installed: `apt install mosquitto` (Debian, Ubuntu), `brew install "
            "mosquitto` (macOS) or the installer of mosquitto.org (Windows); or ask for 'auto', "
            "which takes amqtt instead"
        )
    if not has_amqtt():
        raise BrokerMissing(
            "no broker is installed: `pip install amqtt`, or install mosquitto (`apt install "
            "mosquitto`, `brew install mosquitto`), or give the address of one that runs (--broker)"
        )
    return "amqtt"


def mosquitto_settings(endpoint: Endpoint, password_file: Path | None) -> str:
    """Write mosquitto's configuration file."""
    lines = [
        f"listener {endpoint.port} {endpoint.host}".rstrip(),
        f"allow_anonymous {'true' if password_file is None else 'false'}",
        "persistence false",
        "sys_interval 0",
        "set_tcp_nodelay true",
        # With a limit, later QoS 0 messages overtake the QoS 1 messages that wait behind it,
        # and what does not fit into the queue is dropped without a word.
        "max_inflight_messages 0",
        "max_queued_messages 0",
        f"max_packet_size {MAX_PACKET_BYTES}",
        "connection_messages false",
        "log_dest stderr",
        "log_timestamp false",
        "log_type error",
        "log_type warning",
        "log_type notice",
    ]
    if password_file is not None:
        lines.append(f"password_file {password_file}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # A change of user would clear the parent-death signal and shut out the password file.
        lines.append("user root")
    return "\n".join(lines) + "\n"


class BrokerChild:
    """One child process; a restart makes a new one."""

    def __init__(self, kind: BrokerKind, endpoint: Endpoint, folder: Path) -> None:
        if endpoint.username is None and needs_credentials(endpoint.host):
            raise ValueError(f"a broker on {endpoint.host!r} needs a user name and a password")
        self.kind = kind
        self.log: deque[str] = deque(maxlen=LOG_LINES_KEPT)
        self.pid = 0
        """The broker's own process id, also where a watcher stands in between."""
        self._endpoint = endpoint
        self._folder = folder
        self._watched = kind == "mosquitto" and not sys.platform.startswith("linux")
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None

    async def launch(self) -> None:
        """Start the process; it is not ready yet when this returns."""
        environment = dict(os.environ)
        paths = [str(_PACKAGE_ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self._process = await asyncio.create_subprocess_exec(
            *self._command(self._write_passwords()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if self._watched else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            **_own_session(),
        )
        self.pid = self._process.pid
        self._listening = asyncio.create_task(self._listen(), name="broker log")
        if self._watched and self._process.stdout is not None:
            first_line = await self._process.stdout.readline()
            self.pid = int(first_line) if first_line.strip().isdigit() else self.pid

    def _write_passwords(self) -> Path | None:
        if self._endpoint.username is None:
            return None
        path = self._folder / "passwords"
        path.touch(mode=0o600)
        line = password_line(self._endpoint.username, self._endpoint.password or "")
        path.write_text(line + "\n", encoding="utf-8", newline="\n")
        return path

    def _command(self, password_file: Path | None) -> list[str]:
        if self.kind == "mosquitto":
            program = find_mosquitto()
            if program is None:
                raise BrokerMissing("mosquitto has been removed while the broker was running")
            settings = self._folder / "mosquitto.conf"
            text = mosquitto_settings(self._endpoint, password_file)
            settings.write_text(text, encoding="utf-8", newline="\n")
            mode = "watch" if self._watched else "signal"
            hold = [sys.executable, "-I", "-S", str(_HOLD), mode, str(os.getpid())]
            return [*hold, str(program), "-c", str(settings)]
        # -P: a file in the current folder must not stand in for a library.
        command = [sys.executable, "-P", "-m", "sera._broker_process.amqtt_main"]
        command += ["--host", self._endpoint.host, "--port", str(self._endpoint.port)]
        command += ["--max-packet-bytes", str(MAX_PACKET_BYTES)]
        if password_file is not None:
            command += ["--password-file", str(password_file)]
        return command

    async def _listen(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        async for raw in self._process.stderr:
            line = raw.decode("utf-8", errors="replace").strip()
            if line and not any(known in line for known in _SAID_AT_EVERY_START):
                self.log.append(line)
                _log.warning(f"{self.kind}: {line}")

    @property
    def has_ended(self) -> bool:
        return self._process is None or self._process.returncode is not None

    async def wait(self) -> str:
        """Wait for the end of the process and say in words how it ended."""
        assert self._process is not None
        if self._watched:
            # asyncio's own wait ends with the last holder of the pipes, and that is the broker
            # itself when somebody killed its watcher.
            while self._process.returncode is None:
                await asyncio.sleep(WATCHER_POLL_S)
            code = self._process.returncode
        else:
            code = await self._process.wait()
        if self._listening is not None:
            # Its last words are still in the pipe.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._listening), 0.2)
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with exit status {code}"

    async def stop(self) -> None:
        """End the process: politely, then by force. Does nothing when it has ended already."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            if process.stdin is not None:
                process.stdin.close()
            if not self._watched:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if self._watched and self.pid != process.pid:
            # The watcher may have been killed before it could end the broker.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGTERM)
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)


def _own_session() -> dict[str, Any]:
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags}
    return {"start_new_session": True}
