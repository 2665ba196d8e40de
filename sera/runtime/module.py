"""Modules: what people write. A class, typed settings, handlers marked with `@on`.

Life cycle (when is it called?)
    1. The settings are validated, the module is connected and its presence says `starting`.
    2. `start` once, before any handler; presence says `present` afterwards.
    3. Handlers, one message at a time, in order of arrival; beside them `run` once, as soon as all
       modules of the process have started, which may go on for as long as it likes (a sensor's
       loop) or return at once.
    4. `stop` once, when the run ends or the module is stopped.
    An exception in a handler is reported as a ModuleFault and the next message is handled; an
    exception out of `start` or `run` ends the module, and the supervisor starts a new one.

Threading
    Everything is called in one event loop. Blocking work goes through `await self.blocking(…)`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict

from sera.messages import Envelope, Message

if TYPE_CHECKING:
    from sera.bus import Bus, Counters, Malformed
    from sera.runtime._curtain import Curtain
    from sera.runtime._host import ModuleHost
    from sera.runtime._inbox import Inbox
    from sera.runtime.clock import Clock
    from sera.runtime.robot import RobotCard
    from sera.runtime.scenario import Scenario

P = ParamSpec("P")
R = TypeVar("R")
Handler = Callable[..., Awaitable[None]]

_MARK = "_sera_handles"


class Role(StrEnum):
    """What a module is to its character; the autonomy dial governs decision modules only."""

    DECISION = "decision"
    PERCEPTION = "perception"
    BEHAVIOUR = "behaviour"
    REALISATION = "realisation"
    ACTIVITY = "activity"
    RECORDER = "recorder"
    GATEWAY = "gateway"
    SUPERVISOR = "supervisor"
    WIZARD = "wizard"


def on(*message_types: type[Message]) -> Callable[[Handler], Handler]:
    """Mark a method as the handler of messages of these types.

    The method takes the message, and the envelope too if it has a second parameter.
    """
    for message_type in message_types:
        if not (isinstance(message_type, type) and issubclass(message_type, Message)):
            raise TypeError(f"@on takes message types such as PersonDetected, not {message_type!r}")
    if not message_types:
        raise TypeError("@on needs at least one message type, for example @on(PersonDetected)")

    def mark(handler: Handler) -> Handler:
        if not inspect.iscoroutinefunction(handler):
            name = getattr(handler, "__name__", "?")
            raise TypeError(
                f"handler {name} must be `async def`; for work that blocks use "
                "`await self.blocking(function, …)` inside it"
            )
        setattr(handler, _MARK, (*getattr(handler, _MARK, ()), *message_types))
        return handler

    return mark


@dataclass(slots=True)
class ModuleContext:
    """What surrounds a module; made by the launcher."""

    clock: Clock
    seed: int = 0
    scenario: Scenario | None = None
    robot: RobotCard | None = None
    folder: Path | None = None
    """The scenario's folder: sheets and media lie beside the scenario file."""
    condition: str | None = None
    curtain: Curtain | None = None
    """Goes up when all modules of the process have started; None: it is up."""
    inbox: Callable[[Counters], Inbox] | None = None
    """Makes the module's inbox where it is not the ordinary one: a replay has its own order."""
    options: dict[str, Any] = field(default_factory=dict)
    """What the command line handed down to framework modules."""


class Module:
    """Base of all modules. Subclass it, add settings, mark handlers with `@on`."""

    role: ClassVar[Role] = Role.DECISION
    """What the module is; change it where it is no decision module."""
    hears_everyone: ClassVar[bool | None] = None
    """Whether it hears all characters; by default modules of `world` do, a character's do not."""
    answers_when_done: ClassVar[tuple[type[Message], ...]] = ()
    """Actions whose sender is answered when their handlers are done, not when they begin: what
    must not be lost is then answered only once it is kept. A handler that fails answers nobody."""
    handlers: ClassVar[dict[type[Message], tuple[tuple[str, bool], ...]]] = {}

    class Settings(BaseModel):
        """Typed settings, filled from the scenario file; unknown keys are refused."""

        model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    settings: Any
    """The instance of `Settings` that the scenario file filled."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not issubclass(cls.Settings, Module.Settings):
            raise TypeError(
                f"{cls.__name__}.Settings must inherit from Module.Settings: "
                "`class Settings(Module.Settings):`"
            )
        found: dict[type[Message], list[tuple[str, bool]]] = {}
        marked: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            for name, member in vars(base).items():
                if hasattr(member, _MARK):
                    marked[name] = member
                else:
                    marked.pop(name, None)  # overridden without a mark: no longer a handler
        for name, member in marked.items():
            wants_envelope = len(inspect.signature(member).parameters) > 2
            for message_type in getattr(member, _MARK):
                found.setdefault(message_type, []).append((name, wants_envelope))
        cls.handlers = {message_type: tuple(names) for message_type, names in found.items()}

    def __init__(self, host: ModuleHost, context: ModuleContext, settings: Any) -> None:
        """Called by the runtime; put your own preparations into `start`."""
        identity = host.identity
        self._host = host
        self.context = context
        self.settings = settings
        self.name: str = identity.module
        self.character: str = identity.character
        self.source: str = identity.source
        self.clock = context.clock
        self.log = logging.getLogger(f"sera.{identity.source}")
        self.random = random.Random(f"{context.seed}/{identity.source}")  # noqa: S311  # not for secrets
        """This module's own random source; the same for the same seed."""

    # -- to be overridden -------------------------------------------------------------------

    async def start(self) -> None:
        """Prepare; called once before any handler."""

    async def run(self) -> None:
        """Work beside the handlers; called once after `start`. May return at any time."""

    async def stop(self) -> None:
        """Put things in order; called once at the end, also after a fault."""

    def on_malformed(self, problem: Malformed, payload: bytes) -> None:
        """A payload arrived that is no message; it has been counted and reported already."""

    # -- to be used -------------------------------------------------------------------------

    async def publish(
        self,
        message: Message,
        *,
        character: str | None = None,
        cause: str | None = None,
        time_s: float | None = None,
        reason: str | None = None,
    ) -> str | None:
        """Send a message.

        Args:
            message: what to say.
            character: under whose name; by default this module's character, or `world` where
                the message type belongs to nobody.
            cause: id of the message that led to this one; by default the one being handled.
            time_s: when the fact was observed; by default now.
            reason: why, in words for the operator, where the autonomy dial makes a Suggestion of
                it; by default what is being handled, such as `after PersonDetected of person_1`.

        Returns:
            The message's id, or None where the autonomy dial withheld it.
        """
        return await self._host.publish(
            message, character=character, cause=cause, time_s=time_s, reason=reason
        )

    async def request(
        self,
        message: Message,
        reply_type: type[Message],
        *,
        timeout_s: float = 2.0,
        character: str | None = None,
    ) -> Envelope:
        """Send a message and wait for the reply that it causes.

        Raises:
            sera.bus.ReplyTimeout: nobody replied in time.
        """
        return await self._host.request(
            message, reply_type, timeout_s=timeout_s, character=character
        )

    async def blocking(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a function that blocks in a thread (in virtual time: at once); returns its result."""
        if self.clock.kind == "virtual":
            return function(*args, **kwargs)
        return await asyncio.to_thread(function, *args, **kwargs)

    @property
    def bus(self) -> Bus:
        """The connection itself, for modules that listen to everything (recorder, gateway)."""
        return self._host.bus

    def fault(
        self,
        summary: str,
        *,
        detail: str | None = None,
        warning: bool = False,
        about: Envelope | None = None,
    ) -> None:
        """Report that something is wrong, without stopping.

        Args:
            summary: one sentence: what, where, and what to do.
            detail: further lines.
            warning: it is no error yet.
            about: the message that asked for what cannot be done; its sender is told.
        """
        self._host.report(
            summary,
            detail=detail,
            warning=warning,
            about=None if about is None else about.id,
            sender=None if about is None else about.source,
        )

    async def end_run(self, reason: str) -> None:
        """Ask for the end of the whole run: the activity is over.

        In a session of a study the run goes on until the session is over.
        """
        from sera.messages import RunEnding

        held_by = self.context.options.get("held_by")
        if held_by not in (None, self.source):
            self.log.info("would end the run (%s), which goes on until %s does", reason, held_by)
            return
        await self.publish(RunEnding(reason=reason, by=self.source))
