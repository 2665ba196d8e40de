"""The angle between the face and what the gaze's label names, and how long looks last, in runs.

Where people are is taken from the senses in the log, where things are from the scenario file, where
the face is and looks from the joints. What the robot says of its own angles is not asked. A
published shortfall (GazeState) is taken off; frames in which the gaze is said to be averted or its
head owned by a gesture are left out; how many they are is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks._alive_runs import SCENARIOS, Fact, FloatArray, Played, Row, Stage
from sera.behaviour.space import Frame, Room
from sera.evaluation.motion import Face, measure_nods
from sera.evaluation.motion._seams import FAR, Nod
from sera.evaluation.motion.actor import axes_of, own_of
from sera.evaluation.motion.traces import apart_deg, fixations

STABLE_S = 1.5
EVERY = 5
"""Frames between two that are looked at."""
EXEMPT = ("averted", "owned")
JUMP_M = 0.3
"""A target that moves as far between two looks has jumped, and is a new one to look at."""
LEAST_FIXATION_S = 0.4
AT_ONCE_S, ROUNDING_S = 0.02, 1e-6
MADE_UP, JUMP_DEG = ("random", "elsewhere", "clicks"), 5.0
"""Labels that stay while their place jumps, and how far."""


@dataclass
class Errors:
    """Of one robot in one scenario, degrees."""

    off: list[float] = field(default_factory=list)
    shortfall: list[float] = field(default_factory=list)
    exempt: dict[str, list[float]] = field(default_factory=dict)
    """What the face was off while it said that it is elsewhere on purpose, by what it said."""

    @property
    def beyond(self) -> FloatArray:
        return np.maximum(0.0, np.array(self.off) - np.array(self.shortfall))


class Truth:
    """Where everything that has a name is, from the facts so far."""

    def __init__(self, played: Played) -> None:
        self._robot = Frame.of(played.scenario.characters[played.character])
        self._room = Room.from_scenario(played.scenario.space)
        frames = {**self._room.seats, **self._room.objects}
        self._places = {name.casefold(): frame.position_m for name, frame in frames.items()}
        for name, screen in self._room.screens.items():
            middle = screen.place_m(screen.width_px / 2, screen.height_px / 2)
            self._places[name.casefold()] = middle

    def learn(self, fact: Fact) -> None:
        data = fact.data
        name = str(data.get("person") or data.get("target") or "clicks").casefold()
        if fact.type in ("PersonDetected", "PersonMoved", "TargetUpdated") and data.get("position"):
            at = data["position"]
            self._places[name] = at["x_m"], at["y_m"], at["z_m"]
        elif fact.type in ("TargetUpdated", "Clicked") and data.get("point"):
            at = data["point"]
            self._places[name] = self._room.screen(at["screen"]).place_m(at["x_px"], at["y_px"])
        elif fact.type == "TargetRemoved":
            self._places.pop(name, None)

    def place_m(self, label: str) -> FloatArray | None:
        """In the frame of the robot's base; None: it has no place. `person = kim` means kim."""
        place = self._places.get(label.rpartition(" = ")[2].casefold())
        return None if place is None else np.array(self._robot.to_local(place))


def measure_errors(played: Played, errors: Errors) -> None:
    """Add what one run shows."""
    truth, face = Truth(played), Face(played.body)
    facts = iter([*played.facts, Fact(math.inf, "", {}, "", None)])
    fact, label, since_s, was = next(facts), "", 0.0, ("", np.zeros(3))
    told: dict[str, Any] = {}
    for time_s, frame in list(zip(played.times_s.tolist(), played.frames, strict=True))[::EVERY]:
        while fact.time_s <= time_s:
            truth.learn(fact)
            label = (fact.data.get("target") or "") if fact.type == "Gaze" else label
            told = fact.data if fact.type == "GazeState" else told
            fact = next(facts)
        name, place = label.rpartition(" = ")[2], truth.place_m(label)
        jumped = place is not None and np.linalg.norm(place - was[1]) > JUMP_M
        if place is None or was[0] != name or jumped:
            since_s = time_s
        was = (name, was[1] if place is None else place)
        if place is None or time_s - since_s < STABLE_S:
            continue
        at, axis = face.look(own_of(played.body, frame))
        towards = (place - at) / np.linalg.norm(place - at)
        off_deg = float(apart_deg(axis, towards))
        reason = next((each for each in EXEMPT if each in (told.get("because") or "")), None)
        if reason is not None:
            errors.exempt.setdefault(reason, []).append(off_deg)
            continue
        errors.off.append(off_deg)
        errors.shortfall.append(float(told.get("shortfall_deg") or 0.0))


def gaze_rows(stage: Stage) -> Iterator[Row]:
    for name in SCENARIOS:
        for robot, runs in stage.runs(name):
            errors = Errors()
            for played in filter(None, runs):
                measure_errors(played, errors)
            yield Row(f"{name}, {robot}", *gaze_figures(errors))


def gaze_figures(errors: Errors) -> tuple[str, bool]:
    if not errors.off:
        return "nothing to look at", False
    median, p95 = np.percentile(errors.beyond, [50, 95]).tolist()
    said = f"median {median:.1f}°, p95 {p95:.1f}°"
    short = [each for each in errors.shortfall if each > 0.0]
    if short:
        share = len(short) / len(errors.off)
        said += f" beyond a shortfall of {np.median(short):.1f}° in {share:.0%}"
    looks = len(errors.off) + sum(map(len, errors.exempt.values()))
    for reason, off in errors.exempt.items():
        said += f"; {len(off) / looks:.0%} {reason}, median {np.median(off):.1f}°"
    return said, median <= 2.0 and p95 <= 5.0


def fixation_rows(stage: Stage) -> Iterator[Row]:
    for name in SCENARIOS:
        robot, runs = next(stage.runs(name))
        own: list[float] = []
        turned_back = 0
        seen: list[float] = []
        for played in filter(None, runs):
            stood, back = _stays(played)
            own += stood
            turned_back += back
            seen += _seen_stays(played)
        short = [[each for each in found if each < LEAST_FIXATION_S] for found in (own, seen)]
        figures = (
            f"{len(short[0])} of {len(own)} of its own choice, {turned_back} turned back at once, "
            f"{len(short[1])} of {len(seen)} in frames"
        )
        met = not (short[0] or short[1] or turned_back)
        yield Row(f"shorter than 0.4 s in {name}, {robot}", figures, met)
    for robot, stage_set in stage.robots.items():
        nods = measure_nods(stage_set)
        shifts, far = ([n for n in nods if (FAR in n.situation) is it] for it in (False, True))
        figures = f"{_least(shifts)}; while it looks far away: {_least(far)}" if nods else "none"
        yield Row(f"swing kept in a gaze shift, {robot}", figures, all(nod.kept for nod in nods))


def _least(nods: list[Nod]) -> str:
    least = {each.gesture: each.share for each in sorted(nods, key=lambda nod: -nod.share)}
    return ", ".join(f"{gesture} {share:.0%}" for gesture, share in sorted(least.items()))


def _seen_stays(played: Played) -> list[float]:
    """How long the face stood, stands in which a gesture moves it left out."""
    times_s, step_s = played.times_s, float(np.median(np.diff(played.times_s)))
    began = {fact.id: fact.time_s for fact in played.of("PlayAnimation")}
    ends = list(played.of("AnimationFinished"))
    moved = [(began.get(end.cause or "", end.time_s), end.time_s) for end in ends]
    return [
        (last - first + 1) * step_s
        for first, last in fixations(axes_of(played.body, played.frames), step_s)
        if not any(times_s[first] <= until and times_s[last] >= since for since, until in moved)
    ]


def _stays(played: Played) -> tuple[list[float], int]:
    """How long looks stood before one that the gaze chose itself; how often it turned back at once.

    A target that is followed is one look. Looks that a person or a line orders go at once: what
    they cut short is no choice of the gaze.
    """
    left: tuple[str, int] | None = None
    before: tuple[str, int] | None = None
    own, turned_back = [], 0
    began_s, jumps, last = 0.0, 0, np.zeros(2)
    for fact in played.of("Gaze"):
        given = fact.data.get("direction") or {}
        way = np.array([given.get(name, 0.0) for name in ("horizontal_deg", "vertical_deg")])
        label = fact.data.get("target") or ""
        jumps += label in MADE_UP and bool(np.abs(way - last).max() > JUMP_DEG)
        last = way
        if (label, jumps) == before:
            continue
        if before is not None:
            stood_s = fact.time_s - began_s + ROUNDING_S
            turned_back += stood_s < AT_ONCE_S and (label, jumps) == left
            if not fact.data["reason"].startswith(("order:", "glance:")):
                own.append(stood_s)
        left, before, began_s = before, (label, jumps), fact.time_s
    return own, turned_back
