"""The port: how a module speaks and listens, whatever carries the messages.

Design overview
    One `Bus` is one source's connection to one run. The port makes envelopes and ids, finds the
    subscribers of what arrives, answers requests and keeps the module's own retained State; the
    adapters (`MemoryBus`, `MqttBus`) only carry. A module never hears itself.
    Order: what one publisher sends with the same guarantee arrives in the order it was sent.
    Delivery of Actions end to end (receipts, repeats) is the runtime's, see `sera.runtime`.

Units and frames
    Times are seconds on the clock of the run.

Threading
    Everything runs in the thread of the event loop; `deliver` callbacks must not block.

Safety
    A malformed payload is counted and handed to `on_problem`; it never raises into the adapter.
"""

from __future__ import annotations

import asyncio
import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sera.bus._codec import Malformed, decode
from sera.bus._counters import Counters
from sera.bus._errors import NotConnected, ReplyTimeout
from sera.bus._heard import Heard
from sera.bus._identity import Identity
from sera.bus._topics import Topic, filters, matches
from sera.messages import (
    WORLD,
    Envelope,
    Kind,
    Message,
    MessageId,
    State,
    check_name,
    message_types,
)

Deliver = Callable[[Envelope], None]

_log = logging.getLogger("sera.bus")


@dataclass(slots=True, eq=False)
class Subscription:
    """What `Bus.subscribe` returns; `close` ends it."""

    bus: Bus
    types: tuple[type[Message], ...] | None
    deliver: Deliver
    filters: list[str]

    def close(self) -> None:
        self.bus._forget(self)  # the two are one mechanism


class Bus(ABC):
    """One source's connection to one run."""

    def __init__(
        self,
        identity: Identity,
        *,
        now: Callable[[], float],
        will: State | None = None,
        hears_everyone: bool | None = None,
    ) -> None:
        """Make a bus that is not yet connected.

        Args:
            identity: who speaks.
            now: the clock of the run, seconds.
            will: the State that stands when this source vanishes without a farewell.
            hears_everyone: whether it hears all characters; by default modules of `world` do,
                and a character's modules hear their own character and `world`.
        """
        self.identity = identity
        self.counters = Counters()
        self.on_problem: Callable[[Malformed, bytes], None] | None = None
        self.on_published: Callable[[Envelope], None] | None = None
        """For the recorder, which hears everybody but itself."""
        self.on_connected: list[Callable[[], None]] = []
        self.on_disconnected: list[Callable[[], None]] = []
        self.trouble = ""
        """Why there is no connection now, as far as anybody knows."""
        self._now = now
        self._will = will
        by_nature = identity.character == WORLD
        self.hears_everyone = by_nature if hears_everyone is None else hears_everyone
        self._source = identity.source
        self._sequence = 0
        self._addressable = {identity.character, WORLD}
        self._wills: set[str] = set()
        self._answered: set[str] = set()
        self._subscriptions: list[Subscription] = []
        self._routes: dict[str, tuple[Topic, type[Message] | None, list[Deliver]]] = {}
        self._retained: dict[str, Envelope] = {}  # own State, published again after a reconnect
        self._heard = Heard()
        self._replies: dict[str, tuple[type[Message], asyncio.Future[Envelope]]] = {}

    # -- speaking ---------------------------------------------------------------------------

    def wrap(
        self,
        message: Message,
        *,
        character: str | None = None,
        cause: str | None = None,
        time_s: float | None = None,
    ) -> Envelope:
        """Give a message its envelope: the next id, the time, the character it belongs to.

        Raises:
            ValueError: no such character can be, or the time is no number.
        """
        if character is None:
            character = WORLD if message.belongs_to_world else self.identity.character
        elif character not in self._addressable:
            self._addressable.add(check_name(character, "character"))
        time_s = self._now() if time_s is None else float(time_s)  # numpy's floats print otherwise
        if not math.isfinite(time_s):
            raise ValueError(f"{type(message).__name__}: time_s is {time_s}, not a time in seconds")
        self._sequence += 1
        return Envelope(
            message,
            f"{self._source}-{self.identity.boot}-{self._sequence}",
            time_s,
            self._source,
            character,
            cause,
        )

    def publish(
        self,
        message: Message,
        *,
        character: str | None = None,
        cause: str | None = None,
        time_s: float | None = None,
    ) -> Envelope:
        """Send a message and return its envelope. Never waits.

        Actions that must arrive go through the runtime (`Module.publish`), which sends them again.

        Args:
            message: what to say.
            character: under whose name; by default `world` where the message type belongs to
                nobody, otherwise the character of this source.
            cause: id of the message that led to this one.
            time_s: when the fact was observed; by default now.

        Raises:
            NotConnected: before `connect`.
            PayloadTooLarge: beyond 1 MiB on the wire.
        """
        envelope = self.wrap(message, character=character, cause=cause, time_s=time_s)
        self.send(envelope)
        return envelope

    def send(self, envelope: Envelope) -> None:
        """Send a ready envelope: a repeat of an Action, or one that `wrap` made."""
        if not self.counters.connections:
            raise NotConnected(f"{self._source} published {envelope.type} before it was connected")
        topic = f"sera/{self.identity.run}/{envelope.character}/{envelope.type}/{self._source}"
        self._carry(topic, envelope)
        if envelope.message.kind is Kind.STATE:
            self._retained[topic] = envelope
        self.counters.published += 1
        if self.on_published is not None:
            self.on_published(envelope)

    async def request(
        self,
        message: Message,
        reply_type: type[Message],
        *,
        timeout_s: float = 2.0,
        character: str | None = None,
        cause: str | None = None,
        send: Callable[[Envelope], None] | None = None,
    ) -> Envelope:
        """Publish a message and wait for the reply: the first of that type that it caused.

        Args:
            message: what to ask.
            reply_type: what to wait for.
            timeout_s: for how long.
            character, cause: as for `publish`.
            send: how to send; by default once, as `publish` does.

        Raises:
            ReplyTimeout: nobody replied in time.
        """
        subscription = await self.subscribe([reply_type], lambda _: None)
        envelope = self.wrap(message, character=character, cause=cause)
        future: asyncio.Future[Envelope] = asyncio.get_running_loop().create_future()
        self._replies[envelope.id] = (reply_type, future)
        try:
            (send or self.send)(envelope)
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            raise ReplyTimeout(
                f"no {reply_type.__name__} came within {timeout_s:g} s in reply to "
                f"{envelope.type} {envelope.id}"
            ) from None
        finally:
            del self._replies[envelope.id]
            subscription.close()

    # -- listening --------------------------------------------------------------------------

    async def subscribe(
        self,
        types: Iterable[type[Message]] | None,
        deliver: Deliver,
        *,
        characters: Iterable[str] | None = None,
        everyone: bool | None = None,
    ) -> Subscription:
        """Hear messages of these types (None: of every type) from now on.

        Returns when the subscription is in force. Retained State arrives at once.

        Args:
            types: message types.
            deliver: called for each envelope, in order.
            characters: of whom (and always of `world`); by default as this bus hears.
            everyone: whether to hear all characters, whatever `characters` says.
        """
        chosen = None if types is None else tuple(dict.fromkeys(types))
        if everyone is None:
            everyone = self.hears_everyone and characters is None
        who = None if everyone else list(characters or [self.identity.character])
        names = None if chosen is None else [kind.__name__ for kind in chosen]
        wanted = filters(self.identity.run, names, who)
        subscription = Subscription(self, chosen, deliver, wanted)
        known = self._all_filters()
        self._subscriptions.append(subscription)
        self._routes.clear()
        for state in self._heard.states(wanted):
            deliver(state)
        try:
            await self._start_hearing([item for item in wanted if item not in known])
        except BaseException:
            subscription.close()
            raise
        return subscription

    def _forget(self, subscription: Subscription) -> None:
        if subscription not in self._subscriptions:
            return
        self._subscriptions.remove(subscription)
        self._routes.clear()
        needed = self._all_filters()
        self._stop_hearing([item for item in subscription.filters if item not in needed])
        self._heard.keep_states(needed)

    def _all_filters(self) -> list[str]:
        """What all subscriptions together want to hear."""
        return list(dict.fromkeys(item for each in self._subscriptions for item in each.filters))

    def _route(self, topic: str) -> tuple[Topic, type[Message] | None, list[Deliver]] | None:
        """Who wants what arrives on a topic; remembered until subscriptions change."""
        parsed = Topic.parse(topic)
        if parsed is None:
            return None
        wanted = [
            subscription.deliver
            for subscription in self._subscriptions
            if any(matches(pattern, topic) for pattern in subscription.filters)
        ]
        route = (parsed, message_types().get(parsed.type), wanted)
        self._routes[topic] = route
        return route

    def _arrived(self, topic: str, content: bytes | Envelope) -> None:
        """Adapters call this for every message; it never raises."""
        route = self._routes.get(topic) or self._route(topic)
        if route is None:
            source = topic.rsplit("/", 1)[-1]
            problem = Malformed(
                f"topic {topic!r} is not of the form sera/<run>/<character>/<Message>/<source>",
                topic=topic,
                sender=source,
            )
            self._report(problem, content if isinstance(content, bytes) else b"")
            return
        parsed, message_type, wanted = route
        if parsed.source == self._source:
            self._defend(topic, parsed, content)
            return
        if not wanted:  # under way when the subscription ended
            return
        envelope = content
        if isinstance(envelope, bytes):
            read = self._read(topic, parsed, envelope, message_type)
            if read is None:
                return
            envelope = read
        if self._heard.is_repeat(topic, envelope):
            self.counters.duplicates += 1
            return
        self.counters.received += 1
        if self._replies and envelope.cause in self._replies:
            self._reply(*self._replies[envelope.cause], envelope)
        for deliver in wanted:
            try:
                deliver(envelope)
            except Exception:
                _log.exception("%s: a subscriber failed on %s", self._source, envelope.id)

    def _read(
        self, topic: str, parsed: Topic, payload: bytes, message_type: type[Message] | None
    ) -> Envelope | None:
        """The envelope in a payload; None where State was cleared, or it is no message."""
        if payload == b"" and (message_type is None or message_type.kind is Kind.STATE):
            self._heard.state_cleared(topic)
            return None
        try:
            return decode(parsed, payload, message_type)
        except Malformed as problem:
            self._report(problem, payload)
            return None

    @staticmethod
    def _reply(
        expected: type[Message], waiting: asyncio.Future[Envelope], envelope: Envelope
    ) -> None:
        if isinstance(envelope.message, expected) and not waiting.done():
            waiting.set_result(envelope)

    def _report(self, problem: Malformed, payload: bytes) -> None:
        self.counters.malformed += 1
        try:
            if self.on_problem is not None:
                self.on_problem(problem, payload)
        except Exception:
            _log.exception("%s: reporting a malformed message failed", self._source)

    def _defend(self, topic: str, parsed: Topic, content: bytes | Envelope) -> None:
        """Say again what is the case where the end of another life or connection unsaid it.

        A broker that noticed a cut cable late executes the last will of a source that is back.
        Each is answered once, lest two living modules of one name argue for ever.
        """
        own = self._retained.get(topic)
        if own is None or not self.connected:
            return
        if content != b"":
            try:
                said = decode(parsed, content) if isinstance(content, bytes) else content
            except Malformed:
                return
            of_this_life = MessageId.parse(said.id).boot == self.identity.boot
            if said.id in self._answered or (of_this_life and said.id not in self._wills):
                return
            self._answered.add(said.id)
        self._carry(topic, own)

    def _will_envelope(self) -> Envelope | None:
        if self._will is None:
            return None
        will = self.wrap(self._will)
        self._wills.add(will.id)
        return will

    def purge(self) -> None:
        """Clear every retained State that this bus has heard: for whoever ends the run."""
        for topic in self._heard.take_state_topics():
            self._clear(topic)

    # -- what an adapter does ---------------------------------------------------------------

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Whether what is published now leaves at once."""

    @abstractmethod
    async def connect(self) -> None:
        """Join the run.

        Raises:
            BrokerUnreachable, BrokerRefused: with what to do.
        """

    @abstractmethod
    async def close(self) -> None:
        """Leave: the State of this source is cleared, the last will is not executed."""

    @abstractmethod
    def _carry(self, topic: str, envelope: Envelope) -> None: ...

    @abstractmethod
    def _clear(self, topic: str) -> None:
        """Clear the retained State of a topic."""

    @abstractmethod
    async def _start_hearing(self, wanted: list[str]) -> None:
        """Put new filters in force and bring the retained State that they cover."""

    @abstractmethod
    def _stop_hearing(self, unwanted: list[str]) -> None: ...
