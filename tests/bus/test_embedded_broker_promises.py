"""What MQTT 3.1.1 promises and the bus relies on, asked of both kinds of embedded broker.

A client of a few lines, written by hand, sends the very bytes that a case needs (a burst and a
good-bye in one write, garbage, silence), which no library would send.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar, Self

import pytest

from sera.bus import BrokerAddress
from sera.bus._broker import EmbeddedBroker
from sera.bus._broker_child import MAX_PACKET_BYTES
from tests.bus.brokers import broker_of, retained_topics
from tests.helpers import PATIENCE_S

QUIET_S = 0.03


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return len(raw).to_bytes(2, "big") + raw


def packet(first_byte: int, body: bytes) -> bytes:
    length, rest = bytearray(), len(body)
    while True:
        rest, digit = divmod(rest, 128)
        length.append(digit | 0x80 if rest else digit)
        if not rest:
            return bytes((first_byte,)) + bytes(length) + body


def publish(topic: str, data: bytes, *, qos: int = 0, retain: bool = False, number: int = 1):
    head = text(topic) + (number.to_bytes(2, "big") if qos else b"")
    return packet(0x30 | qos << 1 | retain, head + data)


DISCONNECT = packet(0xE0, b"")
PING = packet(0xC0, b"")


@dataclass(frozen=True)
class Received:
    topic: str
    data: bytes
    qos: int = 0
    retain: bool = False


class Client:
    """Reads and writes MQTT packets; acknowledges nothing by itself."""

    opened: ClassVar[list[Client]] = []

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened.append(self)
        self.reader = reader
        self.writer = writer
        self.session_present = False

    @classmethod
    async def connect(
        cls,
        broker: EmbeddedBroker,
        name: str = "",
        *,
        will: Received | None = None,
        keep_alive_s: int = 60,
        clean: bool = True,
        login: tuple[str, str] | None = None,
        welcome: int = 0,
    ) -> Self:
        self = cls(*await asyncio.open_connection("127.0.0.1", broker.port))
        flags, payload = 0x02 * clean, text(name)
        if will is not None:
            flags |= 0x04 | will.qos << 3 | 0x20 * will.retain
            payload += text(will.topic) + text(will.data)
        if login is not None:
            flags |= 0xC0
            payload += text(login[0]) + text(login[1])
        body = text("MQTT") + bytes((4, flags)) + keep_alive_s.to_bytes(2, "big") + payload
        self.writer.write(packet(0x10, body))
        kind, answer = await self.next_packet()
        assert (kind, answer[1]) == (0x20, welcome)
        self.session_present = bool(answer[0])
        return self

    async def next_packet(self) -> tuple[int, bytes]:
        async with asyncio.timeout(PATIENCE_S):
            first = (await self.reader.readexactly(1))[0]
            length, shift = 0, 0
            while True:
                digit = (await self.reader.readexactly(1))[0]
                length |= (digit & 0x7F) << shift
                shift += 7
                if not digit & 0x80:
                    return first, await self.reader.readexactly(length)

    async def next_message(self, *, acknowledge: bool = True) -> Received:
        while True:
            first, body = await self.next_packet()
            if first & 0xF0 != 0x30:
                continue
            cut = 2 + int.from_bytes(body[:2], "big")
            qos, topic = first >> 1 & 3, body[2:cut].decode()
            if qos:
                if acknowledge:
                    self.writer.write(packet(0x40 if qos == 1 else 0x50, body[cut : cut + 2]))
                cut += 2
            return Received(topic, body[cut:], qos, bool(first & 1))

    async def subscribe(self, *filters: str, qos: int = 0) -> None:
        asked = b"".join(text(each) + bytes((qos,)) for each in filters)
        self.writer.write(packet(0x82, b"\x00\x01" + asked))
        kind, answer = await self.next_packet()
        assert (kind, answer[2:]) == (0x90, bytes((qos,)) * len(filters))

    async def publish(self, topic: str, data: bytes, *, qos: int = 1, retain: bool = False) -> None:
        self.writer.write(publish(topic, data, qos=qos, retain=retain, number=77))
        if qos == 1:
            assert await self.next_packet() == (0x40, (77).to_bytes(2, "big"))

    async def is_quiet(self) -> bool:
        """Whether nothing comes before the answer to a question, which is asked a little later."""
        await asyncio.sleep(QUIET_S)
        self.writer.write(PING)
        return await self.next_packet() == (0xD0, b"")

    async def has_been_closed(self) -> bool:
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(PATIENCE_S):
                while await self.reader.read(65536):
                    pass
        return True

    def vanish(self) -> None:
        """Close the socket without a word, as the kernel does for a process that was killed."""
        self.writer.transport.abort()


@pytest.fixture(autouse=True)
async def clients_are_closed() -> AsyncIterator[None]:
    yield
    for client in Client.opened:
        with contextlib.suppress(ConnectionError):
            client.writer.write(DISCONNECT)  # without their wills
            client.writer.close()
            await client.writer.wait_closed()
    Client.opened.clear()


@pytest.fixture
async def broker(broker_kind, shared_brokers) -> EmbeddedBroker:
    """The broker of a kind that all tests share, as empty as a new one."""
    broker = broker_of(broker_kind)
    for kept in await asyncio.to_thread(retained_topics, BrokerAddress(broker.host, broker.port)):
        await (await Client.connect(broker)).publish(kept, b"", retain=True)
    return broker


async def test_a_late_subscriber_gets_what_is_retained_until_it_is_cleared(broker):
    sender = await Client.connect(broker)
    await sender.publish("sera/r/ada/Autonomy/ada.x", b"one", retain=True)
    await sender.publish("sera/r/ada/Autonomy/ada.x", b"two", retain=True)
    late = await Client.connect(broker)
    await late.subscribe("sera/+/ada/#", qos=1)
    kept = Received("sera/r/ada/Autonomy/ada.x", b"two", qos=1, retain=True)
    assert await late.next_message() == kept

    await sender.publish("sera/r/ada/Autonomy/ada.x", b"", retain=True)
    assert await late.next_message() == Received("sera/r/ada/Autonomy/ada.x", b"", qos=1)
    later = await Client.connect(broker)
    await later.subscribe("sera/#")
    assert await later.is_quiet()


async def test_a_client_that_subscribed_to_nothing_gets_nothing(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("#")
    await (await Client.connect(broker)).publish("a/b", b"kept", retain=True)
    newcomer = await Client.connect(broker)
    assert await newcomer.is_quiet()


async def test_there_are_no_statistics_on_the_bus(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("$SYS/#", "#")
    assert await listener.is_quiet()


async def test_a_client_that_vanishes_leaves_its_will_retained(broker):
    will = Received("presence/greeter", b"gone", qos=1, retain=True)
    listener = await Client.connect(broker)
    await listener.subscribe("presence/#", qos=1)
    (await Client.connect(broker, "greeter", will=will)).vanish()
    assert await listener.next_message() == Received("presence/greeter", b"gone", qos=1)
    late = await Client.connect(broker)
    await late.subscribe("presence/#", qos=1)
    assert await late.next_message() == will


@pytest.mark.parametrize("qos", [0, 1])
async def test_a_burst_with_a_good_bye_in_one_write_arrives_whole_in_order_and_without_will(
    broker, qos
):
    listener = await Client.connect(broker)
    await listener.subscribe("#", qos=1)
    hasty = await Client.connect(broker, "hasty", will=Received("will", b"x"))
    count = 300
    burst = [publish("n", b"%d" % n, qos=qos, number=n + 1) for n in range(count)]
    hasty.writer.write(b"".join(burst) + DISCONNECT)
    # Acknowledgements that nobody reads would make TCP reset the connection and lose the burst.
    assert await hasty.has_been_closed()
    got = [await listener.next_message() for _ in range(count)]
    assert got == [Received("n", b"%d" % n, qos=qos) for n in range(count)]
    assert await listener.is_quiet()


async def test_quality_of_service_is_the_lower_of_senders_and_receivers(broker):
    low, high = await Client.connect(broker), await Client.connect(broker)
    await low.subscribe("t", qos=0)
    await high.subscribe("t", qos=1)
    sender = await Client.connect(broker)
    await sender.publish("t", b"q0", qos=0)
    await sender.publish("t", b"q1", qos=1)
    assert [(await low.next_message()).qos for _ in range(2)] == [0, 0]
    assert [(await high.next_message()).qos for _ in range(2)] == [0, 1]


async def test_messages_of_both_qualities_keep_their_order_though_nobody_acknowledges(broker):
    slow = await Client.connect(broker)
    await slow.subscribe("t", qos=1)
    sender = await Client.connect(broker)
    count = 1500  # beyond the queue limits that mosquitto has by default
    messages = [publish("t", b"%d" % n, qos=n % 2, number=n + 1) for n in range(count)]
    sender.writer.write(b"".join(messages))
    got = [await slow.next_message(acknowledge=False) for _ in range(count)]
    assert [int(message.data) for message in got] == list(range(count))


async def test_quality_of_service_2_is_delivered_once(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("t", qos=2)
    sender = await Client.connect(broker)
    first = publish("t", b"once", qos=2, number=9)
    sender.writer.write(first)
    assert await sender.next_packet() == (0x50, b"\x00\x09")
    sender.writer.write(bytes((first[0] | 0x08,)) + first[1:])  # again, marked as duplicate
    assert await sender.next_packet() == (0x50, b"\x00\x09")
    sender.writer.write(packet(0x62, b"\x00\x09"))
    assert await sender.next_packet() == (0x70, b"\x00\x09")
    message = await listener.next_message()
    assert message == Received("t", b"once", qos=2)
    kind, number = await listener.next_packet()
    assert kind == 0x62
    listener.writer.write(packet(0x70, number))
    assert await listener.is_quiet()


async def test_what_came_while_a_keeping_client_was_away_waits_for_it(broker):
    keeper = await Client.connect(broker, "keeper", clean=False)
    assert not keeper.session_present
    await keeper.subscribe("t", qos=1)
    sender = await Client.connect(broker)
    await sender.publish("t", b"unacknowledged")
    assert (await keeper.next_message(acknowledge=False)).data == b"unacknowledged"
    keeper.vanish()
    await asyncio.sleep(0.05)
    await sender.publish("t", b"while away")
    again = await Client.connect(broker, "keeper", clean=False)
    assert again.session_present
    assert [(await again.next_message()).data for _ in range(2)] == [
        b"unacknowledged",
        b"while away",
    ]


async def test_a_client_that_comes_back_under_its_name_speaks_after_its_old_will(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("#")
    gone = Received("presence", b"gone", retain=True)
    old = await Client.connect(broker, "greeter", will=gone)
    await old.subscribe("t")
    new = await Client.connect(broker, "greeter", will=gone)
    await new.publish("presence", b"here", retain=True)
    assert await old.has_been_closed()
    assert (await listener.next_message()).data == b"gone"
    assert (await listener.next_message()).data == b"here"
    await new.publish("t", b"for the old one")
    assert (await listener.next_message()).data == b"for the old one"
    assert await new.is_quiet(), "a clean session begins without subscriptions"
    late = await Client.connect(broker)
    await late.subscribe("presence")
    assert await late.next_message() == Received("presence", b"here", retain=True)


async def test_a_client_that_falls_silent_is_dropped_with_its_will(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("#")
    silent = await Client.connect(broker, keep_alive_s=1, will=Received("presence", b"gone"))
    assert await listener.next_message() == Received("presence", b"gone")
    assert await silent.has_been_closed()


async def test_overlapping_filters_of_one_client_give_one_copy(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("a/#", "a/+", "a/b", qos=1)
    sender = await Client.connect(broker)
    await sender.publish("a/b", b"x")
    await sender.publish("a/c", b"y")
    assert await listener.next_message() == Received("a/b", b"x", qos=1)
    assert await listener.next_message() == Received("a/c", b"y", qos=1)
    assert await listener.is_quiet()


async def test_unsubscribed_means_unsubscribed(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("a", "b")
    listener.writer.write(packet(0xA2, b"\x00\x05" + text("a")))
    assert await listener.next_packet() == (0xB0, b"\x00\x05")
    await listener.publish("a", b"no", qos=0)
    await listener.publish("b", b"yes", qos=0)
    assert await listener.next_message() == Received("b", b"yes")


async def test_beyond_a_mebibyte_a_message_passes_and_beyond_four_its_sender_is_dropped(broker):
    listener = await Client.connect(broker)
    await listener.subscribe("#")
    large = os.urandom(2 * 1024 * 1024)
    sender = await Client.connect(broker, will=Received("will", b"dropped"))
    await sender.publish("large", large)
    assert await listener.next_message() == Received("large", large)
    sender.writer.write(publish("huge", bytes(MAX_PACKET_BYTES)))
    assert await listener.next_message() == Received("will", b"dropped")
    assert await sender.has_been_closed()


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff" * 40,
        packet(0x30, b"\xff\xff"),  # a topic longer than its packet
        packet(0x36, text("t") + b"\x00\x01x"),  # quality of service 3
        packet(0x32, text("t") + b"\x00\x00x"),  # packet number 0
        publish("with/#/wildcard", b"x"),
        packet(0x82, b"\x00\x01" + text("a/#/b") + b"\x01"),
    ],
)
async def test_garbage_ends_at_most_the_connection_it_came_on(broker, garbage):
    listener = await Client.connect(broker)
    await listener.subscribe("t")
    unwelcome, restarts = await Client.connect(broker), broker.restarts
    unwelcome.writer.write(garbage)
    _, stranger = await asyncio.open_connection("127.0.0.1", broker.port)
    stranger.write(garbage)
    await asyncio.sleep(0.05)
    await listener.publish("t", b"all is well", qos=0)
    assert await listener.next_message() == Received("t", b"all is well")
    assert broker.restarts == restarts
    stranger.close()


async def test_a_stranger_with_a_members_name_does_not_disturb_the_member(broker_kind):
    async with EmbeddedBroker(prefer=broker_kind, username="lab", password="secret") as broker:
        login = ("lab", "secret")
        member = await Client.connect(broker, "greeter", login=login)
        await member.subscribe("t")
        await Client.connect(broker, "greeter", login=("lab", "guess"), welcome=5)
        await Client.connect(broker, "greeter", welcome=5)
        await member.publish("t", b"still here", qos=0)
        assert await member.next_message() == Received("t", b"still here")
