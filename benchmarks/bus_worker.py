"""One process of the bus benchmark: `python -m benchmarks.bus_worker PEER ROLE PORT COUNT CLIENTS`.

Roles: `sink` counts what it receives, `source` sends, `echo` answers, `ping` measures round trips.
Every process says `ready`, waits for a line on its standard input, and ends with one JSON line.
Times are from the machine's monotonic clock, which all processes share.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

HEAD = "sera/bench/ada"
PING = f"{HEAD}/JointFrame/ada.source"
PONG = f"{HEAD}/JointFrame/ada.echo"
SMALL = 64 * 1024


class Link(NamedTuple):
    """A connected client: how to send, how to wait until the socket has taken it, how to end."""

    send: Callable[[], Any]
    drain: Callable[[], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


def frame() -> Any:
    """A typed message of about 1 KB on the wire: 25 joints of a humanoid."""
    from sera.messages import JointFrame

    return JointFrame(joints_rad={f"joint_number_{n:02d}": 0.1234567 * n - 1.5 for n in range(25)})


def payload() -> bytes:
    """The same bytes for the bare clients."""
    from sera.bus import encode
    from sera.messages import Envelope

    return encode(Envelope(frame(), "ada.source-1-1", 1763250000.123456, "ada.source", "ada"))


async def _nothing() -> None:
    return None


async def open_paho(port: int, name: str, hear: str | None, say: str, got: Any) -> Link:
    import paho.mqtt.client as mqtt

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name)
    subscribed = asyncio.Event()
    loop = asyncio.get_running_loop()
    client.on_subscribe = lambda *_: loop.call_soon_threadsafe(subscribed.set)
    client.on_message = lambda *_: got()
    client.connect("127.0.0.1", port)
    client.loop_start()
    if hear:
        client.subscribe(hear)
        await subscribed.wait()
    body = payload()

    async def drain() -> None:  # its own thread sends: only wait while it is far behind
        while client._out_packet and len(client._out_packet) > 200:
            await asyncio.sleep(0)

    async def close() -> None:
        client.disconnect()
        client.loop_stop()

    return Link(lambda: client.publish(say, body), drain, close)


async def open_gmqtt(port: int, name: str, hear: str | None, say: str, got: Any) -> Link:
    from gmqtt import Client
    from gmqtt.mqtt.constants import MQTTv311

    client = Client(name)
    subscribed = asyncio.Event()
    client.on_subscribe = lambda *_: subscribed.set()
    client.on_message = lambda *_: got()
    await client.connect("127.0.0.1", port, version=MQTTv311)
    if hear:
        client.subscribe(hear)
        await subscribed.wait()
    body = payload()
    transport = client._connection._transport

    async def drain() -> None:
        while transport.get_write_buffer_size() > SMALL:
            await asyncio.sleep(0)

    return Link(lambda: client.publish(say, body), drain, client.disconnect)


async def open_aiomqtt(port: int, name: str, hear: str | None, say: str, got: Any) -> Link:
    import aiomqtt

    client = aiomqtt.Client("127.0.0.1", port, identifier=name)
    await client.__aenter__()
    task = None
    if hear:
        await client.subscribe(hear)

        async def listen() -> None:
            async for _ in client.messages:
                answer = got()
                if answer is not None:
                    await answer

        task = asyncio.create_task(listen())
    body = payload()

    async def close() -> None:
        if task is not None:
            task.cancel()
        await client.__aexit__(None, None, None)

    return Link(lambda: client.publish(say, body), _nothing, close)


async def open_sera(port: int, name: str, hear: str | None, _say: str, got: Any) -> Link:
    from sera.bus import BrokerAddress, Identity, MqttBus
    from sera.messages import JointFrame

    identity = Identity("bench", "ada", name, 1)
    bus = MqttBus(identity, BrokerAddress(port=port), now=time.time)
    await bus.connect()
    if hear:
        await bus.subscribe([JointFrame], lambda _: got())
    message = frame()
    return Link(lambda: bus.publish(message), lambda: bus.drain(SMALL), bus.close)


PEERS = {
    "paho": open_paho,
    "gmqtt": open_gmqtt,
    "aiomqtt": open_aiomqtt,
    "sera": open_sera,
    "sera_plain": open_sera,  # the same on asyncio's own loop
}


async def sink(peer: str, port: int, count: int, clients: int) -> dict[str, float]:
    """Count until every client has everything."""
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    last_s = 0.0
    # One count for each client: paho calls from a thread for each of them.
    counters = [0] * clients

    def counter(index: int) -> Callable[[], None]:
        def count_one() -> None:
            nonlocal last_s
            counters[index] += 1
            if counters[index] == count and all(value >= count for value in counters):
                last_s = time.monotonic()
                loop.call_soon_threadsafe(done.set)

        return count_one

    opened = [
        await PEERS[peer](port, f"sink{index}", PING, PONG, counter(index))
        for index in range(clients)
    ]
    await ready()
    cpu_s = time.process_time()
    await asyncio.wait_for(done.wait(), 60)
    cpu_s = time.process_time() - cpu_s
    for link in opened:
        await link.close()
    return {"last_s": last_s, "cpu_s": cpu_s}


async def source(peer: str, port: int, count: int, _clients: int) -> dict[str, float]:
    """Send as fast as the socket takes it."""
    link = await PEERS[peer](port, "source", None, PING, lambda: None)
    await ready()
    first_s, cpu_s = time.monotonic(), time.process_time()
    for number in range(count):
        sent = link.send()
        if peer == "aiomqtt":
            await sent
        if number % 20 == 19:
            await link.drain()
            await asyncio.sleep(0)
    cpu_s = time.process_time() - cpu_s
    await sys_stdin_line()
    await link.close()
    return {"first_s": first_s, "cpu_s": cpu_s}


async def echo(peer: str, port: int, _count: int, _clients: int) -> dict[str, float]:
    """Answer every message."""
    link: Link | None = None

    def got() -> Any:
        assert link is not None
        answer = link.send()
        return answer if peer == "aiomqtt" else None

    link = await PEERS[peer](port, "echo", PING, PONG, got)
    await ready()
    await sys_stdin_line()
    await link.close()
    return {}


async def ping(peer: str, port: int, count: int, _clients: int) -> dict[str, float]:
    """One message at a time, there and back; driven from the client's own callback."""
    times: list[float] = []
    sent_s = 0.0
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    link: Link | None = None

    def got() -> Any:
        nonlocal sent_s
        now = time.perf_counter()
        times.append(now - sent_s)
        if len(times) >= count:
            loop.call_soon_threadsafe(done.set)
            return None
        sent_s = time.perf_counter()
        assert link is not None
        answer = link.send()
        return answer if peer == "aiomqtt" else None

    link = await PEERS[peer](port, "source", PONG, PING, got)
    await ready()
    sent_s = time.perf_counter()
    first = link.send()
    if peer == "aiomqtt":
        await first
    await asyncio.wait_for(done.wait(), 60)
    await link.close()
    times = sorted(times[len(times) // 20 :])  # the first twentieth warms up
    return {"p50_s": times[len(times) // 2], "p99_s": times[int(len(times) * 0.99)]}


async def sys_stdin_line() -> None:
    await asyncio.to_thread(sys.stdin.readline)


async def ready() -> None:
    print("ready", flush=True)
    await sys_stdin_line()


def main() -> None:
    peer, role, port, count, clients = sys.argv[1:6]
    work = {"sink": sink, "source": source, "echo": echo, "ping": ping}[role]
    run: Any = asyncio.run
    if peer != "sera_plain":
        try:
            import uvloop

            run = uvloop.run
        except ImportError:
            pass
    print(json.dumps(run(work(peer, int(port), int(count), int(clients)))), flush=True)


if __name__ == "__main__":
    main()
