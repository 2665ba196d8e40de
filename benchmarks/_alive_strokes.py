"""When strokes come and when the words that they belong to: lines are said, frames are looked at.

The lines are those with gestures of the workbooks that ship, and some for every gesture with its
tag at the beginning and after other words. The word of a tag is the one that follows it; its
onset is when the voice said that it was heard. A stroke's apex is where the body has gone the
animator's way to the stroke and turns round or stands; an arm that points has one, too.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks._alive_actor import Actor, axes_of, face_of, hands_of, places_m
from benchmarks._alive_gaze import Truth
from benchmarks._alive_motion import gestures_of, stroke_direction
from benchmarks._alive_runs import Fact, Played, Stage
from benchmarks.bus import ROOT
from sera.behaviour.library import read_library
from sera.behaviour.markup import Step, parse
from sera.evaluation.motion.traces import apart_deg, apex_s, reached_s

STAGE = Path(__file__).with_name("alive_stage")
WORKBOOKS = ("hello/lines.xlsx", "tutor/tutor.xlsx", "reception/reception.xlsx")
PLACES = ("lift", "library", "desk")
VOICES = ("silent", "recorded", "espeak")
EARLY_S, LATE_S = -0.25, 0.08
EYES_DEG = 5.0
LOOKS_BEFORE_S = 1.0
"""An order to look may come so long before the order to point."""
_ANIMATIONS = {
    "HEADNOD": ("nod", "bow", "blink"),
    "HEADNODNEGATIVE": ("shake", "blink"),
    "WAVE": ("wave",),
}


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

    @property
    def all(self) -> list[float]:
        return self.leading + self.inside


def share_within(offsets_s: list[float]) -> float:
    return sum(EARLY_S <= each <= LATE_S for each in offsets_s) / max(1, len(offsets_s))


def write_lines(folder: Path, *, few: bool) -> Path:
    """The stage with its lines, in a workspace."""
    stage = folder / "scenarios" / "alive_stage"
    stage.mkdir(parents=True, exist_ok=True)
    for file in STAGE.glob("*.*"):
        shutil.copy(file, stage)
    libraries = [read_library(Path(ROOT) / "scenarios" / each).library for each in WORKBOOKS]
    lines = [line for library in libraries for line in (*library.lines, *library.dialogue)]
    written = [line.texts.get("en") or next(iter(line.texts.values()), "") for line in lines]
    texts = [_without_scenario(text, number) for number, text in enumerate(written)]
    probe = Actor(Path(ROOT) / "robots" / "nao_t14")
    for gesture in gestures_of(probe):
        texts.append(f"<ANIMATE({gesture})> That is what I wanted to say about it.")
        texts.append(f"If you really ask me now, <ANIMATE({gesture})> that is how it is.")
    texts += [
        f"<GAZE(compass)> Have a look over there, <POINT({place})> where it stands."
        for place in PLACES
    ]
    texts = [text for text in texts if any(_moves(step) for step in parse(text).steps)]
    with (stage / "lines.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["ID", "CATEGORY", "TEXT"])
        rows.writerows([f"l{n}", "all", text] for n, text in enumerate(texts[:: 4 if few else 1]))
    return stage


def _without_scenario(text: str, number: int) -> str:
    """A line that can be said on this stage: what a game would fill in is filled in."""
    said = re.sub(r"<(?:GAME|HIGHLIGHT)\([^>]*\)>\s*", "", text)
    said = re.sub(r"<(?:GAZEANDPOINT|POINTANDHIGHLIGHT)", "<POINT", said)
    place = PLACES[number % len(PLACES)]
    return re.sub(r"/\w+/", "this", re.sub(r"(<[^>]*)/\w+/", rf"\1{place}", said))


def _moves(step: Step) -> bool:
    return step.verb in ("ANIMATE", "POINT", *_ANIMATIONS)


def play_lines(stage: Stage, robot: str, voice: str, *, few: bool) -> Played | None:
    """Recordings are made by espeak-ng beforehand; espeak-ng itself speaks in real time."""
    folder = write_lines(stage.folder, few=few)
    if voice == "recorded" and not (folder / "recordings").is_dir():
        render = ["utterances", "render", str(folder / "lines.csv"), "--voice", "espeak"]
        command = [sys.executable, "-m", "sera", *render, "-o", str(folder / "recordings")]
        subprocess.run(command, cwd=stage.folder, capture_output=True, check=False)
    options = ["--condition", voice, *([] if voice == "espeak" else ["--virtual"])]
    return stage.play("alive_stage", robot, 1, options=options, mark=voice, longest_s=1800)


def measure_offsets(played: Played) -> Strokes:
    found, actor = Strokes(), Actor(played.body.folder)
    gestures = actor.stage_set.repertoire().animations
    ways = {name: stroke_direction(actor, gesture) for name, gesture in gestures.items()}
    for utterance, text in _utterances(played):
        orders = [f for f in played.of("PlayAnimation", "Point") if f.cause == utterance.id]
        speeches = {fact.id for fact in played.of("Speak") if fact.cause == utterance.id}
        onsets = [f.time_s for f in played.of("SpeechWord") if f.data["speech"] in speeches]
        for step in filter(_moves, parse(text).steps):
            order = next((each for each in orders if _is_for(step, each)), None)
            if order is None:
                found.missing += step.verb == "ANIMATE" and ways.get(_name(step)) is not None
                continue
            orders = orders[orders.index(order) + 1 :]
            apex = _apex_s(played, actor, order, ways)
            if apex is None or step.word >= len(onsets):
                continue
            (found.inside if step.word else found.leading).append(apex - onsets[step.word])
            lead_s = _eyes_lead_s(played, actor, order, apex) if order.type == "Point" else None
            if lead_s is not None:
                found.eyes_lead.append(lead_s)
    return found


def _utterances(played: Played) -> Iterator[tuple[Fact, str]]:
    with (played.scenario.folder / "lines.csv").open(encoding="utf-8") as file:
        texts = {row["ID"]: row["TEXT"] for row in csv.DictReader(file)}
    for fact in played.of("PerformUtterance"):
        yield fact, texts[fact.data["line"]]


def _name(step: Step) -> str:
    return str(step.arguments.get("name", ""))


def _is_for(step: Step, order: Fact) -> bool:
    if step.verb == "POINT" or order.type == "Point":
        return step.verb == "POINT" and order.type == "Point"
    names = _ANIMATIONS.get(step.verb, (_name(step),))
    return bool(order.data["animation"].startswith(names))


def _apex_s(
    played: Played, actor: Actor, order: Fact, ways: dict[str, np.ndarray | None]
) -> float | None:
    """On the clock of the run."""
    gestures = actor.stage_set.repertoire().animations if order.type == "PlayAnimation" else {}
    name = order.data.get("animation", "")
    lasts_s = 1.3 * gestures[name].duration_s + 0.5 if name in gestures else 3.0
    first, last = played.frame_at(order.time_s), played.frame_at(order.time_s + lasts_s)
    frames = np.array([[own[name] for name in actor.names] for own in played.frames[first:last]])
    if order.type == "Point":
        hands = [places_m(actor, frames, hand) for hand in hands_of(actor.body)]
        away = [np.linalg.norm(hand - hand[0], axis=1) for hand in hands]
        at_s: float | None = reached_s(max(away, key=np.max), actor.step_s, 0.95)
    else:
        way = ways.get(name)
        at_s = None if way is None else apex_s((frames - frames[0]) @ way, actor.step_s)
    return None if at_s is None else float(played.times_s[first]) + at_s


def _eyes_lead_s(played: Played, actor: Actor, order: Fact, apex_s: float) -> float | None:
    """From eyes on what is pointed at to the hand; None if they were there before."""
    truth = Truth(played)
    place = truth.place_m(truth.resolve(order.data.get("target") or "", order.time_s))
    first = played.frame_at(order.time_s - LOOKS_BEFORE_S)
    frames = played.frames[first : played.frame_at(apex_s + 1.0)]
    if place is None:
        return None
    rows = np.array([[own[name] for name in actor.names] for own in frames])
    ways = place - places_m(actor, rows, face_of(actor.body))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    near = apart_deg(axes_of(actor.body, frames), ways) <= EYES_DEG
    if near[0]:
        return None
    there_s = float(played.times_s[first + int(np.argmax(near))])
    return apex_s - there_s if near.any() else -math.inf
