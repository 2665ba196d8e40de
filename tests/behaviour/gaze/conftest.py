"""A stage for the gaze machine: it is stepped ten times a second and all it gives is kept."""

from __future__ import annotations

import random

import pytest

from sera.behaviour.gaze import (
    BUILT_IN_POLICIES,
    EyesLight,
    GazeMachine,
    GazeOrder,
    GazePolicy,
    Order,
)
from sera.behaviour.gaze._free import Reach
from sera.behaviour.space import Angles, Frame, Observer, Room, ScreenPlane
from sera.behaviour.targets import TargetTable

STEP_S = 0.1
QUIET = GazePolicy(name="quiet", weights={"front": 1.0}, breaking=False, establishing=False)


class Stage:
    """A machine that is stepped ten times a second, and everything that it has given."""

    def __init__(self, policy: GazePolicy | str = QUIET, seed: int = 1, **more: Reach) -> None:
        screen = ScreenPlane(Frame.from_degrees((0, 0, 1), yaw_deg=180), 2.0, 2.0, 200, 100)
        self.targets = TargetTable(Room(Observer(), {"main": screen}))
        chosen = BUILT_IN_POLICIES[policy] if isinstance(policy, str) else policy
        self.machine = GazeMachine(self.targets, random.Random(seed), chosen, **more)
        self.given: list[Order] = []
        self.now_s = 0.0

    def take(self, orders: list[Order]) -> list[GazeOrder]:
        self.given += orders
        return [order for order in orders if isinstance(order, GazeOrder)]

    def run(self, for_s: float) -> list[GazeOrder]:
        looks: list[GazeOrder] = []
        for _ in range(round(for_s / STEP_S)):
            self.now_s = round(self.now_s + STEP_S, 6)
            looks += self.take(self.machine.step(self.now_s))
        return looks

    def see(self, person: str, direction: Angles) -> list[GazeOrder]:
        return self.take(self.machine.person_seen(person, self.now_s, direction=direction))

    def eyes(self, person: str, contact: bool, looks_at: str | None = None) -> list[GazeOrder]:
        return self.take(
            self.machine.head_direction(person, self.now_s, looks_at=looks_at, eye_contact=contact)
        )

    def gaze_at(self, target: str) -> list[GazeOrder]:
        return self.take(self.machine.gaze_at(target, self.now_s))

    def glance(self, target: str, duration_s: float | None = None) -> list[GazeOrder]:
        return self.take(self.machine.glance(target, self.now_s, duration_s))

    def click(self, x_px: float, y_px: float) -> list[GazeOrder]:
        self.targets.click("main", x_px, y_px)
        return self.take(self.machine.clicked(self.now_s))

    def lights(self) -> list[float]:
        return [order.level for order in self.given if isinstance(order, EyesLight)]


@pytest.fixture
def new_stage() -> type[Stage]:
    return Stage


@pytest.fixture(scope="session")
def new_stage_class() -> type[Stage]:
    """The same for property tests, which share one fixture over all examples."""
    return Stage
