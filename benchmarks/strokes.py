"""Whether strokes meet their words, on output frames: of gestures, looks and points.

Design overview: lines are rehearsed (`_strokes_rehearsal`), what was ordered the real engine plays,
and once more without its gestures: the difference is what a gesture does, whoever else moves the
body meanwhile. A gesture's apex is where hand or head are first nearly as far from there as they
get; a look and a pointing hand have arrived when nine tenths of their way is gone for good.

Units and frames: seconds; an offset is apex minus beginning of the word, below zero if early.
Threading: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._strokes_rehearsal import rehearse
from sera.animation.animator import Animator
from sera.animation.body import Body
from sera.animation.stage_set import StageSet
from sera.behaviour.abilities import abilities_of
from sera.behaviour.markup import Step, parse, resolve
from sera.evaluation.motion import Face
from sera.kinematics._arrays import FloatArray
from sera.messages import (
    Envelope,
    Gaze,
    Message,
    PerformUtterance,
    PlayAnimation,
    Point,
    RetimeAnimation,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
)

WINDOW_S = (-0.25, 0.08)
EYES_FIRST_S = (0.2, 0.3)
_PLAYED = (Gaze, Point, PlayAnimation, RetimeAnimation, StopAnimation, SpeechStarted, SpeechWord)
_GESTURES = (PlayAnimation, RetimeAnimation)
_NEARLY = 0.85
_THERE = 0.1
_LOOK_S = 1.3
"""How long after its order a gesture or look is watched."""
STEP_S = 0.02
_BEFORE_S = 1.0
"""How long before a line the engine begins, so that the gaze is where it was."""
_STILL_DEG = 3.0
_HAND_M = 0.06


@dataclass(frozen=True, slots=True)
class Met:
    """How one tag of one line met its word."""

    line: str
    step: str
    words_before: int
    """How many words stand before it in the line."""
    offset_s: float
    """From the beginning of the word to the stroke."""
    eyes_before_hand_s: float | None = None

    @property
    def in_time(self) -> bool:
        early_s, late_s = WINDOW_S
        return early_s <= self.offset_s <= late_s


@dataclass(frozen=True, slots=True)
class StrokesResult:
    """What came of a rehearsal."""

    met: tuple[Met, ...]
    waits_s: tuple[float, ...]
    """From the order to the first sound, of each line with words."""
    plain_waits_s: tuple[float, ...]
    """The same of lines that do not begin with a tag."""

    def share(self, *, only_after_words: bool = False) -> float:
        """How many tags met their words, as a part of all."""
        met = [each.in_time for each in self.met if each.words_before or not only_after_words]
        return sum(met) / len(met) if met else 1.0


def measure_strokes(
    robot: str,
    lines: Sequence[str],
    *,
    root: Path,
    seed: int = 1,
    language: str = "en",
    recordings: Path | None = None,
    waits: bool = True,
) -> StrokesResult:
    """Rehearse lines on a body and see when strokes come; arguments as `rehearse` has them."""
    seen = rehearse(
        robot, lines, root=root, seed=seed, language=language, recordings=recordings, waits=waits
    )
    stage_set = StageSet.find(root / "robots" / robot, (root,), seed=seed)
    abilities = abilities_of(stage_set.body.folder, None)
    met: list[Met] = []
    waits_s: list[float] = []
    plain_s: list[float] = []
    for order in (each for each in seen if isinstance(each.message, PerformUtterance)):
        text = str(order.message.text)  # type: ignore[attr-defined]
        parsed = parse(text)
        caused = {each.id for each in seen if each.cause == order.id} | {order.id}
        own = [each for each in seen if each.cause in caused]
        words = _onsets(own)
        if not words:
            continue
        played = _Played(stage_set, seen, order.time, max(words) + 3.0 * _LOOK_S)
        first_s = min(each.time for each in own if isinstance(each.message, SpeechStarted))
        waits_s.append(first_s - order.time)
        if not any(step.at_once for step in parsed.steps):
            plain_s.append(first_s - order.time)
        for step in resolve(parsed, abilities).steps:
            if step.word < len(words):
                found = _measure(played, step, own, words[step.word])
                met += [] if found is None else [Met(text, str(step), step.word, *found)]
    return StrokesResult(tuple(met), tuple(waits_s), tuple(plain_s))


def _onsets(own: Sequence[Envelope]) -> list[float]:
    """When each word of a line was heard."""
    return [each.time for each in own if isinstance(each.message, SpeechWord)]


def _measure(
    played: _Played, step: Step, own: Sequence[Envelope], onset_s: float
) -> tuple[float, float | None] | None:
    """Offset of a step, and how long the eyes were there before the hand; None: nothing to see."""
    if step.verb in {"GAZE", "GLANCE"}:
        sent_s = _sent_s(own, Gaze, step.target or "", onset_s)
        if sent_s is None:
            return None
        there_s = played.eyes_there_s(sent_s)
        return None if there_s is None else (there_s - onset_s, None)
    if step.verb == "POINT":
        sent_s = _sent_s(own, Point, step.target or "", onset_s)
        if sent_s is None:
            return None
        hand_s = played.hand_there_s(sent_s)
        looked_s = _sent_s(own, Gaze, step.target or "", onset_s)
        eyes_s = None if looked_s is None else played.eyes_there_s(looked_s)
        return hand_s - onset_s, None if eyes_s is None else hand_s - eyes_s
    name = str(step.arguments.get("name") or "")
    sent_s = _sent_s(own, PlayAnimation, name, onset_s)
    apex_s = None if sent_s is None else played.apex_s(sent_s)
    return None if apex_s is None else (apex_s - onset_s, None)


def _sent_s(
    own: Sequence[Envelope], kind: type[Message], about: str, onset_s: float
) -> float | None:
    """When the order for a step was sent: of those about the same, the nearest to its word."""
    fitting = []
    for each in own:
        named = (getattr(each.message, "target", None), getattr(each.message, "animation", None))
        if isinstance(each.message, kind) and (not about or about in named):
            fitting.append(each.time)
    return min(fitting, key=lambda time_s: abs(time_s + 0.5 - onset_s), default=None)


class _Played:
    """What the engine makes of the orders of one line, with gestures and without."""

    def __init__(
        self, stage_set: StageSet, seen: Sequence[Envelope], from_s: float, until_s: float
    ) -> None:
        self._body: Body = stage_set.body
        self._stage_set, self._from_s, self._until_s = stage_set, from_s - _BEFORE_S, until_s
        heard = [each for each in seen if isinstance(each.message, _PLAYED)]
        before = [e for e in heard if isinstance(e.message, Gaze) and e.time < from_s]
        self._orders = before[-1:] + [each for each in heard if from_s <= each.time < until_s]
        self._full = self._frames(self._orders)
        self._plain = self._frames(
            [e for e in self._orders if not isinstance(e.message, _GESTURES)]
        )
        self._face = Face(self._body)
        ends = {chain.end_point for chain in self._body.chains if chain.aims.startswith("Arms")}
        self._hands = sorted(ends)

    def apex_s(self, sent_s: float) -> float | None:
        """When a gesture that was ordered then is first nearly as far out as it gets."""
        window = self._window(sent_s, _LOOK_S)
        # Without this one alone: another may be under way.
        own = {
            each.id
            for each in self._orders
            if each.time == sent_s and isinstance(each.message, PlayAnimation)
        }
        others = self._frames([e for e in self._orders if e.id not in own])
        ways = [self._way(hand, others, window) for hand in self._hands]
        hand = max(ways, key=lambda way: float(way.max()), default=np.zeros(1))
        pairs = [(self._looks(self._full[n]), self._looks(others[n])) for n in window]
        head = np.array([_apart_deg(one, other) for one, other in pairs])
        way, nearly = (hand if hand.max() >= _HAND_M else head), _NEARLY
        if head.max() < _STILL_DEG and hand.max() < _HAND_M:
            # Lids and lights, which other things move as well.
            way, nearly = np.abs(self._full[window] - others[window]).max(axis=1), 0.5
            if way.max() < 0.05:
                return None
        out = [n for n in range(len(way) - 1) if way[n + 1] <= way[n] >= nearly * way.max()]
        return self._from_s + float(window[out[0]]) * STEP_S if out else None

    def eyes_there_s(self, sent_s: float) -> float | None:
        """When a look that was ordered then has arrived; None: it did not move."""
        window = self._window(sent_s, self._until_next_s(Gaze, sent_s, _LOOK_S))
        if len(window) < 3:
            return None
        path = [self._looks(self._plain[n]) for n in window]
        left = np.array([_apart_deg(each, path[-1]) for each in path])
        if left[0] < _STILL_DEG:
            return None
        return self._arrival_s(window, left, max(2.0, _THERE * left[0]))

    def hand_there_s(self, sent_s: float) -> float:
        """When the hand that points has arrived."""
        window = self._window(sent_s, self._until_next_s(Point, sent_s, _LOOK_S + 0.4))
        paths = [self._path(self._full, hand, window) for hand in self._hands]
        path = max(paths, key=lambda each: float(np.linalg.norm(each[-1] - each[0])))
        left = np.linalg.norm(path - path[-1], axis=1)
        return self._arrival_s(window, left, _THERE * float(left[0]))

    def _arrival_s(self, window: range, left: FloatArray, near: float) -> float:
        away = np.flatnonzero(left > near)
        return self._from_s + float(window[int(away[-1]) + 1 if len(away) else 0]) * STEP_S

    def _until_next_s(self, kind: type[Message], sent_s: float, most_s: float) -> float:
        """How long an order of this kind stands."""
        times_s = (each.time - sent_s for each in self._orders if isinstance(each.message, kind))
        return min([most_s, *(after_s for after_s in times_s if after_s > STEP_S)])

    def _window(self, from_s: float, for_s: float) -> range:
        first = round((from_s - self._from_s) / STEP_S)
        return range(first, min(first + round(for_s / STEP_S), len(self._full)))

    def _way(self, hand: str, others: FloatArray, window: range) -> FloatArray:
        full, plain = (self._path(each, hand, window) for each in (self._full, others))
        return np.asarray(np.linalg.norm(full - plain, axis=1))

    def _path(self, frames: FloatArray, hand: str, window: range) -> FloatArray:
        return np.array([self._place(frames[n], hand) for n in window])

    def _frames(self, orders: Sequence[Envelope]) -> FloatArray:
        """The engine's frames, one row each."""
        animator, rows, given = Animator(self._stage_set.program(), rate_hz=1.0 / STEP_S), [], 0
        for frame in range(round((self._until_s - self._from_s) / STEP_S)):
            while (
                given < len(orders) and orders[given].time <= self._from_s + frame * STEP_S + 1e-9
            ):
                animator.handle(orders[given].message, orders[given].id)
                given += 1
            rows.append(list(animator.step().values()))
        return np.array(rows)

    def _own(self, row: FloatArray) -> dict[str, float]:
        return dict(zip(self._body.own, row.tolist(), strict=True))

    def _looks(self, row: FloatArray) -> tuple[float, float]:
        return self._face.looks_at_deg(self._own(row))

    def _place(self, row: FloatArray, end: str) -> FloatArray:
        tree, own = self._body.tree, self._own(row)
        angles = tree.angles_of({name: own[name] for name in tree.joint_names if name in own})
        return np.asarray(tree.pose(angles, end).position_m)


def _apart_deg(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))
