"""Keepers: a module that dies is started again, with pauses and not without limit."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, ClassVar

import pytest

from sera import Module, on
from sera.bus import BrokerUnreachable
from sera.messages import ModuleFault, ModulePresence, SpeechWord
from sera.runtime import Role
from sera.runtime._keeper import DEATHS_ALLOWED, DEATHS_WINDOW_S, RESTART_PAUSES_S, HostKeeper


class Mortal(Module):
    """Dies in `run` after a time that the test sets."""

    role: ClassVar = Role.PERCEPTION
    lives_for_s: ClassVar[float] = 0.0
    births_s: ClassVar[list[float]] = []
    heard: ClassVar[list[int]] = []

    async def start(self) -> None:
        self.births_s.append(self.clock.now())

    async def run(self) -> None:
        await asyncio.sleep(self.lives_for_s)
        raise RuntimeError("a short life")

    @on(SpeechWord)
    async def listen(self, message: SpeechWord) -> None:
        self.heard.append(message.index)


class Immortal(Mortal):
    """Lives on."""

    async def run(self) -> None:
        """Return at once, which is no death."""


@pytest.fixture(autouse=True)
def _anew() -> None:
    Mortal.births_s.clear()
    Mortal.heard.clear()
    Mortal.lives_for_s = 0.0


def keeper_of(troupe: Any, module_class: type[Module], source: str, given_up: list[str]) -> Any:
    return HostKeeper(
        source,
        lambda life: troupe.host(module_class, source, boot=life),
        now=troupe.clock.now,
        give_up=given_up.append,
    )


async def kept(troupe: Any, module_class: type[Module], given_up: list[str]) -> Any:
    keeper = keeper_of(troupe, module_class, "ada.mortal", given_up)
    await keeper.open()
    return keeper, asyncio.create_task(keeper.keep())


def test_a_module_that_dies_is_started_again_with_growing_pauses_and_a_limit(in_virtual_time):
    async def scene(troupe):
        bystander = await troupe.add(Immortal, "ada.bystander")
        Mortal.births_s.clear()
        given_up: list[str] = []
        keeper, task = await kept(troupe, Mortal, given_up)
        await task
        births_s = Mortal.births_s
        assert len(births_s) == DEATHS_ALLOWED + 1
        pauses_s = [later - earlier for earlier, later in itertools.pairwise(births_s)]
        assert pauses_s == pytest.approx(RESTART_PAUSES_S, abs=0.05)
        assert keeper.restarts == DEATHS_ALLOWED + 1
        (words,) = given_up
        assert words == (
            "ada.mortal died 6 times within 60 s and was given up; "
            "the last time: RuntimeError: a short life"
        )
        faults = [e.message.summary for e in troupe.all(ModuleFault)]
        assert faults == ["ada.mortal: run: RuntimeError: a short life"] * 6
        boots = [e.message.boot for e in troupe.all(ModulePresence, "ada.mortal")]
        assert sorted(set(boots)) == [0, 1, 2, 3, 4, 5]
        await troupe.say(SpeechWord(speech="s", index=5, text="t", start_s=0))
        assert Mortal.heard == [5], "the rest keeps running"
        assert bystander._host.bus.connected

    in_virtual_time(scene)


def test_deaths_long_ago_do_not_count(in_virtual_time):
    async def scene(troupe):
        Mortal.lives_for_s = DEATHS_WINDOW_S
        given_up: list[str] = []
        keeper, task = await kept(troupe, Mortal, given_up)
        await asyncio.sleep(20 * DEATHS_WINDOW_S)
        assert given_up == []
        assert len(keeper.deaths) > DEATHS_ALLOWED + 5
        assert len(keeper.deaths) - 1 <= len(Mortal.births_s) <= len(keeper.deaths) + 1
        keeper.stop()
        await task

    in_virtual_time(scene)


def test_each_life_handles_messages(in_virtual_time):
    async def scene(troupe):
        Mortal.lives_for_s = 1.0
        keeper, task = await kept(troupe, Mortal, [])
        await troupe.say(SpeechWord(speech="s", index=1, text="t", start_s=0))
        await asyncio.sleep(1.5)
        await troupe.say(SpeechWord(speech="s", index=2, text="t", start_s=0))
        assert Mortal.heard == [1, 2]
        assert keeper.restarts == 1
        keeper.stop()
        await task

    in_virtual_time(scene)


def test_a_module_that_is_stopped_is_not_started_again(in_virtual_time):
    async def scene(troupe):
        keeper, task = await kept(troupe, Immortal, [])
        await asyncio.sleep(1.0)
        keeper.stop()
        await task
        assert keeper.restarts == 0
        await asyncio.sleep(0.01)
        statuses = [e.message.status for e in troupe.all(ModulePresence)]
        assert statuses == ["starting", "present", "stopped"]

    in_virtual_time(scene)


def test_stopping_during_the_pause_ends_it_at_once(in_virtual_time):
    async def scene(troupe):
        keeper, task = await kept(troupe, Mortal, [])
        while len(keeper.deaths) < 5:  # now it pauses for five seconds
            await asyncio.sleep(0.1)
        before_s = troupe.clock.now()
        keeper.stop()
        await task
        assert troupe.clock.now() - before_s < 0.1
        assert len(Mortal.births_s) == 5

    in_virtual_time(scene)


def test_a_broker_that_is_away_when_a_module_is_started_again_counts_as_a_death(in_virtual_time):
    async def scene(troupe):
        keeper, task = await kept(troupe, Mortal, given_up := [])
        make_host = keeper._make_host

        def unreachable(life: int) -> Any:
            host = make_host(life)

            async def refuse() -> None:
                raise BrokerUnreachable("mqtt://lab:1883", "connection refused")

            host.bus.connect = refuse
            return host

        keeper._make_host = unreachable
        await task
        assert len(Mortal.births_s) == 1
        assert "no MQTT broker answers at mqtt://lab:1883" in given_up[0]

    in_virtual_time(scene)
