"""The eyes are at a pointed-at thing a moment before the hand, whoever orders the hand alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
from sera.evaluation.motion import Face
from sera.messages import Direction, Gaze, Message, MoveHand, Point, Position, SetLayer

ROOT = Path(__file__).parents[2]
ORDERS: dict[str, tuple[Message, str]] = {
    "point": (
        Point(direction=Direction(horizontal_deg=30.0, vertical_deg=-10.0), hold_s=2.0),
        "right_point",
    ),
    "move": (
        MoveHand(hand="left", place=Position(x_m=0.25, y_m=0.9, z_m=0.35), hold_s=1.5),
        "left_point",
    ),
}


@pytest.mark.parametrize("kind", ORDERS)
def test_the_eyes_arrive_before_the_hand_and_go_back_after_it(kind):
    order, chain_name = ORDERS[kind]
    stage_set = StageSet.find(ROOT / "robots" / "pepper", (ROOT,), seed=1)
    animator, body = Animator(stage_set.program()), stage_set.body
    face, end = Face(body), next(c.end_point for c in body.chains if c.name == chain_name)
    animator.handle(SetLayer(layer="life", active=False))
    animator.handle(Gaze(direction=Direction(horizontal_deg=-20.0, vertical_deg=0.0)))
    for _ in range(60):
        animator.step()
    before = np.array(face.looks_at_deg(animator.step()))
    animator.handle(order, "order")
    looks, hand = [], []
    for _ in range(250):
        own = animator.step()
        looks.append(face.looks_at_deg(own))
        hand.append(place_of(stage_set, own, end))
    there = 95
    gap_s = arrival_s(np.array(hand[:there])) - arrival_s(np.array(looks[:there]))
    assert 0.15 <= gap_s <= 0.35
    assert np.linalg.norm(np.array(looks[there]) - before) > 10.0
    assert np.linalg.norm(np.array(looks[-1]) - before) < 2.0


def place_of(stage_set: StageSet, own: Mapping[str, float], end: str) -> np.ndarray:
    tree = stage_set.body.tree
    return tree.pose(tree.angles_of({n: own[n] for n in tree.joint_names}), end).position_m


def arrival_s(path: np.ndarray) -> float:
    left = np.linalg.norm(path - path[-1], axis=1)
    return (int(np.flatnonzero(left > 0.1 * left[0])[-1]) + 1) * 0.02
