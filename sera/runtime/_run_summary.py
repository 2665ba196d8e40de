"""What goes into a run from the command line, and what a run came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from sera.bus import BrokerAddress
from sera.messages import RunOutcome

BrokerChoice = Literal["auto", "mosquitto", "amqtt"]


@dataclass(frozen=True)
class RunOptions:
    """What the command line decides about a run."""

    broker: BrokerAddress | None = None
    """A broker that is there already; None: the scenario's, the environment's, or our own."""
    prefer_broker: BrokerChoice | None = None
    """Which embedded broker; None: SERA_PREFER_BROKER, or mosquitto where it is installed."""
    log: Path | None = None
    """Where to write the log; None: a new folder in `runs/`."""
    record: bool = True
    run_id: str | None = None
    extra_modules: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further world modules with their settings (`--console` adds the gateway)."""
    held_by: str | None = None
    """The only module that may end the run, by source; then the scenario's duration does not
    count either. None: every module may."""


@dataclass(frozen=True)
class RunSummary:
    """What a run came to."""

    scenario: str
    run: str
    condition: str | None
    seed: int
    clock: str
    outcome: str
    reason: str
    duration_s: float
    messages: int
    by_type: dict[str, int]
    modules: list[str]
    restarts: dict[str, int]
    expired: int
    faults: list[dict[str, Any]]
    broker: str
    log: str | None
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    """What each module and its connection counted, zeros left out."""

    @property
    def failed(self) -> bool:
        errors = any(fault["severity"] == "error" for fault in self.faults)
        return errors or self.outcome == RunOutcome.FAILED

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
