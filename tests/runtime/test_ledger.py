"""The receiver's half of delivery, alone and against the sender's half."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Counters
from sera.messages import EmergencyStop, Envelope, GazeAt, ModulePresence, SessionMark
from sera.runtime._directory import Directory
from sera.runtime._ledger import APART_LIMIT, HELD_LIMIT, Ledger, Verdict
from sera.runtime._outbox import ALREADY_DONE, Outbox

ME = "ada.body"


class Book:
    """A ledger, and what it gave up."""

    def __init__(self) -> None:
        self.counters = Counters()
        self.given_up: list[str] = []
        self.ledger = Ledger(ME, self.counters, give_up=lambda held: self.given_up.append(held.id))

    def offer(self, sequence, after=None, *, boot=0, source="ada.mind", urgent=False, plain=False):
        message = EmergencyStop() if urgent else GazeAt(target="p")
        envelope = Envelope(
            message,
            f"{source}-{boot}-{sequence}",
            0.0,
            source,
            "ada",
            after=None if plain else (after or {}),
        )
        verdict, ready = self.ledger.offer(envelope)
        return verdict, [int(e.id.rsplit("-", 1)[1]) for e in ready]

    def begin(self, sequence: int, *, boot: int = 0) -> None:
        identity = f"ada.mind-{boot}-{sequence}"
        self.ledger.begun(Envelope(GazeAt(target="p"), identity, 0.0, "ada.mind", "ada"))


def test_an_action_is_accepted_once_and_a_repeat_is_known():
    book = Book()
    assert book.offer(4) == (Verdict.ACCEPTED, [4])
    assert book.offer(4) == (Verdict.REPEAT_OF_WAITING, [])
    book.begin(4)
    assert book.offer(4) == (Verdict.REPEAT_OF_BEGUN, [])
    assert book.counters.duplicates == 2


def test_numbers_that_are_left_out_are_other_peoples():
    book = Book()
    assert book.offer(2) == (Verdict.ACCEPTED, [2])
    assert book.offer(9) == (Verdict.ACCEPTED, [9])


def test_one_that_must_come_later_is_held_until_the_earlier_one_came():
    book = Book()
    assert book.offer(7, {ME: 5}) == (Verdict.HELD, [])
    assert book.offer(6, {ME: 5}) == (Verdict.HELD, [])
    assert book.offer(6, {ME: 5}) == (Verdict.HELD, [])
    assert book.counters.held == 2
    assert book.offer(5) == (Verdict.ACCEPTED, [5, 6, 7])
    assert book.given_up == []


def test_held_ones_are_released_only_as_far_as_the_chain_reaches():
    book = Book()
    book.offer(8, {ME: 7})
    book.offer(6, {ME: 5})
    assert book.offer(5) == (Verdict.ACCEPTED, [5, 6])
    assert book.offer(7, {ME: 6}) == (Verdict.ACCEPTED, [7, 8])


def test_one_whom_the_sender_does_not_know_yet_goes_by_the_last_of_all():
    book = Book()
    assert book.offer(6, {"ada.eyes": 3, "*": 5}) == (Verdict.HELD, [])
    assert book.offer(6, {"ada.eyes": 3, ME: 0, "*": 5}) == (Verdict.ACCEPTED, [6])


def test_one_that_an_earlier_life_of_ours_has_begun_is_not_performed_again():
    book = Book()
    assert book.offer(5, {ME: ALREADY_DONE, "*": 4}) == (Verdict.REPEAT_OF_BEGUN, [])
    assert book.offer(6) == (Verdict.ACCEPTED, [6])


def test_senders_do_not_wait_for_each_other():
    book = Book()
    book.offer(6, {ME: 5})
    assert book.offer(1, source="ada.other") == (Verdict.ACCEPTED, [1])
    assert book.offer(6, source="ada.other") == (Verdict.ACCEPTED, [6])


def test_a_new_life_of_the_sender_begins_anew_and_the_old_one_is_stale():
    book = Book()
    book.offer(5, boot=1)
    book.offer(7, {ME: 6}, boot=1)
    assert book.offer(1, boot=2) == (Verdict.ACCEPTED, [1])
    assert book.given_up == ["ada.mind-1-7"], "nobody will repeat what it waited for"
    assert book.offer(6, boot=1) == (Verdict.STALE, [])
    book.begin(5, boot=1)  # still in the inbox when the new life began
    assert book.offer(1, boot=2) == (Verdict.REPEAT_OF_WAITING, [])


def test_presence_tells_the_sender_s_life_also_where_its_number_went_down():
    book = Book()
    book.offer(5, boot=900)
    book.offer(7, {ME: 6}, boot=900)
    book.ledger.sender_present("ada.mind", 900)
    assert book.given_up == []
    book.ledger.sender_present("ada.mind", 20)  # a machine whose clock is behind
    assert book.given_up == ["ada.mind-900-7"]
    assert book.offer(1, boot=20) == (Verdict.ACCEPTED, [1])
    book.ledger.sender_present("ada.unknown", 3)


def test_a_sender_that_is_gone_will_not_repeat_what_is_missing():
    book = Book()
    for sequence in (9, 7, 8):
        book.offer(sequence, {ME: 6})
    book.ledger.sender_gone("ada.mind")
    book.ledger.sender_gone("ada.mind")
    book.ledger.sender_gone("ada.unknown")
    assert book.given_up == ["ada.mind-0-7", "ada.mind-0-8", "ada.mind-0-9"]


def test_what_the_sender_went_on_without_is_given_up():
    book = Book()
    book.offer(6, {ME: 5})
    assert book.offer(8, {ME: 0}) == (Verdict.ACCEPTED, [8])
    assert book.given_up == ["ada.mind-0-6"]


def test_an_urgent_one_overtakes_and_moves_no_mark():
    book = Book()
    assert book.offer(9, urgent=True) == (Verdict.ACCEPTED, [9])
    assert book.offer(9, urgent=True) == (Verdict.REPEAT_OF_WAITING, [])
    book.begin(9)
    assert book.offer(9, urgent=True) == (Verdict.REPEAT_OF_BEGUN, [])
    assert book.offer(4, urgent=True) == (Verdict.ACCEPTED, [4]), "an earlier one that was lost"
    assert book.offer(3) == (Verdict.ACCEPTED, [3])
    assert book.offer(5, {ME: 3}) == (Verdict.ACCEPTED, [5])


def test_one_that_went_past_the_outbox_swallows_no_earlier_one():
    book = Book()
    assert book.offer(9, plain=True) == (Verdict.ACCEPTED, [9])
    assert book.offer(9, plain=True)[1] == [], "overlapping subscriptions bring it twice"
    assert book.offer(8) == (Verdict.ACCEPTED, [8]), "lost the first time, and repeated"


def test_memory_is_bounded_whatever_senders_do():
    book = Book()
    for sequence in range(2, 2000):
        book.offer(sequence, {ME: 1})
    (sender,) = book.ledger._senders.values()
    assert len(sender.held) == HELD_LIMIT
    assert book.counters.held == HELD_LIMIT
    for sequence in range(3000, 6000):
        book.offer(sequence, urgent=True)
        book.begin(sequence)
    assert len(sender.apart) == APART_LIMIT


# -- the two halves together --------------------------------------------------------------------


class Pair:
    """An outbox and two ledgers with a network in between that loses what it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.sequence = 0
        self.directory = Directory()
        self.outbox = Outbox(
            self.directory,
            now=lambda: self.now_s,
            send=self._send,
            connected=lambda: True,
            expire=lambda envelope, _reason, who: self.expired.append((envelope.id, who)),
            counters=Counters(),
        )
        self.ledgers: dict[str, Ledger] = {}
        self.performed: dict[str, list[str]] = {}
        self.expired: list[tuple[str, str | None]] = []
        self.losses: list[bool] = []

    def appear(self, source: str, *, status: str = "present") -> None:
        presence = ModulePresence(status=status, boot=0, handles=["GazeAt", "SessionMark"])
        self.directory.update(Envelope(presence, f"{source}-0-0", 0.0, source, "ada"))
        if status == "present" and source not in self.ledgers:
            self.ledgers[source] = Ledger(source, Counters(), give_up=self._gave)
            self.performed[source] = []
        self.outbox.presence_changed(source)

    def order(self, action) -> str:
        self.sequence += 1
        envelope = Envelope(action, f"ada.mind-0-{self.sequence}", self.now_s, "ada.mind", "ada")
        self.outbox.add(envelope)
        return envelope.id

    def _gave(self, held: Envelope) -> None:
        self.expired.append((held.id, None))

    def _is_lost(self) -> bool:
        return self.losses.pop() if self.losses else False

    def _send(self, envelope: Envelope) -> None:
        for source, ledger in self.ledgers.items():
            if not self.directory.is_there(source) or self._is_lost():
                continue
            verdict, ready = ledger.offer(envelope)
            answers = [envelope] if verdict is Verdict.REPEAT_OF_BEGUN else []
            for accepted in ready:
                ledger.begun(accepted)
                self.performed[source].append(accepted.id)
                answers.append(accepted)
            self.receipts.extend((source, e.id) for e in answers if not self._is_lost())

    receipts: list[tuple[str, str]]

    def settle(self) -> None:
        """Deliver the receipts of what was sent (never inside of a send, as on a real bus)."""
        while self.receipts:
            source, identity = self.receipts.pop(0)
            self.outbox.receipt(source, [identity])


steps = st.lists(
    st.one_of(
        st.sampled_from(["gaze", "mark", "wait", "long wait", "reconnect"]),
        st.tuples(st.sampled_from(["lose", "return"]), st.sampled_from(["ada.body", "ada.eyes"])),
    ),
    max_size=40,
)


@given(steps, st.lists(st.booleans(), max_size=120))
def test_through_any_losses_each_is_performed_once_in_order_and_nothing_stays_pending(plan, losses):
    pair = Pair()
    pair.receipts = []
    pair.appear("ada.body")
    ids: list[str] = []
    pair.losses = losses
    for step in plan:
        if step == "gaze":
            ids.append(pair.order(GazeAt(target="p")))
        elif step == "mark":
            ids.append(pair.order(SessionMark(label="m")))
        elif step == "wait":
            pair.now_s += 0.3
        elif step == "long wait":
            pair.now_s += 3.0
        elif step == "reconnect":
            pair.outbox.reconnected()
        else:
            what, source = step
            pair.appear(source, status="lost" if what == "lose" else "present")
        pair.settle()
        pair.outbox.tick()
        pair.settle()
    for source in ("ada.body", "ada.eyes"):
        pair.appear(source)
    for _ in range(100):  # calm: nothing is lost any more but what was planned
        pair.now_s += 0.5
        pair.outbox.tick()
        pair.settle()
    assert len(pair.outbox) == 0
    for source, performed in pair.performed.items():
        assert len(performed) == len(set(performed))
        assert performed == sorted(performed, key=ids.index), f"{source} out of order"
    reported = {identity for identity, _ in pair.expired}
    assert set(ids) <= set(pair.performed["ada.body"]) | reported
