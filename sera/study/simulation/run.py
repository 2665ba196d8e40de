"""All participants of a simulated study, on every core."""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sera.study.simulation.jobs import Job, jobs_for, jobs_in
from sera.study.simulation.one import Simulated, Stage, play

Settings = Mapping[str, Mapping[str, Any]]
_stages: dict[str, Stage] = {}
"""What a process has read, by scenario and settings: it serves many participants."""


@contextmanager
def players(processes: int | None = None) -> Iterator[ProcessPoolExecutor | None]:
    """Processes that play participants, for several studies one after the other.

    Args:
        processes: how many at once; None: one a core. With one, this process plays itself.
    """
    count = processes or os.cpu_count() or 1
    if count == 1:
        yield None
        return
    # A new interpreter each: what a run leaves behind in this one is not inherited.
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=spawned, initializer=_end_with_parent) as pool:
        for _ in range(count):  # they load what bodies need while this process reads the study
            pool.submit(importlib.import_module, "sera.animation.stage_set")
        yield pool


def _end_with_parent() -> None:
    """Let a player end when whoever asked for it was killed: nobody would take its results."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="parent watch", daemon=True).start()


def simulate(
    name: str,
    participants: int,
    seed: int,
    *,
    settings: Settings | None = None,
    conditions: Collection[str] | None = None,
    pool: ProcessPoolExecutor | None = None,
    logs: Path | None = None,
    told: Callable[[Job, Simulated], None] | None = None,
) -> list[Simulated]:
    """Simulate a study; the same for the same seed, however many processes there are.

    Args:
        name: of the scenario.
        participants: how many.
        seed: of population, assignment and runs.
        settings: of modules, by `character.module`, in place of the scenario's.
        conditions: only participants who are drawn into these; None: all.
        pool: of `players`; None: this process plays.
        logs: folder for the recordings; None: none are kept.
        told: hears of each participant that is done, in order.

    Raises:
        SimulationError: the study or the scenario cannot be simulated, or nobody would take part.
    """
    chosen = settings or {}
    stage = _stage(name, chosen)
    jobs = jobs_for(stage.plan, participants, seed)
    if conditions is not None:
        jobs = jobs_in(jobs, conditions, stage.plan)
    for condition in {each for job in jobs for each in job.conditions}:
        stage.scenario(condition)  # what is wrong is told before anything is played
    wanted = [(name, chosen, job, logs) for job in jobs]
    results: Iterable[Simulated] = map(_play, wanted) if pool is None else pool.map(_play, wanted)
    done = []
    for job, result in zip(jobs, results, strict=True):
        done.append(result)
        if told is not None:
            told(job, result)
    return done


def _stage(name: str, settings: Settings) -> Stage:
    key = json.dumps([name, settings], sort_keys=True)
    if key not in _stages:
        _stages[key] = Stage(name, settings)
    return _stages[key]


def _play(wanted: tuple[str, Settings, Job, Path | None]) -> Simulated:
    name, settings, job, logs = wanted
    result = play(_stage(name, settings), job, logs)
    if multiprocessing.parent_process() is not None and not gc.get_freeze_count():
        # What the first one has loaded stays for all: nobody need look for garbage in it again.
        gc.collect()
        gc.freeze()
    return result
