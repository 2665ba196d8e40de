"""Plays modules again in virtual time, with a recording as their world.

Design overview
    The chosen modules run as in any virtual run, on an in-memory broker that shows the feeder what
    they say. Their clock is that of the recording. Each has an inbox that follows the order in
    which it handled its messages then; in a recording of real time each begins to `run` when it
    did then.

Units and frames
    Seconds; `at_s` counts from the beginning of the recording.

Threading
    One event loop in virtual time.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from sera.messages import WORLD, Action, Envelope, find_message_type
from sera.recording.replay._broker import ReplayBroker
from sera.recording.replay._casting import Cast
from sera.recording.replay._counterparts import Counterparts
from sera.recording.replay._feeder import FRAMEWORK, Feeding
from sera.recording.replay._inbox import OrderedInbox
from sera.recording.replay._recorded import BOOK_KEEPING, RecordedRun
from sera.runtime._curtain import Curtain
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions, RunSummary, Surroundings
from sera.runtime.module import Module, ModuleContext, Role
from sera.runtime.scenario import ModulePlan

EXACT_PATIENCE_S = 1e-6
"""In a recording of virtual time, whatever comes comes at its moment."""
PATIENCE_S = 0.1
FEEDER = "replay"


class Said(NamedTuple):
    """One message, of the recording or of the replay."""

    at_s: float
    """From the beginning of the run to when it was said."""
    type: str
    source: str
    character: str
    data: dict[str, Any]
    """With recorded ids in both."""
    id: str


@dataclass
class Replayed:
    """What came of a replay."""

    recorded: list[Said]
    """What the played modules said then."""
    said: list[Said]
    """What they said now."""
    played: list[str]
    fed: int
    duration_s: float
    wall_s: float
    missing: int
    """How often something fed waited in vain for what a played module said then."""
    out_of_order: int
    """How often the recorded order of handling could not be kept."""
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    """Played modules that died, as they did not then: nothing can be said of them."""


class Feeder(Module):
    """Says what is fed, then ends the run."""

    role = Role.ACTIVITY
    feeding: Feeding
    """Set on a subclass: one a replay."""

    _task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        if self.feeding.run.exact:
            await self.feeding.feed(opening=True)
        else:  # there, others were heard while some were still starting
            self._task = asyncio.create_task(self.feeding.feed(), name="feeding")

    async def run(self) -> None:
        # Here and not in a task: what it says must not come a turn later than it did then.
        await (self._task or self.feeding.feed())
        await self.end_run("the recording is over")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


def play(
    run: RecordedRun, cast: Cast, *, to_s: float | None = None, log: Path | None = None
) -> Replayed:
    """Play modules again from the beginning of a recording.

    Args:
        run: the recording.
        cast: who is played, in which scenario.
        to_s: where to end, from the beginning; None: where it ended then.
        log: where to write a log of the replay; None: nowhere.
    """
    duration_s = run.duration_s if to_s is None else min(to_s, run.duration_s)
    return run_in_loop(_play(run, cast, duration_s, log), clock="virtual")


async def _play(run: RecordedRun, cast: Cast, duration_s: float, log: Path | None) -> Replayed:
    begun_s = time.perf_counter()
    clock = Clock(skew_s=run.origin_s)
    run_id = run.records[0].topic.split("/")[1] if "/" in run.records[0].topic else "replay"
    broker = ReplayBroker(run_id)
    counterparts = Counterparts(
        [one for one in run.records if one.type not in BOOK_KEEPING],
        [*cast.played, *FRAMEWORK],
    )
    feeding = Feeding(
        run,
        counterparts,
        broker.say,
        clock,
        until_s=run.origin_s + duration_s,
        patience_s=EXACT_PATIENCE_S if run.exact else PATIENCE_S,
        left_out=lambda record: record.source in cast.left_out,
    )
    heard: list[tuple[float, Envelope]] = []
    known: set[str] = set()

    def watch(envelope: Envelope) -> None:
        if envelope.type in BOOK_KEEPING or not counterparts.is_played(envelope.source):
            return
        feeding.heard(envelope)
        if envelope.id not in known and envelope.source in cast.played:
            known.add(envelope.id)
            heard.append((clock.now(), envelope))

    broker.watchers.append(watch)
    stage = _Stage(run, cast.scenario.plans, counterparts, clock, feeding.patience_s)
    scenario = replace(
        cast.scenario,
        # The feeder first: what it says and what others say in the same turn keep their order.
        plans=(
            feeder_plan(feeding),
            *(stage.at_its_time(one) for one in cast.scenario.plans if one.source in cast.played),
        ),
    )
    live = Run(
        scenario,
        cast.workspace,
        RunOptions(run_id=run_id, record=log is not None, log=log),
        Surroundings(clock=clock, memory=broker, adapt=stage.adapt),
    )
    summary = await live.execute()
    return Replayed(
        recorded=recorded_by(run, cast.played, duration_s),
        said=[
            _said(at_s - run.origin_s, envelope, counterparts)
            for at_s, envelope in heard
            if at_s - run.origin_s < duration_s
        ],
        played=cast.played,
        fed=feeding.fed,
        duration_s=duration_s,
        wall_s=time.perf_counter() - begun_s,
        missing=feeding.missing,
        out_of_order=sum(inbox.out_of_order for inbox in stage.inboxes),
        faults=_faults(summary, run),
        notes=[*cast.notes, *(_times(*one) for one in feeding.problems.items())],
        died=[one for one in cast.played if summary.restarts.get(one) and not run.lives(one) > 1],
    )


def feeder_plan(feeding: Feeding) -> ModulePlan:
    """The feeder as a module of the scenario."""
    kind: type[Module] = type("OneFeeder", (Feeder,), {"feeding": feeding})
    return ModulePlan(WORLD, FEEDER, FEEDER, "shared", kind, kind.Settings())


class _Stage:
    """Gives each played module its inbox and its beginning."""

    def __init__(
        self,
        run: RecordedRun,
        plans: tuple[ModulePlan, ...],
        counterparts: Counterparts,
        clock: Clock,
        patience_s: float,
    ) -> None:
        self._run = run
        self._plans = plans
        self._counterparts = counterparts
        self._clock = clock
        self._patience_s = patience_s
        self._records = {record.id: record for record in run.records}
        self.inboxes: list[OrderedInbox] = []

    def adapt(self, plan: ModulePlan, context: ModuleContext) -> None:
        """Change what surrounds a played module."""
        if plan.source in FRAMEWORK or not self._counterparts.is_played(plan.source):
            return
        order = self._run.handled.get(plan.source)
        if order is not None:
            queued = [one for one in order if self._is_queued(one)]
            until_s = self._run.handled_until_s[plan.source]

            def inbox(counters: Any) -> OrderedInbox:
                made = OrderedInbox(
                    counters,
                    queued,
                    recorded_id=self._counterparts.recorded,
                    patience_s=self._patience_s,
                    known_until_s=until_s - 2.0,
                    early_s=self._early_s,
                )
                self.inboxes.append(made)
                return made

            context.inbox = inbox
        if not self._run.exact:
            context.curtain = _AtItsTime(context.curtain, self._clock, self._begins_s(plan))

    def at_its_time(self, plan: ModulePlan) -> ModulePlan:
        """A plan whose module gets ready when it was ready then: in real time that takes a while.

        What a module does in `start` takes no virtual time, so that it begins when it ended.
        """
        ready_s = None if self._run.exact else self._run.first_s(plan.source, "present")
        if ready_s is None:
            return plan
        own, moment_s = plan.module_class, ready_s

        async def start(module: Module) -> None:
            await module.clock.sleep_until(moment_s)
            await own.start(module)

        return replace(plan, module_class=type(own.__name__, (own,), {"start": start}))

    def _early_s(self, recorded_id: str) -> float:
        """How far a message is before its recorded arrival; virtual messages take no time."""
        record = None if self._run.exact else self._records.get(recorded_id)
        return 0.0 if record is None else record.received_s - self._clock.now()

    def _is_queued(self, recorded_id: str) -> bool:
        """Whether it went through the inbox: what is urgent does not."""
        record = self._records.get(recorded_id)
        if record is None:
            return False
        try:
            kind = find_message_type(record.type)
        except LookupError:
            return False
        return not (issubclass(kind, Action) and kind.urgent)

    def _begins_s(self, plan: ModulePlan) -> float:
        """When a module began to run: in its own process by itself, else with all others."""
        run = self._run
        if plan.process == "own":
            return run.first_s(plan.source, "present") or run.origin_s
        known = [
            run.first_s(
                one.source, *(("starting", "present") if one.process == "own" else ("present",))
            )
            for one in self._plans
        ]
        return max((at_s for at_s in known if at_s is not None), default=run.origin_s)


class _AtItsTime(Curtain):
    """Goes up for one module when it did then."""

    def __init__(self, for_all: Curtain | None, clock: Clock, when_s: float) -> None:
        super().__init__(())
        self._for_all = for_all
        self._clock = clock
        self._when_s = when_s

    def ready(self, source: str) -> None:
        if self._for_all is not None:
            self._for_all.ready(source)

    async def up(self) -> None:
        await self._clock.sleep_until(self._when_s)


def recorded_by(run: RecordedRun, played: list[str], duration_s: float) -> list[Said]:
    """What modules said in a recording, without their book-keeping."""
    return [
        Said(
            record.received_s - run.origin_s,
            record.type,
            record.source,
            record.character,
            record.data,
            record.id,
        )
        for record in run.records
        if record.source in played
        and record.type not in BOOK_KEEPING
        and record.received_s - run.origin_s < duration_s
    ]


def _said(at_s: float, envelope: Envelope, counterparts: Counterparts) -> Said:
    data = envelope.message.model_dump(mode="json")
    recorded = counterparts.recorded(envelope.id) or envelope.id
    return Said(
        at_s,
        envelope.type,
        envelope.source,
        envelope.character,
        counterparts.to_recording(data),
        recorded,
    )


def _faults(summary: RunSummary, run: RecordedRun) -> list[str]:
    """What went wrong in the replay and not in the recording."""
    then = {str(one.data.get("summary")) for one in run.records if one.type == "ModuleFault"}
    now = [str(fault["summary"]) for fault in summary.faults]
    return list(dict.fromkeys(one for one in now if one not in then))


def _times(sentence: str, count: int) -> str:
    return sentence if count == 1 else f"{sentence} ({count} times)"
