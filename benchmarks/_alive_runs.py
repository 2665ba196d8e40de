"""Scenarios played in virtual time by child processes, and their logs as frames and facts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.bus import ROOT
from sera.animation.body import Body, load_body
from sera.animation.stage_set import StageSet
from sera.runtime.scaffold import new_robot
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

FloatArray = NDArray[np.float64]
SCENARIOS = ("hello", "tutor", "avantsatie", "ahoy", "reception")
EXCHANGED = ("adelino", "emys", "keepon", "nao", "pepper", "lamp", "waiter")
"""Bodies that play all of them; the last two are made from URDF files."""
LONGEST_S = 240
"""Who cannot read a robot's postures never finds the melody of avantsatie."""


class Row(NamedTuple):
    """One line of a table."""

    what: str
    figures: str
    met: bool


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
    times_s: FloatArray
    frames: FloatArray
    """One row a time, own channels in the order of the body."""
    facts: list[Fact]

    def frame_at(self, time_s: float) -> int:
        """The last frame at a time."""
        return max(0, bisect_right(self.times_s, time_s) - 1)

    def of(self, *types: str) -> Iterator[Fact]:
        return (fact for fact in self.facts if fact.type in types)


def tell(sentence: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {sentence}", file=sys.stderr, flush=True)


class Stage:
    """What is drawn, and a workspace where runs are played, each once; logs there count."""

    def __init__(
        self, folder: Path, seeds: Iterable[int], robots: Iterable[str], *, quick: bool = False
    ) -> None:
        self.folder, self.seeds = folder.resolve(), tuple(seeds)
        self.exchanged, self.quick = tuple(robots), quick
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "sera.toml").touch()
        for urdf in sorted(Path(__file__).with_name("alive_bodies").glob("*.urdf")):
            if not (self.folder / "robots" / urdf.stem).is_dir():
                new_robot(self.folder, urdf.stem, urdf)
        self.workspace = Workspace([self.folder, Path(ROOT)], built_in=Path(ROOT), own=self.folder)
        made = sorted((self.folder / "robots").iterdir())
        shipped = [file.parent for file in sorted(Path(ROOT).glob("robots/*/body.toml"))]
        found = [each for each in (*shipped, *made) if not quick or each.name in self.exchanged]
        self.robots = {each.name: StageSet.find(each, (Path(ROOT),), seed=1) for each in found}
        """Those that are measured by themselves."""

    def runs(self, name: str) -> Iterator[tuple[str, Iterator[Played | None]]]:
        """Each robot that plays a scenario, its own first, and its runs; None for one that died."""
        own = next(iter(load_scenario(name, self.workspace).bodies.values()))
        for robot in dict.fromkeys((own, *self.exchanged)):
            yield robot, (self.play(name, robot, seed) for seed in self.seeds)

    def play(
        self, name: str, robot: str, seed: int, condition: str = "", longest_s: int = LONGEST_S
    ) -> Played | None:
        """In virtual time, unless espeak-ng is to speak, which needs a process."""
        log = self.folder / "logs" / f"{name}{condition}_{robot}_{seed}.jsonl"
        if not log.is_file():
            log.parent.mkdir(exist_ok=True)
            tell(f"{name} {condition} with {robot}, seed {seed}")
            command = [sys.executable, "-m", "sera", "run", name, "--plain", "--seed", str(seed)]
            command += ["--robot", robot, "--log", str(log), "--duration", str(longest_s)]
            command += ["--condition", condition] if condition else []
            command += [] if condition == "espeak" else ["--virtual"]
            ended = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, check=False
            )
            if ended.returncode:
                tell((ended.stderr or ended.stdout)[-400:])
        scenario = load_scenario(name, self.workspace)
        scenario = scenario.overridden(robots=scenario.cast([robot], self.workspace))
        return read_run(log, scenario) if log.is_file() else None


def read_run(log: Path, scenario: Scenario) -> Played | None:
    """The frames of the first character that has a body, and the facts that it heard of."""
    character, card = next(iter(scenario.robots.items()))
    body = load_body(card.folder)
    own = {name: spec.neutral for name, spec in body.own.items()}
    times_s: list[float] = []
    frames: list[list[float]] = []
    facts: list[Fact] = []
    with log.open(encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            if entry.get("character") not in (character, "world") or "data" not in entry:
                continue
            time_s, kind, data = entry["time"], entry["type"], entry["data"]
            if kind == "JointFrame":
                own |= data["joints_rad"] | data["channels"]
                times_s.append(time_s)
                frames.append([own[name] for name in body.own])
            else:
                facts.append(Fact(time_s, kind, data, entry["id"], entry["cause"]))
    shown = np.array(times_s), np.array(frames)
    return Played(scenario, character, body, *shown, facts) if frames else None
