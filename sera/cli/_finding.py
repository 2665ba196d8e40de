"""Which run is meant, and on which broker: said by the user, or found.

On this machine runs announce themselves (`sera.runtime.live_runs`). On a broker they are found by
the presence of their supervisor, which the broker keeps for late-comers.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.bus import BrokerAddress, Listener, Topic
from sera.cli._errors import as_wrong_input
from sera.messages import WORLD, ModulePresence
from sera.runtime.live_runs import LiveRunError, find_live_run, list_live_runs
from sera.runtime.located import nearest_name

KEPT_ARRIVES_WITHIN_S = 0.3
ALL_RUNS = "+"
"""In a topic: whichever run."""
SUPERVISOR = f"{WORLD}.supervisor"
_ALIVE = ("starting", "present")


@dataclass(frozen=True)
class FoundRun:
    """A run and how to join it."""

    run: str
    address: BrokerAddress
    scenario_file: Path | None = None
    """Where it was started from; known for runs of this machine."""


async def find_run(broker: str | None, run: str | None) -> FoundRun:
    """The run that is meant.

    Args:
        broker: address of its broker; None: SERA_BROKER's, else that of a run of this machine.
        run: its id; None: the only one that is alive there.

    Raises:
        LiveRunError: there is none, or there are several.
        BusError: the broker cannot be reached.
        CommandError: the address is none.
    """
    address = find_broker(broker)
    if address is None:
        live = find_live_run(run)
        return FoundRun(live.run, BrokerAddress.parse(live.broker), Path(live.scenario_file))
    alive = await runs_on(address)
    chosen = _choose(run, alive, address)
    files = [Path(live.scenario_file) for live in list_live_runs() if live.run == chosen]
    return FoundRun(chosen, address, files[0] if files else None)


def find_broker(broker: str | None) -> BrokerAddress | None:
    """The broker that the user or the environment names; None where neither does."""
    with as_wrong_input():
        return BrokerAddress.from_environment() if broker is None else BrokerAddress.parse(broker)


async def runs_on(address: BrokerAddress) -> dict[str, str]:
    """The runs that are alive on a broker, by id, each with where it runs."""
    present = await present_on(address, ALL_RUNS)
    return {run: where for (run, source), where in present.items() if source == SUPERVISOR}


async def present_on(address: BrokerAddress, run: str) -> dict[tuple[str, str], str]:
    """The modules that are present on a broker, by run and source, each with where it runs."""
    present: dict[tuple[str, str], str] = {}

    def hear(topic: Topic, payload: bytes) -> None:
        presence = _data_of(payload)
        if presence.get("status") in _ALIVE:
            process = presence.get("process_id")
            where = f"{presence.get('host') or 'unknown machine'}, process {process}"
            present[topic.run, topic.source] = where
        else:
            present.pop((topic.run, topic.source), None)

    scout = Listener(address, f"sera/{run}/+/{ModulePresence.__name__}/+", hear)
    await scout.connect()
    await asyncio.sleep(KEPT_ARRIVES_WITHIN_S)
    await scout.close()
    return dict(sorted(present.items()))


def _data_of(payload: bytes) -> dict[str, Any]:
    try:
        data = json.loads(payload)["data"]
    except (ValueError, KeyError, TypeError):
        return {}
    return data if isinstance(data, dict) else {}


def _choose(run: str | None, alive: dict[str, str], address: BrokerAddress) -> str:
    if run in alive:
        return run
    if not alive:
        wanted = "no run" if run is None else f"no run {run!r}, nor any other,"
        raise LiveRunError(
            f"{wanted} is alive on the broker at {address}: start one there with "
            f"`sera run NAME --broker {address}`"
        )
    listed = "".join(f"\n  {name} ({where})" for name, where in alive.items())
    if run is not None:
        near = nearest_name(run, alive)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LiveRunError(
            f"no run {run!r} is alive on the broker at {address}{hint}; alive are:{listed}"
        )
    if len(alive) > 1:
        raise LiveRunError(
            f"several runs are alive on the broker at {address}, choose one with --run ID:{listed}"
        )
    return next(iter(alive))
