"""Clears what runs that were killed have left on a broker that many share.

A run that ends properly clears its retained State itself. One that was killed cannot; its
supervisor's last will says `lost`. Whoever starts the next run on that broker sweeps it away,
unless some module of the dead run is still present (on another machine).
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from sera.bus import BrokerAddress, BusError, Listener, Topic
from sera.messages import WORLD, PresenceStatus

KEPT_ARRIVES_WITHIN_S = 0.3
SUPERVISOR = f"{WORLD}.supervisor"

_log = logging.getLogger("sera.sweep")


async def sweep_dead_runs(address: BrokerAddress) -> list[str]:
    """Clear the State of runs whose supervisor is lost; returns their ids."""
    kept: dict[str, dict[str, dict[str, Any]]] = {}

    def hear(topic: Topic, payload: bytes) -> None:
        if payload:
            kept.setdefault(topic.run, {})[str(topic)] = _presence(topic, payload)
        else:
            kept.get(topic.run, {}).pop(str(topic), None)

    broom = Listener(address, "sera/#", hear)
    try:
        await broom.connect()
        await asyncio.sleep(KEPT_ARRIVES_WITHIN_S)
        dead = sorted(run for run, topics in kept.items() if _is_dead(topics))
        for run in dead:
            for topic in kept[run]:
                broom.clear(topic)
        if dead:
            await asyncio.sleep(KEPT_ARRIVES_WITHIN_S)  # let it leave before we do
            _log.info("cleared what dead runs left on %s: %s", address, ", ".join(dead))
    except BusError as error:  # the run itself will say what is wrong with the broker
        _log.debug("could not look for dead runs: %s", error)
        return []
    finally:
        await broom.close()
    return dead


def _presence(topic: Topic, payload: bytes) -> dict[str, Any]:
    if topic.type != "ModulePresence":
        return {}
    try:
        data = json.loads(payload)["data"]
    except (ValueError, KeyError, TypeError):
        return {}
    return {**data, "source": topic.source} if isinstance(data, dict) else {}


def _is_dead(topics: dict[str, dict[str, Any]]) -> bool:
    statuses = {item["source"]: item.get("status") for item in topics.values() if item}
    alive = (PresenceStatus.STARTING, PresenceStatus.PRESENT)
    return statuses.get(SUPERVISOR) == PresenceStatus.LOST and not any(
        status in alive for status in statuses.values()
    )
