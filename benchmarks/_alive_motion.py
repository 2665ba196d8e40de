"""Rest, seams, targets behind and contacts: single bodies under orders, in frames.

Depths of contacts are those of the contact model that keeps bodies clear, in every frame that
leaves the engine, whatever was done about them; `tests/evaluation` checks them against hulls of
balls that are carried along one by one.

Units and frames: metres, radians if degrees are not in the name, seconds. Threading: none.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks._alive_runs import FloatArray, Row, Stage
from sera import messages
from sera.animation.body import Body
from sera.animation.engine.clearance import model_of
from sera.animation.stage_set import StageSet
from sera.evaluation.emotion.document_pepper import document_pepper
from sera.evaluation.motion import measure_seams
from sera.evaluation.motion._seams import LET_DOWN
from sera.evaluation.motion.actor import (
    Actor,
    angles_of,
    axes_of,
    gestures_of,
    joints_of,
    looking,
)
from sera.evaluation.motion.traces import rest, travel_deg
from sera.kinematics.contacts import GROUND
from sera.kinematics.priority import PoseTask, PositionTask, PostureTask, PriorityController

CORNERS = tuple(itertools.product((1.0, -1.0), repeat=3))
REST_RAD, REST_S = 0.001, 2.0
JUMP_DEG, TO_AND_FRO_DEG_S = 20.0, 20.0
"""A joint that is wanted so far away at once has changed its branch."""
BELOW_M, TOUCHING_M, DEEPEST_M = 0.001, 0.003, 0.005
QUICK_MINUTES, MINUTES = 3.0, 60.0


def pad_at(corner: tuple[float, ...]) -> messages.Pad:
    return messages.Pad(**dict(zip(("pleasure", "arousal", "dominance"), corner, strict=True)))


def measure_rest(stage_set: StageSet, corner: tuple[float, ...], seed: int) -> tuple[float, float]:
    """When all joints stand after a last constant input, seconds; their swing at the end, degrees.

    Joints held by hand are wanted where they are held, whatever life and layers do.
    """
    actor, chance = Actor(replace(stage_set, seed=seed)), random.Random(seed)
    pad = pad_at(corner)
    frames = actor.do_and_run(
        2.0, messages.SetMood(pad=pad), messages.SetEmotion(pad=pad, blend_s=0.5)
    )
    for lasts_s in (1.5, 6.0):
        held = {}
        for name in actor.body.joints:
            spec = actor.body.own[name]
            held[name] = spec.clamp(spec.neutral + chance.uniform(-0.25, 0.25))
        frames = actor.do_and_run(lasts_s, messages.HoldJoints(joints_rad=held, blend_s=0.0))
    count, swing = rest(frames[:, joints_of(actor.body) > 0.0], REST_RAD)
    return count * actor.step_s, math.degrees(swing)


def rest_rows(stage: Stage) -> Iterator[Row]:
    for robot, stage_set in stage.robots.items():
        found = [measure_rest(stage_set, corner, stage.seeds[0]) for corner in CORNERS]
        longest_s, swing_deg = (max(each) for each in zip(*found, strict=True))
        never = sum(math.isinf(rest_s) for rest_s, _ in found)
        said = f"never in {never} of 8 corners" if never else f"{longest_s:.2f} s"
        yield Row(robot, f"{said}, swing left {swing_deg:.2f}°", longest_s <= REST_S)


def seam_rows(stage: Stage) -> Iterator[Row]:
    for robot, stage_set in stage.robots.items():
        seams = measure_seams(stage_set)
        for what in (robot, f"{robot}, let down"):
            chosen = [each for each in seams if (each.kind in LET_DOWN) is (what != robot)]
            above = [seam for seam in chosen if not seam.kept]
            worst = max(chosen, key=lambda seam: seam.peak_m_s / seam.allowed_m_s)
            figures = (
                f"{len(above)} of {len(chosen)} too fast; worst {worst.peak_m_s:.2f} m/s where "
                f"{worst.allowed_m_s:.2f} is allowed ({worst.gesture}: {worst.kind})"
            )
            yield Row(what, figures, not above)


def behind_rows(stage: Stage) -> Iterator[Row]:
    for robot, stage_set in stage.robots.items():
        if not stage_set.body.chains:
            continue
        cases = itertools.product(("neutral", "hot", "cold"), (0, 25), (1, -1))
        found = [measure_behind(stage_set, *each) for each in cases]
        travels, speeds, unreported = zip(*found, strict=True)
        figures = (
            f"crossing by 60°: median {np.median(travels):.0f}°, most {max(travels):.0f}°; to and "
            f"fro by 20°: {max(speeds):.0f}°/s; unreported changes of branch: {sum(unreported)}"
        )
        met = sum(unreported) == 0 and max(speeds) <= TO_AND_FRO_DEG_S
        yield Row(f"behind {robot}", figures, met)
    steps = (100, 1000, 10_000)
    jumps = [measure_fading(count, 2 if stage.quick else 8) for count in steps]
    for count, jump in zip(steps, jumps, strict=True):
        met = jump <= 1.5 * jumps[0] * steps[0] / count
        yield Row(f"fading task, n = {count}", f"max |Δq̇| {jump:.2g} rad/s", met)


def measure_behind(
    stage_set: StageSet, posture: str, up_deg: float, sign: int
) -> tuple[float, float, int]:
    """How far the face turns while a target crosses behind by 60°; how fast while one goes to and
    fro by 20°, degrees a second; frames that want a joint elsewhere at once and tell nobody.
    """
    actor = Actor(stage_set)
    actor.do(messages.SetPosture(posture=posture, blend_s=0.5))
    actor.do_and_run(4.0, looking(sign * 150.0, up_deg))
    crossing = [sign * angle for angle in np.arange(150.0, 210.0, 3.0).tolist()]
    frames, jumps = _follow(actor, crossing, up_deg)
    travel = travel_deg(axes_of(actor.body, np.vstack([frames, actor.run(4.0)])))
    _follow(actor, [sign * (210.0 - step) for step in range(31)], up_deg)
    actor.run(4.0)
    swing = [sign * (180.0 + 10.0 * math.sin(0.15 * step)) for step in range(150)]
    frames, more = _follow(actor, swing, up_deg)
    return travel, travel_deg(axes_of(actor.body, frames)) / (0.1 * len(swing)), jumps + more


def _follow(actor: Actor, angles_deg: list[float], up_deg: float) -> tuple[FloatArray, int]:
    """A walking target, ten looks a second; and how often what is wanted jumps untold."""
    engine, frames, jumps = actor.animator.engine, [], 0
    for angle_deg in angles_deg:
        actor.do(looking(angle_deg, up_deg))
        for _ in range(round(0.1 / actor.step_s)):
            before, told = engine.wanted, actor.animator.branch_changes
            frames.append(actor.run(actor.step_s))
            after = engine.wanted
            jump = max(abs(after[name] - before[name]) for name in actor.body.joints)
            jumps += math.degrees(jump) > JUMP_DEG and actor.animator.branch_changes == told
    return np.vstack(frames), jumps


def measure_fading(steps: int, seeds: int) -> float:
    """The greatest change of a joint's speed between two activations that are 1/steps apart."""
    tree, worst = document_pepper(), 0.0
    first, *_, last = tree.end_points
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        tasks = PoseTask(name="first", end_point=first), PositionTask(name="second", end_point=last)
        levels = [[task] for task in tasks]
        controller = PriorityController(tree, levels, posture=PostureTask(name="posture"))
        start = tree.clamp(tree.neutral + rng.uniform(-0.4, 0.4, tree.dof))
        goal = tree.clamp(start + rng.uniform(-0.2, 0.2, tree.dof))
        controller["first"].set(*tree.pose(goal, first))
        controller["second"].set(tree.pose(goal, last).position_m)
        controller["first"].activation = controller["second"].activation = 1.0
        controller.wish(start)
        speeds = []
        for share in np.linspace(0.0, 1.0, steps + 1).tolist():
            controller.start_from(start)
            controller[("first", "second")[seed % 2]].activation = share
            controller.step(0.01)
            speeds.append(controller.velocity_rad_s.copy())
        worst = max(worst, float(np.abs(np.diff(speeds, axis=0)).max()))
    return worst


class Contacts:
    """How deep a body is in itself and in its ground."""

    def __init__(self, body: Body) -> None:
        self._body, self._model = body, model_of(body)
        self._look = self._model.look(share=0.0)
        self._is_own = self._model.pairs[:, 1] != GROUND
        self._resting_m = np.minimum(self._model.resting_m, 0.0)

    def depths_m(self, frame: FloatArray) -> tuple[float, float]:
        """In itself, and below the ground; a foot that stands is in it as deep as in neutral."""
        self._look.at(angles_of(self._body, frame))
        found = self._look.found
        deep = self._resting_m[found] - self._look.distances_m
        own = self._is_own[found]
        return float(deep[own].max(initial=0.0)), float(deep[~own].max(initial=0.0))


def _mixed(stage_set: StageSet, minutes: float, seed: int) -> Iterator[FloatArray]:
    """One order after another, in one to four seconds."""
    actor, chance = Actor(replace(stage_set, seed=seed)), random.Random(seed)
    gestures, postures = list(gestures_of(stage_set)), sorted(stage_set.repertoire().postures)
    while actor.time_s < 60.0 * minutes:
        actor.do(any_order(chance, gestures, postures))
        yield from actor.run(round(chance.uniform(1.0, 4.0), 1))


def any_order(chance: random.Random, gestures: list[str], postures: list[str]) -> messages.Message:
    """A gesture half of the time, else a point, a posture, an emotion or a look."""
    kind = chance.random()
    if kind < 0.45:
        return messages.PlayAnimation(animation=chance.choice(gestures))
    if kind < 0.5:
        return messages.StopAnimation()
    if kind < 0.63:
        there = looking(chance.uniform(-70, 70), chance.uniform(-40, 30)).direction
        return messages.Point(direction=there, hold_s=1.5)
    if kind < 0.73:
        return messages.SetPosture(posture=chance.choice(postures), blend_s=1.0)
    if kind < 0.8:
        return messages.SetEmotion(pad=pad_at(chance.choice(CORNERS)))
    return looking(chance.uniform(-100, 100), chance.uniform(-35, 40))


def _in_all(stage_set: StageSet, emotions: int) -> Iterator[FloatArray]:
    """Every gesture in every posture under every emotion."""
    actor = Actor(stage_set)
    feelings = [(0.0, 0.0, 0.0), *CORNERS][:emotions]
    for felt, posture in itertools.product(feelings, sorted(stage_set.repertoire().postures)):
        actor.do(
            messages.SetEmotion(pad=pad_at(felt)), messages.SetPosture(posture=posture, blend_s=0.5)
        )
        actor.run(1.0)
        for name, gesture in gestures_of(stage_set).items():
            yield from actor.do_and_run(
                gesture.duration_s + 0.3, messages.PlayAnimation(animation=name)
            )


def contact_rows(stage: Stage) -> Iterator[Row]:
    draws: dict[str, Callable[[StageSet], Iterator[FloatArray]]] = {
        "": lambda each: _mixed(each, QUICK_MINUTES if stage.quick else MINUTES, stage.seeds[0]),
        ", every gesture, posture and emotion": lambda each: _in_all(each, 2 if stage.quick else 9),
    }
    for (robot, stage_set), (what, draw) in itertools.product(stage.robots.items(), draws.items()):
        contacts = Contacts(stage_set.body)
        inside, below = np.array([contacts.depths_m(frame) for frame in draw(stage_set)]).T
        figures = f"{(below > BELOW_M).mean():.2%} below the ground"
        if (below > BELOW_M).any():
            figures += f" (deepest {100.0 * below.max():.1f} cm)"
        share, deepest_m = (inside > TOUCHING_M).mean(), inside.max()
        figures += f"; itself: {share:.2%}, deepest {1000.0 * deepest_m:.0f} mm"
        yield Row(robot + what, figures, bool(below.max() <= BELOW_M and deepest_m <= DEEPEST_M))
