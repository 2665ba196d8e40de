r"""Draws a filmstrip of what a body does under orders, or did in a recorded run.

    python tools/film_motion.py wave.png --robot nao --seconds 3 \\
        --order '0 PlayAnimation {"animation": "wave"}' --order '1.2 StopAnimation {}'
    python tools/film_motion.py talk.png --robot nao --log run.jsonl --from 12 --seconds 4

Frames are those that leave the engine, limits and all; the same command in two checkouts makes a
picture of before and one of after.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sera import messages
from sera.animation.animator import Animator
from sera.animation.body import Body
from sera.animation.sheets._page import Page
from sera.animation.stage_set import StageSet
from sera.evaluation.motion.actor import START_S
from sera.runtime.workspace import Workspace

Film = Iterator[tuple[float, dict[str, float]]]


def film_orders(animator: Animator, orders: list[str], seconds: float) -> Film:
    """Frames with their times, orders given on the way; the body has settled before."""
    split = (order.split(" ", 1) for order in orders)
    waiting = sorted((float(at_s), order) for at_s, order in split)
    step_s = animator.engine.step_s
    for frame in range(-round(START_S / step_s), round(seconds / step_s) + 1):
        while waiting and waiting[0][0] <= frame * step_s:
            kind, _, fields = waiting.pop(0)[1].partition(" ")
            animator.handle(getattr(messages, kind).model_validate_json(fields or "{}"), kind)
        own = animator.step()
        if frame >= 0:
            yield frame * step_s, own


def film_log(log: Path, body: Body, begin_s: float, seconds: float) -> Film:
    """Frames of a run, with their times on its clock."""
    own = {name: spec.neutral for name, spec in body.own.items()}
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry.get("type") == "JointFrame":
            own = own | entry["data"]["joints_rad"] | entry["data"]["channels"]
            if begin_s <= entry["time"] <= begin_s + seconds:
                yield entry["time"], own


def main() -> None:
    """Draw what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the PNG file")
    parser.add_argument("--robot", required=True, help="of the workspace")
    parser.add_argument("--scenario", help="whose animations, postures and program count")
    parser.add_argument("--order", action="append", default=[], help="'SECONDS MESSAGE {JSON}'")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--from", dest="begin_s", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--pictures", type=int, default=24)
    parser.add_argument("--view", choices=("front", "side", "corner"), default="corner")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--title", default="", help="of the rows")
    parser.add_argument("--mark", nargs=3, type=float, help="a place, metres in the body's frame")
    given = parser.parse_args()
    mark_m = None if given.mark is None else (given.mark[0], given.mark[1], given.mark[2])
    workspace = Workspace.discover()
    scenario = None if given.scenario is None else workspace.find_scenario(given.scenario)
    folder = workspace.find_robot(given.robot)
    stage = StageSet.find(folder, tuple(workspace.roots), scenario=scenario, seed=given.seed)
    if given.log is None:
        film = list(film_orders(Animator(stage.program()), given.order, given.seconds))
    else:
        film = list(film_log(given.log, stage.body, given.begin_s, given.seconds))
    shown = np.linspace(0, len(film) - 1, min(given.pictures, len(film))).astype(int).tolist()
    columns = min(12, len(shown))
    rows = [shown[first : first + columns] for first in range(0, len(shown), columns)]
    page = Page(stage.body, [(given.title, given.view, len(row)) for row in rows], columns)
    for number, row in enumerate(rows):
        for place, frame in enumerate(row):
            time_s, own = film[frame]
            page.picture(number, place, given.view, f"{time_s:.2f} s", own, place_m=mark_m)
    page.save(given.out)


if __name__ == "__main__":
    main()
