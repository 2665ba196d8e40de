"""The behaviour manager's eyes alone: orders that came too early for the engine, conflicts."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sera.behaviour.gaze import BUILT_IN_POLICIES
from sera.behaviour.targets import TargetTable
from sera.messages import Gaze, Message, OrderConflict
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace


@pytest.fixture
def stage() -> SimpleNamespace:
    """Eyes on a clock that is set by hand, and all that they published."""
    load_packaged_class(Workspace.discover(Path(__file__).parents[2]), "behaviour_manager")
    package = next(name for name in sys.modules if name.endswith("behaviour_manager._eyes"))
    found = SimpleNamespace(now_s=0.0, sent=[], module=sys.modules[package])

    async def publish(message: Message, *, cause: str | None = None) -> str:
        found.sent.append((message, cause))
        return f"ada.behaviour-1-{len(found.sent)}"

    found.eyes = found.module.Eyes(
        TargetTable(),
        BUILT_IN_POLICIES,
        "random",
        publish=publish,
        note=lambda _sentence: None,
        clock=SimpleNamespace(now=lambda: found.now_s),
        reach=lambda _angles: True,
        source=random.Random(1),
    )
    return found


def order(stage: SimpleNamespace, target: str, source: str) -> Any:
    return stage.module.Ordered(f"{source}-1-1", source, stage.now_s, target)


def of(stage: SimpleNamespace, kind: type[Any]) -> list[Any]:
    return [message for message, _ in stage.sent if isinstance(message, kind)]


async def test_the_last_look_is_ordered_again_when_the_engine_was_not_ready(stage):
    await stage.eyes.gaze_at("topLeft", order(stage, "topLeft", "ada.mind"))
    (first,) = of(stage, Gaze)
    await stage.eyes.look_again("ada.behaviour-1-1")
    assert of(stage, Gaze) == [first, first]
    assert stage.sent[-1][1] == "ada.behaviour-1-1"
    await stage.eyes.look_again("ada.behaviour-1-1")  # it is no longer the last one
    assert len(of(stage, Gaze)) == 2
    await stage.eyes.look_again("ada.behaviour-1-2")
    assert len(of(stage, Gaze)) == 3


async def test_orders_that_follow_each_other_after_a_while_are_no_conflict(stage):
    for source, target in (("ada.a", "topLeft"), ("ada.b", "topRight"), ("ada.a", "top")):
        await stage.eyes.gaze_at(target, order(stage, target, source))
        stage.now_s += 1.5
    assert of(stage, OrderConflict) == []


async def test_two_modules_that_mean_the_same_target_are_no_conflict(stage):
    for source in ("ada.a", "ada.b"):
        await stage.eyes.gaze_at("top", order(stage, "top", source))
        stage.now_s += 0.1
    assert of(stage, OrderConflict) == []
    await stage.eyes.gaze_at("left", order(stage, "left", "ada.a"))
    (conflict,) = of(stage, OrderConflict)
    assert (conflict.kept_source, conflict.dropped_source) == ("ada.a", "ada.b")
