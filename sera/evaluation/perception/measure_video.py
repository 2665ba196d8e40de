"""How well faces are followed in clips with known truth: the figures of the benchmark.

Design overview: each function plays clips through a `FaceEngine` and compares. Nothing here knows
bars; tests and `make bench-perception` do.

Units and frames: degrees, seconds, hertz; directions as angles at the camera.
Threading: none, except for time itself: rates are measured on the wall clock that is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sera.behaviour.space import between_deg
from sera.evaluation.perception.video import Actor, Clip, Truth, standing, walking
from sera.vision.face_engine import FaceEngine, SeenPerson, View

EngineMaker = Callable[[Clip], FaceEngine]
_MATCH_DEG = 6.0


def new_engine(clip: Clip) -> FaceEngine:
    """The engine as the module makes it."""
    from sera.vision.faces import best_face_engine

    return best_face_engine(clip.camera)[0]


@dataclass(frozen=True)
class Played:
    """A clip and what the engine saw in it."""

    views: list[View]
    truths: list[list[Truth]]

    def owners(self) -> list[dict[str, str]]:
        """For every picture: which actor each id is on."""
        return [
            {
                person.name: owner.name
                for person in view.people
                if (owner := _owner(person, truth)) is not None
            }
            for view, truth in zip(self.views, self.truths, strict=True)
        ]


def play(clip: Clip, make: EngineMaker = new_engine) -> Played:
    """Show a clip to an engine."""
    engine = make(clip)
    views, truths = [], []
    for frame, truth in clip.frames():
        views.append(engine.look(frame))
        truths.append(truth)
    return Played(views, truths)


@dataclass(frozen=True)
class DirectionFigures:
    """How exact directions are, and how much of the time somebody is seen."""

    p50_deg: float
    p95_deg: float
    found: float
    """Part of the pictures with a visible face in which it was followed."""


def measure_direction(
    clips: Sequence[Clip], make: EngineMaker = new_engine, *, settle_s: float = 0.4
) -> DirectionFigures:
    """The angle between where people are and where they are said to be."""
    errors, seen, there = [], 0, 0
    for clip in clips:
        played = play(clip, make)
        for view, truths in zip(played.views, played.truths, strict=True):
            for truth in truths:
                if truth.visible < 0.8 or view.time_s < settle_s:
                    continue
                there += 1
                error = min(
                    (between_deg(one.position_m, truth.position_m) for one in view.people),
                    default=math.inf,
                )
                if error < _MATCH_DEG:
                    seen += 1
                    errors.append(error)
    if not errors:
        return DirectionFigures(math.inf, math.inf, 0.0)
    p50, p95 = np.percentile(errors, [50, 95])
    return DirectionFigures(float(p50), float(p95), seen / there)


def measure_head_yaw(
    portraits: Sequence[str],
    yaws_deg: Sequence[float],
    make: EngineMaker = new_engine,
    *,
    distance_m: float = 0.9,
) -> dict[tuple[str, float], float]:
    """Error of the yaw by portrait and rendered turn, against the portrait as it is; degrees."""
    errors = {}
    for name in portraits:
        straight = _seen_yaw_deg(name, 0.0, distance_m, make)
        for yaw_deg in yaws_deg:
            seen = _seen_yaw_deg(name, yaw_deg, distance_m, make)
            errors[name, yaw_deg] = abs(seen - straight - yaw_deg)
    return errors


def measure_return(clip: Clip, hidden_until_s: float, make: EngineMaker = new_engine) -> float:
    """How long after everybody is visible again all have their old ids; infinite: never."""
    played = play(clip, make)
    owners = played.owners()
    before: dict[str, str] = {}
    for view, owner in zip(played.views, owners, strict=True):
        if view.time_s < hidden_until_s:
            before.update(owner)
        elif before and owner == before:
            return view.time_s - hidden_until_s
    return math.inf


def id_swaps(clip: Clip, make: EngineMaker = new_engine) -> int:
    """How many ids changed their person, and persons their id, in a clip.

    Somebody who is not followed in the first or in the last half counts as well: whom nobody sees
    nobody confuses.
    """
    owner_of: dict[str, str] = {}
    id_of: dict[str, str] = {}
    swaps = 0
    history = play(clip, make).owners()
    for half in (history[: len(history) // 2], history[len(history) // 2 :]):
        followed = {actor for owners in half for actor in owners.values()}
        swaps += sum(actor.name not in followed for actor in clip.actors)
    for owners in history:
        for name, actor in owners.items():
            swaps += owner_of.setdefault(name, actor) != actor
            swaps += id_of.setdefault(actor, name) != name
            owner_of[name], id_of[actor] = actor, name
    return swaps


@dataclass(frozen=True)
class SpeedFigures:
    """How fast pictures are worked on."""

    rate_hz: float
    """Pictures a second, one after the other."""
    p50_s: float
    p95_s: float


def measure_speed(
    clip: Clip, now_s: Callable[[], float], make: EngineMaker = new_engine
) -> SpeedFigures:
    """How long the engine takes for a picture; drawing the clip does not count."""
    engine = make(clip)
    times = []
    for frame, _ in clip.frames():
        begin_s = now_s()
        engine.look(frame)
        times.append(now_s() - begin_s)
    p50, p95 = np.percentile(times[3:], [50, 95])  # the first ones build the networks
    return SpeedFigures(1.0 / float(np.mean(times[3:])), float(p50), float(p95))


def crossing_clip(
    seed: int, portraits: tuple[str, str] = ("astronaut", "mirrored"), *, fps: float = 25.0
) -> Clip:
    """Two people pass in front of each other; speeds, distances and light differ by seed."""
    dice = np.random.default_rng(seed)
    near_m, far_m = dice.uniform(1.0, 1.4), dice.uniform(1.5, 2.0)
    if dice.random() < 0.3:
        far_m = near_m + 0.1  # nearly as near: one hides the other wholly
    height_m = float(dice.uniform(-0.08, 0.08))
    duration_s = float(dice.uniform(2.0, 3.2))
    pair = portraits if dice.random() < 0.5 else portraits[::-1]
    first = walking((0.38 * near_m, 0.0, near_m), (-0.38 * near_m, 0.0, near_m), duration_s)
    second = walking((-0.4 * far_m, height_m, far_m), (0.4 * far_m, height_m, far_m), duration_s)
    gleam = float(dice.uniform(0.55, 1.1))
    return Clip(
        [Actor("near", pair[0], first), Actor("far", pair[1], second)],
        duration_s=duration_s,
        fps=fps,
        seed=seed,
        light=lambda _time_s: gleam,
        noise=float(dice.uniform(2.0, 6.0)),
    )


def _seen_yaw_deg(name: str, yaw_deg: float, distance_m: float, make: EngineMaker) -> float:
    """The yaw in the middle of a few pictures of somebody who holds still."""
    actor = Actor("model", name, standing(0.0, 0.0, distance_m), yaw_deg=lambda _time_s: yaw_deg)
    yaws = [
        math.degrees(math.atan2(-person.forward[0], -person.forward[2]))
        for view in play(Clip([actor], duration_s=0.4), make).views
        for person in view.people
        if person.forward is not None
    ]
    return float(np.median(yaws)) if yaws else math.inf


def _owner(person: SeenPerson, truths: list[Truth]) -> Truth | None:
    """The actor whose face a box is on: the nearest one that can be seen there."""
    x_px, y_px = person.face.middle_px
    best = min(
        (truth for truth in truths if truth.visible > 0.3),
        key=lambda truth: math.hypot(truth.eyes_px[0] - x_px, truth.eyes_px[1] - y_px),
        default=None,
    )
    if best is None:
        return None
    far = math.hypot(best.eyes_px[0] - x_px, best.eyes_px[1] - y_px)
    return best if far < 0.7 * person.face.size_px else None
