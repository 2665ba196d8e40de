"""A robot's own bridge: `bridge.py` beside its body file, written by whoever has the robot.

Design overview: the file has one function, `make_bridge(body, settings, clock) -> Bridge`. It is
loaded as part of a package of its own, so that it can import files beside it. What it raises later,
whatever it is, counts as a lost body (`ContainedBridge`): the guard holds, reports and tries again,
and a mistake in somebody's driver does not end the module that keeps the robot safe.

Units and frames: as the body's channels.
Threading: one event loop.
Safety: checked before it is used: the function, what it returns, and the channels it claims.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from sera.animation.body import Body
from sera.animation.channels import OWN_SET
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    BridgeUnavailable,
    Clock,
    OutputFrame,
    StopMeans,
)
from sera.runtime.located import nearest_name, shown_path

FACTORY = "make_bridge"
_FORM = f"def {FACTORY}(body, settings, clock) -> Bridge"


def robot_bridge_file(folder: Path) -> Path:
    """Where the bridge of a robot's own stands."""
    return folder / "bridge.py"


def load_robot_bridge(body: Body, settings: Mapping[str, Any], clock: Clock) -> Bridge:
    """The bridge that `robots/<name>/bridge.py` makes.

    Raises:
        BridgeUnavailable: the file is missing or wrong; the message says where and how.
    """
    file = robot_bridge_file(body.folder)
    if not file.is_file():
        raise BridgeUnavailable(
            f"robot '{body.name}' has no bridge of its own: there is no {shown_path(file)}; write "
            f"one with `{_FORM}`, or choose another output"
        )
    factory = _factory(body.name, file)
    try:
        bridge = factory(body, dict(settings), clock)
    except BridgeUnavailable:
        raise
    except Exception as error:
        raise _wrong(file, f"{FACTORY} failed: {_told(error)}", _line_in(error, file)) from error
    if inspect.iscoroutine(bridge):
        bridge.close()
        raise _wrong(file, f"{FACTORY} must be a plain function and not `async def`")
    if not isinstance(bridge, Bridge):
        kind = type(bridge).__name__
        raise _wrong(file, f"{FACTORY} returned a {kind} and not a sera.animation.output.Bridge")
    contained = ContainedBridge(bridge, body.name)
    _check_channels(file, body, contained.describe())
    return contained


class ContainedBridge(Bridge):
    """Somebody's bridge: whatever goes wrong in it counts as a body that is lost."""

    def __init__(self, bridge: Bridge, robot: str) -> None:
        self.bridge = bridge
        self._robot = robot

    def describe(self) -> BridgeDescription:
        try:
            description = self.bridge.describe()
        except Exception as error:
            raise BridgeUnavailable(
                f"the bridge of '{self._robot}' cannot describe itself: {_told(error)}"
            ) from error
        if not isinstance(description, BridgeDescription):
            raise BridgeUnavailable(
                f"the bridge of '{self._robot}' describes itself by a "
                f"{type(description).__name__} and not by a BridgeDescription"
            )
        return description

    async def connect(self) -> None:
        await self._call("connect")

    async def animate(self, frame: OutputFrame) -> None:
        await self._call("animate", frame)

    async def heartbeat(self) -> BodyReading:
        reading = await self._call("heartbeat")
        if not isinstance(reading, BodyReading):
            kind = type(reading).__name__
            raise BridgeLost(f"the bridge of '{self._robot}': heartbeat gave a {kind}")
        return reading

    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        await self._call("stop", reason, means)

    async def release(self) -> None:
        await self._call("release")

    async def rest(self) -> None:
        await self._call("rest")

    async def close(self) -> None:
        await self._call("close")

    async def _call(self, what: str, *arguments: object) -> Any:
        try:
            # Inside, because a method that is no `async def` fails when it is called.
            return await getattr(self.bridge, what)(*arguments)
        except (OSError, BridgeUnavailable):
            raise
        except Exception as error:
            sentence = f"the bridge of '{self._robot}' failed in {what}: {_told(error)}"
            raise BridgeLost(sentence) from error


def _factory(robot: str, file: Path) -> Any:
    module = _import(file)
    factory = getattr(module, FACTORY, None)
    if factory is None:
        functions = [name for name, member in vars(module).items() if inspect.isfunction(member)]
        near = nearest_name(FACTORY, functions)
        hint = f" (it has '{near}')" if near else ""
        raise _wrong(file, f"the bridge of '{robot}' has no function '{FACTORY}'{hint}: `{_FORM}`")
    try:
        inspect.signature(factory).bind(None, None, None)
    except (TypeError, ValueError):
        raise _wrong(file, f"{FACTORY} must take three arguments: `{_FORM}`") from None
    return factory


def _import(file: Path) -> ModuleType:
    digest = hashlib.sha256(str(file.parent.resolve()).encode()).hexdigest()[:8]
    package = f"sera_robot_{digest}"
    if package not in sys.modules:
        spec = importlib.machinery.ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(file.parent)]
        sys.modules[package] = importlib.util.module_from_spec(spec)
    importlib.invalidate_caches()
    name = f"{package}.{file.stem}"
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)  # what was half imported must not be found next time
        raise _wrong(
            file, f"it cannot be imported: {_told(error)}", _line_in(error, file)
        ) from error


def _check_channels(file: Path, body: Body, description: BridgeDescription) -> None:
    known = [f"{OWN_SET}.{name}" for name in body.own]
    for channel in description.channels:
        if channel not in known:
            near = nearest_name(channel, known)
            hint = f"; did you mean '{near}'?" if near else ""
            raise _wrong(
                file, f"the bridge has a channel '{channel}' that the body file has not{hint}"
            )


def _line_in(error: BaseException, file: Path) -> int | None:
    """The last line of the file that had a part in the error."""
    if isinstance(error, SyntaxError):
        return error.lineno
    line = None
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename) == file:
            line = frame.lineno
    return line


def _wrong(file: Path, reason: str, line: int | None = None) -> BridgeUnavailable:
    place = shown_path(file) + (f":{line}" if line else "")
    return BridgeUnavailable(f"{place}: {reason}")


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
