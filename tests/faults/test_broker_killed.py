"""The broker is killed again and again while Actions are under way."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from sera import Module, on
from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MqttBus
from sera.messages import ActionExpired, Envelope, PlayAnimation
from sera.runtime import Clock, ModuleContext, Role
from sera.runtime._host import ModuleHost
from tests.helpers import PATIENCE_S, so_many, until

ACTIONS = so_many(400, 1000)
KILLS = 3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")


class Sender(Module):
    """Orders numbered animations as fast as the outbox takes them."""

    async def run(self) -> None:
        self.sent = asyncio.Event()
        self.ids: list[str] = []
        for number in range(ACTIONS):
            identity = await self.publish(PlayAnimation(animation=f"number {number}"))
            assert identity is not None
            self.ids.append(identity)
            await asyncio.sleep(0.004)
        self.sent.set()


class Performer(Module):
    """Performs them and remembers which."""

    role: ClassVar = Role.REALISATION

    async def start(self) -> None:
        self.performed: list[str] = []

    @on(PlayAnimation)
    async def play(self, _message: PlayAnimation, envelope: Envelope) -> None:
        self.performed.append(envelope.id)


class Witness(Module):
    """Notes what is reported as expired."""

    role: ClassVar = Role.RECORDER
    hears_everyone = True

    async def start(self) -> None:
        self.expired: list[tuple[str, str | None]] = []

    @on(ActionExpired)
    async def note(self, message: ActionExpired) -> None:
        self.expired.append((message.action, message.receiver))


@dataclass
class Troupe:
    """One sender, two performers and a witness on a broker."""

    hosts: list[ModuleHost]

    @property
    def sender(self) -> Any:
        return self.hosts[3].module

    async def performed(self, count: int) -> None:
        """Wait until both performers have performed so many."""
        performers: list[Any] = [host.module for host in self.hosts[1:3]]
        await until(lambda: all(len(each.performed) >= count for each in performers))

    async def finish(self, tasks: list[asyncio.Task[None]]) -> None:
        witness: Any = self.hosts[0].module
        await until(lambda: self.sender.sent.is_set() and len(self.hosts[3]._outbox) == 0)
        expired = sum(host.bus.counters.expired for host in self.hosts)
        await until(lambda: len(witness.expired) >= expired)
        for host in self.hosts:
            host.stop()
        await asyncio.gather(*tasks)

    def check_each_once_in_order_or_reported(self) -> dict[str, int]:
        """Returns how many each performer performed."""
        witness: Any = self.hosts[0].module
        ids = self.sender.ids
        assert len(ids) == ACTIONS
        counts = {}
        for host in self.hosts[1:3]:
            performer: Any = host.module
            performed = performer.performed
            counts[performer.source] = len(performed)
            assert len(performed) == len(set(performed)), "one was performed twice"
            places = [ids.index(identity) for identity in performed]
            assert places == sorted(places), "they were performed out of order"
            reported = {
                action
                for action, receiver in witness.expired
                if receiver in (performer.source, None)
            }
            missing = set(ids) - set(performed) - reported
            assert not missing, f"{len(missing)} were neither performed nor reported"
            assert not set(performed) & reported, "one was performed and reported as expired"
        return counts


async def _start(address: BrokerAddress) -> tuple[Troupe, list[asyncio.Task[None]]]:
    clock = Clock.for_running_loop()

    def host(module_class: type[Module], name: str) -> ModuleHost:
        return ModuleHost(
            module_class,
            Identity("kill_test", "ada", name, 1),
            ModuleContext(clock=clock),
            lambda identity, will, everyone: MqttBus(
                identity, address, now=clock.now, will=will, hears_everyone=everyone
            ),
        )

    hosts = [
        host(Witness, "witness"),
        host(Performer, "first"),
        host(Performer, "second"),
        host(Sender, "sender"),
    ]
    for each in hosts:
        await each.open()
    tasks = [asyncio.create_task(each.live()) for each in hosts]
    await asyncio.gather(*(each.started.wait() for each in hosts))
    return Troupe(hosts), tasks


async def test_each_action_is_performed_once_in_order_when_the_broker_is_killed_three_times(
    broker_kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlayAnimation, "valid_for_s", PATIENCE_S)  # nothing is too late
    async with EmbeddedBroker(prefer=broker_kind) as broker:
        troupe, tasks = await _start(BrokerAddress(broker.host, broker.port))
        for kill in range(1, KILLS + 1):
            await troupe.performed(kill * ACTIONS // (KILLS + 2))
            os.kill(broker.pid, signal.SIGKILL)
            await until(lambda: all(each.bus.counters.connections > kill for each in troupe.hosts))  # noqa: B023
            await until(lambda: all(each.bus.connected for each in troupe.hosts))
        await troupe.finish(tasks)
    counts = troupe.check_each_once_in_order_or_reported()
    assert set(counts.values()) == {ACTIONS}, "outages must not cost Actions that are in time"


async def test_actions_that_a_long_outage_made_too_old_are_reported_and_not_performed(
    broker_kind: Any,
) -> None:
    first = EmbeddedBroker(prefer=broker_kind)
    await first.start()
    troupe, tasks = await _start(BrokerAddress(first.host, first.port))
    before = ACTIONS // 10
    await troupe.performed(before)
    port = first.port
    await first.stop()
    await asyncio.sleep(3.0)  # longer than a gesture is worth doing
    async with EmbeddedBroker(prefer=broker_kind, port=port):
        await troupe.finish(tasks)
    counts = troupe.check_each_once_in_order_or_reported()
    assert all(before <= count < ACTIONS for count in counts.values()), counts
