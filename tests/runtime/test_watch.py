"""A held-up event loop is blamed on somebody; a broker that comes and goes costs nothing."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

from sera.runtime import _watch
from tests.helpers import until


async def test_an_event_loop_that_stands_still_is_reported_with_the_last_handler(monkeypatch):
    now_s, looks = [0.0], itertools.count()
    looked = [0]

    def look() -> float:
        looked[0] = next(looks)
        return now_s[0]

    monkeypatch.setattr(_watch, "time", SimpleNamespace(perf_counter=look))
    monkeypatch.setattr(_watch, "_CHECK_EVERY_S", 0.001)
    reports: list[str] = []
    watching = asyncio.create_task(_watch.watch_loop(reports.append))
    await until(lambda: looked[0] >= 4)
    assert reports == []
    _watch.entered("ada.mind", "think")
    now_s[0] += 0.7  # the fault that is to be found
    await until(lambda: reports)
    watching.cancel()
    (report,) = reports
    assert report.startswith("the event loop stood still for 0.7 s")
    assert "last entered: ada.mind (think)" in report
    assert "`await self.blocking(…)`" in report


class Flapping:
    """A connection that is announced and lost again before anybody looks."""

    trouble = "connection refused"

    def __init__(self) -> None:
        self.on_disconnected: list[Any] = []
        self.on_connected: list[Any] = []
        self.looks = 0

    @property
    def connected(self) -> bool:
        self.looks += 1
        return False


async def test_a_broker_that_comes_and_goes_is_waited_for_without_spinning() -> None:
    bus, lost = Flapping(), asyncio.Event()
    watching = asyncio.create_task(
        _watch.watch_broker(bus, lambda _: lost.set(), lambda _: None)  # type: ignore[arg-type]
    )
    await until(lambda: bus.on_disconnected)
    bus.on_disconnected[0]()
    await lost.wait()
    bus.on_connected[0]()
    for _ in range(200):
        await asyncio.sleep(0)
    assert bus.looks < 10
    watching.cancel()
