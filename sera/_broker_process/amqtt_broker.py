"""The fallback broker: amqtt's codec, listener, subscriptions and retained store, mended.

Design overview
    amqtt 0.12.1 as it comes gives every newly connected client the retained messages of
    everybody's subscriptions, raises when a subscription is added meanwhile, deletes a client's
    session for a stranger of the same name before asking for the password, lets the old socket of
    a client that came back speak on and leave its will later, and sends QoS 0 messages at QoS 1.
    This subclass takes over from the moment a socket is accepted (`stream_connected`) and keeps
    amqtt's bookkeeping of sessions, subscriptions and retained messages.

Threading
    One event loop; `route` never waits for a client.
"""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from ssl import SSLContext

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import ListenerType
from amqtt.mqtt.connack import NOT_AUTHORIZED, ConnackPacket
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.mqtt.publish import PublishPacket
from amqtt.session import OutgoingApplicationMessage, Session

from sera._broker_process.amqtt_connection import Connection
from sera._broker_process.passwords import password_fits, read_password_file

CONNECT_TIMEOUT_S = 10.0
SESSION_KEPT_S = 3600
REFUSED_SUBSCRIPTION = 0x80

_log = logging.getLogger("sera.broker")


class FallbackBroker(Broker):
    """amqtt's broker with a session layer that keeps MQTT 3.1.1's promises."""

    def __init__(
        self, host: str, port: int, *, password_file: Path | None, max_packet_bytes: int
    ) -> None:
        super().__init__(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"{host}:{port}"}},
                "plugins": {},
                "session_expiry_interval": SESSION_KEPT_S,
            }
        )
        self.max_packet_bytes = max_packet_bytes
        self._host = host
        self._port = port
        self._users = None if password_file is None else read_password_file(password_file)
        self._connections: dict[str, Connection] = {}
        # Which sessions want a topic, at which QoS; forgotten whenever a subscription changes.
        self._routes: dict[str, list[tuple[Session, int]]] = {}

    # Two changes of amqtt's listener: an IPv6 address is taken as it is, and on Windows nobody
    # else can bind the same port (there SO_REUSEADDR would allow just that).
    async def _create_server_instance(
        self,
        listener_name: str,
        listener_type: ListenerType,  # noqa: ARG002
        address: str | None,  # noqa: ARG002
        port: int,  # noqa: ARG002
        ssl_context: SSLContext | None,
    ) -> asyncio.Server:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self.stream_connected(reader, writer, listener_name)

        return await asyncio.start_server(
            accept,
            self._host,
            self._port,
            ssl=ssl_context,
            reuse_address=os.name == "posix",
            backlog=256,
        )

    @classmethod
    def _split_bindaddr_port(cls, port_str: str, default_port: int) -> tuple[str | None, int]:
        host, _, port = port_str.rpartition(":")
        return host or None, int(port) if port else default_port

    async def stream_connected(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        listener_name: str,  # noqa: ARG002
    ) -> None:
        """See one client through from its CONNECT to its end."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                handler, session = await BrokerProtocolHandler.init_from_connect(
                    StreamReaderAdapter(reader), StreamWriterAdapter(writer), self.plugins_manager
                )
        except Exception as error:
            # A bare connection without a word is how ports are probed: nothing to report.
            _log.debug(f"a client was turned away: {error}")
            writer.close()
            return
        if not self._is_allowed(session):
            _log.warning(f"{session.client_id} was refused: wrong user name or password")
            writer.write(ConnackPacket.build(0, NOT_AUTHORIZED).to_bytes())
            writer.close()
            return
        session, present = await self._open_session(session)
        connection = Connection(self, session, reader, writer)
        self._connections[connection.name] = connection
        self._sessions[connection.name] = (session, handler)
        session.transitions.connect()
        connection.welcome(session_present=present)
        said_goodbye = await connection.serve()
        await self._close_session(connection, said_goodbye=said_goodbye)

    def _is_allowed(self, session: Session) -> bool:
        if self._users is None:
            return True
        stored = self._users.get(session.username or "")
        return stored is not None and password_fits(session.password or "", stored)

    async def _open_session(self, session: Session) -> tuple[Session, bool]:
        name = session.client_id or ""
        old = self._connections.pop(name, None)
        if old is not None:
            _log.info(f"{name} came back on a new connection: the old one is closed")
            old.superseded = True
            old.session.transitions.disconnect()
            old.close()
            # Before the newcomer is welcome, so that its own words come after its old will.
            await self._execute_will(old.session)
        known = self._sessions.get(name, (None, None))[0]
        if session.clean_session or known is None or known.clean_session:
            await self._delete_session(name)
            return session, False
        # What waits for the client is kept; all else is what it says now.
        session.inflight_out = known.inflight_out
        session.inflight_in = known.inflight_in
        session._packet_id = known._packet_id
        for subscriptions in self._subscriptions.values():
            subscriptions[:] = [(session if s == known else s, qos) for s, qos in subscriptions]
        self._routes.clear()
        return session, True

    async def _close_session(self, connection: Connection, *, said_goodbye: bool) -> None:
        connection.close()
        if connection.superseded:
            return
        session = connection.session
        del self._connections[connection.name]
        session.transitions.disconnect()
        if session.clean_session:
            await self._delete_session(connection.name)
        if not said_goodbye:
            await self._execute_will(session)

    async def _execute_will(self, session: Session) -> None:
        if session.will_flag and session.will_topic:
            will, retain = bytes(session.will_message or b""), bool(session.will_retain)
            await self.route(session.will_topic, will, session.will_qos, retain)

    async def route(self, topic: str, data: bytes, qos: int | None, retain: bool) -> None:
        """Hand a message to everybody who subscribed to its topic, and retain it if asked."""
        if retain:
            await self.retain_message(None, topic, data, qos)
        encoded = b""
        for session, wanted_qos in self._receivers(topic):
            given_qos = min(qos or 0, wanted_qos)
            connection = self._connections.get(session.client_id or "")
            if connection is None:
                if given_qos:
                    _keep_for_later(session, topic, data, given_qos)
            elif given_qos:
                connection.send_message(topic, data, given_qos, retain=False)
            else:
                if not encoded:
                    encoded = PublishPacket.build(topic, data, None, False, 0, False).to_bytes()
                connection.send_encoded(encoded)

    def _receivers(self, topic: str) -> list[tuple[Session, int]]:
        receivers = self._routes.get(topic)
        if receivers is None:
            # A client whose filters overlap gets the message once, at the best QoS it asked for.
            best: dict[str, tuple[Session, int]] = {}
            for topic_filter, subscriptions in self._subscriptions.items():
                if not self._matches(topic, topic_filter):
                    continue
                for session, qos in subscriptions:
                    name = session.client_id or ""
                    if name not in best or best[name][1] < qos:
                        best[name] = (session, qos)
            receivers = self._routes[topic] = list(best.values())
        return receivers

    async def subscribe(self, session: Session, topic_filter: str, qos: int) -> int:
        """Add or renew a subscription; give the QoS granted, or 0x80 where it is refused."""
        if not topic_filter or qos > 2:
            return REFUSED_SUBSCRIPTION
        self.unsubscribe(session, topic_filter)
        return await self.add_subscription((topic_filter, qos), session)

    def unsubscribe(self, session: Session, topic_filter: str) -> None:
        self._routes.clear()
        self._del_subscription(topic_filter, session)

    async def _del_all_subscriptions(self, session: Session) -> None:
        self._routes.clear()
        await super()._del_all_subscriptions(session)

    def send_retained(
        self, connection: Connection, topics: list[tuple[str, int]], granted: list[int]
    ) -> None:
        """Send what is retained under the filters that were granted."""
        for (topic_filter, _), qos in zip(topics, granted, strict=True):
            if qos == REFUSED_SUBSCRIPTION:
                continue
            for topic, kept in self._retained_messages.items():
                if self._matches(topic, topic_filter):
                    given_qos = min(qos, kept.qos or 0)
                    connection.send_message(topic, bytes(kept.data), given_qos, retain=True)


def _keep_for_later(session: Session, topic: str, data: bytes, qos: int) -> None:
    if session.clean_session:
        return
    if len(session.inflight_out) >= 60_000:
        session.inflight_out.popitem(last=False)
        _log.warning(f"too much waits for {session.client_id}: its oldest message is dropped")
    packet_id = session.next_packet_id
    session.inflight_out[packet_id] = OutgoingApplicationMessage(packet_id, topic, qos, data, False)
