"""Delivery end to end under a network that loses, delays and lies, in virtual time.

Modules run on a bus that behaves as MQTT does in hard times: a broker that dies forgets everything
and all that is under way, a cut connection loses what it carried, wills are executed late, and
everybody is back at a time of their own. Whatever happens, each life of a receiver performs each
Action at most once and in the order it was given, never late; and what a lasting receiver did not
perform was reported as expired.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hypothesis import given, settings
from hypothesis import strategies as st

from sera import Module, on
from sera.bus import Bus, Identity
from sera.messages import (
    Action,
    CancelUtterance,
    EmergencyStop,
    Envelope,
    GazeAt,
    MessageId,
    PlayAnimation,
    SessionMark,
    State,
)
from sera.runtime import Clock, ModuleContext, Role
from sera.runtime._host import ModuleHost
from sera.runtime._outbox import OutboxFull
from sera.runtime.clock import run

STORM_S = 12.0
CALM_S = 75.0


class Sender(Module):
    """Gives numbered orders of several kinds at random moments."""

    role: ClassVar = Role.WIZARD

    async def run(self) -> None:
        record, rng = self.context.options["record"], self.context.options["rng"]
        for number in range(60):
            await asyncio.sleep(rng.expovariate(6.0))
            action: Action = rng.choice(
                (
                    GazeAt(target=f"t{number}"),
                    PlayAnimation(animation=f"a{number}"),
                    CancelUtterance(utterance=f"u{number}"),
                    SessionMark(label=f"m{number}"),
                    EmergencyStop(),
                )
            )
            known = list(self._host.directory.all())
            try:
                identity = await self.publish(action)
            except OutboxFull:
                continue
            record.sent[identity] = (type(action), known)


class _Performer(Module):
    role: ClassVar = Role.REALISATION

    async def perform(self, message: Action, envelope: Envelope) -> None:
        if self.bus.dead:
            return  # killed: what its tasks still do is no more
        record, rng = self.context.options["record"], self.context.options["rng"]
        record.performed.setdefault((self.source, self._host.identity.boot), []).append(envelope.id)
        record.late += (
            message.valid_for_s is not None
            and self.clock.now() - envelope.time > message.valid_for_s + 1e-9
        )
        await asyncio.sleep(rng.choice((0.0, 0.0, 0.02, 0.4, rng.choice((0.0, 0.1, 2.5)))))


class Body(_Performer):
    """Handles everything but marks."""

    @on(GazeAt, PlayAnimation, CancelUtterance, EmergencyStop)
    async def act(self, message: Action, envelope: Envelope) -> None:
        await self.perform(message, envelope)


class Eyes(_Performer):
    """Handles gaze and the stop."""

    @on(GazeAt, EmergencyStop)
    async def act(self, message: Action, envelope: Envelope) -> None:
        await self.perform(message, envelope)


class Keeper(_Performer):
    """Handles marks, which never expire."""

    @on(SessionMark, PlayAnimation)
    async def act(self, message: Action, envelope: Envelope) -> None:
        await self.perform(message, envelope)


@dataclass
class Record:
    """What happened."""

    sent: dict[str, tuple[type[Action], list[str]]] = field(default_factory=dict)
    """By id: the kind, and whom the sender knew of."""
    performed: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    expired: list[tuple[str, str | None, str]] = field(default_factory=list)
    late: int = 0
    lives: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)
    held: int = 0
    resent: int = 0


@dataclass
class Storm:
    """What goes wrong."""

    seed: int
    broker_deaths: int = 2
    cuts: int = 3
    kills: int = 1
    boots_count_down: bool = False
    """As after a module was started on a machine whose clock is behind."""


class Stage:
    """Modules on a chaos broker."""

    CAST: ClassVar[dict[str, type[Module]]] = {
        "ada.body": Body,
        "ada.eyes": Eyes,
        "world.keeper": Keeper,
        "ada.mind": Sender,
        "world.director": Sender,
    }

    def __init__(self, storm: Storm, hard_times: Any) -> None:
        self.rng = random.Random(storm.seed)
        self.storm = storm
        self.broker = hard_times.Broker(self.rng)
        self._bus_class = hard_times.Bus
        self.record = Record()
        self.hosts: dict[str, ModuleHost] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._clock = Clock.for_running_loop()

    def start(self, source: str, boot: int) -> None:
        character, _, name = source.partition(".")

        def bus(identity: Identity, will: State, everyone: bool | None) -> Bus:
            return self._bus_class(
                identity, self.broker, now=self._clock.now, will=will, hears_everyone=everyone
            )

        host = ModuleHost(
            self.CAST[source],
            Identity("run", character, name, boot),
            ModuleContext(
                clock=self._clock,
                options={"record": self.record, "rng": random.Random(self.rng.random())},
            ),
            bus,
        )
        report = host.delivery.expired

        def expired(envelope: Envelope, reason: Any, receiver: str | None) -> None:
            if not host.bus.dead:
                self.record.expired.append((envelope.id, receiver, str(reason)))
            report(envelope, reason, receiver)

        host.delivery.expired = expired
        host.delivery.outbox._expire = expired
        self.hosts[source] = host
        self.record.lives.setdefault(source, []).append((boot, self._clock.now(), float("inf")))
        self._tasks[source] = asyncio.create_task(host.run(), name=f"{source} {boot}")

    def kill(self, source: str) -> None:
        boot, since, _ = self.record.lives[source][-1]
        self.record.lives[source][-1] = (boot, since, self._clock.now())
        self.hosts[source].bus.kill()
        self._tasks[source].cancel()

    async def play(self) -> None:
        for source in self.CAST:
            if self.rng.random() < 0.8:
                self.start(source, 100)
            else:  # a late-comer
                loop = asyncio.get_running_loop()
                loop.call_later(self.rng.uniform(0.0, 4.0), self.start, source, 100)
        harm = [self._kill_broker] * self.storm.broker_deaths
        harm += [self._cut_somebody] * self.storm.cuts
        harm += [self._kill_somebody] * self.storm.kills
        plan = [(self.rng.uniform(0.5, STORM_S), what) for what in harm]
        now = 0.0
        for at_s, what in sorted(plan, key=lambda item: item[0]):
            await asyncio.sleep(at_s - now)
            now = at_s
            what()
        await asyncio.sleep(STORM_S - now + CALM_S)
        for source, host in self.hosts.items():
            self.record.pending[source] = len(host._outbox)
            self.record.held += sum(len(s.held) for s in host.delivery._ledger._senders.values())
            self.record.resent += host.counters.resent
        for host in self.hosts.values():
            host.stop()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _kill_broker(self) -> None:
        if self.broker.up:
            self.broker.die()
            asyncio.get_running_loop().call_later(
                self.rng.uniform(0.05, 2.5), setattr, self.broker, "up", True
            )

    def _cut_somebody(self) -> None:
        host = self.hosts[self.rng.choice(sorted(self.hosts))]
        host.bus.cut(will=True)

    def _kill_somebody(self) -> None:
        source = self.rng.choice(sorted(self.hosts))
        if self._tasks[source].done():
            return
        self.kill(source)
        boot = self.record.lives[source][-1][0] + (-1 if self.storm.boots_count_down else 1)
        asyncio.get_running_loop().call_later(self.rng.uniform(0.1, 1.0), self.start, source, boot)


def perform(storm: Storm, hard_times: Any) -> Record:
    async def main() -> Record:
        stage = Stage(storm, hard_times)
        await stage.play()
        return stage.record

    return run(main(), clock="virtual")


def check(record: Record) -> None:
    for (source, boot), ids in record.performed.items():
        assert len(ids) == len(set(ids)), f"{source} {boot} performed one twice"
        by_sender: dict[tuple[str, int], list[int]] = {}
        for identity in ids:
            if record.sent.get(identity, (None,))[0] is EmergencyStop:
                continue  # overtakes
            sender, life, sequence = MessageId.parse(identity)
            by_sender.setdefault((sender, life), []).append(sequence)
        for given_by, sequences in by_sender.items():
            assert sequences == sorted(sequences), f"{source} out of order, from {given_by}"
    assert record.late == 0, "one was performed too late"
    assert set(record.pending.values()) == {0}, f"pending for ever: {record.pending}"
    assert record.held == 0, "held for ever"
    for source, module_class in Stage.CAST.items():
        lives = record.lives.get(source, [])
        if not issubclass(module_class, _Performer) or len(lives) != 1:
            continue
        performed = set(record.performed.get((source, lives[0][0]), []))
        reported = {i for i, receiver, _ in record.expired if receiver in (source, None)}
        for identity, (kind, known) in record.sent.items():
            sender, life, _ = MessageId.parse(identity)
            sender_lasts = record.lives[sender][-1][0] == life
            if sender_lasts and source in known and kind in module_class.handlers:
                done, told = identity in performed, identity in reported
                assert done or told, f"{source} neither performed nor reported {identity} {kind}"
                assert not (done and told), f"{source} performed {identity}, reported expired"


@given(
    st.builds(
        Storm,
        seed=st.integers(0, 2**32),
        broker_deaths=st.integers(0, 4),
        cuts=st.integers(0, 6),
        kills=st.integers(0, 3),
        boots_count_down=st.booleans(),
    )
)
@settings(max_examples=25, deadline=None)
def test_whatever_happens_each_action_is_performed_once_in_order_or_reported(hard_times, storm):
    check(perform(storm, hard_times))


def test_the_storms_are_storms(hard_times):
    """A check that nothing could fail would prove nothing."""
    record = perform(Storm(7, broker_deaths=3, cuts=5, kills=2), hard_times)
    check(record)
    performed = sum(len(ids) for ids in record.performed.values())
    assert len(record.sent) > 80
    assert performed > 80
    assert record.resent > 50
    assert len(record.expired) > 3
    assert sum(len(lives) for lives in record.lives.values()) == len(Stage.CAST) + 2


def test_the_same_storm_passes_the_same_way_every_time(hard_times):
    storm = Storm(11, broker_deaths=2, cuts=3, kills=1)
    assert perform(storm, hard_times) == perform(storm, hard_times)
