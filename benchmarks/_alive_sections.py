"""The sections of `make bench-alive`: what is measured on what, in rows with their bars."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks._alive_actor import Actor, axes_of, shipped_robots
from benchmarks._alive_contacts import live
from benchmarks._alive_gaze import Errors, measure_errors
from benchmarks._alive_motion import (
    COMMON,
    CORNERS,
    measure_behind,
    measure_fading,
    measure_nods,
    measure_rest,
    measure_seams,
    measure_strokes,
)
from benchmarks._alive_runs import SCENARIOS, Played, Stage
from benchmarks._alive_strokes import VOICES, Strokes, measure_offsets, play_lines, share_within
from benchmarks._animation_frames import measure_frames, measure_many
from benchmarks._behaviour_bus import FLOOR_BAR_MS, measure_bus, percentiles
from benchmarks._behaviour_engines import measure_hour
from benchmarks._study_store import results_of
from benchmarks.study import (
    ALPHA,
    EXPRESSIVE,
    PARTICIPANTS,
    TITLES,
    _compared,
    outcome_of,
    timed,
    wrong_in,
)
from sera.evaluation.motion import measure_limits
from sera.evaluation.motion.traces import fixations
from sera.study.simulation import players, simulate

LEAST_FIXATION_S = 0.4
LEAD_S = 0.2
FRAMES = 5000


class Row(NamedTuple):
    """One line of a table."""

    what: str
    figures: str
    met: bool | None = None
    """None: there is no bar."""


@dataclass(frozen=True)
class Draw:
    """How much is measured."""

    stage: Stage
    quick: bool
    minutes: float = 60.0
    """Of mixed orders, for each body."""

    @property
    def robots(self) -> dict[str, Path]:
        """Those that ship and those made from URDF files."""
        every = shipped_robots() | self.stage.urdf_robots
        if not self.quick:
            return every
        return {name: folder for name, folder in every.items() if name in self.stage.robots}


def gaze_rows(draw: Draw) -> Iterator[Row]:
    for name in SCENARIOS:
        for robot, runs in draw.stage.runs(name):
            errors = Errors()
            for played in runs:
                if played is not None:
                    measure_errors(played, errors)
            yield Row(f"{name}, {robot}", *_gaze_figures(errors))


def _gaze_figures(errors: Errors) -> tuple[str, bool]:
    if not errors.off:
        return "nothing to look at", False
    median, p95 = np.percentile(errors.beyond, [50, 95]).tolist()
    said = f"median {median:.1f}°, p95 {p95:.1f}°"
    if max(errors.shortfall) > 0.0:
        said += f" beyond a shortfall of {np.median(errors.shortfall):.1f}°"
    if errors.exempt:
        share = len(errors.exempt) / (len(errors.exempt) + len(errors.off))
        said += f"; {share:.0%} exempt, median {np.median(errors.exempt):.1f}°"
    return said, median <= 2.0 and p95 <= 5.0


def fixation_rows(draw: Draw) -> Iterator[Row]:
    for name in SCENARIOS:
        robot, runs = next(draw.stage.runs(name))
        ordered: list[float] = []
        seen: list[float] = []
        for played in runs:
            if played is not None:
                ordered += _ordered_stays(played)
                seen += _seen_stays(played)
        short = [[each for each in found if each < LEAST_FIXATION_S] for found in (ordered, seen)]
        figures = (
            f"{len(short[0])} of {len(ordered)} of its own, "
            f"{len(short[1])} of {len(seen)} in frames"
        )
        yield Row(f"shorter than 0.4 s in {name}, {robot}", figures, not any(short))
    for robot, folder in draw.robots.items():
        kept = measure_nods(folder)
        figures = ", ".join(f"{name} {share:.0%}" for name, share in kept.items())
        met = min(kept.values(), default=1.0) >= 0.8
        yield Row(f"swing kept in a gaze shift, {robot}", figures or "none", met)


def _seen_stays(played: Played) -> list[float]:
    """How long the face stood, stands in which a gesture moves it left out."""
    times_s = played.times_s
    step_s = float(np.median(np.diff(times_s)))
    began = {fact.id: fact.time_s for fact in played.of("PlayAnimation")}
    moved = [
        (began.get(fact.cause or "", fact.time_s), fact.time_s)
        for fact in played.of("AnimationFinished")
    ]
    return [
        (last - first + 1) * step_s
        for first, last in fixations(axes_of(played.body, played.frames), step_s)
        if not any(times_s[first] <= until and times_s[last] >= since for since, until in moved)
    ]


def _ordered_stays(played: Played) -> list[float]:
    """How long the gaze stayed before it chose another target; one that is followed is one.

    Looks that a person or a line ordered go at once: what they cut short is left out.
    """
    before: tuple[str, int] | None = None
    began_s, found = 0.0, []
    last: np.ndarray | None = None
    for fact in played.of("Gaze"):
        given = fact.data.get("direction") or {"horizontal_deg": 0.0, "vertical_deg": 0.0}
        way = np.radians([given["horizontal_deg"], given["vertical_deg"]])
        label = fact.data.get("target") or ""
        jumps = 0 if before is None else before[1]
        if last is not None and label in ("random", "elsewhere", "clicks"):
            jumps += float(np.abs(way - last).max()) > math.radians(5.0)
        if (label, jumps) != before:
            if before is not None and not fact.data["reason"].startswith(("order:", "glance:")):
                found.append(fact.time_s - began_s + 1e-6)
            before, began_s = (label, jumps), fact.time_s
        last = way
    return found


def rest_rows(draw: Draw) -> Iterator[Row]:
    for robot, folder in draw.robots.items():
        found = [measure_rest(folder, corner, 1) for corner in CORNERS]
        longest_s, swing_deg = (max(each) for each in zip(*found, strict=True))
        never = sum(math.isinf(rest) for rest, _ in found)
        said = f"never in {never} of 8 corners" if never else f"{longest_s:.2f} s"
        yield Row(robot, f"{said}, swing left {swing_deg:.2f}°", longest_s <= 2.0)


def contact_rows(draw: Draw) -> Iterator[Row]:
    for robot, folder in shipped_robots().items():
        if robot not in draw.robots:
            continue
        hour = live(folder, draw.minutes, seed=draw.stage.seeds[0])
        below = f"{hour.below / hour.frames:.2%} below the ground"
        if hour.below:
            below += f" (deepest {-100.0 * hour.lowest_m:.0f} cm)"
        figures = (
            f"{below}; itself: {hour.touching / hour.frames:.2%}, "
            f"deepest {1000.0 * hour.deepest_m:.0f} mm"
        )
        yield Row(robot, figures, hour.below == 0 and hour.deepest_m <= 0.005)


def seam_rows(draw: Draw) -> Iterator[Row]:
    for robot, folder in draw.robots.items():
        seams = measure_seams(folder)
        above = [seam for seam in seams if seam.peak_m_s > seam.allowed_m_s]
        worst = max(seams, key=lambda seam: seam.peak_m_s / seam.allowed_m_s)
        figures = (
            f"{len(above)} of {len(seams)} too fast; worst {worst.peak_m_s:.2f} m/s where "
            f"{worst.allowed_m_s:.2f} is allowed ({worst.gesture}: {worst.kind})"
        )
        yield Row(robot, figures, not above)


def behind_rows(draw: Draw) -> Iterator[Row]:
    for robot, folder in draw.robots.items():
        if not Actor(folder).body.chains:
            continue
        behind = measure_behind(folder)
        figures = (
            f"crossing by 60°: median {np.median(behind.travels_deg):.0f}°, most "
            f"{max(behind.travels_deg):.0f}°; to and fro by 20°: {behind.to_and_fro_deg:.0f}°/s; "
            f"unreported changes of branch: {behind.unreported}"
        )
        met = behind.unreported == 0 and behind.to_and_fro_deg <= 20.0
        yield Row(f"behind {robot}", figures, met)
    steps = (100, 1000, 10_000)
    found = [measure_fading(count, 2 if draw.quick else 8) for count in steps]
    for count, change in zip(steps, found, strict=True):
        met = change <= 1.5 * found[0] * steps[0] / count
        yield Row(f"fading task, n = {count}", f"max |Δq̇| {change:.2g} rad/s", met)


def gesture_rows(draw: Draw) -> Iterator[Row]:
    for robot, folder in draw.robots.items():
        found = measure_strokes(folder)
        late = {n: s for n, s in found.items() if s > (0.6 if n in COMMON else 0.9)}
        said = ", ".join(f"{name} {at_s:.2f}" for name, at_s in found.items())
        yield Row(robot, f"{len(late)} of {len(found)} late: {said} s", not late)


def stroke_rows(draw: Draw) -> Iterator[Row]:
    for voice in VOICES:
        if draw.quick and voice == "espeak":
            continue
        robots = draw.stage.robots if voice == "silent" else ("nao", "adelino")
        for robot in robots:
            played = play_lines(draw.stage, robot, voice, few=draw.quick)
            found = Strokes() if played is None else measure_offsets(played)
            yield Row(f"{voice}, {robot}", *_stroke_figures(found))
            if found.eyes_lead:
                first = [lead for lead in found.eyes_lead if not math.isinf(lead)]
                good = sum(lead >= LEAD_S for lead in first)
                said = f"{good} of {len(found.eyes_lead)} by 0.2 s or more"
                said += f", median {np.median(first):.2f} s" if first else ", never there"
                row = f"eyes before the hand: {voice}, {robot}"
                yield Row(row, said, good == len(found.eyes_lead))


def _stroke_figures(found: Strokes) -> tuple[str, bool]:
    if not found.all:
        return "no stroke was seen", False
    low, median, high = np.percentile(found.all, [5, 50, 95]).tolist()
    shares = share_within(found.all), share_within(found.inside)
    figures = (
        f"{shares[0]:.0%} of {len(found.all)} in time, {shares[1]:.0%} of {len(found.inside)} "
        f"with words before; median {median:+.2f} s, 5-95 %: {low:+.2f} … {high:+.2f} s"
    )
    if found.missing:
        figures += f"; {found.missing} not seen"
    return figures, shares[0] >= 0.85 and shares[1] >= 0.95


def speed_rows(draw: Draw) -> Iterator[Row]:
    for timing in measure_frames(FRAMES):
        bar_us = 310.0 if timing.name.startswith("NAO, three") else math.inf
        figures = f"p50 {timing.p50_us:.0f} µs, p99 {timing.p99_us:.0f} µs"
        yield Row(f"a frame: {timing.name}", figures, timing.p50_us <= bar_us)
    share = measure_many(20, 3.0 if draw.quick else 10.0)
    yield Row("twenty Adelinos", f"{share:.0%} of a core", share <= 0.5)
    if draw.quick:
        return
    hour_s = measure_hour("tutor", "hour")
    yield Row("an hour of tutor", f"{hour_s:.1f} s", hour_s <= 20.0)
    took = re.search(r"take (\d+) s", timed()[0])
    study_s = float(took[1]) if took else math.inf
    yield Row("a study of AvantSatie", f"{study_s:.0f} s", study_s <= 90.0)
    found = measure_bus(25, "mosquitto" if shutil.which("mosquitto") else "amqtt")
    _, p95_ms, _ = percentiles(found.floor_to_sound_ms)
    yield Row("free floor to sound", f"p95 {p95_ms:.0f} ms", p95_ms <= FLOOR_BAR_MS)


def study_rows(draw: Draw) -> Iterator[Row]:
    """The published pattern: the control worse, the two techniques alike."""
    for seed in draw.stage.seeds:
        with players() as pool:
            played = simulate("avantsatie", PARTICIPANTS, seed, pool=pool)
        results = results_of(row for result in played for row in result.rows)
        effects = [outcome_of(results, condition, results) for condition in EXPRESSIVE]
        pair = [wrong_in(results, condition) for condition in EXPRESSIVE]
        alike = _compared(*pair).pvalue >= ALPHA
        figures = ", ".join(
            f"{TITLES[condition]} fewer wrong by {each.effect:.2f}{'' if each.fewer else ' (n.s.)'}"
            for condition, each in zip(EXPRESSIVE, effects, strict=True)
        )
        met = all(each.fewer for each in effects) and bool(alike)
        yield Row(f"AvantSatie, seed {seed}", f"{figures} (rank-biserial)", met)


def limit_rows(draw: Draw) -> Iterator[Row]:
    frames = (20_000 if draw.quick else 1_000_000) // len(draw.robots)
    for robot in draw.robots:
        found = measure_limits(Actor(draw.robots[robot]).stage_set, frames, draw.stage.seeds[0])
        figures = f"{found.exceeded} of {found.frames:,} frames beyond a limit"
        yield Row(robot, figures, found.exceeded == 0)


SECTIONS: dict[str, tuple[str, Callable[[Draw], Iterator[Row]]]] = {
    "gaze": ("Face to what the label names; bar: median ≤ 2°, p95 ≤ 5°", gaze_rows),
    "fixations": ("Short looks, and nods in gaze shifts; bar: none, ≥ 80 %", fixation_rows),
    "rest": ("Constant input comes to rest, eight emotions; bar: ≤ 2 s", rest_rows),
    "contacts": ("Mixed orders; bar: 0 below the ground, ≤ 5 mm in itself", contact_rows),
    "seams": ("Hands at seams; bar: max(1.2 of its own, 1.0 m/s)", seam_rows),
    "behind": ("Behind itself, and fading tasks; bar: ≤ 20°/s, 0, falls as 1/n", behind_rows),
    "gestures": ("Strokes after their order; bar: 0.6 s if common, else 0.9", gesture_rows),
    "strokes": ("Strokes to words, -0.25 … +0.08 s; bar: ≥ 85 %, ≥ 95 %", stroke_rows),
    "speed": ("Time; bar: 310 µs, half a core, 20 s, 90 s, 150 ms", speed_rows),
    "study": ("The study's pattern; bar: both better than the control, alike", study_rows),
    "limits": ("Fuzzed orders; bar: never", limit_rows),
}
