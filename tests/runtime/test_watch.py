"""A held-up event loop is blamed on somebody."""

from __future__ import annotations

import asyncio
import time

from sera.runtime import _watch


async def test_an_event_loop_that_stands_still_is_reported_with_the_last_handler(monkeypatch):
    monkeypatch.setattr(_watch, "HELD_S", 0.1)
    monkeypatch.setattr(_watch, "_CHECK_EVERY_S", 0.01)
    reports: list[str] = []
    watching = asyncio.create_task(_watch.watch_loop(reports.append))
    await asyncio.sleep(0.05)
    assert reports == []
    _watch.entered("ada.mind", "think")
    time.sleep(0.25)  # noqa: ASYNC251  # the fault that is to be found
    await asyncio.sleep(0.05)
    watching.cancel()
    (report,) = reports
    assert report.startswith("the event loop stood still for 0.")
    assert "last entered: ada.mind (think)" in report
    assert "`await self.blocking(…)`" in report
