"""Scenarios played in virtual time by child processes, and their logs as frames and facts."""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks._alive_actor import make_urdf_robots
from benchmarks.bus import ROOT
from sera.animation.body import Body, load_body
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

SCENARIOS = ("hello", "tutor", "avantsatie", "ahoy", "reception")
EXCHANGED = ("adelino", "emys", "keepon", "nao", "pepper")
URDF_MADE = ("lamp", "waiter")
LONGEST_S = 240
"""Who cannot read a robot's postures never finds the melody of avantsatie."""
Tell = Callable[[str], None]


class Fact(NamedTuple):
    """A message of a log."""

    time_s: float
    type: str
    data: dict[str, Any]
    id: str
    cause: str | None


@dataclass(frozen=True, eq=False)
class Played:
    """A run: who moved, the frames, and everything else that was said of and to that character."""

    scenario: Scenario
    character: str
    body: Body
    times_s: NDArray[np.float64]
    frames: list[dict[str, float]]
    facts: list[Fact]

    def frame_at(self, time_s: float) -> int:
        """The last frame at a time."""
        return max(0, bisect_right(self.times_s.tolist(), time_s) - 1)

    def of(self, *types: str) -> Iterator[Fact]:
        return (fact for fact in self.facts if fact.type in types)

    def column(self, name: str, frames: slice) -> NDArray[np.float64]:
        return np.array([each[name] for each in self.frames[frames]])


class Stage:
    """Plays runs in a workspace of its own, each once; logs that lie there already count."""

    def __init__(
        self, folder: Path, seeds: Iterable[int], robots: Iterable[str], tell: Tell
    ) -> None:
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.seeds, self.robots, self.tell = folder, tuple(seeds), tuple(robots), tell
        made = folder / "robots"
        self.urdf_robots = (
            {each.name: each for each in made.iterdir()}
            if made.is_dir()
            else make_urdf_robots(folder)
        )
        self.workspace = Workspace([folder, Path(ROOT)], built_in=Path(ROOT), own=folder)

    def runs(self, name: str) -> Iterator[tuple[str, Iterator[Played | None]]]:
        """Each robot that plays a scenario, its own first, and its runs; None for one that died."""
        own = next(iter(load_scenario(name, self.workspace).bodies.values()))
        for robot in (own, *(each for each in self.robots if each != own)):
            yield robot, (self.play(name, robot, seed) for seed in self.seeds)

    def play(
        self,
        name: str,
        robot: str,
        seed: int,
        *,
        options: Iterable[str] = ("--virtual",),
        mark: str = "",
        longest_s: int = LONGEST_S,
    ) -> Played | None:
        log = self.folder / "logs" / f"{name}{mark}_{robot}_{seed}.jsonl"
        if not log.is_file():
            log.parent.mkdir(exist_ok=True)
            self.tell(f"{name} {mark} with {robot}, seed {seed}")
            command = [sys.executable, "-m", "sera", "run", name, *options, "--plain"]
            command += ["--seed", str(seed), "--robot", robot, "--log", str(log)]
            command += ["--duration", str(longest_s)]
            ended = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, timeout=3600, check=False
            )
            if ended.returncode:
                self.tell((ended.stderr or ended.stdout)[-400:])
        scenario = load_scenario(name, self.workspace)
        scenario = scenario.overridden(robots=scenario.cast([robot], self.workspace))
        return read_run(log, scenario) if log.is_file() else None


def read_run(log: Path, scenario: Scenario) -> Played | None:
    """The frames of the first character that has a body, and the facts that it heard of."""
    character, card = next(iter(scenario.robots.items()))
    body = load_body(card.folder)
    own = {name: spec.neutral for name, spec in body.own.items()}
    times_s: list[float] = []
    frames: list[dict[str, float]] = []
    facts: list[Fact] = []
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if entry.get("character") not in (character, "world") or "data" not in entry:
                continue
            data = entry["data"]
            if entry["type"] == "JointFrame":
                own = own | data["joints_rad"] | data["channels"]
                times_s.append(entry["time"])
                frames.append(own)
            else:
                found = (entry["time"], entry["type"], data, entry["id"], entry["cause"])
                facts.append(Fact(*found))
    return Played(scenario, character, body, np.array(times_s), frames, facts) if frames else None
