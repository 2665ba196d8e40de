"""What a body touches while it does whatever it is told: the ground, things beside it, itself.

Design overview: the program that ships runs under random orders of every kind that moves joints, or
plays every gesture in every posture under every emotion; the frames that leave the engine are
looked
at one by one with hulls of the body file. A frame counts as touching whatever the stage thinks of
it: distances that poses keep, and margins, play no part.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from sera.animation.animator import Animator
from sera.animation.engine import ClearanceStage
from sera.animation.engine.clearance import model_of
from sera.animation.stage_set import StageSet
from sera.messages import (
    Direction,
    Gaze,
    HoldJoints,
    Message,
    MoveHand,
    PlayAnimation,
    Point,
    Position,
    SetEmotion,
    SetPosture,
    StopAnimation,
)

DEEPEST_M = 0.005
"""How deep hulls may come into each other; shapes of bodies are no better known."""
ROUNDING_M = 1e-3
_UNFELT = "neutral"
_PAUSE_S = (0.4, 4.0)
_FELT = ((1, 1, 1), (1, -1, 1), (-1, 1, -1), (-1, -1, -1), (-1, 1, 1), (1, -1, -1))


@dataclass
class ContactsResult:
    """What was found in the frames of one body."""

    robot: str
    frames: int = 0
    below: int = 0
    """Frames in which something is below the ground, or in a thing beside the body."""
    lowest_m: float = 0.0
    """How deep at most."""
    touching: int = 0
    """Frames in which the body is in itself by more than a millimetre."""
    deepest_m: float = 0.0
    """How deep at most."""
    careful: int = 0
    """Frames in which the way was not clear and joints went in step, or braked."""
    refused: int = 0
    where: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Frames by what touched what."""
    worst: str = ""
    """What was going on at the deepest contact."""

    @property
    def met(self) -> bool:
        return self.below == 0 and self.deepest_m <= DEEPEST_M


def measure_contacts(stage_set: StageSet, duration_s: float, seed: int = 0) -> ContactsResult:
    """Run a body under random orders for so many seconds of its own time."""
    chance = random.Random(seed)  # noqa: S311 - a test's chance
    run = _Run(stage_set)
    orders = _orders(stage_set, chance)
    while run.time_s < duration_s:
        run.order(chance.choice(orders)())
        run.go_on(chance.uniform(*_PAUSE_S))
    return run.result


def measure_repertoire(
    stage_set: StageSet,
    *,
    postures: Iterable[str] | None = None,
    animations: Iterable[str] | None = None,
    emotions: Iterable[tuple[int, int, int] | None] = (None, *_FELT),
) -> ContactsResult:
    """Play every gesture in every posture under every emotion."""
    found = stage_set.repertoire()
    run = _Run(stage_set)
    for felt, posture in product(list(emotions), list(postures or found.postures)):
        run.order(_feel(felt))
        run.order(SetPosture(posture=posture, blend_s=0.5))
        run.go_on(1.0)
        for name in list(animations or found.animations):
            run.order(PlayAnimation(animation=name))
            run.go_on(min(found.animation(name).duration_s, 6.0) + 0.3)
    return run.result


class _Run:
    """An animator whose frames are looked at."""

    def __init__(self, stage_set: StageSet) -> None:
        self.animator = Animator(stage_set.program())
        body = stage_set.body
        stages = self.animator.engine.stages
        stage = next((each for each in stages if isinstance(each, ClearanceStage)), None)
        self._model = model_of(body) if stage is None else model_of(body, stage.around)
        self._look = self._model.look(share=0.0)
        self._is_own = np.array(
            [self._model.is_own(pair) for pair in range(len(self._model.pairs))]
        )
        self._names = self._model.tree.joint_names
        self.result = ContactsResult(body.name)
        self.time_s = 0.0
        self._doing: list[str] = []

    def order(self, message: Message) -> None:
        self._doing = [*self._doing[-3:], f"{self.time_s:.1f} s {type(message).__name__} {message}"]
        try:
            self.animator.handle(message)
        except (LookupError, ValueError):
            self.result.refused += 1

    def go_on(self, duration_s: float) -> None:
        step_s = self.animator.engine.step_s
        for _ in range(round(duration_s / step_s)):
            values = self.animator.step()
            self.time_s += step_s
            self._take(np.array([values[name] for name in self._names]))

    def _take(self, angles: np.ndarray) -> None:
        result, look = self.result, self._look
        result.frames += 1
        result.careful += self.animator.engine.careful
        if not look.at(angles):
            return
        depths = self._model.resting_depths_m[look.found] - look.distances_m
        is_own = self._is_own[look.found]
        # A foot that stands touches the ground; a millimetre deeper is a rounding of shapes.
        outer = float(depths[~is_own].max(initial=0.0))
        inner = float(depths[is_own].max(initial=0.0))
        result.below += outer > ROUNDING_M
        result.touching += inner > ROUNDING_M
        if outer > max(result.lowest_m, ROUNDING_M) or inner > max(result.deepest_m, ROUNDING_M):
            result.worst = (
                " · ".join(self._doing)
                + f" · now {self.time_s:.2f} s: "
                + ", ".join(f"{each.first} in {each.second}" for each in look.contacts()[:2])
            )
        result.lowest_m = max(result.lowest_m, outer)
        result.deepest_m = max(result.deepest_m, inner)
        for pair in set(look.found[depths > ROUNDING_M].tolist()):
            result.where[self._model.words(pair)] += 1


def _feel(felt: tuple[int, int, int] | None) -> SetEmotion:
    if felt is None:
        return SetEmotion(name=_UNFELT)
    pleasure, arousal, dominance = felt
    return SetEmotion.model_validate(
        {"pad": {"pleasure": pleasure, "arousal": arousal, "dominance": dominance}}
    )


def _orders(stage_set: StageSet, chance: random.Random) -> list[Callable[[], Message]]:
    """What may be ordered, as often as it stands here."""
    found, body = stage_set.repertoire(), stage_set.body
    animations, postures = sorted(found.animations), sorted(found.postures)

    def direction() -> Direction:
        return Direction(
            horizontal_deg=chance.uniform(-180.0, 180.0), vertical_deg=chance.uniform(-90.0, 90.0)
        )

    def play() -> Message:
        return PlayAnimation(
            animation=chance.choice(animations),
            amplitude=chance.uniform(0.6, 1.2),
            speed=chance.uniform(0.7, 1.3),
        )

    def look() -> Message:
        return Gaze(direction=direction(), speed=chance.uniform(0.5, 2.0))

    def hold() -> Message:
        if chance.random() < 0.5:
            return HoldJoints(joints_rad={})
        names = chance.sample(list(body.joints), k=min(2, len(body.joints)))
        drawn = {name: chance.uniform(body.own[name].lower, body.own[name].upper) for name in names}
        return HoldJoints(joints_rad=drawn)

    def reach() -> Message:
        hands = [name for name in body.tree.end_points if "hand" in name]
        if not hands:
            return look()
        hand = chance.choice(hands)
        size = body.tree.pose(body.tree.neutral, hand).position_m
        place = [float(c) + chance.uniform(-0.25, 0.25) for c in size]
        return MoveHand(
            hand=hand.removesuffix("_hand"),
            place=Position(x_m=place[0], y_m=place[1], z_m=place[2]),
            hold_s=chance.uniform(0.3, 2.0),
        )

    return [
        play, play, play, play, look, look, look, hold, reach, reach,
        lambda: Point(direction=direction(), hold_s=chance.uniform(0.5, 3.0)),
        lambda: Point(direction=direction(), hold_s=chance.uniform(0.5, 3.0)),
        lambda: SetPosture(posture=chance.choice(postures), blend_s=chance.uniform(0.1, 1.5)),
        lambda: SetPosture(posture=chance.choice(postures), blend_s=chance.uniform(0.1, 1.5)),
        lambda: _feel(chance.choice((None, *_FELT))),
        StopAnimation,
    ]  # fmt: skip
