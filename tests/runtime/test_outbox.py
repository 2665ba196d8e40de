"""The sender's half of delivery."""

from __future__ import annotations

import pytest

from sera.bus import Counters, PayloadTooLarge
from sera.messages import (
    CancelUtterance,
    EmergencyStop,
    Envelope,
    GazeAt,
    ModulePresence,
    SessionMark,
    SetGazePolicy,
)
from sera.runtime._directory import Directory
from sera.runtime._outbox import (
    ALREADY_DONE,
    PATIENCE_S,
    RESEND_AFTER_S,
    SETTLE_S,
    Outbox,
    OutboxFull,
)

ALL = ["GazeAt", "CancelUtterance", "SessionMark", "SetGazePolicy", "EmergencyStop"]


class Desk:
    """An outbox with a clock that is set by hand and a network that takes down everything."""

    def __init__(self, *, limit: int = 512) -> None:
        self.now_s = 100.0
        self.connected = True
        self.too_large = False
        self.sent: list[Envelope] = []
        self.expired: list[tuple[str, str, str | None]] = []
        self.counters = Counters()
        self.directory = Directory()
        self.outbox = Outbox(
            self.directory,
            now=lambda: self.now_s,
            send=self._send,
            connected=lambda: self.connected,
            expire=lambda envelope, reason, who: self.expired.append(
                (envelope.id, str(reason), who)
            ),
            counters=self.counters,
            limit=limit,
        )
        self._sequence = 0

    def _send(self, envelope: Envelope) -> None:
        if self.too_large:
            raise PayloadTooLarge(envelope.type, 2**21)
        self.sent.append(envelope)

    def see(self, source: str, status: str = "present", *, boot: int = 0, handles=tuple(ALL)):
        presence = ModulePresence(status=status, boot=boot, handles=list(handles))
        self.directory.update(Envelope(presence, f"{source}-{boot}-0", 0.0, source, "ada"))
        self.outbox.presence_changed(source)

    def order(self, action=None, *, character: str = "ada") -> str:
        self._sequence += 1
        identity = f"ada.mind-5-{self._sequence}"
        action = action or GazeAt(target="p")
        self.outbox.add(Envelope(action, identity, self.now_s, "ada.mind", character))
        return identity

    def pass_time(self, duration_s: float, step_s: float = 0.1) -> None:
        end_s = self.now_s + duration_s
        while self.now_s < end_s:
            self.now_s = min(end_s, self.now_s + step_s)
            self.outbox.tick()

    def sent_since(self, mark: int) -> list[tuple[int, dict[str, int] | None]]:
        return [(int(e.id.rsplit("-", 1)[1]), e.after) for e in self.sent[mark:]]


def test_an_action_is_kept_until_every_receiver_has_answered():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    action = desk.order()
    assert len(desk.outbox) == 1
    desk.outbox.receipt("ada.body", [action])
    assert len(desk.outbox) == 1
    desk.outbox.receipt("ada.eyes", [action])
    assert len(desk.outbox) == 0
    desk.pass_time(60)
    assert len(desk.sent) == 1
    assert desk.expired == []


def test_an_unanswered_action_is_sent_again_with_growing_pauses():
    desk = Desk()
    desk.see("ada.body")
    desk.order(SessionMark(label="m"))
    times = []
    for _ in range(1000):
        before = len(desk.sent)
        desk.now_s += 0.01
        desk.outbox.tick()
        if len(desk.sent) > before:
            times.append(desk.now_s)
    gaps = [later - earlier for earlier, later in zip([100.0, *times], times, strict=False)]
    assert gaps[:5] == pytest.approx([*RESEND_AFTER_S, RESEND_AFTER_S[-1]], abs=0.02)
    assert desk.counters.resent == len(times)


def test_tick_says_when_to_call_it_again():
    desk = Desk()
    assert desk.outbox.tick() is None
    nobody = desk.order()
    assert desk.outbox.tick() == pytest.approx(101.0)  # when it expires
    desk.see("ada.body")
    assert desk.outbox.tick() == pytest.approx(100.4)  # when to send it again
    desk.outbox.receipt("ada.body", [nobody])
    assert desk.outbox.tick() == pytest.approx(100.0 + SETTLE_S)
    desk.now_s += SETTLE_S
    assert desk.outbox.tick() is None
    desk.order(SessionMark(label="waits for ever"), character="bob")
    assert desk.outbox.tick() is None


def test_each_says_which_pending_one_must_come_first_for_whom():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes", handles=["GazeAt"])
    desk.order()  # 1: both
    desk.order(CancelUtterance(utterance="u"))  # 2: body
    desk.order()  # 3: both
    assert desk.sent_since(0) == [
        (1, {}),
        (2, {"ada.body": 1, "*": 1}),
        (3, {"ada.body": 2, "ada.eyes": 1, "*": 2}),
    ]
    desk.outbox.receipt("ada.eyes", ["ada.mind-5-1"])
    desk.order()  # 4
    assert desk.sent_since(3) == [(4, {"ada.body": 3, "ada.eyes": 3, "*": 3})]


def test_when_nothing_is_pending_nothing_must_come_first():
    desk = Desk()
    desk.see("ada.body")
    desk.outbox.receipt("ada.body", [desk.order()])
    desk.order()
    assert desk.sent_since(1) == [(2, {})]


def test_a_repeat_names_what_must_come_first_now_and_who_need_not_do_it_again():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    one, two = desk.order(SessionMark(label="1")), desk.order(SessionMark(label="2"))
    desk.outbox.receipt("ada.body", [one])
    desk.outbox.receipt("ada.eyes", [two])
    mark = len(desk.sent)
    desk.now_s += 0.4
    desk.outbox.tick()
    assert desk.sent_since(mark) == [
        (1, {"ada.body": ALREADY_DONE}),
        (2, {"ada.eyes": ALREADY_DONE, "ada.body": 0, "*": 1}),
    ]


def test_after_a_reconnect_everything_goes_out_in_order_and_soon_again():
    desk = Desk()
    desk.see("ada.body")
    for _ in range(3):
        desk.order(SessionMark(label="m"))
    desk.pass_time(10)
    mark = len(desk.sent)
    desk.outbox.reconnected()
    assert [number for number, _ in desk.sent_since(mark)] == [1, 2, 3]
    desk.pass_time(0.45, step_s=0.05)
    assert [number for number, _ in desk.sent_since(mark + 3)] == [1, 2, 3]


def test_without_any_receiver_it_is_reported_when_it_expires():
    desk = Desk()
    action = desk.order()
    desk.pass_time(0.9)
    assert desk.expired == []
    desk.pass_time(0.3)
    assert desk.expired == [(action, "no_receiver", None)]
    assert len(desk.outbox) == 0


def test_a_late_receiver_gets_what_is_still_worth_doing_and_nothing_else():
    desk = Desk()
    old = desk.order()
    lasting = desk.order(SetGazePolicy(policy="mutual"))
    desk.now_s += 1.5
    mark = len(desk.sent)
    desk.see("ada.body")
    assert [number for number, _ in desk.sent_since(mark)] == [2]
    desk.outbox.receipt("ada.body", [lasting])
    desk.pass_time(1)
    assert desk.expired == [(old, "no_receiver", None)]
    assert len(desk.outbox) == 0


def test_a_receiver_that_we_did_not_know_yet_may_answer_and_others_may_still_appear():
    desk = Desk()
    action = desk.order()
    desk.outbox.receipt("ada.body", [action])
    assert len(desk.outbox) == 1, "another may make itself known in a moment"
    desk.see("ada.eyes")
    desk.pass_time(SETTLE_S + 0.1)
    assert len(desk.outbox) == 1
    desk.outbox.receipt("ada.eyes", [action])
    assert len(desk.outbox) == 0
    alone = desk.order(character="bob")
    desk.outbox.receipt("bob.body", [alone])
    desk.pass_time(SETTLE_S + 0.1)
    assert len(desk.outbox) == 0
    assert desk.expired == []


def test_a_present_receiver_decides_about_an_expired_action_because_it_may_have_begun_it():
    desk = Desk()
    desk.see("ada.body")
    action = desk.order()
    desk.pass_time(10)
    assert desk.expired == []
    desk.outbox.receipt("ada.body", [action])
    assert len(desk.outbox) == 0


def test_a_present_receiver_that_never_answers_is_reported_in_the_end():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    action = desk.order()
    desk.outbox.receipt("ada.eyes", [action])
    desk.pass_time(1.0 + PATIENCE_S + 0.5)
    assert desk.expired == [(action, "no_answer", "ada.body")]
    assert len(desk.outbox) == 0


def test_one_that_says_farewell_is_not_waited_for():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    action = desk.order()
    desk.outbox.receipt("ada.eyes", [action])
    desk.see("ada.body", "stopped")
    assert len(desk.outbox) == 0
    assert desk.expired == []


def test_one_that_is_lost_is_waited_for_and_gets_it_when_it_is_back():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    before = desk.order(EmergencyStop())
    desk.see("ada.body", "lost")
    during = desk.order(EmergencyStop())
    desk.outbox.receipt("ada.eyes", [before, during])
    assert len(desk.outbox) == 2, "a stop must not pass by a body whose connection was cut"
    mark = len(desk.sent)
    desk.see("ada.body")
    assert [number for number, _ in desk.sent_since(mark)] == [1, 2]
    desk.outbox.receipt("ada.body", [before, during])
    assert len(desk.outbox) == 0


def test_one_that_is_lost_for_good_is_reported():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    gaze, mark = desk.order(), desk.order(SessionMark(label="m"))
    desk.outbox.receipt("ada.eyes", [gaze, mark])
    desk.see("ada.body", "lost")
    desk.pass_time(PATIENCE_S - 1)
    assert desk.expired == []
    desk.pass_time(1)
    assert desk.expired == [(gaze, "no_answer", "ada.body"), (mark, "no_answer", "ada.body")]
    assert len(desk.outbox) == 0
    after = desk.order()
    desk.outbox.receipt("ada.eyes", [after])
    assert len(desk.outbox) == 0, "whoever has been lost for so long is no receiver any more"


def test_what_never_expires_waits_for_a_receiver_for_ever():
    desk = Desk()
    desk.see("ada.body")
    action = desk.order(SessionMark(label="m"))
    desk.see("ada.body", "lost")
    desk.pass_time(200, step_s=1.0)
    assert (len(desk.outbox), desk.expired) == (1, [])
    desk.see("ada.body", boot=1)
    desk.outbox.receipt("ada.body", [action])
    assert len(desk.outbox) == 0


def test_a_new_life_does_not_repeat_what_an_earlier_one_has_begun():
    desk = Desk()
    desk.see("ada.body")
    desk.see("ada.eyes")
    action = desk.order(SessionMark(label="m"))
    desk.outbox.receipt("ada.body", [action])
    desk.see("ada.body", "lost")
    desk.see("ada.body", boot=1)
    desk.pass_time(5)
    assert all(e.after == {"ada.body": ALREADY_DONE} for e in desk.sent[1:])
    assert len(desk.sent) > 1


@pytest.mark.parametrize(
    "identity", ["ada.mind-4-1", "ada.other-5-1", "ada.mind-5-2", "rubbish", "a-b-c", "-"]
)
def test_a_receipt_for_something_else_changes_nothing(identity):
    """Such as one for the same number of this source's earlier life, which comes late."""
    desk = Desk()
    desk.see("ada.body")
    action = desk.order()
    desk.outbox.receipt("ada.body", [identity])
    assert len(desk.outbox) == 1
    desk.outbox.receipt("ada.body", [identity, action])
    assert len(desk.outbox) == 0


def test_an_urgent_action_waits_for_none_and_none_waits_for_it():
    desk = Desk(limit=1)
    desk.see("ada.body")
    desk.order(SessionMark(label="m"))
    desk.order(EmergencyStop())
    assert desk.sent_since(0) == [(1, {}), (2, {})]
    assert len(desk.outbox) == 2, "a stop is never refused"
    desk.outbox.limit = 9
    desk.order()
    assert desk.sent_since(2) == [(3, {"ada.body": 1, "*": 1})]
    desk.outbox.reconnected()
    assert desk.sent_since(3) == [(1, {}), (2, {}), (3, {"ada.body": 1, "*": 1})]


def test_a_full_outbox_refuses_and_says_why():
    desk = Desk(limit=2)
    desk.see("ada.body")
    desk.order()
    desk.order()
    with pytest.raises(OutboxFull, match=r"2 Actions wait for receipts; GazeAt was not sent"):
        desk.order()
    assert len(desk.sent) == 2


def test_in_a_long_outage_what_expired_before_it_could_leave_makes_room():
    desk = Desk(limit=3)
    desk.see("ada.body")
    left = desk.order()
    desk.connected = False
    never_left = [desk.order(), desk.order()]
    assert not desk.outbox.has_room()
    desk.now_s += 1.5
    desk.order()
    assert [entry[0] for entry in desk.expired] == never_left
    assert left not in [entry[0] for entry in desk.expired], "it may have been begun"


def test_what_waits_only_for_the_lost_makes_room_when_it_has_expired():
    desk = Desk(limit=2)
    desk.see("ada.body")
    desk.see("ada.eyes")
    desk.see("ada.body", "lost")
    for _ in range(2):
        desk.outbox.receipt("ada.eyes", [desk.order()])
    assert not desk.outbox.has_room()
    desk.now_s += 1.5
    assert desk.outbox.has_room()
    assert {(reason, who) for _, reason, who in desk.expired} == {("no_answer", "ada.body")}


def test_what_could_not_be_sent_is_not_kept():
    desk = Desk()
    desk.see("ada.body")
    desk.too_large = True
    with pytest.raises(PayloadTooLarge):
        desk.order()
    assert len(desk.outbox) == 0
    desk.too_large = False
    desk.order()
    assert desk.sent_since(0) == [(2, {})]


def test_at_the_end_everything_unanswered_is_reported_and_nothing_else():
    desk = Desk()
    answered_by_a_stranger = desk.order(CancelUtterance(utterance="u"))
    desk.outbox.receipt("ada.unknown", [answered_by_a_stranger])
    nobody = desk.order()
    desk.see("ada.eyes", handles=["SessionMark"])
    unanswered = desk.order(SessionMark(label="m"))
    desk.outbox.abandon()
    assert desk.expired == [(nobody, "no_receiver", None), (unanswered, "no_answer", "ada.eyes")]
    assert len(desk.outbox) == 0
