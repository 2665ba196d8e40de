"""A robot that the project never saw plays hello: from its URDF to the log, by commands alone."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import Body, load_body
from sera.kinematics.rotations import rotate


def _joint(
    name: str, links: tuple[str, str], axis: str, xyz: str, ends: tuple[float, float, float]
) -> str:
    (parent, child), (lower, upper, velocity) = links, ends
    return (
        f'<link name="{child}"/><joint name="{name}" type="revolute"><origin xyz="{xyz}"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
        f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="5"/></joint>'
    )


# Six joints that stand upright at zero, with fingers that must not slow the gaze.
ARM = (
    '<robot name="Bench arm"><link name="world"/>'
    + _joint("j1", ("world", "column"), "0 0 1", "0 0 0.15", (-2.9, 2.9, 2.6))
    + _joint("j2", ("column", "upper_arm"), "0 1 0", "0.02 0 0.12", (-1.9, 1.9, 2.2))
    + _joint("j3", ("upper_arm", "elbow"), "0 1 0", "0 0 0.35", (-2.4, 2.4, 2.6))
    + _joint("j4", ("elbow", "forearm"), "0 0 1", "0 0 0.08", (-3.0, 3.0, 3.5))
    + _joint("j5", ("forearm", "wrist"), "0 1 0", "0 0 0.28", (-2.0, 2.0, 3.5))
    + _joint("j6", ("wrist", "flange"), "0 0 1", "0 0 0.07", (-3.1, 3.1, 5.0))
    + '<link name="jaw"/><joint name="grip_finger" type="prismatic"><origin xyz="0 0 0.05"/>'
    '<parent link="flange"/><child link="jaw"/><axis xyz="0 1 0"/>'
    '<limit lower="0" upper="0.04" velocity="0.05" effort="5"/></joint></robot>'
)
# A desk lamp: it turns on its foot, its neck bends, its shade tilts.
LAMP = (
    '<robot name="Desk lamp"><link name="foot"/>'
    + _joint("turn", ("foot", "stem"), "0 0 1", "0 0 0.05", (-2.0, 2.0, 2.5))
    + _joint("bend", ("stem", "neck"), "0 1 0", "0 0 0.3", (-1.0, 1.2, 2.0))
    + _joint("tilt", ("neck", "shade"), "0 1 0", "0 0 0.25", (-0.4, 2.2, 3.0))
    + '<link name="bulb"/><joint name="socket" type="fixed"><origin xyz="0 0 0.08"/>'
    '<parent link="shade"/><child link="bulb"/></joint></robot>'
)
URDFS = {"bench_arm": ARM, "desk_lamp": LAMP, "plain_head": None}


@dataclass(frozen=True)
class Played:
    """A new robot and what came of it."""

    folder: Path
    body: Body
    said: dict[str, str]
    """Standard output by command."""
    lines: list[dict[str, Any]]
    """Of the log."""

    def of(self, kind: str) -> list[tuple[float, dict[str, Any]]]:
        return [(line["time"], line["data"]) for line in self.lines if line.get("type") == kind]

    def missed_deg(self, joints: dict[str, float], order: dict[str, Any]) -> float:
        """How far the face is from the place of a Gaze order, by forward kinematics."""
        tree = self.body.tree
        face = tree.pose(tree.angles_of(joints), self.body.chains[0].end_point)
        away_m = np.array(list(order["place"].values())) - face.position_m
        looks = rotate(face.orientation_wxyz, (0.0, 0.0, 1.0))
        return math.degrees(math.acos(min(1.0, looks @ away_m / np.linalg.norm(away_m))))


@pytest.fixture(scope="module", params=list(URDFS))
def played(
    request: pytest.FixtureRequest,
    make_place: Callable[[Path], Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Played:
    """Everything that a newcomer types, once a robot."""
    place = make_place(tmp_path_factory.mktemp(request.param))
    name, text = request.param, URDFS[request.param]
    said = {}

    def sera(*words: object) -> str:
        finished = place.sera(*words)
        assert finished.returncode == 0, (words, finished.stdout, finished.stderr)
        assert finished.stderr == ""
        said[" ".join(map(str, words[:2]))] = finished.stdout
        return finished.stdout

    sera("new", "workspace", ".")
    made = ["new", "robot", name]
    if text is not None:
        made += ["--urdf", place.write(f"{name}_from_elsewhere.urdf", text)]
    sera(*made)
    sera("robot", "show", name, "--draw", "drawn.png")
    sera("robot", "check", name)
    sera("robot", "program", name)
    sera("run", "hello", "--robot", name, "--virtual", "--log", "log.jsonl")
    log = (place.folder / "log.jsonl").read_text(encoding="utf-8")
    folder = place.folder / "robots" / name
    lines = [json.loads(line) for line in log.splitlines()]
    return Played(folder, load_body(folder), said, lines)


def test_the_robot_is_text_files_that_commands_accept_as_they_are(played: Played) -> None:
    name = played.folder.name
    kept = {"body.toml", "README.md"} | ({f"{name}.urdf"} if URDFS[name] else set())
    assert {path.name for path in played.folder.rglob("*") if path.is_file()} == kept
    assert (played.folder.parents[1] / "drawn.png").read_bytes().startswith(b"\x89PNG")
    assert all(joint in played.said["robot show"] for joint in played.body.joints)
    assert f"for {name}" in played.said["robot program"]
    clauses = [line.split() for line in played.said["robot check"].splitlines()[2:]]
    assert len(clauses) >= 8
    assert all("yes" in words and "no" not in words for words in clauses)


def test_hello_ends_without_faults_or_warnings(played: Played) -> None:
    assert "hello completed" in played.said["run hello"]
    assert "no faults, no warnings, no restarts" in played.said["run hello"]
    assert played.of("ModuleFault") == []
    assert {state["health"] for _, state in played.of("BodyState")} == {"ok"}
    # What hello asks for is played: nobody says that this body lacks a posture or an animation.
    assert len(played.of("AnimationFinished")) == len(played.of("PlayAnimation")) > 0


def test_joints_move_within_their_limits_and_no_faster_than_they_may(played: Played) -> None:
    own = played.body.own
    turned = set()
    for kind, least in (("BodyState", 80), ("JointFrame", 400)):
        poses = [(time_s, data["joints_rad"]) for time_s, data in played.of(kind)]
        poses = [(time_s, joints) for time_s, joints in poses if joints]
        assert len(poses) > least
        for joint in played.body.joints:
            spec = own[joint]
            way = [(time_s, joints[joint]) for time_s, joints in poses if joint in joints]
            values = [value for _, value in way]
            assert min(values) >= spec.lower - 1e-9
            assert max(values) <= spec.upper + 1e-9
            fastest = max(
                abs(b - a) / (tb - ta) for (ta, a), (tb, b) in itertools.pairwise(way) if tb > ta
            )
            assert fastest <= spec.max_velocity * (1.0 + 1e-6)
            if max(values) - min(values) > math.radians(5.0):
                turned.add(joint)
    assert len(turned) >= 2


def test_the_tip_turns_towards_the_visitor_and_follows_him(played: Played) -> None:
    came_s = played.of("PersonDetected")[0][0]
    left_s = played.of("PersonLost")[0][0]
    orders = played.of("Gaze")
    states = [(time_s, data["joints_rad"]) for time_s, data in played.of("BodyState")]
    states = [(time_s, joints) for time_s, joints in states if joints]

    shortfalls = [(time_s, data["shortfall_deg"]) for time_s, data in played.of("GazeState")]

    def missed_deg(joints: dict[str, float], order_s: float) -> float:
        """Beyond what the body says that it cannot reach."""
        order = [data for at_s, data in orders if at_s <= order_s][-1]
        short_deg = [short_deg for at_s, short_deg in shortfalls if at_s <= order_s + 0.1][-1]
        return max(0.0, played.missed_deg(joints, order) - short_deg) if order["place"] else 0.0

    before = [missed_deg(joints, came_s) for at_s, joints in states if at_s <= came_s]
    assert min(before) > 20.0  # he comes from the side
    soon = [missed_deg(joints, at_s) for at_s, joints in states if 0.5 <= at_s - came_s <= 1.0]
    assert min(soon) < 8.0  # a gesture has begun, which moves the head as well
    gestures = [time_s for time_s, _ in played.of("PlayAnimation")]
    ends = [time_s for time_s, _ in played.of("AnimationFinished")]
    # A look somewhere else takes a moment to arrive.
    turns = [
        at_s
        for (_, before), (at_s, after) in itertools.pairwise(orders)
        if math.dist(before["direction"].values(), after["direction"].values()) > 5.0
    ]
    calm = [
        missed_deg(joints, at_s)
        for at_s, joints in states
        if came_s < at_s < left_s
        and not any(a <= at_s <= b + 0.8 for a, b in zip(gestures, ends, strict=True))
        and not any(turn <= at_s <= turn + 1.2 for turn in turns)
    ]
    assert len(calm) > 25
    assert np.median(calm) < 1.0
    # While he walks away, past the robot, it lags behind.
    assert np.percentile(calm, 80) < 3.0
    assert max(calm) < 15.0


def test_no_finger_slows_the_gaze(played: Played) -> None:
    for name in ("Gazing.Horizontal", "Gazing.Vertical"):
        assert played.body.generic[name].max_velocity >= math.radians(90.0)
