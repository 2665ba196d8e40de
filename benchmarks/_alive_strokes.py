"""When strokes come after their order, and when the words that they belong to: by frames.

A gesture's stroke is where a hand, or the face if hands rest, is first nearly as far as it gets
from where it would be without the gesture, in two runs with the same life: no table of strokes is
asked. In the log of a whole run it is where joints have gone the way that leads there and turn
round or stand. An arm that points has arrived when it has all but gone its way. Lines are those
with gestures of the workbooks that ship, and some for every gesture with its tag at the beginning
and after other words; a tag's word is the one that follows it, its onset is when the voice said
that it was heard. Units: seconds. Threading: none.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks._alive_gaze import Truth
from benchmarks._alive_runs import Fact, FloatArray, Played, Row, Stage
from benchmarks.bus import ROOT
from sera.animation.stage_set import StageSet
from sera.behaviour.library import read_library
from sera.behaviour.markup import Step, parse
from sera.evaluation.motion import Face, actor
from sera.evaluation.motion.traces import apart_deg, apex, reached
from sera.messages import Direction, Message, PlayAnimation, Point

SCENE = Path(__file__).with_name("alive_stage")
WORKBOOKS = ("hello/lines.xlsx", "tutor/tutor.xlsx", "reception/reception.xlsx")
PLACES = ("lift", "library", "desk")
COMMON = ("wave", "greet", "affirm", "point", "shrug")
COMMON_S, OTHERS_S = 0.6, 0.9
EARLY_S, LATE_S, LONGEST_WAIT_S, LEAD_S = -0.25, 0.08, 0.8, 0.2
EYES_DEG, LOOKS_BEFORE_S = 5.0, 1.0
THERE, POINTED_S = 0.95, 3.0
HAND_M, SEEN_DEG = 0.06, 3.0
ANIMATIONS = {"HEADNOD": ("nod", "bow", "blink"), "HEADNODNEGATIVE": ("shake",), "WAVE": ("wave",)}


def measure_stroke(stage_set: StageSet, name: str) -> tuple[float, FloatArray] | None:
    """When a gesture has its stroke, and the unit vector over own channels that leads there."""
    lasts_s = stage_set.repertoire().animations[name].duration_s
    frames, plain = _with_and_without(stage_set, PlayAnimation(animation=name), lasts_s)
    trace = _apart_m(stage_set, frames, plain)
    if trace.max() < HAND_M:
        trace = apart_deg(*(actor.axes_of(stage_set.body, each) for each in (frames, plain)))
        if trace.max() < SEEN_DEG:
            return None
    at = apex(trace) or 0
    way = (frames[at] - plain[at]) * actor.joints_of(stage_set.body)
    return at * lasts_s / (len(plain) - 1), way / np.linalg.norm(way)


def _with_and_without(stage_set: StageSet, order: Message, lasts_s: float) -> list[FloatArray]:
    """The frames since an order and, with the same life, without it."""
    found = []
    for orders in ((order,), ()):
        body = actor.Actor(stage_set)
        before = body.run(actor.START_S)[-1:]
        found.append(np.vstack([before, body.do_and_run(lasts_s, *orders)]))
    return found


def _apart_m(stage_set: StageSet, frames: FloatArray, others: FloatArray) -> FloatArray:
    """How far the hand is from where it would be that is farthest."""
    body = stage_set.body
    ways = [
        np.subtract(*(actor.places_m(body, each, hand) for each in (frames, others)))
        for hand in actor.hands_of(body)
    ]
    return max((np.linalg.norm(way, axis=1) for way in ways), key=np.max)


def gesture_rows(stage: Stage) -> Iterator[Row]:
    point = Point(direction=Direction(horizontal_deg=30.0, vertical_deg=0.0))
    for robot, stage_set in stage.robots.items():
        strokes = {name: measure_stroke(stage_set, name) for name in actor.gestures_of(stage_set)}
        found = {name: round(stroke[0], 2) for name, stroke in strokes.items() if stroke}
        away = _apart_m(stage_set, *_with_and_without(stage_set, point, POINTED_S))
        if away.max() > HAND_M:
            found["point"] = round(reached(away, THERE) * POINTED_S / (len(away) - 1), 2)
        late = [n for n, at_s in found.items() if at_s > (COMMON_S if n in COMMON else OTHERS_S)]
        said = ", ".join(f"{name} {at_s:.2f}" for name, at_s in found.items())
        yield Row(robot, f"{len(late)} of {len(found)} late: {said} s", not late)


@dataclass
class Strokes:
    """What one voice and body came to; seconds from a word's onset to the apex."""

    leading: list[float] = field(default_factory=list)
    """Of tags with no word before them."""
    inside: list[float] = field(default_factory=list)
    missing: int = 0
    """Tags whose gesture was not seen, although the body can do it."""
    eyes_lead: list[float] = field(default_factory=list)
    """From eyes on a pointed-at thing to the hand."""
    waits: list[float] = field(default_factory=list)
    """From the order for a line to its first word."""

    @property
    def share(self) -> float:
        """How many of all tags were in time."""
        return share_within(self.leading + self.inside, self.missing)


def write_lines(folder: Path, every: int) -> Path:
    """The stage with its lines, all or every n-th of them, in a workspace."""
    scene = folder / "scenarios" / "alive_stage"
    shutil.copytree(SCENE, scene, dirs_exist_ok=True)
    libraries = [read_library(Path(ROOT) / "scenarios" / each).library for each in WORKBOOKS]
    lines = [line for library in libraries for line in (*library.lines, *library.dialogue)]
    written = [line.texts.get("en") or next(iter(line.texts.values()), "") for line in lines]
    texts = [_without_scenario(text, number) for number, text in enumerate(written)]
    armed = StageSet.find(Path(ROOT) / "robots" / "nao_t14", (Path(ROOT),))
    for gesture in actor.gestures_of(armed):
        texts.append(f"<ANIMATE({gesture})> That is what I wanted to say about it.")
        texts.append(f"If you really ask me now, <ANIMATE({gesture})> that is how it is.")
    texts += [f"<GAZE(compass)> Look over there, <POINT({it})> where it stands." for it in PLACES]
    texts = [text for text in texts if any(map(_moves, parse(text).steps))]
    with (scene / "lines.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [[f"l{number}", "all", text] for number, text in enumerate(texts[::every])]
        csv.writer(file).writerows([["ID", "CATEGORY", "TEXT"], *rows])
    return scene


def _without_scenario(text: str, number: int) -> str:
    """A line that can be said on this stage: what a game would fill in is filled in."""
    said = re.sub(r"<(?:GAME|HIGHLIGHT)\([^>]*\)>\s*", "", text)
    said = re.sub(r"<(?:GAZEANDPOINT|POINTANDHIGHLIGHT)", "<POINT", said)
    place = PLACES[number % len(PLACES)]
    return re.sub(r"/\w+/", "this", re.sub(r"(<[^>]*)/\w+/", rf"\1{place}", said))


def _moves(step: Step) -> bool:
    return step.verb in ("ANIMATE", "POINT", *ANIMATIONS)


def play_lines(stage: Stage, robot: str, voice: str, every: int = 1) -> Strokes:
    """Recordings are made by espeak-ng beforehand; espeak-ng itself speaks in real time."""
    scene = write_lines(stage.folder, every)
    if voice == "recorded" and not (scene / "recordings").is_dir():
        render = ["utterances", "render", str(scene / "lines.csv"), "--voice", "espeak"]
        command = [sys.executable, "-m", "sera", *render, "-o", str(scene / "recordings")]
        subprocess.run(command, cwd=stage.folder, capture_output=True, check=False)
    played = stage.play("alive_stage", robot, stage.seeds[0], voice, longest_s=1800)
    with (scene / "lines.csv").open(encoding="utf-8") as file:
        texts = {row["ID"]: row["TEXT"] for row in csv.DictReader(file)}
    return Strokes() if played is None else measure_offsets(played, texts)


def measure_offsets(played: Played, texts: Mapping[str, str]) -> Strokes:
    """What is seen of the tags of lines that were said, by their ids."""
    found, stage_set = Strokes(), StageSet.find(played.body.folder, (Path(ROOT),))
    gestures = stage_set.repertoire().animations
    shown = cache(lambda name: measure_stroke(stage_set, name) if name in gestures else None)
    for utterance in played.of("PerformUtterance"):
        speeches = {f.id for f in played.of("Speak") if f.cause == utterance.id}
        orders = [f for f in played.of("PlayAnimation", "Point") if f.cause == utterance.id]
        onsets = [f.time_s for f in played.of("SpeechWord") if f.data["speech"] in speeches]
        found.waits += [onset - utterance.time_s for onset in onsets[:1]]
        for step in filter(_moves, parse(texts[utterance.data["line"]]).steps):
            name = str(step.arguments.get("name", ""))
            order = next((each for each in orders if _is_for(step, name, each)), None)
            name = name if order is None else order.data.get("animation", "")
            if step.word >= len(onsets) or (name and shown(name) is None):
                continue
            at_s = None if order is None else _apex_s(played, stage_set, order, shown(name))
            found.missing += at_s is None and bool(name)
            if order is None or at_s is None:
                continue
            orders = orders[orders.index(order) + 1 :]
            (found.inside if step.word else found.leading).append(at_s - onsets[step.word])
            lead_s = None if name else _eyes_lead_s(played, order, at_s)
            found.eyes_lead += [] if lead_s is None else [lead_s]
    return found


def _apex_s(
    played: Played, stage_set: StageSet, order: Fact, stroke: tuple[float, FloatArray] | None
) -> float | None:
    """When what was ordered has its stroke, on the clock of the run; no stroke: a hand points."""
    times = (order.time_s, order.time_s + (POINTED_S if stroke is None else 2.0 * stroke[0] + 1.0))
    first, last = (played.frame_at(time_s) for time_s in times)
    frames = played.frames[first : last + 1]
    if stroke is None:
        at: int | None = reached(_apart_m(stage_set, frames, frames[:1]), THERE)
    else:
        at = apex((frames - frames[0]) @ stroke[1])
    return None if at is None else float(played.times_s[first + at])


def _is_for(step: Step, named: str, order: Fact) -> bool:
    if step.verb == "POINT" or order.type == "Point":
        return step.verb == "POINT" and order.type == "Point"
    return bool(order.data["animation"].startswith(ANIMATIONS.get(step.verb, (named,))))


def _eyes_lead_s(played: Played, order: Fact, at_s: float) -> float | None:
    """From eyes on what is pointed at to the hand; None if they were there before."""
    place, face = Truth(played).place_m(order.data.get("target") or ""), Face(played.body)
    first, last = (played.frame_at(t) for t in (order.time_s - LOOKS_BEFORE_S, at_s + 1.0))
    looks = [face.look(actor.own_of(played.body, each)) for each in played.frames[first : last + 1]]
    places, axes = (np.array(each) for each in zip(*looks, strict=True))
    if place is None:
        return None
    ways = (place - places) / np.linalg.norm(place - places, axis=1, keepdims=True)
    near = apart_deg(axes, ways) <= EYES_DEG
    if near[0]:
        return None
    return at_s - float(played.times_s[first + int(np.argmax(near))]) if near.any() else -math.inf


def stroke_rows(stage: Stage) -> Iterator[Row]:
    for voice in ("silent", "recorded", "espeak")[: 2 if stage.quick else 3]:
        for robot in stage.exchanged if voice == "silent" else ("nao", "adelino"):
            found = play_lines(stage, robot, voice, 4 if stage.quick else 1)
            yield Row(f"{voice}, {robot}", *stroke_figures(found))
            if found.eyes_lead:
                good = sum(lead >= LEAD_S for lead in found.eyes_lead)
                said = f"{good} of {len(found.eyes_lead)} by 0.2 s or more, median "
                said += f"{np.median(found.eyes_lead):.2f} s"
                row = f"eyes before the hand: {voice}, {robot}"
                yield Row(row, said, good == len(found.eyes_lead))


def stroke_figures(found: Strokes) -> tuple[str, bool]:
    every = found.leading + found.inside
    if not every:
        return "no stroke was seen", False
    low, median, high = np.percentile(every, [5, 50, 95]).tolist()
    inside, wait_s = share_within(found.inside), max(found.waits)
    figures = (
        f"{found.share:.0%} of {len(every) + found.missing} in time, {inside:.0%} of "
        f"{len(found.inside)} with words before; median {median:+.2f} s, 5-95 %: {low:+.2f} … "
        f"{high:+.2f} s; words wait {wait_s:.2f} s at most; {found.missing} not seen"
    )
    return figures, found.share >= 0.85 and inside >= 0.95 and wait_s <= LONGEST_WAIT_S + 0.02


def share_within(offsets_s: list[float], missing: int = 0) -> float:
    good = sum(EARLY_S <= each <= LATE_S for each in offsets_s)
    return good / max(1, len(offsets_s) + missing)
