"""What tests of all rooms share: waiting for conditions, and drawing a few of many cases.

A test never asserts that something happened within seconds: how long it takes is the machine's
business, and a benchmark's. It waits for a condition, and `PATIENCE_S` only ends a wait for what
never comes; a machine ten times slower keeps it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import random
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

from sera.messages import Envelope

T = TypeVar("T")

PATIENCE_S = 180.0
POLL_S = 0.01


async def until(condition: Callable[[], Any], what: str = "it") -> Any:
    """Wait until a condition holds (it may be awaitable); returns its value."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        if time.monotonic() > deadline_s:
            pytest.fail(f"{what} did not happen")
        await asyncio.sleep(POLL_S)


def wait_until(condition: Callable[[], Any], what: str = "it") -> Any:
    """The same for tests without an event loop."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        if time.monotonic() > deadline_s:
            pytest.fail(f"{what} did not happen")
        time.sleep(POLL_S)
    return value


def each_once(envelopes: Iterable[Envelope]) -> list[Envelope]:
    """Without repetitions: on a busy machine a receipt comes late, and its order is sent again."""
    return list({envelope.id: envelope for envelope in envelopes}.values())


def some_of(cases: Iterable[T], count: int = 1, *, seed: int | str = 0) -> list[T]:
    """So many of the cases, drawn by a seed; all of them in `make test-full`."""
    every = list(cases)
    if so_many(count, len(every)) >= len(every):
        return every
    chosen = random.Random(seed).sample(range(len(every)), count)
    return [every[place] for place in sorted(chosen)]


def so_many(few: int, full: int) -> int:
    """How many examples: a few, or all that `make test-full` tries."""
    return full if "SERA_TEST_FULL" in os.environ else few
