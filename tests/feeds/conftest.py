"""A folder of live runs of the test's own, and feeds that are stopped at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sera.feeds import FeedServer
from tests.bus.brokers import shared_brokers  # noqa: F401


@pytest.fixture(autouse=True)
def own_live_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "live"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "sera"


@pytest.fixture
async def offer() -> AsyncIterator[Callable[..., Any]]:
    """Starts a feed of the run `play`."""
    servers: list[FeedServer] = []

    async def make(kind: Any = "picture", source: str = "world.eyes", **more: Any) -> FeedServer:
        began_s = more.pop("now_s", 0.0)
        server = FeedServer(kind, more.pop("name", "camera 0"), "play", source, **more)
        await server.start(now_s=began_s)
        servers.append(server)
        return server

    yield make
    for server in servers:
        await server.stop()
