"""Commands that join a run which is alive: monitor, send, module run."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sera.messages import PlayMedia
from sera.messages import _base as vocabulary
from sera.recording import LogReader
from tests.helpers import wait_until

DYING = '''"""A module."""
from sera import Module


class Dying(Module):
    """Dies soon."""

    async def run(self) -> None:
        await self.clock.sleep(0.2)
        raise RuntimeError("no more")
'''
NODDING = '''"""A module."""
from sera import Module, on
from sera.messages import PlayAnimation, SessionMark


class Nodding(Module):
    """Marks every animation that it is asked for."""

    class Settings(Module.Settings):
        label: str = "nod"
        deep: dict[str, int] = {}

    @on(PlayAnimation)
    async def mark(self, message: PlayAnimation) -> None:
        note = f"{message.animation} {self.settings.deep}"
        await self.publish(SessionMark(label=self.settings.label, note=note))
'''


class Alive:
    """A run that goes on for as long as the tests of this file need it."""

    def __init__(self, place, run) -> None:
        self.place = place
        self.run = run
        (self.file,) = Path(place.environment["XDG_RUNTIME_DIR"], "sera").glob("*.json")
        self.about = json.loads(self.file.read_text())
        self.id: str = self.about["run"]

    def sera(self, *arguments: object):
        return self.place.sera(*arguments)

    def send(self, *arguments: object, takers: str = ""):
        """Send an order until it is taken: one that a busy machine does not take soon expires."""

        def sent():
            done = self.sera("send", *arguments)
            return done if done.returncode == 0 and done.stdout.endswith(takers) else None

        return wait_until(sent, f"somebody who takes {arguments}")

    def recorded(self, message_type: str, fits, count: int = 1) -> list:
        """What the log holds of a type and fits, once there are so many."""
        log = Path(self.place.environment["SERA_RUNS"], self.id, "log.jsonl")

        def found() -> list | None:
            all_of_it = LogReader(log, restore=True)
            kept = [one for one in all_of_it if one.type == message_type and fits(one)]
            return kept if len(kept) >= count else None

        return wait_until(found, f"a record of {message_type}")


@pytest.fixture(scope="module")
def alive(tmp_path_factory, make_place) -> Iterator[Alive]:
    place = make_place(tmp_path_factory.mktemp("alive"))
    place.write("modules/nodding/__init__.py", NODDING)
    place.write("modules/dying/__init__.py", DYING)
    run = place.start("run", "hello", "--condition", "busy")
    try:
        run.wait_for("visitor_1 arrives")
        yield Alive(place, run)
    finally:
        run.kill()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_a_run_announces_itself_to_its_user_alone(alive):
    assert alive.about["scenario"] == "hello"
    assert alive.about["pid"] == alive.run.process.pid
    assert stat.S_IMODE(alive.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(alive.file.parent.stat().st_mode) == 0o700


# -- monitor --------------------------------------------------------------------------------


def test_monitor_finds_the_run_and_shows_what_fits(alive):
    seen = alive.sera("monitor", "--type", "BodySt*", "--count", 2)
    assert seen.returncode == 0
    lines = seen.stdout.splitlines()
    assert len(lines) == 2
    assert re.match(r"\d\d:\d\d:\d\d\.\d{3} BodyState +ada\.body +health=\"ok\"", lines[0])
    assert f"listening to run {alive.id} on mqtt://127.0.0.1:" in seen.stderr


def test_monitor_as_json_gives_a_line_a_message_with_the_run_and_nothing_else(alive):
    chosen = ("--source", "world.*", "--not", "HeadDir*", "--not", "PersonMoved")
    seen = alive.sera("monitor", "--json", "--count", 3, "--character", "world", *chosen)
    assert (seen.returncode, seen.stderr) == (0, "")
    messages = [json.loads(line) for line in seen.stdout.splitlines()]
    assert len(messages) == 3
    for message in messages:
        assert (message["run"], message["character"]) == (alive.id, "world")
        assert message["source"].startswith("world.")
        assert message["type"] not in ("HeadDirection", "PersonMoved")
        assert message["data"]


def test_monitor_shows_every_run_of_a_broker_and_payloads_that_are_no_messages(alive, start):
    broker = alive.about["broker"]
    monitor = alive.place.start("monitor", "--run", "*", "--broker", broker, "--type", "Broken*")
    monitor.wait_for("listening to every run")
    try:
        publish_raw(broker, "sera/some_run/world/BrokenThing/world.x", b"\xff{not json")
        line = monitor.wait_for("BrokenThing")
        assert re.match(r"--:--:--\.--- some_run BrokenThing +world\.x +malformed: .\{not", line)
        monitor.process.send_signal(signal.SIGINT)
        assert monitor.end() == 0
    finally:
        monitor.kill()


def publish_raw(broker: str, topic: str, payload: bytes) -> None:
    from paho.mqtt import publish

    from sera.bus import BrokerAddress

    address = BrokerAddress.parse(broker)
    publish.single(topic, payload, qos=1, hostname=address.host, port=address.port)


# -- send -----------------------------------------------------------------------------------


def test_send_says_who_took_an_action(alive):
    sent = alive.send("PerformUtterance", "text=Look here!")
    assert re.fullmatch(
        rf"sent PerformUtterance world\.send_\d+-\d+-\d+ in {alive.id} as ada's; "
        r"taken by ada\.behaviour\n",
        sent.stdout,
    )
    alive.run.wait_for("ada says: “Look here!”")


def test_send_takes_nested_fields_and_a_json_object(alive):
    sent = alive.send("Gaze", "direction.horizontal_deg=10", "--data", '{"speed": 2}', "--json")
    outcome = json.loads(sent.stdout)
    assert (outcome["type"], outcome["character"]) == ("Gaze", "ada")
    assert outcome["taken_by"] == ["ada.engine"]
    (record,) = alive.recorded("Gaze", lambda one: one.id == outcome["id"])
    assert record.data["direction"]["horizontal_deg"] == 10
    assert record.data["speed"] == 2


def test_send_fails_when_nobody_takes_the_action(alive, monkeypatch):
    monkeypatch.setattr(PlayMedia, "valid_for_s", 0.5)
    sent = alive.sera("send", "PlayMedia", "media=door")
    assert sent.returncode == 1
    assert sent.stdout == ""
    assert re.fullmatch(r"PlayMedia \S+ was not performed: no module takes it\n", sent.stderr)
    alive.run.wait_for("PlayMedia of world.send_")


def test_send_knows_the_messages_of_the_runs_own_modules(alive):
    for name in [name for name in sys.modules if name.startswith("modules.attention")]:
        del sys.modules[name]  # as in a process that has not imported it yet
    vocabulary._registry.pop("AttentionChanged", None)
    sent = alive.sera("send", "AttentionChanged", "person=guest", "attentive=true")
    assert sent.returncode == 0, sent.stderr
    alive.run.wait_for("guest looks at the robot")


def test_send_gives_facts_to_the_world_and_keeps_a_state_for_a_while(alive):
    fact = alive.sera("send", "PersonDetected", "person=guest_7")
    assert fact.returncode == 0
    alive.run.wait_for("guest_7 arrives")
    state = alive.sera("send", "BodyState", "health=warning", "problem=hot", "--wait", 0.2)
    assert "a State lasts as long as its sender" in state.stdout
    alive.run.wait_for("ada's body is warning: hot")


def test_send_to_a_character_who_is_not_there_names_those_who_are(alive):
    sent = alive.sera("send", "GazeAt", "target=x", "--character", "adda")
    assert sent.returncode == 2
    assert "no module of a character 'adda' is in the run; did you mean 'ada'?" in sent.stderr


# -- module run -----------------------------------------------------------------------------


def test_a_module_joins_by_its_broker_alone_with_settings_and_leaves_on_ctrl_c(alive):
    broker = alive.about["broker"]
    arguments = ("nodding", "-c", "ada", "--name", "nod_2", "--set", "label=nodded")
    module = alive.place.start(
        "module", "run", *arguments, "--set", "deep.er=3", "--broker", broker, "--verbose"
    )
    try:
        module.wait_for(f"ada.nod_2 takes part in the run {alive.id}")
        module.wait_for("this machine's clock is")
        takers = "taken by ada.engine, ada.nod_2\n"
        alive.send("PlayAnimation", "animation=nod", takers=takers)
        alive.run.wait_for("mark: nodded: nod {'er': 3}")
        module.process.send_signal(signal.SIGINT)
        assert module.end() == 0
        assert module.lines[-1] == "ada.nod_2 has left: Ctrl-C"
    finally:
        module.kill()
    ours = lambda one: one.source == "ada.nod_2"  # noqa: E731
    told = [one.data for one in alive.recorded("ModulePresence", ours, 3)]
    assert [data["status"] for data in told] == ["starting", "present", "stopped"]
    assert told[1]["process_id"] == module.process.pid
    assert told[1]["host"]
    (offset,) = [one.data for one in alive.recorded("ClockOffset", ours)]
    # The clock is the same; what is measured may be off by half of the way there and back.
    assert abs(offset["offset_s"]) <= offset["round_trip_s"] / 2 + 1e-3
    assert offset["probes"] == 5


def test_a_module_that_is_in_the_run_already_is_refused(alive):
    refused = alive.sera("module", "run", "greeter", "--character", "ada")
    assert refused.returncode == 2
    assert f"ada.greeter is in the run {alive.id} already" in refused.stderr
    assert "give another name with --name" in refused.stderr


def test_a_module_that_dies_says_so_with_its_own_exit_code(alive):
    died = alive.sera("module", "run", "dying", "-c", "ada")
    assert died.returncode == 3
    assert died.stderr.splitlines()[-1] == "ada.dying died: RuntimeError: no more"
    assert "Traceback" not in died.stderr
    alive.run.wait_for("fault in ada.dying: run: RuntimeError: no more")


def test_an_unknown_run_is_answered_with_those_that_are_alive(alive):
    wrong = alive.sera("monitor", "--run", alive.id[:-1])
    assert wrong.returncode == 2
    assert f"did you mean '{alive.id}'?" in wrong.stderr
    there = alive.sera("monitor", "--run", "other", "--broker", alive.about["broker"])
    assert there.returncode == 2
    assert "no run 'other' is alive on the broker" in there.stderr
    assert f"{alive.id} (" in there.stderr


def test_of_several_runs_one_must_be_chosen(alive, tmp_path):
    other = alive.file.with_name("other_run.json")
    about = {**alive.about, "run": "other_run", "scenario": "other"}
    other.write_text(json.dumps(about))
    try:
        sent = alive.sera("send", "PersonDetected", "person=x")
    finally:
        other.unlink()
    assert sent.returncode == 2
    assert "several runs are alive, choose one with --run ID:" in sent.stderr
    assert "other_run (scenario other, since" in sent.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_at_the_end_everybody_leaves_with_the_run(alive):
    """The last test of this file: it ends the run."""
    module = alive.place.start("module", "run", "nodding", "-c", "ada")
    monitor = alive.place.start("monitor", "--type", "RunEnding")
    try:
        module.wait_for("takes part in")
        monitor.wait_for("listening to run")
        alive.run.process.send_signal(signal.SIGTERM)
        assert alive.run.end() == 143
        assert module.end() == 0
        assert "the run has ended: it was stopped with SIGTERM" in module.lines[-1]
        assert monitor.end() == 0
        assert 'outcome="stopped"' in monitor.lines[-1]
    finally:
        module.kill()
        monitor.kill()
    assert not alive.file.exists()
