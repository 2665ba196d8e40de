"""The live table and the summary, drawn without a terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from sera.cli._live_table import Surroundings, clock_text, live_table
from sera.cli._summary import summary_lines
from sera.messages import Envelope, Message, ModuleFault, ModulePresence, PersonLost
from sera.runtime.board import Board
from sera.runtime.launcher import RunSummary


class Drawing:
    """A board with a clock that is set by hand, and how it looks."""

    def __init__(self) -> None:
        self.now_s = 10.0
        self.board = Board(lambda: self.now_s)
        self._sequence = 0

    def see(self, message: Message, source: str) -> None:
        self._sequence += 1
        identity = f"{source}-1-{self._sequence}"
        self.board.see(Envelope(message, identity, self.now_s, source, source.partition(".")[0]))

    def draw(self, *, stopping: bool = False, log: str | None = "runs/x/log.jsonl") -> list[str]:
        about = Surroundings("Hello", "busy", "scaled", "mosquitto at x", 75.0, log, stopping)
        console = Console(width=100, color_system=None)
        with console.capture() as capture:
            console.print(live_table(self.board, about, self.now_s))
        return [line.rstrip() for line in capture.get().splitlines()]


def present(status: str = "present", role: str = "decision", boot: int = 1) -> ModulePresence:
    return ModulePresence(status=status, role=role, boot=boot)


def test_the_table_shows_status_messages_rate_faults_and_restarts():
    drawing = Drawing()
    drawing.see(present(), "ada.mind")
    drawing.see(present(boot=2), "ada.mind")
    drawing.see(present("lost"), "world.eyes")
    for _ in range(6):
        drawing.see(PersonLost(person="v"), "world.eyes")
    drawing.see(ModuleFault(module="ada.mind", summary="x"), "ada.mind")
    lines = drawing.draw()
    assert lines[1] == "Hello  condition busy  1:15  scaled time  mosquitto at x"
    assert " ".join(lines[2].split()) == "module status messages per second faults restarts"
    assert lines[3].split() == ["ada.mind", "present", "1", "0.5", "1", "1"]
    assert lines[4].split() == ["world.eyes", "lost", "6", "3.0", "-", "-"]
    assert lines[5] == "10 messages · log runs/x/log.jsonl · Ctrl-C stops"


def test_rates_fade_when_nothing_comes_any_more():
    drawing = Drawing()
    drawing.see(PersonLost(person="v"), "world.eyes")
    drawing.now_s += 5.0
    assert drawing.draw()[3].split()[3] == "0.0"


def test_the_supervisor_and_senders_of_a_moment_are_left_out_unless_something_is_wrong():
    drawing = Drawing()
    drawing.see(present(role="supervisor"), "world.supervisor")
    drawing.see(present("stopped", role="wizard"), "world.send_12")
    drawing.see(present("stopped", role="decision"), "ada.mind")
    table = "\n".join(drawing.draw(stopping=True, log=None))
    assert "supervisor" not in table
    assert "send_12" not in table
    assert "ada.mind" in table
    assert "not recorded · stopping …" in table
    drawing.see(ModuleFault(module="world.supervisor", summary="x"), "world.supervisor")
    assert "world.supervisor" in "\n".join(drawing.draw())


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (60, "1:00"), (3599.9, "59:59"), (3725, "1:02:05")],
)
def test_times_are_written_as_people_read_them(seconds, text):
    assert clock_text(seconds) == text


def summary(**changes) -> RunSummary:
    fields = {
        "scenario": "hello",
        "run": "hello_1",
        "condition": None,
        "seed": 1,
        "clock": "virtual",
        "outcome": "completed",
        "reason": "the visitor has left",
        "duration_s": 20.7,
        "messages": 1282,
        "by_type": {"GazeAt": 1282},
        "modules": ["ada.mind"],
        "restarts": {},
        "expired": 0,
        "faults": [],
        "broker": "in memory",
        "log": None,
    }
    return RunSummary(**{**fields, **changes})


def test_a_sound_run_is_summed_up_in_two_lines():
    head, counts = [line for line, _style in summary_lines(summary(), 0.08)][1:]
    assert head == "hello completed after 20.7 s of virtual time in 0.1 s: the visitor has left"
    assert counts == (
        "  1,282 messages of 1 types, 1 module, no faults, no warnings, no restarts, "
        "no expired Actions"
    )


def test_a_failed_run_shows_its_faults_and_how_to_see_the_rest(tmp_path):
    fault = {"module": "ada.mind", "severity": "error", "summary": "ada.mind: broken"}
    lines = summary_lines(
        summary(faults=[fault] * 12, restarts={"ada.mind": 2}, log=str(tmp_path / "x.jsonl")), 1.0
    )
    texts = [line for line, _style in lines]
    assert lines[1][1] == "bold red"
    assert "12 faults, no warnings, 2 restarts" in texts[2]
    assert texts[3:13] == ["  error in ada.mind: broken"] * 10
    assert texts[13] == "  … and 2 more: `sera log show --type ModuleFault`"
    assert texts[14].endswith(f"(`sera log show {tmp_path / 'x.jsonl'}` shows it)")


def test_what_did_not_go_smoothly_is_summed_up_and_a_smooth_run_says_nothing_of_it():
    counters = {"ada.body": {"resent": 1200, "handled": 5}, "ada.mind": {"resent": 34, "lost": 1}}
    rough = [line for line, _ in summary_lines(summary(counters=counters), 1.0)]
    assert "  on the way: 1,234 sent again, 1 Events lost" in rough
    smooth = [line for line, _ in summary_lines(summary(), 1.0)]
    assert not any("on the way" in line for line in smooth)
