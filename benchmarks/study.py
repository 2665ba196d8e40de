"""`make bench-study`: a simulated study of AvantSatie, how long it takes and what comes out of it.

One study of 57 participants is timed on all cores. With `--seeds 20` as many studies are played,
and as many with each of the controls that show that the effect is earned: hints by chance, hot and
cold postures that are the same, the two swapped, and eyes that see worse and worse. What was
played is kept (`benchmarks/results/study_seeds.jsonl`), and counts again as long as the first
participants come to the same; `--fresh` plays everything.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.stats import mannwhitneyu

from benchmarks._study_store import Result, Store, results_of
from benchmarks.animation import verdict
from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik.report import machine
from sera.study.simulation import players, simulate

PARTICIPANTS = 57
LIMIT_S = 90.0
FIRST_SEED = 4242
FIRST = 6
"""How many participants are played again to see whether anything has changed."""
RESULTS = Path(__file__).parent / "results" / "study_seeds.jsonl"
ALPHA = 0.05
EXPRESSIVE = ("c_erik", "c_ebps")
CONTROL = "c_control"

Settings = Mapping[str, Mapping[str, Any]]
VARIANTS: Mapping[str, Settings] = {
    "hints by chance": {"adelino.decision": {"hints": "random"}},
    "hot and cold the same": {"adelino.decision": {"cold": "hot"}},
    "hot and cold swapped": {"adelino.decision": {"hints": "swapped"}},
    "eyes twice as bad": {"world.player": {"noise_factor": 2.0}},
    "eyes four times as bad": {"world.player": {"noise_factor": 4.0}},
}
AS_PUBLISHED = "as published"
EYES = (AS_PUBLISHED, "eyes twice as bad", "eyes four times as bad")
NO_BENEFIT = ("hints by chance", "hot and cold the same")
TITLES = {"c_erik": "C-ERIK", "c_ebps": "C-EBPS"}


@dataclass(frozen=True)
class Outcome:
    """A condition compared with the control in one simulated study."""

    effect: float
    """Rank-biserial correlation of WrongTotal, positive where fewer guesses were wrong."""
    fewer: bool
    """Whether that is significant."""
    longer: bool
    """Whether guessing took longer than in the control."""


def wrong_in(results: list[Result], condition: str) -> list[float]:
    return [each.wrong for each in results if each.condition == condition]


def time_in(results: list[Result], condition: str) -> float:
    return statistics.fmean(each.time_s for each in results if each.condition == condition)


def _compared(one: list[float], other: list[float]) -> Any:
    """As the document and the analysis take p: without a correction for continuity."""
    return mannwhitneyu(one, other, use_continuity=False, method="asymptotic")


def outcome_of(results: list[Result], condition: str, control: list[Result]) -> Outcome:
    own, others = wrong_in(results, condition), wrong_in(control, CONTROL)
    test = _compared(own, others)
    effect = float(1.0 - 2.0 * test.statistic / (len(own) * len(others)))
    return Outcome(
        effect=effect,
        fewer=bool(test.pvalue < ALPHA and effect > 0),
        longer=time_in(results, condition) > time_in(control, CONTROL),
    )


def timed() -> list[str]:
    """One study on all cores, and once more to compare."""
    began_s = time.perf_counter()
    with players() as pool:
        results = simulate("avantsatie", PARTICIPANTS, FIRST_SEED, pool=pool)
    took_s = time.perf_counter() - began_s
    rows = [row for result in results for row in result.rows]
    again = simulate("avantsatie", 6, FIRST_SEED)
    same = [row for result in again for row in result.rows] == rows[:6]
    frames = sum(result.frames for result in results)
    virtual_h = sum(result.virtual_s for result in results) / 3600
    played_s = sum(result.took_s for result in results)
    return [
        (
            f"{PARTICIPANTS} participants, {virtual_h:.1f} h of play with ERIK and motion filter "
            f"({frames:,} frames), take {took_s:.0f} s (bar {LIMIT_S:g} s: "
            f"{verdict(took_s <= LIMIT_S)}), {played_s / frames * 1e6:.0f} µs a frame in all. The "
            f"first six, played again in one process, are the same: {verdict(same)}."
        ),
        "",
        *parts_of_a_frame(),
    ]


def parts_of_a_frame() -> list[str]:
    """Where the time of a frame goes, by the profiler (which makes everything slower)."""
    import cProfile
    import pstats

    from sera.study.simulation import Stage, jobs_for, play

    stage = Stage("avantsatie")
    job = jobs_for(stage.plan, 3, FIRST_SEED)[0]
    play(stage, job)
    profile = cProfile.Profile()
    profile.enable()
    result = play(stage, job)
    profile.disable()
    own: dict[str, float] = {}
    for (file, _, _), (_, _, spent_s, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        own[part_of(file)] = own.get(part_of(file), 0.0) + spent_s
    total_s = sum(own.values())
    rows = ["| part of a frame | µs, with the profiler | share |", "|---|---|---|"]
    for part, spent_s in sorted(own.items(), key=lambda each: -each[1]):
        per_frame = spent_s / result.frames * 1e6
        rows.append(f"| {part} | {per_frame:.0f} | {spent_s / total_s:.0%} |")
    return rows


def part_of(file: str) -> str:
    """The room of a source file."""
    for part, rooms in {
        "animation engine": ("sera/animation", "modules/animation_engine"),
        "inverse kinematics and motion filter": ("sera/kinematics",),
        "behaviour and gaze": ("sera/behaviour", "modules/behaviour_manager"),
        "bus and messages": ("sera/bus", "sera/messages", "pydantic"),
        "runtime": ("sera/runtime",),
        "game, decision and player": ("scenarios/", "sera/study"),
        "event loop": ("asyncio",),
    }.items():
        if any(room in file for room in rooms):
            return part
    return "everything else"


def over_seeds(seeds: int, controls: int, store: Store, told: Callable[[str], None]) -> list[str]:
    """The published comparison over so many seeds, and its controls over so many of them."""
    outcomes: dict[tuple[str, str], list[Outcome]] = {}
    differ = 0
    with players() as pool:
        if not _still_true(store):
            told("what was kept is of another program: everything is played")
            store.forget()
        for seed in range(1, seeds + 1):
            results = _played(AS_PUBLISHED, seed, store, pool)
            for condition in EXPRESSIVE:
                found = outcome_of(results, condition, results)
                outcomes.setdefault((AS_PUBLISHED, condition), []).append(found)
                told(f"seed {seed}, {condition}: {found}")
            pair = [wrong_in(results, condition) for condition in EXPRESSIVE]
            differ += bool(_compared(*pair).pvalue < ALPHA)
        for name in VARIANTS:
            for seed in range(1, controls + 1):
                control = store.get(AS_PUBLISHED, seed)
                assert control is not None
                other = _played(name, seed, store, pool)
                found = outcome_of(other, "c_erik", control)
                outcomes.setdefault((name, "c_erik"), []).append(found)
                told(f"seed {seed}, {name}: {found}")
    lines = [
        "| | seeds | fewer wrong than C-Control | median rank-biserial | longer |",
        "|---|---|---|---|---|",
    ]
    for (name, condition), all_ in outcomes.items():
        effect = statistics.median(each.effect for each in all_)
        lines.append(
            f"| {TITLES[condition]}, {name} | {len(all_)} "
            f"| {sum(each.fewer for each in all_)} | {effect:.2f} "
            f"| {sum(each.longer for each in all_)} |"
        )
    return [*lines, "", *verdicts(outcomes, differ, seeds)]


def verdicts(
    outcomes: Mapping[tuple[str, str], list[Outcome]], differ: int, seeds: int
) -> list[str]:
    """Each bar in a sentence, with whether it is met."""
    published = [outcomes[AS_PUBLISHED, condition] for condition in EXPRESSIVE]
    both = sum(one.fewer and other.fewer for one, other in zip(*published, strict=True))
    effects = [statistics.median(each.effect for each in all_) for all_ in published]
    longer = min(sum(each.longer for each in all_) for all_ in published)
    share = seeds / 20
    return [
        (
            f"- Fewer wrong guesses in both expressive conditions: {both} of {seeds} studies (bar "
            f"{16 * share:g}: {verdict(both >= 16 * share)})."
        ),
        (
            f"- C-ERIK and C-EBPS differ in {differ} (bar {3 * share:g} at most: "
            f"{verdict(differ <= 3 * share)})."
        ),
        (
            f"- Median effects {effects[0]:.2f} and {effects[1]:.2f} (bar 0.3-0.7: "
            f"{verdict(all(0.3 <= each <= 0.7 for each in effects))})."
        ),
        (
            f"- Guessing takes longer with hints in {longer} (published: "
            f"{verdict(longer >= 16 * share)})."
        ),
        *control_verdicts(outcomes),
    ]


def control_verdicts(outcomes: Mapping[tuple[str, str], list[Outcome]]) -> list[str]:
    """What the controls show; nothing where they were not played."""
    if any((name, "c_erik") not in outcomes for name in VARIANTS):
        return []

    def median(name: str) -> float:
        return statistics.median(each.effect for each in outcomes[name, "c_erik"])

    chance = {name: sum(each.fewer for each in outcomes[name, "c_erik"]) for name in NO_BENEFIT}
    noise = [median(name) for name in EYES]
    falls = sorted(noise, reverse=True) == noise
    swapped = sum(each.fewer for each in outcomes["hot and cold swapped", "c_erik"])
    tried = len(outcomes["hot and cold swapped", "c_erik"])
    few, many = 3 * tried / 20, 16 * tried / 20
    return [
        (
            f"- Controls, over {tried} seeds. No benefit by chance or with equal postures: fewer "
            f"wrong in {' and '.join(str(count) for count in chance.values())} "
            f"({verdict(max(chance.values()) <= few)}). Swapped postures bring it back: {swapped} "
            f"({verdict(swapped >= many)}). The effect falls as eyes see worse: "
            f"{', '.join(f'{each:.2f}' for each in noise)} ({verdict(falls)})."
        ),
    ]


def _played(
    variant: str, seed: int, store: Store, pool: ProcessPoolExecutor | None
) -> list[Result]:
    kept = store.get(variant, seed)
    if kept is not None:
        return kept
    settings, conditions = VARIANTS.get(variant), ["c_erik"]
    played = simulate(
        "avantsatie",
        PARTICIPANTS,
        seed,
        settings=settings or {},
        conditions=None if settings is None else conditions,
        pool=pool,
    )
    results = results_of(row for result in played for row in result.rows)
    store.put(variant, seed, results)
    return results


def _still_true(store: Store) -> bool:
    """Whether the first participants come to what was kept of them."""
    kept = store.get(AS_PUBLISHED, 1)
    if kept is None:
        return True
    again = simulate("avantsatie", FIRST, 1)
    return results_of(row for result in again for row in result.rows) == kept[:FIRST]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=0, help="0: only the timed study")
    parser.add_argument("--controls", type=int, help="seeds of the controls; as many as --seeds")
    parser.add_argument("--fresh", action="store_true", help="play again what was kept")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    here = machine()
    lines = [f"{here['processor']}, {here['cores']} cores; Python {here['python']}.", ""]
    if not arguments.seeds:
        lines += timed()
    else:
        controls = arguments.seeds if arguments.controls is None else arguments.controls
        store = Store(RESULTS)
        if arguments.fresh:
            store.forget()
        found = over_seeds(arguments.seeds, controls, store, lambda text: print(text, flush=True))
        lines += found
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        mark = "bench-study-seeds" if arguments.seeds else "bench-study"
        write_into(Path(ROOT) / "docs" / "benchmarks.md", text, mark=mark)


if __name__ == "__main__":
    main()
