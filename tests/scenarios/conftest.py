"""Plays shipped scenarios in virtual time, each performance once for all tests that look at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
COARSE = {"engine": {"rate_hz": 10.0}, "body": {"rate_hz": 10.0}}
"""Motion that nobody looks at; an evening of it is computed in a moment."""


@dataclass(frozen=True)
class Performance:
    """A run, and all that was said on the bus."""

    summary: RunSummary
    seen: tuple[Envelope, ...]

    def of(self, kind: type[Any]) -> list[Any]:
        return [envelope.message for envelope in self.seen if isinstance(envelope.message, kind)]

    def envelopes(self, kind: type[Any]) -> list[Envelope]:
        return [envelope for envelope in self.seen if isinstance(envelope.message, kind)]


def changed(scenario: Scenario, settings: Mapping[str, Mapping[str, Any]]) -> Scenario:
    """The scenario with some settings of some modules changed."""
    plans = [
        replace(
            plan, settings=type(plan.settings)(**{**dict(plan.settings), **settings[plan.name]})
        )
        if plan.name in settings
        else plan
        for plan in scenario.plans
    ]
    return replace(scenario, plans=tuple(plans))


def _play(
    name: str,
    *,
    seed: int = 1,
    condition: str | None = None,
    duration_s: float | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    log: Path | None = None,
) -> Performance:
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        scenario = load_scenario(name, workspace, condition)
        scenario = scenario.overridden(seed=seed, duration_s=duration_s)
        scenario = changed(scenario, settings if settings is not None else COARSE)
        run = Run(scenario, workspace, RunOptions(record=log is not None, log=log))
        run.observe(seen.append)
        return await run.execute()

    summary = run_with_clock(main(), clock="virtual")
    return Performance(summary, tuple(seen))


_once = cache(_play)


@pytest.fixture(scope="session")
def performance() -> Callable[..., Performance]:
    """Plays a scenario; the same one a second time costs nothing."""
    return lambda name, **options: (
        _play(name, **options) if {"settings", "log"} & options.keys() else _once(name, **options)
    )
