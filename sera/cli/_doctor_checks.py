"""The checks of `sera doctor`. Each really tries what a run would do, as far as that is quick."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Status = Literal["ok", "warning", "error"]

DISTRIBUTION = "sera-hri"
LOWEST_PYTHON = (3, 11)
COARSE_CLOCK_S = 0.001
BROKER_TIMEOUT_S = 15.0
SCENARIOS_AT_ONCE = 2
_ALSO_LOOK_IN = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/opt/homebrew/sbin")


@dataclass(frozen=True)
class Check:
    """One finding."""

    name: str
    status: Status
    finding: str
    fix: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True)
class Program:
    """A program that some part of SERA uses."""

    name: str
    others: tuple[str, ...]
    use: str
    fix: str


PROGRAMS = (
    Program(
        "mosquitto",
        (),
        "the faster of the two brokers",
        "apt install mosquitto, brew install mosquitto, or mosquitto.org; amqtt serves without it",
    ),
    Program(
        "espeak-ng",
        ("espeak",),
        "voices",
        "apt install espeak-ng, brew install espeak-ng; needed for speech, not for simulations",
    ),
    Program(
        "chromium",
        ("chromium-browser", "google-chrome", "chrome", "msedge", "firefox"),
        "pages and the console",
        "any browser will do; this one is for tests of the pages",
    ),
    Program("git", (), "versions of your workspace", "apt install git, brew install git"),
)


def all_checks() -> list[Check]:
    """Everything, in the order in which a person would look."""
    groups: tuple[Callable[[], Iterator[Check]], ...] = (
        _python,
        _packages,
        _clock,
        _kernels,
        _brokers,
        _programs,
        _devices,
        _workspace,
        _scenarios,
        _runs,
    )
    checks: list[Check] = []
    for group in groups:
        try:
            checks.extend(group())
        except Exception as error:  # a doctor must not fall ill: report and go on
            name = group.__name__.strip("_")
            checks.append(Check(name, "error", f"could not be checked: {error!r}"))
    return checks


def _python() -> Iterator[Check]:
    version = sys.version.split()[0]
    fine = sys.version_info[:2] >= LOWEST_PYTHON
    lowest = ".".join(map(str, LOWEST_PYTHON))
    yield Check(
        "python",
        "ok" if fine else "error",
        f"{version} ({sys.executable})",
        "" if fine else f"install Python {lowest} or newer",
    )


def _packages() -> Iterator[Check]:
    from sera import __version__

    yield Check("sera", "ok", f"{__version__} ({Path(__file__).resolve().parents[1]})")
    for requirement in _requirements():
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        try:
            yield Check(name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Check(name, "error", "is not installed", f'pip install "{requirement}"')
    try:
        version = importlib.metadata.version("uvloop")
        import uvloop  # noqa: F401  # whether it can be imported is the question
    except (ImportError, importlib.metadata.PackageNotFoundError):
        if sys.platform != "win32":  # it is not made for Windows
            yield Check(
                "uvloop", "warning", "is not in use: the bus is slower", "pip install uvloop"
            )
    else:
        yield Check("uvloop", "ok", version)


def _requirements() -> list[str]:
    """What the installed package says it needs on this system; uvloop is looked at by itself."""
    try:
        listed = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:  # run from a folder, not installed
        listed = ["amqtt", "gmqtt", "psutil", "pydantic", "rich", "starlette", "typer", "uvicorn"]
    return [line for line in listed if "extra ==" not in line and not line.startswith("uvloop")]


def _clock() -> Iterator[Check]:
    resolution_s = time.get_clock_info("perf_counter").resolution
    fine = resolution_s <= COARSE_CLOCK_S
    yield Check(
        "clock",
        "ok" if fine else "warning",
        f"resolution {resolution_s * 1e6:g} µs",
        "" if fine else "times in the log are coarse on this system",
    )


def _kernels() -> Iterator[Check]:
    """Whether the first solve of a run would wait for the compiler."""
    from sera._kernel_cache import cache_folder, is_warm

    folder = cache_folder()
    if folder is None:
        finding = "can be kept nowhere: every process compiles them for itself"
        fix = "make a folder for caches writable, or name one in XDG_CACHE_HOME"
        yield Check("kernels", "warning", finding, fix)
    elif is_warm():
        yield Check("kernels", "ok", f"compiled ({folder})")
    else:
        finding = "are not all compiled: the first use of the kinematics waits for it"
        yield Check("kernels", "warning", finding, "sera doctor --warm")


def _brokers() -> Iterator[Check]:
    from sera.bus import BrokerAddress

    tried = [asyncio.run(_try_broker(kind)) for kind in ("mosquitto", "amqtt")]
    yield from tried
    if not any(check.status == "ok" for check in tried):
        fix = "pip install amqtt, or apt install mosquitto, or give every run --broker URL"
        yield Check("brokers", "error", "no embedded broker works on this machine", fix)
    address = BrokerAddress.from_environment()
    if address is not None:
        yield asyncio.run(_try_address(address))
    yield _default_port()


async def _try_broker(kind: Literal["mosquitto", "amqtt"]) -> Check:
    """Really start it and connect to it."""
    from sera.bus import BrokerAddress, BrokerMissing, BusError, EmbeddedBroker

    name = f"broker {kind}"
    started_s = time.perf_counter()
    try:
        async with asyncio.timeout(BROKER_TIMEOUT_S), EmbeddedBroker(prefer=kind) as broker:
            await _connect(BrokerAddress(broker.host, broker.port))
            took_s = time.perf_counter() - started_s
    except BrokerMissing as error:
        # One of the two is enough.
        return Check(name, "warning", "is not installed", str(error))
    except (BusError, OSError, TimeoutError) as error:
        why = str(error) or f"no answer within {BROKER_TIMEOUT_S:g} s"
        return Check(name, "error", f"does not work: {why}", "reinstall it, or use --broker URL")
    return Check(name, "ok", f"starts and accepts a client in {took_s:.2f} s")


async def _try_address(address: object) -> Check:
    from sera.bus import BrokerAddress, BusError

    assert isinstance(address, BrokerAddress)
    try:
        await _connect(address)
    except BusError as error:
        return Check("SERA_BROKER", "error", str(error), "correct or unset SERA_BROKER")
    return Check("SERA_BROKER", "ok", f"{address} accepts a client")


async def _connect(address: object) -> None:
    from sera.bus import BrokerAddress, Listener

    assert isinstance(address, BrokerAddress)
    listener = Listener(address, "sera/doctor/#", lambda _topic, _payload: None)
    await listener.connect()
    await listener.close()


def _default_port() -> Check:
    from sera.bus import PortInUse
    from sera.bus._broker_ports import require_free

    try:
        require_free("127.0.0.1", 1883)
    except PortInUse as error:
        user = f" by {error.user}" if error.user else ""
        finding = f"MQTT's usual port 1883 is in use{user}; runs choose a free one by themselves"
        return Check("ports", "ok", finding)
    return Check("ports", "ok", "loopback ports can be used; 1883 is free")


def _programs() -> Iterator[Check]:
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_ALSO_LOOK_IN))
    for program in PROGRAMS:
        candidates = (shutil.which(name, path=path) for name in (program.name, *program.others))
        found = next((place for place in candidates if place), None)
        if found:
            yield Check(program.name, "ok", f"{found} ({program.use})")
        else:
            yield Check(
                program.name, "warning", f"is not installed (for {program.use})", program.fix
            )


def _devices() -> Iterator[Check]:
    """Best effort: what the operating system shows without opening anything."""
    if not sys.platform.startswith("linux"):
        yield Check("devices", "ok", "cameras and microphones are not looked for on this system")
        return
    cameras = sorted(Path("/dev").glob("video*"))
    shut = [str(path) for path in cameras if not os.access(path, os.R_OK | os.W_OK)]
    if shut:
        fix = "sudo usermod -aG video $USER, then log in again"
        yield Check("cameras", "warning", f"no access to {', '.join(shut)}", fix)
    else:
        listed = ", ".join(str(path) for path in cameras)
        yield Check("cameras", "ok", listed or "none (simulated people need none)")
    microphones = sorted(Path("/dev/snd").glob("pcm*c"))
    if not microphones:
        yield Check("microphones", "ok", "none (simulated people need none)")
    elif os.access(microphones[0], os.R_OK):
        yield Check("microphones", "ok", ", ".join(str(path) for path in microphones))
    else:
        fix = "sudo usermod -aG audio $USER, then log in again"
        yield Check("microphones", "warning", f"no access to {microphones[0]}", fix)


def _workspace() -> Iterator[Check]:
    from sera.runtime.located import shown_path
    from sera.runtime.workspace import Workspace, built_in_root

    workspace = Workspace.discover()
    own = "none around this folder" if workspace.own is None else str(workspace.own)
    counts = ", ".join(
        f"{len(entries)} {kind}"
        for kind, entries in (
            ("modules", workspace.modules()),
            ("robots", workspace.robots()),
            ("scenarios", workspace.scenarios()),
        )
    )
    if built_in_root() is None:
        yield Check("built-in", "error", "modules and scenarios are missing", "reinstall SERA")
    yield Check("workspace", "ok", f"{own}; {counts} in all")
    for finding in workspace.problems():
        status: Status = "ok" if finding.severity == "info" else finding.severity
        fix = "" if status == "ok" else finding.fix
        yield Check("workspace", status, f"{shown_path(finding.path)}: {finding.message}", fix)


def _scenarios() -> Iterator[Check]:
    """Every scenario with all its conditions, and the console's and the study's files beside it."""
    from concurrent.futures import ThreadPoolExecutor

    from sera.cli._scenario_findings import NotChecked, thorough_problems
    from sera.runtime.workspace import Entry, Workspace

    def check(entry: Entry) -> list[Check]:
        try:
            found = thorough_problems(entry.path)
        except NotChecked as error:
            fix = f"sera run {entry.name} --virtual tells more"
            return [Check("scenario", "error", f"{entry.name} could not be checked: {error}", fix)]
        return [Check("scenario", how, what.without_fix, what.fix or "") for how, what in found]

    entries = Workspace.discover().scenarios()
    with ThreadPoolExecutor(max_workers=SCENARIOS_AT_ONCE) as pool:
        wrong = [one for checks in pool.map(check, entries) for one in checks]
    yield from wrong
    if not wrong:
        yield Check("scenarios", "ok", f"nothing is wrong in {len(entries)} scenarios")


def _runs() -> Iterator[Check]:
    from sera.recording import runs_folder
    from sera.runtime.live_runs import clear_stale_runs, list_live_runs, live_runs_folder

    folder = runs_folder().absolute()
    place = folder
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            yield Check("runs", "ok", f"recordings go to {folder}")
    except OSError as error:
        yield Check(
            "runs",
            "error",
            f"recordings cannot be written to {folder}: {error.strerror}",
            "work in a folder of your own, or name one in SERA_RUNS",
        )
    stale = clear_stale_runs()
    if stale:
        ended = f"{len(stale)} runs ended without a farewell: {', '.join(stale)}"
        yield Check("stale runs", "ok", f"{ended}; forgotten now, their logs are kept")
    alive = list_live_runs()
    listed = "; ".join(str(run) for run in alive)
    yield Check("alive", "ok", listed or f"no run is alive ({live_runs_folder()})")
