"""Modules, as people write them."""

from __future__ import annotations

import asyncio
import threading
from typing import ClassVar

import pytest
from pydantic import Field, ValidationError

from sera import Module, on
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    ActivityEvent,
    Envelope,
    ModulePresence,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    RunEnding,
    Speak,
    SpeechFinished,
    SpeechStarted,
)
from sera.runtime import Clock, ModuleContext, Role
from sera.runtime._host import ModuleHost


class Greeter(Module):
    """Greets whoever arrives."""

    class Settings(Module.Settings):
        category: str = "greeting"

    @on(PersonDetected)
    async def greet(self, message: PersonDetected) -> None:
        await self.publish(
            PerformUtterance(category=self.settings.category, tags={"visitor": message.person})
        )


class Behaviour(Module):
    """Performs utterances."""

    role: ClassVar = Role.BEHAVIOUR

    async def start(self) -> None:
        self.performed: list[Envelope] = []

    @on(PerformUtterance)
    async def perform(self, _message: PerformUtterance, envelope: Envelope) -> None:
        self.performed.append(envelope)


def test_the_greeter_of_the_readme_greets(in_virtual_time):
    async def scene(troupe):
        behaviour = await troupe.add(Behaviour, "ada.behaviour")
        await troupe.add(Greeter, "ada.greeter")
        (arrival,) = await troupe.say(PersonDetected(person="p1"), character="world")
        await asyncio.sleep(0.1)
        (envelope,) = behaviour.performed
        assert envelope.message == PerformUtterance(category="greeting", tags={"visitor": "p1"})
        assert (envelope.source, envelope.character) == ("ada.greeter", "ada")
        assert envelope.cause == arrival.id

    in_virtual_time(scene)


def test_settings_come_from_the_scenario_file_and_are_checked(in_virtual_time):
    class Picky(Module):
        class Settings(Module.Settings):
            threshold: float = Field(default=0.5, ge=0, le=1)
            words: list[str] = ["a"]  # noqa: RUF012  # as people write it

    async def scene(troupe):
        given = troupe.host(Picky, "ada.picky", settings={"threshold": 0.25}).module
        assert (given.settings.threshold, given.settings.words) == (0.25, ["a"])
        ready = Picky.Settings(threshold=1)
        assert troupe.host(Picky, "ada.ready", settings=ready).module.settings is ready
        assert troupe.host(Picky, "ada.plain").module.settings == Picky.Settings()
        for wrong in ({"threshold": 7}, {"treshold": 0.5}, {"words": 3}):
            with pytest.raises(ValidationError):
                troupe.host(Picky, "ada.wrong", settings=wrong)
        with pytest.raises(ValidationError, match="frozen"):
            given.settings.threshold = 0.1
        troupe.hosts.clear()

    in_virtual_time(scene)


def test_settings_must_inherit_from_the_modules_settings():
    with pytest.raises(TypeError, match=r"`class Settings\(Module.Settings\):`"):

        class Wrong(Module):
            class Settings:
                category: str = "greeting"


def test_on_is_told_what_it_takes():
    with pytest.raises(TypeError, match="at least one message type"):
        on()
    for wrong in (str, "PersonDetected", PersonDetected(person="p"), None):
        with pytest.raises(TypeError, match="@on takes message types"):
            on(PersonDetected, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="handler greet must be `async def`"):

        class Wrong(Module):
            @on(PersonDetected)
            def greet(self, message: PersonDetected) -> None: ...


def test_handlers_are_found_with_their_types_and_whether_they_want_the_envelope():
    class Base(Module):
        @on(PersonDetected, PersonLost)
        async def see(self, message: object) -> None: ...

        @on(SpeechStarted)
        async def listen(self, message: object, envelope: Envelope) -> None: ...

        @on(SpeechFinished)
        async def rest(self, message: object) -> None: ...

    class Derived(Base):
        async def rest(self, message: object) -> None:
            """No longer a handler."""

        @on(ActivityEvent)
        async def listen(self, message: object) -> None: ...

        @on(PersonLost)
        async def grieve(self, message: object) -> None: ...

    assert Base.handlers == {
        PersonDetected: (("see", False),),
        PersonLost: (("see", False),),
        SpeechStarted: (("listen", True),),
        SpeechFinished: (("rest", False),),
    }
    assert Derived.handlers == {
        PersonDetected: (("see", False),),
        PersonLost: (("see", False), ("grieve", False)),
        ActivityEvent: (("listen", False),),
    }
    assert Module.handlers == {}


def test_several_handlers_of_one_type_are_all_called_in_order(in_virtual_time):
    class Both(Module):
        calls: ClassVar[list[str]] = []

        @on(PersonDetected)
        async def first(self, _message: PersonDetected) -> None:
            self.calls.append("first")
            raise RuntimeError("on purpose")

        @on(PersonDetected)
        async def second(self, _message: PersonDetected) -> None:
            self.calls.append("second")

    async def scene(troupe):
        await troupe.add(Both, "ada.both")
        await troupe.say(PersonDetected(person="p"), character="world")
        assert Both.calls == ["first", "second"], "the failure of one is not the other's"

    in_virtual_time(scene)


def test_a_module_knows_who_it_is_and_has_a_random_source_of_its_own(in_virtual_time):
    async def scene(troupe):
        context = ModuleContext(clock=troupe.clock, seed=7)
        one = troupe.host(Greeter, "ada.greeter", context=context).module
        again = troupe.host(Greeter, "ada.greeter", context=context).module
        other = troupe.host(Greeter, "ada.other", context=context).module
        assert (one.name, one.character, one.source) == ("greeter", "ada", "ada.greeter")
        assert one.log.name == "sera.ada.greeter"
        numbers = [module.random.random() for module in (one, again, other)]
        assert numbers[0] == numbers[1] != numbers[2]
        troupe.hosts.clear()

    in_virtual_time(scene)


def test_presence_tells_role_handled_types_and_whom_it_hears(in_virtual_time):
    class Watcher(Module):
        role: ClassVar = Role.PERCEPTION
        hears_everyone: ClassVar = True

        @on(Speak)
        async def note(self, message: Speak) -> None: ...

    async def scene(troupe):
        await troupe.add(Watcher, "ada.watcher", boot=4, presence={"process_id": 12})
        await troupe.add(Greeter, "ada.greeter")
        await troupe.add(Greeter, "world.greeter")
        found = {e.source: e.message for e in troupe.all(ModulePresence)}
        watcher = found["ada.watcher"]
        assert (watcher.role, watcher.handles, watcher.hears_all) == ("perception", ["Speak"], True)
        assert (watcher.boot, watcher.process_id, watcher.status) == (4, 12, "present")
        assert found["ada.greeter"].role == "decision"
        assert (found["ada.greeter"].hears_all, found["world.greeter"].hears_all) == (False, True)

    in_virtual_time(scene)


def test_work_that_blocks_runs_at_once_in_virtual_time(in_virtual_time):
    async def scene(troupe):
        module = await troupe.add(Greeter, "ada.greeter")
        before_s = troupe.clock.now()
        assert await module.blocking(divmod, 7, 2) == (3, 1)
        assert await module.blocking(threading.get_ident) == threading.get_ident()
        assert troupe.clock.now() == before_s
        with pytest.raises(ZeroDivisionError):
            await module.blocking(divmod, 7, 0)

    in_virtual_time(scene)


async def test_work_that_blocks_runs_in_a_thread_in_real_time():
    clock = Clock.for_running_loop()
    host = ModuleHost(
        Greeter,
        Identity("run", "ada", "greeter"),
        ModuleContext(clock=clock),
        lambda identity, will, _: MemoryBus(identity, MemoryBroker(), now=clock.now, will=will),
    )
    assert clock.kind == "real"
    assert await host.module.blocking(threading.get_ident) != threading.get_ident()
    assert await host.module.blocking(divmod, 7, 2) == (3, 1)


def test_a_module_can_end_the_run(in_virtual_time):
    async def scene(troupe):
        module = await troupe.add(Greeter, "ada.greeter")
        await module.end_run("everybody has left")
        await asyncio.sleep(0.01)
        (ending,) = troupe.all(RunEnding)
        assert ending.message.reason == "everybody has left"
        assert (ending.message.by, ending.character) == ("ada.greeter", "world")

    in_virtual_time(scene)


def test_a_message_class_that_was_loaded_twice_still_reaches_its_handler(in_virtual_time):
    source = "from sera.messages import Event\nclass Loaded(Event):\n    number: int\n"

    def load():  # as an import does, and a second import after a reload
        namespace = {"__name__": "modules.loaded_twice"}
        exec(source, namespace)
        return namespace["Loaded"]

    first = load()

    class Hearer(Module):
        async def start(self) -> None:
            self.numbers: list[int] = []

        @on(first)
        async def hear(self, message) -> None:
            self.numbers.append(message.number)

    second = load()
    assert first is not second

    async def scene(troupe):
        hearer = await troupe.add(Hearer, "ada.hearer")
        await troupe.say(second(number=1))
        assert hearer.numbers == [1]

    in_virtual_time(scene)
