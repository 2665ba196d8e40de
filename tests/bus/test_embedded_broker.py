"""The embedded broker, both kinds: starting, dying, coming back, and who may come in."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from sera.bus import _broker_child
from sera.bus._broker import BrokerFailed, BrokerRestarted, EmbeddedBroker
from sera.bus._broker_child import choose_kind, mosquitto_settings
from sera.bus._broker_errors import BrokerMissing, PortInUse
from sera.bus._broker_ports import Endpoint, answers, needs_credentials
from tests.helpers import until

posix_only = pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX matter")


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_it_answers_on_a_free_loopback_port_and_is_gone_after_stop(broker_kind, tmp_path):
    broker = EmbeddedBroker(prefer=broker_kind, folder=tmp_path)
    await broker.start()
    endpoint = Endpoint("127.0.0.1", broker.port)
    assert broker.kind == broker_kind
    assert broker.url == f"mqtt://127.0.0.1:{broker.port}"
    assert broker.port > 1023
    assert (broker.username, broker.password, broker.restarts) == (None, None, 0)
    assert await answers(endpoint) == 0
    assert list(tmp_path.iterdir()) == [], "settings stay on disk only while the child starts"

    pid = broker.pid
    await broker.stop()
    assert not is_running(pid)
    assert await answers(endpoint) is None
    await broker.stop()  # harmless


async def test_two_brokers_run_side_by_side(broker_kind):
    async with EmbeddedBroker(prefer=broker_kind) as one, EmbeddedBroker(prefer=broker_kind) as two:
        assert one.port != two.port
        assert one.pid != two.pid


async def test_it_listens_on_loopback_only(broker_kind):
    async with EmbeddedBroker(prefer=broker_kind) as broker:
        listening = {
            connection.laddr.ip
            for connection in psutil.Process(broker.pid).net_connections(kind="tcp")
            if connection.status == psutil.CONN_LISTEN
        }
        assert listening == {"127.0.0.1"}


@posix_only
async def test_ctrl_c_in_the_terminal_does_not_reach_it_before_the_modules_said_good_bye(
    broker_kind,
):
    async with EmbeddedBroker(prefer=broker_kind) as broker:
        assert os.getpgid(broker.pid) != os.getpgid(0)
        assert os.getsid(broker.pid) != os.getsid(0)


@posix_only
async def test_after_kill_9_it_is_back_on_the_same_port(broker_kind):
    reports: list[BrokerRestarted] = []
    async with EmbeddedBroker(prefer=broker_kind, on_restart=reports.append) as broker:
        port, first_pid = broker.port, broker.pid
        os.kill(first_pid, signal.SIGKILL)
        await until(lambda: bool(reports))
        assert broker.port == port
        assert broker.pid != first_pid
        assert broker.restarts == 1
        assert await answers(Endpoint("127.0.0.1", port)) == 0
        assert reports[0].reason == "it was ended by SIGKILL"
        assert reports[0].attempts == 1
        assert reports[0].down_s > 0


@posix_only
async def test_a_broker_that_keeps_dying_is_given_up_and_reported():
    failures: list[BrokerFailed] = []
    broker = EmbeddedBroker(prefer="amqtt", max_restarts=1, on_failure=failures.append)
    async with broker:
        os.kill(broker.pid, signal.SIGKILL)
        await until(lambda: broker.restarts == 1)
        os.kill(broker.pid, signal.SIGKILL)
        await until(lambda: bool(failures))
        assert broker.failure == failures[0].reason
        assert "more than 1 times" in failures[0].reason
        assert "SIGKILL" in failures[0].reason
        assert failures[0].restarts == 1


@posix_only
async def test_a_listener_that_raises_does_not_end_the_supervision():
    def cannot_listen(_: BrokerRestarted) -> None:
        raise RuntimeError("not now")

    async with EmbeddedBroker(prefer="amqtt", on_restart=cannot_listen) as broker:
        for expected in (1, 2):
            os.kill(broker.pid, signal.SIGKILL)
            await until(lambda expected=expected: broker.restarts == expected)


async def test_a_port_in_use_is_named_with_its_user_and_a_way_out(broker_kind):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse) as raised:
            await EmbeddedBroker(prefer=broker_kind, port=port).start()
    sentence = str(raised.value)
    assert f"port {port} is in use" in sentence
    assert f"process {os.getpid()}" in sentence
    assert "give another port" in sentence


async def test_a_child_that_loses_the_race_for_its_port_says_so(broker_kind, monkeypatch):
    monkeypatch.setattr("sera.bus._broker.require_free", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"port {port} is in use"):
            await EmbeddedBroker(prefer=broker_kind, port=port).start()


async def test_where_the_chosen_port_is_snatched_another_one_is_tried(broker_kind, monkeypatch):
    monkeypatch.setattr("sera.bus._broker.require_free", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken_port = taken.getsockname()[1]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            other_port = probe.getsockname()[1]
        ports = iter((taken_port, other_port))
        monkeypatch.setattr("sera.bus._broker.free_port", lambda _: next(ports))
        async with EmbeddedBroker(prefer=broker_kind) as broker:
            assert broker.port == other_port


async def test_a_given_port_is_used(broker_kind):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with EmbeddedBroker(prefer=broker_kind, port=port) as broker:
        assert broker.url == f"mqtt://127.0.0.1:{port}"


async def test_with_credentials_only_the_right_ones_come_in(broker_kind):
    broker = EmbeddedBroker(prefer=broker_kind, username="lab", password="opensésame $7$:x")
    async with broker:
        right = Endpoint("127.0.0.1", broker.port, "lab", "opensésame $7$:x")
        refused = 5
        assert await answers(right) == 0
        assert await answers(Endpoint("127.0.0.1", broker.port)) == refused
        assert await answers(Endpoint("127.0.0.1", broker.port, "lab", "wrong")) == refused
        assert await answers(Endpoint("127.0.0.1", broker.port, "lab")) == refused
        assert await answers(Endpoint("127.0.0.1", broker.port, "bal", right.password)) == refused


async def test_a_user_name_without_password_gets_one_that_is_made_up(broker_kind):
    async with EmbeddedBroker(prefer=broker_kind, username="lab") as broker:
        assert broker.password is not None
        assert len(broker.password) >= 20
        mine = Endpoint("127.0.0.1", broker.port, "lab", broker.password)
        assert await answers(mine) == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "localhost", "::1"])
def test_loopback_needs_no_credentials(host):
    assert not needs_credentials(host)
    assert EmbeddedBroker(host=host).username is None


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "192.168.1.20", "robot-lab.local", "10.0.0.1"]
)
def test_elsewhere_credentials_are_required_and_made_up(host):
    assert needs_credentials(host)
    one, two = EmbeddedBroker(host=host), EmbeddedBroker(host=host)
    assert one.username == two.username == "sera"
    assert one.password is not None
    assert one.password != two.password


def test_mosquittos_settings_refuse_strangers_when_there_is_a_password_file():
    closed = mosquitto_settings(Endpoint("0.0.0.0", 1884, "a", "b"), Path("passwords")).splitlines()
    assert "listener 1884 0.0.0.0" in closed
    assert "allow_anonymous false" in closed
    assert "password_file passwords" in closed
    opened = mosquitto_settings(Endpoint("127.0.0.1", 1884), None).splitlines()
    assert "listener 1884 127.0.0.1" in opened
    assert "allow_anonymous true" in opened


def test_a_child_without_credentials_is_never_started_elsewhere(tmp_path):
    with pytest.raises(ValueError, match="needs a user name and a password"):
        _broker_child.BrokerChild("amqtt", Endpoint("0.0.0.0", 1884), tmp_path)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"password": "x"}, "password without a user name"),
        ({"username": "a:b", "password": "x"}, "must not be empty nor contain ':'"),
        ({"username": "a", "password": ""}, "has no password"),
        ({"port": 70000}, "from 1 to 65535"),
    ],
)
def test_impossible_wishes_are_refused_at_once(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        EmbeddedBroker(**arguments)


def test_an_unknown_kind_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="'auto', 'mosquitto' or 'amqtt'"):
        choose_kind("hivemq")  # type: ignore[arg-type]


def test_mosquitto_is_preferred_and_amqtt_takes_its_place(monkeypatch):
    monkeypatch.setattr(_broker_child, "find_mosquitto", lambda: Path("/usr/sbin/mosquitto"))
    assert choose_kind("auto") == "mosquitto"
    assert choose_kind("amqtt") == "amqtt"
    monkeypatch.setattr(_broker_child, "find_mosquitto", lambda: None)
    assert choose_kind("auto") == "amqtt"
    with pytest.raises(BrokerMissing, match="apt install mosquitto"):
        choose_kind("mosquitto")
    monkeypatch.setattr(_broker_child, "has_amqtt", lambda: False)
    with pytest.raises(BrokerMissing, match="pip install amqtt"):
        choose_kind("auto")


@posix_only
async def test_a_mosquitto_that_cannot_start_gives_way_to_amqtt(monkeypatch, tmp_path):
    broken = tmp_path / "mosquitto"
    broken.write_text("#!/bin/sh\necho 'Error: Unknown configuration variable' >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(_broker_child, "find_mosquitto", lambda: broken)
    async with EmbeddedBroker() as broker:
        assert broker.kind == "amqtt"


PARENT = """
    import asyncio, sys
    from sera.bus._broker import EmbeddedBroker

    async def main():
        async with EmbeddedBroker(prefer=sys.argv[1]) as broker:
            print(broker.pid, broker.port, flush=True)
            await asyncio.sleep(3600)

    asyncio.run(main())
"""


@posix_only
async def test_after_kill_9_of_the_parent_no_broker_is_left(broker_kind, tmp_path):
    parent = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", textwrap.dedent(PARENT), broker_kind],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        assert parent.stdout is not None
        pid, port = map(int, parent.stdout.readline().split())
        assert is_running(pid)
        assert await answers(Endpoint("127.0.0.1", port)) == 0
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    await until(lambda: not is_running(pid))
    assert list(tmp_path.iterdir()) == []


@posix_only
@pytest.mark.needs_program("mosquitto")
async def test_the_watcher_of_other_systems_keeps_the_same_promises(monkeypatch):
    monkeypatch.setattr(_broker_child.sys, "platform", "darwin")
    reports: list[BrokerRestarted] = []
    async with EmbeddedBroker(prefer="mosquitto", on_restart=reports.append) as broker:
        child = broker._child
        assert child is not None
        assert child._process is not None
        watcher, first_pid = child._process.pid, broker.pid
        assert psutil.Process(first_pid).name() == "mosquitto"
        assert psutil.Process(first_pid).ppid() == watcher

        os.kill(first_pid, signal.SIGKILL)
        await until(lambda: len(reports) == 1)
        second_pid = broker.pid

        os.kill(broker._child._process.pid, signal.SIGKILL)
        await until(lambda: len(reports) == 2)
        assert not is_running(second_pid), "the broker of a killed watcher is ended as well"
        third_pid = broker.pid
    assert not is_running(third_pid)


@posix_only
def test_the_watched_broker_ends_with_its_input():
    hold = Path(_broker_child._HOLD)
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", hold, "watch", "0", "/bin/sleep", "3600"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdin is not None
    assert watcher.stdout is not None
    pid = int(watcher.stdout.readline())
    assert is_running(pid)
    watcher.stdin.close()
    assert watcher.wait() == 128 + signal.SIGKILL
    assert not is_running(pid)
    watcher.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop has no Windows build")
def test_it_runs_under_uvloop_too(broker_kind):
    import uvloop

    async def main() -> int | None:
        async with EmbeddedBroker(prefer=broker_kind) as broker:
            os.kill(broker.pid, signal.SIGKILL)
            await until(lambda: broker.restarts == 1)
            return await answers(Endpoint("127.0.0.1", broker.port))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main()) == 0
