"""The angle between the face and what the gaze's label names, in frames of whole runs.

Where people are is taken from the senses in the log, where things are from the scenario file;
which person `person` is follows from who was seen, heard and looked at the robot. What the robot
says of its own angles is not asked. A published shortfall (GazeState) is taken off; frames in
which the gaze is said to be averted or its head owned by a gesture are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._alive_actor import angles_of, face_of
from benchmarks._alive_runs import Fact, Played
from sera.behaviour.space import Angles, Frame, Room
from sera.behaviour.targets import People
from sera.evaluation.motion import Face
from sera.evaluation.motion.traces import apart_deg, axis_of

STABLE_S = 1.5
EVERY = 5
"""Frames between two that are looked at."""
EXEMPT = ("averted", "owned")
JUMP_M = 0.3
"""A target that moves as far between two looks has jumped, and is a new one to look at."""


@dataclass
class Errors:
    """Of one robot in one scenario, degrees."""

    off: list[float] = field(default_factory=list)
    shortfall: list[float] = field(default_factory=list)
    exempt: list[float] = field(default_factory=list)
    """What the face was off while it said that it is elsewhere on purpose."""

    @property
    def beyond(self) -> NDArray[np.float64]:
        return np.maximum(0.0, np.array(self.off) - np.array(self.shortfall))


class Truth:
    """Where everything that has a name is, from the facts so far."""

    def __init__(self, played: Played) -> None:
        scenario = played.scenario
        self._robot = Frame.of(scenario.characters[played.character])
        room = Room.from_scenario(scenario.space)
        self._room, self._people = room, People()
        self._seen: dict[str, tuple[float, ...]] = {}
        self._made: dict[str, Any] = {}
        self._clicked: tuple[float, ...] | None = None
        self._fixed = {
            name.casefold(): frame.position_m
            for name, frame in (*room.seats.items(), *room.objects.items())
        }
        for name, screen in room.screens.items():
            self._fixed[name.casefold()] = screen.place_m(screen.width_px / 2, screen.height_px / 2)

    def learn(self, fact: Fact) -> None:
        data, now_s = fact.data, fact.time_s
        if fact.type in ("PersonDetected", "PersonMoved") and data["position"] is not None:
            self._seen[data["person"]] = place = _metres(data["position"])
            x, _, z = self._robot.to_local((place[0], place[1], place[2]))
            across = float(np.degrees(np.arctan2(-x, z)))
            self._people.seen(data["person"], Angles(across, 0.0), now_s)
        elif fact.type == "PersonLost":
            self._people.lost(data["person"], now_s)
        elif fact.type == "SpeechActivity" and data["person"] is not None:
            self._people.speaks(data["person"], data["speaking"])
        elif fact.type == "HeadDirection" and data["eye_contact"] is not None:
            self._people.attends(data["person"], data["eye_contact"])
        elif fact.type == "TargetUpdated":
            self._made[data["target"].casefold()] = data
        elif fact.type == "TargetRemoved":
            self._made.pop(data["target"].casefold(), None)
        elif fact.type == "Clicked" and data.get("point") is not None:
            self._clicked = self._pixel(data["point"])

    def resolve(self, label: str, now_s: float) -> str:
        """The name at the end of the aliases, a person by id; `person = kim` says it itself."""
        label = label.rpartition(" = ")[2]
        made = self._made.get(label.casefold())
        if made is not None and made.get("alias_of"):
            return self.resolve(made["alias_of"], now_s)
        if label.casefold() == "person":
            return self._people.focus(now_s) or label
        if label.casefold().removeprefix("person").isdigit() and label not in self._seen:
            return self._people.in_slot(int(label[6:])) or label
        return label

    def place_m(self, name: str) -> NDArray[np.float64] | None:
        """Where it is in the frame of the robot's base; None for what has no place."""
        made = self._made.get(name.casefold(), {})
        place: Any = self._seen.get(name) or self._fixed.get(name.casefold())
        if made.get("position") is not None:
            place = _metres(made["position"])
        elif made.get("point") is not None:
            place = self._pixel(made["point"])
        elif name == "clicks":
            place = self._clicked
        return None if place is None else np.array(self._robot.to_local(place))

    def _pixel(self, point: dict[str, Any]) -> tuple[float, ...]:
        return self._room.screen(point["screen"]).place_m(point["x_px"], point["y_px"])


def _metres(position: dict[str, float]) -> tuple[float, ...]:
    return position["x_m"], position["y_m"], position["z_m"]


def measure_errors(played: Played, errors: Errors) -> None:
    """Add what one run shows."""
    truth, face, end = Truth(played), Face(played.body), face_of(played.body)
    facts = iter([*played.facts, Fact(float("inf"), "", {}, "", None)])
    fact = next(facts)
    label, told = "", {"target": "", "shortfall_deg": 0.0, "because": ""}
    looked: tuple[str, NDArray[np.float64]] | None = None
    since_s = 0.0
    for time_s, own in list(zip(played.times_s.tolist(), played.frames, strict=True))[::EVERY]:
        while fact.time_s <= time_s:
            truth.learn(fact)
            if fact.type == "Gaze":
                label = fact.data.get("target") or ""
            elif fact.type == "GazeState":
                told = fact.data
            fact = next(facts)
        name = truth.resolve(label, time_s)
        place = truth.place_m(name)
        if place is None:
            looked = None
            continue
        moved = looked is None or float(np.linalg.norm(looked[1] - place)) > JUMP_M
        if looked is None or looked[0] != name or moved:
            since_s = time_s
        looked = (name, place)
        if time_s - since_s < STABLE_S:
            continue
        at = played.body.tree.pose(angles_of(played.body, own), end).position_m
        towards = (place - at) / np.linalg.norm(place - at)
        axis = axis_of(*face.looks_at_deg(own))
        off_deg = float(apart_deg(axis[None], towards[None])[0])
        if any(word in (told.get("because") or "") for word in EXEMPT):
            errors.exempt.append(off_deg)
            continue
        errors.off.append(off_deg)
        errors.shortfall.append(float(told.get("shortfall_deg") or 0.0))
