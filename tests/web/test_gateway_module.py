"""The gateway module on a real port: a program speaks WebSocket to it, others are on the bus."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MemoryBroker, MemoryBus, MqttBus
from sera.messages import ActivityCommand, Clicked, Highlight, Speak
from sera.runtime import clock as clocks
from sera.runtime._host import ModuleHost
from sera.runtime.module import Module, ModuleContext, on
from sera.web import PageRole
from sera.web._server import PagePortInUse, PageServerError
from tests.browser import connect
from tests.helpers import PATIENCE_S, until


async def say(page: ClientConnection, name: str, **body: Any) -> None:
    await page.send(json.dumps({name: body}))


async def hear(page: ClientConnection, name: str) -> dict[str, Any]:
    """The next frame of that name."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            frame = json.loads(await page.recv())
            if name in frame:
                body: dict[str, Any] = frame[name]
                return body


async def test_a_click_goes_to_the_bus_and_a_highlight_comes_back(running):
    async with connect(running.socket_url(role="activity", character="ada")) as page:
        hello = await hear(page, "hello")
        assert (hello["run"], hello["role"], hello["source"]) == (
            "hello-1",
            "activity",
            "world.gateway",
        )
        await say(page, "subscribe", types=["Highlight"])
        await hear(page, "subscribed")
        await say(page, "send", type="Clicked", data={"element": "card_3"}, ref=1)
        accepted = await hear(page, "accepted")
        click = (await until(lambda: running.said("Clicked")))[0]
        assert (click.id, click.message) == (accepted["id"], Clicked(element="card_3"))

        order = running.other.publish(Highlight(element="card_5"), character="ada")
        message = await hear(page, "message")
        assert (message["id"], message["data"]["element"]) == (order.id, "card_5")
        await say(page, "received", id=order.id)
        receipt = (await until(lambda: running.said("Receipt")))[0]
        assert receipt.message.ids == [order.id]
        assert running.said("ActionExpired") == []


async def test_a_click_and_a_highlight_cross_a_real_broker(make_running, broker_kind):
    async with EmbeddedBroker(prefer=broker_kind) as broker:
        address = BrokerAddress.parse(broker.url)
        running = await make_running(
            make_bus=lambda identity, **options: MqttBus(identity, address, **options)
        )
        async with (
            connect(running.socket_url(role="activity")) as game,
            connect(running.socket_url(role="observer")) as watching,
        ):
            await say(game, "subscribe", types=["*"])
            await hear(game, "subscribed")
            await say(watching, "subscribe", types=["*"])
            await say(watching, "subscribe", types=["*", "Highlight"])
            await hear(watching, "subscribed")
            await say(game, "send", type="Clicked", data={"element": "card_3"})
            await hear(game, "accepted")
            await until(lambda: running.said("Clicked"))
            running.other.publish(Highlight(element="card_5"))
            assert (await hear(game, "message"))["data"]["element"] == "card_5"
            seen = [(await hear(watching, "message"))["type"] for _ in range(2)]
            assert sorted(seen) == ["Clicked", "Highlight"]
        running.host.stop()
        await running.task


async def test_a_highlight_that_no_page_performs_is_reported_expired(running):
    order = running.other.publish(
        Highlight(element="card_5"),
        character="ada",
        time_s=running.host.clock.now() - 1.9,
    )
    expired = (await until(lambda: running.said("ActionExpired")))[0]
    assert expired.message.action == order.id
    assert expired.message.reason == "no_receiver"
    assert (expired.character, expired.cause) == ("ada", order.id)


async def test_a_wizards_command_to_the_pages_is_recorded_and_not_reported_expired(running):
    async with (
        connect(running.socket_url(role="activity")) as game,
        connect(running.socket_url(role="wizard", character="ada")) as wizard,
    ):
        await say(game, "subscribe", types=["*"])
        await hear(game, "subscribed")
        await say(wizard, "send", type="ActivityCommand", data={"command": "deal"}, ref=1)
        accepted = await hear(wizard, "accepted")
        message = await hear(game, "message")
        assert message["id"] == accepted["id"]
        await say(game, "received", id=message["id"])
        command = (await until(lambda: running.said("ActivityCommand")))[0]
        assert command.message == ActivityCommand(command="deal")
        await until(lambda: not len(running.server.gateway._orders))
        assert len(running.host._outbox) == 0
        assert running.said("ActionExpired") == []


async def test_a_wizards_action_is_delivered_end_to_end(make_running):
    broker, spoken = MemoryBroker(), []

    class Speaker(Module):
        """Performs what it is told to say."""

        @on(Speak)
        async def speak(self, message: Speak) -> None:
            spoken.append(message.text)

    def join(identity: Identity, **options: Any) -> MemoryBus:
        return MemoryBus(identity, broker, **options)

    running = await make_running(make_bus=join)
    speaker = ModuleHost(
        Speaker,
        Identity("hello-1", "ada", "speaker"),
        ModuleContext(clock=running.host.clock),
        lambda identity, will, everyone: join(
            identity, now=running.host.clock.now, will=will, hears_everyone=everyone
        ),
    )
    task = asyncio.create_task(speaker.run())
    await until(lambda: running.host.directory.receivers_of("Speak", "ada"))
    async with connect(running.socket_url(role="wizard", character="ada")) as wizard:
        await say(wizard, "send", type="Speak", data={"text": "Hello"}, ref=1)
        await hear(wizard, "accepted")
        await until(lambda: spoken == ["Hello"])
        await until(lambda: not len(running.host._outbox))
    speaker.stop()
    await task


async def test_a_hostile_page_gets_a_sentence_and_the_run_a_fault(running):
    async with connect(running.socket_url(role="participant", page="form")) as page:
        await hear(page, "hello")
        await say(page, "send", type="EmergencyRelease", ref=1)
        assert "may not send EmergencyRelease" in (await hear(page, "refused"))["why"]
        fault = (await until(lambda: running.said("ModuleFault")))[0].message
        assert fault.severity == "warning"
        assert fault.module == "world.gateway"
        assert fault.summary.startswith("page form (participant) was refused: a participant page")
        await page.send(b"\x00\xff")
        assert "binary" in (await hear(page, "refused"))["why"]
        for _ in range(30):
            await page.send("[" * 1000)
        with pytest.raises(ConnectionClosed) as closed:
            await hear(page, "nothing")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4429
    assert running.host.counters.malformed > 20
    assert not running.task.done()


async def test_a_frame_above_the_limit_ends_that_connection_only(running):
    async with (
        connect(running.socket_url(role="activity")) as big,
        connect(running.socket_url(role="activity")) as good,
    ):
        await hear(big, "hello")
        await big.send("x" * (1024 * 1024 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await hear(big, "nothing")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        await say(good, "send", type="Clicked", data={"element": "a"})
        await hear(good, "accepted")
    fault = (await until(lambda: running.said("ModuleFault")))[0].message
    assert "sent a frame above 1,048,576 bytes" in fault.summary


async def test_a_page_that_stops_reading_is_cut_off_and_the_others_go_on(running):
    text = "x" * 20_000
    count = 1200  # 24 MB: more than sockets and queue hold together
    async with connect(running.socket_url(role="observer")) as lively:
        await say(lively, "subscribe", types=["Speak"])
        await hear(lively, "subscribed")
        stuck = await stuck_page(running.server.port)
        await until(lambda: len(running.server.gateway.pages) == 2)
        await until(lambda: "Speak" in running.server.gateway.pages[1].subscriptions)
        for number in range(count):
            running.other.publish(Speak(text=f"{number} {text}"))
            message = await hear(lively, "message")
            assert message["data"]["text"].startswith(f"{number} ")
        await until(lambda: len(running.server.gateway.pages) == 1)
        stuck.close()
    faults = [one.message.summary for one in running.said("ModuleFault")]
    assert any("takes messages more slowly than they come" in fault for fault in faults)
    await until(lambda: not running.server._server.server_state.connections)


async def stuck_page(port: int) -> socket.socket:
    """A page that subscribes and then never reads again."""
    loop = asyncio.get_running_loop()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    raw.setblocking(False)
    await loop.sock_connect(raw, ("127.0.0.1", port))
    request = (
        "GET /ws?role=observer HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await loop.sock_sendall(raw, request.encode())
    await loop.sock_recv(raw, 4096)
    frame = b'{"subscribe":{"types":["Speak"]}}'
    await loop.sock_sendall(raw, bytes([0x81, 0x80 | len(frame), 0, 0, 0, 0]) + frame)
    return raw


async def test_it_stops_whatever_its_pages_do(running):
    stuck = await stuck_page(running.server.port)
    half_a_request = socket.create_connection(("127.0.0.1", running.server.port))
    half_a_request.sendall(b"GET / HTTP/1.1\r\nHost: x")
    async with connect(running.socket_url(role="observer")) as page:
        await hear(page, "hello")
        await until(lambda: len(running.server.gateway.pages) == 2)
        port = running.server.port
        running.host.stop()
        await asyncio.wait_for(running.task, PATIENCE_S)
        with pytest.raises(ConnectionClosed) as closed:
            await hear(page, "nothing")
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "the run has ended")
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", port)
    stuck.close()
    half_a_request.close()
    assert [fault.message.summary for fault in running.said("ModuleFault")] == []


async def test_a_port_that_is_taken_is_named_with_what_to_do(running, make_running):
    with pytest.raises(PagePortInUse, match=rf"127.0.0.1:{running.server.port} .* 0 for any"):
        await make_running(port=running.server.port)


async def test_a_host_that_is_no_address_is_named_with_what_to_do(make_running):
    with pytest.raises(PageServerError, match=r"'no\.such\.host\.invalid' is no address"):
        await make_running(host="no.such.host.invalid")


async def test_a_pages_folder_that_is_missing_is_named(make_running, tmp_path):
    with pytest.raises(FileNotFoundError, match="names no folder"):
        await make_running(folder=tmp_path, pages="forms")


async def test_away_from_loopback_every_role_needs_its_token(make_running, caplog):
    caplog.set_level(logging.INFO)
    running = await make_running(host="0.0.0.0")
    url = running.server.url_for(PageRole.WIZARD)
    assert url in caplog.text
    token = url.partition("?token=")[2]
    assert len(token) == 40
    for query in ({}, {"token": "x"}, {"token": token, "role": "participant"}):
        async with connect(running.socket_url(**{"role": "wizard", **query})) as page:
            assert "open the address that the run printed" in (await hear(page, "refused"))["why"]
            with pytest.raises(ConnectionClosed) as closed:
                await hear(page, "hello")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
    async with connect(running.socket_url(role="wizard", token=token)) as page:
        assert (await hear(page, "hello"))["role"] == "wizard"
    assert token not in "".join(str(envelope) for envelope in running.heard)


async def test_a_given_secret_makes_the_same_tokens_at_every_start(make_running):
    secret = "correct horse battery"
    urls = []
    for _ in range(2):
        running = await make_running(token=secret)
        urls.append(running.server.url_for(PageRole.ACTIVITY, "/pages/game.html"))
    assert urls[0].startswith("http://127.0.0.1:")
    assert "/pages/game.html?token=" in urls[0]
    assert urls[0].partition("?")[2] == urls[1].partition("?")[2]
    assert secret not in repr(running.host.module.settings)


def test_in_virtual_time_there_are_no_pages_and_what_they_should_do_is_reported_expired(
    gateway_class,
):
    async def play() -> list[str]:
        clock, broker = clocks.Clock(), MemoryBroker()
        other = MemoryBus(Identity("run", "ada", "mind"), broker, now=clock.now)
        await other.connect()
        heard: list[str] = []
        await other.subscribe(None, lambda one: heard.append(one.type), everyone=True)
        host = ModuleHost(
            gateway_class,
            Identity("run", "world", "gateway"),
            ModuleContext(clock=clock),
            lambda identity, will, everyone: MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=everyone
            ),
        )
        task = asyncio.create_task(host.run())
        await asyncio.sleep(1)
        other.publish(Highlight(element="a"))
        await asyncio.sleep(60)
        host.stop()
        await task
        return heard

    heard = clocks.run(play(), clock="virtual")
    assert "Receipt" in heard
    assert "ModuleFault" not in heard
    assert heard.count("ActionExpired") == 1
