"""`make bench-delivery`: what delivery end to end costs, module to module, on either broker.

Both sides are whole modules (host, outbox, ledger, inbox, handlers) in one process. An Action is
complete when its receipt is back; an Event is complete when its handler has run.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from typing import ClassVar

from benchmarks.bus import ROOT, write_into
from sera import Module, on
from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MqttBus
from sera.messages import PlayAnimation, SpeechWord
from sera.runtime import Clock, ModuleContext, Role
from sera.runtime._host import ModuleHost
from sera.runtime.clock import real_loop

WINDOW = 100
"""How many may be under way at once: a stage is never further ahead of its robot."""


class Performer(Module):
    """Notes when each order is begun."""

    role: ClassVar = Role.REALISATION

    async def start(self) -> None:
        self.begun: list[float] = []

    @on(PlayAnimation, SpeechWord)
    async def perform(self, _message: PlayAnimation | SpeechWord) -> None:
        self.begun.append(time.perf_counter())


class Sender(Module):
    """Sends, at most `WINDOW` ahead of what has been begun."""

    role: ClassVar = Role.BEHAVIOUR

    async def send(self, performer: Performer, count: int, *, actions: bool) -> list[float]:
        sent: list[float] = []
        for number in range(count):
            while number - len(performer.begun) >= WINDOW:
                await asyncio.sleep(0)
            sent.append(time.perf_counter())
            if actions:
                await self.publish(PlayAnimation(animation="nod"))
            else:
                await self.publish(SpeechWord(speech="s", index=number, text="word", start_s=0.0))
        while len(performer.begun) < count or len(self._host._outbox):
            await asyncio.sleep(0.001)
        return sent


async def measure(broker_kind: str, count: int, rounds: int) -> list[str]:
    """One line of the table for Events and one for Actions."""
    clock = Clock.for_running_loop()
    lines = []
    async with EmbeddedBroker(prefer=broker_kind) as broker:  # type: ignore[arg-type]
        address = BrokerAddress(broker.host, broker.port)

        def host(module_class: type[Module], name: str) -> ModuleHost:
            return ModuleHost(
                module_class,
                Identity("bench", "ada", name, 1),
                ModuleContext(clock=clock),
                lambda identity, will, everyone: MqttBus(
                    identity, address, now=clock.now, will=will, hears_everyone=everyone
                ),
            )

        hosts = [host(Performer, "performer"), host(Sender, "sender")]
        for each in hosts:
            await each.open()
        tasks = [asyncio.create_task(each.live()) for each in hosts]
        performer, sender = (each.module for each in hosts)
        await asyncio.sleep(0.3)
        for actions in (False, True):
            rates, alone = [], []
            for _ in range(rounds):
                performer.begun.clear()
                sent = await sender.send(performer, count, actions=actions)
                rates.append(count / (performer.begun[-1] - sent[0]))
                for _ in range(200):  # one at a time, each on an idle bus
                    performer.begun.clear()
                    (left,) = await sender.send(performer, 1, actions=actions)
                    alone.append(performer.begun[0] - left)
            alone.sort()
            what = "Action, with receipt" if actions else "Event, no receipt"
            lines.append(
                f"| {broker_kind} | {what} | {alone[len(alone) // 2] * 1e6:.0f} µs "
                f"| {alone[int(len(alone) * 0.99)] * 1e6:.0f} µs "
                f"| {statistics.median(rates):,.0f} |"
            )
            print(lines[-1], flush=True)
        for each in hosts:
            each.stop()
        await asyncio.gather(*tasks)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    arguments = parser.parse_args()
    lines = [
        "| broker | message | until begun p50 | p99 | messages/s |",
        "|---|---|---|---|---|",
    ]
    with asyncio.Runner(loop_factory=real_loop) as runner:
        for broker_kind in ("mosquitto", "amqtt"):
            lines += runner.run(measure(broker_kind, arguments.count, arguments.rounds))
    if arguments.write:
        write_into(ROOT / "docs" / "benchmarks.md", "\n".join(lines), mark="bench-delivery")


if __name__ == "__main__":
    main()
