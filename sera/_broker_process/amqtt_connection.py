"""One client of the fallback broker: reads its packets in order and writes what it is owed.

Design overview
    amqtt handles every packet in a task of its own and cancels those tasks when the socket
    closes. Read in 0.12.1 and seen in tests: messages that were acknowledged are lost when
    their sender disconnects, a proper DISCONNECT can count as an accident (the last will goes
    out), and a silent client is never dropped. Here packets are handled one after the other,
    an acknowledgement means that the message has been handed on and, where asked, retained,
    and 1.5 keep-alive times of silence end the connection, as the MQTT standard wants it.
    Packets are still read and built by amqtt's classes.

Threading
    The broker's event loop only. Writing never waits: the transport keeps what the client has
    not yet taken, and a client that lets more than `BACKLOG_LIMIT_BYTES` pile up is dropped,
    with a line in the log, so that one stuck client cannot take the memory of all.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from amqtt.adapters import BufferReader, StreamReaderAdapter
from amqtt.mqtt import packet_class
from amqtt.mqtt.connack import ConnackPacket
from amqtt.mqtt.disconnect import DisconnectPacket
from amqtt.mqtt.packet import MQTTFixedHeader
from amqtt.mqtt.pingreq import PingReqPacket
from amqtt.mqtt.pingresp import PingRespPacket
from amqtt.mqtt.puback import PubackPacket
from amqtt.mqtt.pubcomp import PubcompPacket
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.pubrec import PubrecPacket
from amqtt.mqtt.pubrel import PubrelPacket
from amqtt.mqtt.suback import SubackPacket
from amqtt.mqtt.subscribe import SubscribePacket
from amqtt.mqtt.unsuback import UnsubackPacket
from amqtt.mqtt.unsubscribe import UnsubscribePacket
from amqtt.session import IncomingApplicationMessage, OutgoingApplicationMessage, Session

if TYPE_CHECKING:
    from sera._broker_process.amqtt_broker import FallbackBroker

BACKLOG_LIMIT_BYTES = 64 * 1024 * 1024
KEEP_ALIVE_GRACE = 1.5

_log = logging.getLogger("sera.broker")


class ProtocolViolation(Exception):
    """The client sent something that no MQTT client may send."""


class Connection:
    """The life of one client's socket after its CONNECT has been accepted."""

    def __init__(
        self,
        broker: FallbackBroker,
        session: Session,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.session = session
        self.superseded = False
        """True when the same client came back on another socket, which inherits everything."""
        self._broker = broker
        self._reader = StreamReaderAdapter(reader)
        self._writer = writer

    @property
    def name(self) -> str:
        return self.session.client_id or "a nameless client"

    def welcome(self, *, session_present: bool) -> None:
        """Accept the client, and send again what it had not acknowledged when it went away."""
        self._write(ConnackPacket.build(int(session_present), 0).to_bytes())
        for message in self.session.inflight_out.values():
            was_sent = message.publish_packet is not None
            self._send(message, dup=was_sent)

    async def serve(self) -> bool:
        """Handle packets until the client is gone; tell whether it said good-bye."""
        silence_s = self.session.keep_alive * KEEP_ALIVE_GRACE or None
        try:
            while True:
                async with asyncio.timeout(silence_s):
                    header = await MQTTFixedHeader.from_stream(self._reader)
                    if header is None:
                        return False
                    if header.remaining_length > self._broker.max_packet_bytes:
                        raise ProtocolViolation(  # noqa: TRY301
                            f"a packet of {header.remaining_length} bytes"
                            f" (the limit is {self._broker.max_packet_bytes})"
                        )
                    body = await self._reader.read(header.remaining_length)
                packet = await packet_class(header).from_stream(BufferReader(body), header)
                if isinstance(packet, DisconnectPacket):
                    return True
                await self._handle(packet)
        except TimeoutError:
            _log.warning(f"{self.name} was silent for {silence_s} s: its connection is closed")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except Exception as error:
            _log.warning(f"{self.name} is disconnected: {error or type(error).__name__}")
        return False

    async def _handle(self, packet: object) -> None:
        inflight_out = self.session.inflight_out
        match packet:
            case PublishPacket():
                await self._take_message(packet)
            case PubackPacket() | PubcompPacket():
                inflight_out.pop(_packet_id(packet), None)
            case PubrecPacket():
                self._write(PubrelPacket.build(_packet_id(packet)).to_bytes())
            case PubrelPacket():
                held = self.session.inflight_in.pop(_packet_id(packet), None)
                if held is not None:
                    await self._broker.route(held.topic, bytes(held.data), held.qos, held.retain)
                self._write(PubcompPacket.build(_packet_id(packet)).to_bytes())
            case SubscribePacket(payload=payload) if payload is not None:
                granted = [await self._broker.subscribe(self.session, *t) for t in payload.topics]
                self._write(SubackPacket.build(_packet_id(packet), granted).to_bytes())
                self._broker.send_retained(self, payload.topics, granted)
            case UnsubscribePacket(payload=payload) if payload is not None:
                for topic_filter in payload.topics:
                    self._broker.unsubscribe(self.session, topic_filter)
                self._write(UnsubackPacket.build(_packet_id(packet)).to_bytes())
            case PingReqPacket():
                self._write(PingRespPacket.build().to_bytes())
            case _:
                raise ProtocolViolation(f"a {type(packet).__name__} has no place here")

    async def _take_message(self, packet: PublishPacket) -> None:
        topic, data, qos = packet.topic_name or "", packet.data or b"", packet.qos or 0
        if not topic or topic.startswith("$"):
            raise ProtocolViolation(f"nobody may publish on the topic {topic!r}")
        if qos == 0:
            await self._broker.route(topic, data, 0, packet.retain_flag)
            return
        packet_id = _packet_id(packet)
        if qos == 1:
            await self._broker.route(topic, data, 1, packet.retain_flag)
            self._write(PubackPacket.build(packet_id).to_bytes())
        elif qos == 2:
            # Held until the sender releases it, so that a repeated packet is not a second message.
            self.session.inflight_in[packet_id] = IncomingApplicationMessage(
                packet_id, topic, 2, data, packet.retain_flag
            )
            self._write(PubrecPacket.build(packet_id).to_bytes())
        else:
            raise ProtocolViolation("quality of service 3 does not exist")

    def send_encoded(self, encoded: bytes) -> None:
        """Send a message of QoS 0 whose bytes are the same for everybody."""
        self._write(encoded)

    def send_message(self, topic: str, data: bytes, qos: int, *, retain: bool) -> None:
        """Send one message; from QoS 1 on it is kept until the client has acknowledged it."""
        packet_id = self.session.next_packet_id if qos else None
        message = OutgoingApplicationMessage(packet_id, topic, qos, data, retain)
        if packet_id is not None:
            self.session.inflight_out[packet_id] = message
        self._send(message)

    def _send(self, message: OutgoingApplicationMessage, *, dup: bool = False) -> None:
        message.publish_packet = message.build_publish_packet(dup=dup)
        self._write(message.publish_packet.to_bytes())

    def _write(self, encoded: bytes) -> None:
        transport = self._writer.transport
        if transport.is_closing():
            return
        self._writer.write(encoded)
        if transport.get_write_buffer_size() > BACKLOG_LIMIT_BYTES:
            _log.warning(f"{self.name} does not read what it subscribed to: it is disconnected")
            transport.abort()

    def close(self) -> None:
        self._writer.close()


def _packet_id(packet: object) -> int:
    identifier = getattr(getattr(packet, "variable_header", None), "packet_id", None)
    if not isinstance(identifier, int) or identifier == 0:
        raise ProtocolViolation(f"a {type(packet).__name__} without a packet identifier")
    return identifier
