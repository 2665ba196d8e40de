"""Actions between modules: receipts, expiry, the dial, back-pressure, and what overtakes."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from sera import Module, on
from sera.bus import PayloadTooLarge, ReplyTimeout
from sera.messages import (
    ActionExpired,
    Autonomy,
    EmergencyStop,
    Envelope,
    GazeAt,
    ModuleFault,
    PersonDetected,
    Receipt,
    SessionMark,
    Speak,
    SpeechFinished,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.runtime import Role
from sera.runtime._delivery import ROOM_TIMEOUT_S, Delivery
from sera.runtime._outbox import LIMIT, OutboxFull


class Mind(Module):
    """A decision module that is told by the test what to do."""


class Wizard(Module):
    """Whoever is not subject to the dial."""

    role: ClassVar = Role.WIZARD


class Body(Module):
    """Performs; gaze at `slow` takes three seconds."""

    role: ClassVar = Role.REALISATION

    async def start(self) -> None:
        self.performed: list[Any] = []

    @on(GazeAt)
    async def look(self, message: GazeAt) -> None:
        self.performed.append(message.target)
        if message.target == "slow":
            await asyncio.sleep(3.0)

    @on(Speak)
    async def speak(self, message: Speak, envelope: Envelope) -> None:
        self.performed.append(message.text)
        await self.publish(SpeechFinished(speech=envelope.id, duration_s=0.0))

    @on(SessionMark, EmergencyStop)
    async def note(self, message: SessionMark | EmergencyStop) -> None:
        self.performed.append(type(message).__name__)


def expired(troupe: Any) -> list[tuple[str, str | None, str]]:
    return [
        (e.message.action, e.message.receiver, str(e.message.reason))
        for e in troupe.all(ActionExpired)
    ]


def test_an_action_is_performed_once_and_answered(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        action = await mind.publish(GazeAt(target="p"))
        await asyncio.sleep(0.01)
        assert body.performed == ["p"]
        (receipt,) = troupe.all(Receipt)
        assert receipt.message.ids == [action]
        assert (receipt.source, receipt.character) == ("ada.body", "ada")
        assert len(mind._host._outbox) == 0
        await asyncio.sleep(60.0)
        assert body.performed == ["p"]
        assert (mind._host.counters.resent, body._host.counters.receipts) == (0, 1)
        assert expired(troupe) == []

    in_virtual_time(scene)


def test_receipts_of_one_turn_travel_together(in_virtual_time):
    async def scene(troupe):
        body = await troupe.add(Body, "ada.body")
        mind, other = await troupe.add(Wizard, "ada.mind"), await troupe.add(Wizard, "world.other")
        for number in range(50):
            await mind.publish(GazeAt(target=f"m{number}"))
            await other.publish(GazeAt(target=f"o{number}"), character="ada")
        await asyncio.sleep(0.1)
        assert len(body.performed) == 100
        receipts = troupe.all(Receipt)
        assert sum(len(e.message.ids) for e in receipts) == 100
        assert len(receipts) < 20
        assert {e.character for e in receipts} == {"ada", "world"}

    in_virtual_time(scene)


def test_an_action_that_waited_too_long_in_the_queue_is_refused_and_reported_once(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        await mind.publish(GazeAt(target="slow"))
        late = await mind.publish(GazeAt(target="late"))
        in_time = await mind.publish(Speak(text="late too"))
        lasting = await mind.publish(SessionMark(label="m"))
        await asyncio.sleep(60.0)
        assert body.performed == ["slow", "SessionMark"]
        assert expired(troupe) == [
            (late, "ada.body", "too_old"),
            (in_time, "ada.body", "too_old"),
        ]
        (first, _) = troupe.all(ActionExpired)
        assert (first.source, first.cause) == ("ada.body", late)
        assert first.message.age_s == pytest.approx(3.0, abs=0.01)
        assert (first.message.action_type, first.message.sender) == ("GazeAt", "ada.mind")
        assert lasting is not None
        assert len(mind._host._outbox) == 0

    in_virtual_time(scene)


def test_an_action_without_a_receiver_is_reported_by_its_sender(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        action = await mind.publish(GazeAt(target="p"))
        await asyncio.sleep(0.9)
        assert expired(troupe) == []
        await asyncio.sleep(0.3)
        assert expired(troupe) == [(action, None, "no_receiver")]
        assert troupe.all(ActionExpired)[0].source == "ada.mind"
        assert mind._host.counters.expired == 1

    in_virtual_time(scene)


def test_an_early_deadline_is_met_although_a_far_one_was_there_first(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        await mind.publish(SessionMark(label="waits for ever"))
        await asyncio.sleep(5.0)
        action = await mind.publish(GazeAt(target="p"))
        await asyncio.sleep(1.2)
        assert expired(troupe) == [(action, None, "no_receiver")]

    in_virtual_time(scene)


def test_a_late_receiver_gets_what_is_still_worth_doing(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        await mind.publish(GazeAt(target="p"))
        await mind.publish(Speak(text="hello"))
        await asyncio.sleep(1.5)
        body = await troupe.add(Body, "ada.body")
        await asyncio.sleep(1.0)
        assert body.performed == ["hello"]
        assert [reason for _, _, reason in expired(troupe)] == ["no_receiver"]

    in_virtual_time(scene)


def test_a_receiver_killed_before_it_could_begin_leaves_its_actions_to_its_next_life(
    in_virtual_time,
):
    async def scene(troupe):
        first, mind = await troupe.add(Body, "ada.body"), await troupe.add(Wizard, "ada.mind")
        await mind.publish(GazeAt(target="slow"))
        await asyncio.sleep(0.1)
        await mind.publish(SessionMark(label="m"))
        first._host.bus.vanish()
        troupe.tasks[first._host].cancel()
        await asyncio.sleep(1.0)
        second = await troupe.add(Body, "ada.body", boot=1)
        await asyncio.sleep(1.0)
        assert first.performed == ["slow"]
        assert second.performed == ["SessionMark"], "what the first had begun is not begun again"
        assert len(mind._host._outbox) == 0

    in_virtual_time(scene)


def test_a_sender_that_stops_reports_what_nobody_has_answered(in_virtual_time):
    async def scene(troupe):
        await troupe.add(Body, "ada.body")
        mind = await troupe.add(Wizard, "ada.mind")
        await mind.publish(GazeAt(target="slow"))
        waiting = await mind.publish(SessionMark(label="m"))
        before_s = troupe.clock.now()
        mind._host.stop()
        await troupe.tasks[mind._host]
        assert troupe.clock.now() - before_s < 1.0
        await asyncio.sleep(0.01)
        assert expired(troupe) == [(waiting, "ada.body", "no_answer")]

    in_virtual_time(scene)


def test_an_urgent_action_waits_for_no_handler_and_for_no_room(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        await mind.publish(GazeAt(target="slow"))
        for _ in range(LIMIT - 1):
            await mind.publish(SessionMark(label="m"))
        await asyncio.sleep(0.1)
        await mind.publish(SessionMark(label="the last that has room"))
        before_s = troupe.clock.now()
        await mind.publish(EmergencyStop())
        await asyncio.sleep(0.01)
        assert body.performed == ["slow", "EmergencyStop"]
        assert troupe.clock.now() - before_s < 0.02
        await asyncio.sleep(10.0)
        assert body.performed.count("EmergencyStop") == 1
        assert body.performed.count("SessionMark") == LIMIT
        assert len(mind._host._outbox) == 0

    in_virtual_time(scene)


def test_an_urgent_action_waits_only_until_the_module_has_started(in_virtual_time):
    class Slow(Body):
        async def start(self) -> None:
            await asyncio.sleep(1.0)
            await super().start()

    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        host = troupe.host(Slow, "ada.body")
        await troupe.let_live(host)
        await mind.publish(EmergencyStop())
        await asyncio.sleep(1.5)
        assert host.module.performed == ["EmergencyStop"]
        assert troupe.all(ModuleFault) == []

    in_virtual_time(scene)


def test_a_full_outbox_makes_its_sender_wait_and_then_says_so(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        for _ in range(LIMIT):
            await mind.publish(SessionMark(label="nobody takes it"))
        before_s = troupe.clock.now()
        with pytest.raises(OutboxFull, match=r"512 Actions wait for receipts; SessionMark was not"):
            await mind.publish(SessionMark(label="one more"))
        assert troupe.clock.now() - before_s == pytest.approx(ROOM_TIMEOUT_S)
        waiting = asyncio.create_task(mind.publish(SessionMark(label="another")))
        await asyncio.sleep(1.0)
        assert not waiting.done()
        body = await troupe.add(Body, "ada.body")
        await waiting
        await asyncio.sleep(1.0)
        assert len(body.performed) == LIMIT + 1

    in_virtual_time(scene)


def test_what_cannot_be_sent_raises_and_leaves_the_outbox_in_working_order(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        with pytest.raises(PayloadTooLarge):
            await mind.publish(Speak(text="x" * 2**20))
        await mind.publish(GazeAt(target="p"))
        await asyncio.sleep(5.0)
        assert body.performed == ["p"]
        assert len(mind._host._outbox) == 0

    in_virtual_time(scene)


def test_a_request_by_an_action_is_delivered_like_any_other(in_virtual_time):
    async def scene(troupe):
        await troupe.add(Body, "ada.body")
        mind = await troupe.add(Mind, "ada.mind")
        reply = await mind.request(Speak(text="hello"), SpeechFinished)
        assert reply.source == "ada.body"
        await asyncio.sleep(0.01)
        (receipt,) = troupe.all(Receipt)
        assert receipt.message.ids == [reply.message.speech]
        assert len(mind._host._outbox) == 0

    in_virtual_time(scene)


# -- the dial -----------------------------------------------------------------------------------


async def dial(troupe: Any, **modes: str) -> None:
    await troupe.say(Autonomy(modes=modes))


def test_at_wizard_a_decision_modules_action_is_withheld_and_counted(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        wizard = await troupe.add(Wizard, "ada.wizard")
        await dial(troupe, speech="wizard")
        assert await mind.publish(Speak(text="machine")) is None
        assert await mind.publish(GazeAt(target="p")) is not None
        assert await wizard.publish(Speak(text="operator")) is not None
        await mind.publish(EmergencyStop())
        await asyncio.sleep(0.1)
        assert sorted(body.performed) == ["EmergencyStop", "operator", "p"]
        assert mind._host.counters.withheld == 1
        with pytest.raises(ReplyTimeout, match=r"the autonomy dial \(now at wizard\)"):
            await mind.request(Speak(text="machine"), SpeechFinished)
        assert mind._host.counters.withheld == 2

    in_virtual_time(scene)


def test_at_suggest_the_action_goes_out_when_the_operator_accepts_it(in_virtual_time):
    async def scene(troupe):
        body, mind = await troupe.add(Body, "ada.body"), await troupe.add(Mind, "ada.mind")
        await dial(troupe, decision="suggest")
        suggestion = await mind.publish(Speak(text="may I"))
        await asyncio.sleep(3.0)  # longer than a Speak is worth saying
        assert body.performed == []
        assert [e.id for e in troupe.all(Suggestion)] == [suggestion]
        (accepted,) = await troupe.say(
            SuggestionResolved(
                suggestion=suggestion, outcome=SuggestionOutcome.ACCEPTED, by="wizard"
            )
        )
        await asyncio.sleep(0.1)
        assert body.performed == ["may I"]
        (spoken,) = troupe.all(Speak)
        assert spoken.cause == accepted.id
        assert mind._host.counters.suggested == 1
        assert expired(troupe) == []

    in_virtual_time(scene)


class Polite(Module):
    """A decision module that answers what it perceives."""

    @on(PersonDetected)
    async def greet(self, message: PersonDetected) -> None:
        await self.publish(Speak(text="hello"))
        await self.publish(GazeAt(target=message.person), reason="guests are looked at")


def test_a_suggestion_comes_with_its_reason(in_virtual_time):
    async def scene(troupe):
        await troupe.add(Polite, "ada.mind")
        await dial(troupe, decision="suggest")
        await troupe.say(PersonDetected(person="person_1", confidence=0.5))
        await asyncio.sleep(0.1)
        reasons = [envelope.message.reason for envelope in troupe.all(Suggestion)]
        assert reasons == ["after PersonDetected of person_1", "guests are looked at"]

    in_virtual_time(scene)


def test_an_accepted_suggestion_that_finds_the_outbox_full_is_reported(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        for _ in range(LIMIT):
            await mind.publish(SessionMark(label="nobody takes it"))
        await dial(troupe, decision="suggest")
        suggestion = await mind.publish(Speak(text="may I"))
        await troupe.say(
            SuggestionResolved(
                suggestion=suggestion, outcome=SuggestionOutcome.ACCEPTED, by="wizard"
            )
        )
        (report,) = troupe.all(ActionExpired)
        assert (report.message.action_type, report.message.reason) == ("Speak", "outbox_full")

    in_virtual_time(scene)


class Keeper(Module):
    """Answers a mark only when it is kept: not while the disk is full, nor where it fails."""

    role: ClassVar = Role.RECORDER
    answers_when_done: ClassVar = (SessionMark,)

    async def start(self) -> None:
        self.has_space = asyncio.Event()
        self.kept: list[str] = []

    @on(SessionMark, GazeAt)
    async def keep(self, message: SessionMark | GazeAt) -> None:
        if isinstance(message, GazeAt):
            return
        if message.label == "broken":
            raise OSError("the disk is gone")
        await self.has_space.wait()
        self.kept.append(message.label)


def test_what_is_answered_when_it_is_done_is_answered_neither_before_nor_for_a_repeat(
    in_virtual_time,
):
    async def scene(troupe):
        keeper, mind = await troupe.add(Keeper, "world.keeper"), await troupe.add(Mind, "ada.mind")
        mark = await mind.publish(SessionMark(label="here"))
        waiting = asyncio.create_task(mind._host.delivery.answered(mark, Role.RECORDER))
        await asyncio.sleep(5.0)  # it is sent again several times meanwhile
        assert mind._host.counters.resent >= 2
        assert troupe.all(Receipt) == []
        assert not waiting.done()
        keeper.has_space.set()
        await asyncio.wait_for(waiting, 0.5)
        assert keeper.kept == ["here"]
        assert len(mind._host.delivery.outbox) == 0
        assert [one.message.ids for one in troupe.all(Receipt)] == [[mark]]

    in_virtual_time(scene)


def test_a_handler_that_fails_to_keep_something_answers_nobody(in_virtual_time):
    async def scene(troupe):
        keeper, mind = await troupe.add(Keeper, "world.keeper"), await troupe.add(Mind, "ada.mind")
        keeper.has_space.set()
        mark = await mind.publish(SessionMark(label="broken"))
        waiting = asyncio.create_task(mind._host.delivery.answered(mark, Role.RECORDER))
        await asyncio.sleep(5.0)
        assert not waiting.done()
        assert troupe.all(Receipt) == []
        assert "the disk is gone" in troupe.all(ModuleFault)[0].message.summary
        waiting.cancel()

    in_virtual_time(scene)


def test_other_actions_of_such_a_module_are_answered_when_they_begin(in_virtual_time):
    async def scene(troupe):
        await troupe.add(Keeper, "world.keeper")
        mind = await troupe.add(Mind, "ada.mind")
        looked = await mind.publish(GazeAt(target="p"))
        await asyncio.wait_for(mind._host.delivery.answered(looked, Role.RECORDER), 0.5)

    in_virtual_time(scene)


def test_where_nobody_has_the_role_nobody_is_waited_for(in_virtual_time):
    async def scene(troupe):
        mind = await troupe.add(Mind, "ada.mind")
        mark = await mind.publish(SessionMark(label="here"))
        await asyncio.wait_for(mind._host.delivery.answered(mark, Role.RECORDER), 0.1)

    in_virtual_time(scene)


async def test_what_is_due_later_does_not_put_off_what_is_due_sooner():
    delivery = Delivery.__new__(Delivery)
    delivery._timer = None
    for wait_s in (60.0, 30.0, 90.0):
        delivery._tick_within(wait_s)
    timer: Any = delivery._timer
    assert timer.when() == pytest.approx(asyncio.get_running_loop().time() + 30.0, abs=20.0)
    timer.cancel()
