"""The board of a run: pure bookkeeping for views."""

from __future__ import annotations

import pytest

from sera.messages import (
    ActionExpired,
    Envelope,
    Message,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    Receipt,
    Severity,
    SpeechWord,
)
from sera.runtime.board import FAULTS_KEPT, Board


class Watch:
    """A board with a clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.board = Board(lambda: self.now_s)
        self._sequence = 0

    def see(self, message: Message, source: str = "ada.voice") -> None:
        self._sequence += 1
        identity = f"{source}-0-{self._sequence}"
        self.board.see(Envelope(message, identity, self.now_s, source, "ada"))


def word() -> SpeechWord:
    return SpeechWord(speech="s", index=0, text="t", start_s=0.0)


def fault(severity: str = "error", module: str = "ada.voice") -> ModuleFault:
    return ModuleFault(module=module, summary="something", severity=Severity(severity))


def test_messages_are_counted_by_type_and_by_module():
    watch = Watch()
    for _ in range(3):
        watch.see(word())
    watch.see(word(), "ada.other")
    watch.see(Receipt(ids=["ada.mind-0-1"]))
    watch.see(ModuleCounters(counts={"handled": 7}))
    assert watch.board.by_type == {"SpeechWord": 4, "Receipt": 1, "ModuleCounters": 1}
    assert watch.board.total == 6
    line = watch.board.modules["ada.voice"]
    assert line.messages == 3, "what the runtime says for a module is not the module's"
    assert line.counts == {"handled": 7}


def test_rates_are_those_of_the_last_two_seconds():
    watch = Watch()
    for number in range(20):
        watch.now_s = 0.05 + number * 0.1
        watch.see(word())
    line = watch.board.modules["ada.voice"]
    assert line.rate_hz(2.0) == pytest.approx(10.0)
    assert line.rate_hz(3.0) == pytest.approx(5.0)
    assert line.rate_hz(62.0) == 0.0
    assert len(line.recent) == 0


def test_presence_shows_status_role_and_restarts():
    watch = Watch()
    for status, boot in (
        ("starting", 10),
        ("present", 10),
        ("lost", 10),
        ("starting", 11),
        ("present", 11),
        ("lost", 10),  # a will that a broker executed late
    ):
        watch.see(ModulePresence(status=status, boot=boot, role="behaviour"))
    line = watch.board.modules["ada.voice"]
    assert (line.status, line.role, line.restarts) == ("present", "behaviour", 1)
    watch.see(ModulePresence(status="stopped", boot=11, role="behaviour"))
    assert line.status == "stopped"


def test_faults_are_counted_kept_up_to_a_limit_and_laid_at_the_right_door():
    watch = Watch()
    watch.see(fault("warning", module="ada.camera"), "world.recorder")
    watch.see(fault())
    for _ in range(FAULTS_KEPT + 50):
        watch.see(fault("warning"))
    board = watch.board
    assert board.fault_count == FAULTS_KEPT + 52
    assert len(board.faults) == FAULTS_KEPT
    assert [each.severity for each in board.errors] == ["error"]
    assert board.modules["ada.camera"].faults == 1
    assert board.modules["world.recorder"].faults == 0


def test_expired_actions_are_counted():
    watch = Watch()
    watch.see(
        ActionExpired(
            action="ada.mind-0-1",
            action_type="GazeAt",
            sender="ada.mind",
            reason="no_receiver",
            age_s=1.0,
        )
    )
    assert watch.board.expired == 1
