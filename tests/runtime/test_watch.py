"""A held-up event loop is blamed on somebody."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace

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
