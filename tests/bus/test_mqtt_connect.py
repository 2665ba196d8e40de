"""Connecting over MQTT: addresses where no broker answers, passwords, TLS."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sera._broker_process.passwords import password_line
from sera.bus import (
    BrokerAddress,
    BrokerRefused,
    BrokerUnreachable,
    BusError,
    EmbeddedBroker,
    Identity,
    MqttBus,
    _mqtt_client,
)
from sera.messages import (
    Envelope,
    SpeechStarted,
)
from tests.helpers import until


async def refusal_of(address: BrokerAddress, expected: type[Exception]) -> str:
    """What connecting says."""
    bus = MqttBus(Identity("run", "ada", "voice"), address, now=time.time)
    with pytest.raises(expected) as caught:
        await bus.connect()
    assert not bus.connected
    await bus.close()
    await asyncio.sleep(0)
    assert [task for task in asyncio.all_tasks() if "reconnecting" in task.get_name()] == []
    return str(caught.value)


async def test_a_port_where_nobody_listens_says_so():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        words = await refusal_of(BrokerAddress("127.0.0.1", port), BrokerUnreachable)
    assert f"no MQTT broker answers at mqtt://127.0.0.1:{port}" in words
    assert "refused" in words.lower()
    assert "--broker, SERA_BROKER or [broker] url" in words


async def test_a_host_that_does_not_exist_says_so():
    words = await refusal_of(BrokerAddress("no-such-host.invalid"), BrokerUnreachable)
    assert "no MQTT broker answers at mqtt://no-such-host.invalid:1883" in words


@pytest.mark.parametrize("tls", [False, True])
async def test_a_port_that_never_answers_is_given_up_after_a_while(monkeypatch, tls):
    monkeypatch.setattr(_mqtt_client, "CONNECT_TIMEOUT_S", 0.3)
    connections = []

    async def stay_silent(reader, writer) -> None:
        connections.append(writer)

    server = await asyncio.start_server(stay_silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    words = await refusal_of(BrokerAddress("127.0.0.1", port, tls=tls), BrokerUnreachable)
    assert "no MQTT answer within 0.3 s" in words
    for writer in connections:
        writer.close()
    server.close()


@pytest.mark.parametrize(
    "garbage",
    [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n", b"\xff" * 64, b"\x20\x02"],
)
async def test_a_port_that_speaks_something_else_is_recognised(garbage):
    async def answer(reader, writer) -> None:
        await reader.read(10)
        writer.write(garbage)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    words = await refusal_of(BrokerAddress("127.0.0.1", port), BrokerUnreachable)
    assert "it closed the connection without an MQTT answer" in words
    assert "mqtts://" in words
    server.close()


async def test_tls_against_a_port_without_tls_is_said_to_be_about_tls(
    broker_kind, shared_brokers, monkeypatch
):
    monkeypatch.setattr(_mqtt_client, "CONNECT_TIMEOUT_S", 1.0)
    address = replace(shared_brokers(broker_kind), tls=True)
    words = await refusal_of(address, BrokerUnreachable)
    assert f"mqtts://127.0.0.1:{address.port}" in words
    assert "TLS" in words


async def test_a_wrong_password_and_no_password_say_what_to_do(broker_kind):
    async with EmbeddedBroker(prefer=broker_kind, username="ada", password="right") as broker:
        wrong = BrokerAddress(broker.host, broker.port, "ada", "wrong")
        words = await refusal_of(wrong, BrokerRefused)
        assert "refused the connection" in words
        assert "check user name and password" in words
        assert "wrong" not in words
        words = await refusal_of(BrokerAddress(broker.host, broker.port), BrokerRefused)
        assert "this broker wants a user name and password" in words
        right = BrokerAddress(broker.host, broker.port, "ada", "right")
        bus = MqttBus(Identity("run", "ada", "voice"), right, now=time.time)
        await bus.connect()
        assert bus.connected
        await bus.close()


# -- TLS ----------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that vouches for itself, and its key."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


@pytest.fixture
def passwords(tmp_path) -> Path:
    """A password file of mosquitto's with one user in it."""
    file = tmp_path / "passwords"
    file.write_text(password_line("ada", "p@ss:w/rd") + "\n")
    return file


@pytest.mark.needs_program("mosquitto", "openssl")
async def test_tls_with_user_and_password_works_and_a_stranger_certificate_does_not(
    certificate, passwords, tmp_path
):
    certificate_file, key = certificate
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\ncertfile {certificate_file}\nkeyfile {key}\n"
        f"allow_anonymous false\npassword_file {passwords}\npersistence false\nuser root\n"
    )
    process = await asyncio.create_subprocess_exec(
        program, "-c", settings, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until(lambda: _accepts(port))
        url = f"mqtts://ada:p%40ss%3Aw%2Frd@127.0.0.1:{port}?ca={certificate_file}"
        address = BrokerAddress.parse(url)
        voice = MqttBus(Identity("run", "ada", "voice"), address, now=time.time)
        mind = MqttBus(Identity("run", "ada", "mind"), address, now=time.time)
        await voice.connect()
        await mind.connect()
        heard: list[Envelope] = []
        await mind.subscribe([SpeechStarted], heard.append)
        voice.publish(SpeechStarted(speech="s", text="x" * 300_000))
        await until(lambda: len(heard) == 1)
        await voice.close()
        await mind.close()

        untrusted = BrokerAddress("127.0.0.1", port, "ada", "p@ss:w/rd", tls=True)
        words = await refusal_of(untrusted, BrokerUnreachable)
        assert "TLS: self" in words
        assert "?ca=FILE" in words
        plain = BrokerAddress("127.0.0.1", port, "ada", "p@ss:w/rd")
        words = await refusal_of(plain, BrokerUnreachable)
        assert "mqtts://" in words
    finally:
        process.kill()
        await process.wait()


async def test_a_certificate_file_that_is_not_there_is_named(tmp_path):
    missing = str(tmp_path / "missing.pem")
    address = BrokerAddress("127.0.0.1", 1, tls=True, ca_file=missing)
    words = await refusal_of(address, BrokerUnreachable)
    assert f"the certificate file {missing} cannot be used: No such file" in words
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    words = await refusal_of(
        BrokerAddress("127.0.0.1", 1, tls=True, ca_file=str(empty)), BrokerUnreachable
    )
    assert f"the certificate file {empty} cannot be used" in words


def _accepts(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


async def test_a_broker_that_refuses_a_subscription_is_named(shared_brokers, monkeypatch):
    address = shared_brokers("amqtt")
    bus = MqttBus(Identity("run", "ada", "voice"), address, now=time.time)
    await bus.connect()

    def refuse(_wanted: object) -> int:
        asyncio.get_running_loop().call_soon(bus._on_subscribe, None, 7, (128,), None)
        return 7

    monkeypatch.setattr(bus._client, "subscribe", refuse)
    with pytest.raises(BusError, match=r"does not let ada\.voice hear"):
        await bus.subscribe([SpeechStarted], print)
    await bus.close()
