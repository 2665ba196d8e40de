"""What a module has still to handle."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Counters
from sera.messages import BodyState, Envelope, GazeAt, JointFrame, SpeechWord
from sera.runtime._inbox import EVENT_LIMIT, STREAM_LIMIT, Inbox


def of(kind: str, number: int, source: str = "ada.a") -> Envelope:
    message = {
        "stream": lambda: JointFrame(frame=number),
        "event": lambda: SpeechWord(speech="s", index=number, text="t", start_s=0),
        "action": lambda: GazeAt(target=str(number)),
        "state": lambda: BodyState(health="ok"),
    }[kind]()
    return Envelope(message, f"{source}-0-{number}", 0.0, source, "ada")


async def drained(inbox: Inbox) -> list[str]:
    return [(await inbox.get()).id for _ in range(len(inbox))]


async def test_messages_come_out_in_the_order_they_went_in():
    inbox = Inbox(Counters())
    sent = [of(kind, n) for n, kind in enumerate(["event", "action", "stream", "state"] * 5)]
    for envelope in sent:
        inbox.put(envelope)
    assert await drained(inbox) == [envelope.id for envelope in sent]


async def test_a_stream_drops_its_oldest_and_no_other_stream_and_counts_it():
    counters = Counters()
    inbox = Inbox(counters, stream_limit=3)
    inbox.put(of("event", 0))
    for number in range(10):
        inbox.put(of("stream", number, "ada.a"))
    for number in range(2):
        inbox.put(of("stream", number, "ada.b"))
    inbox.put(of("action", 99))
    assert len(inbox) == 1 + 3 + 2 + 1
    assert counters.dropped == 7
    assert await drained(inbox) == [
        "ada.a-0-0",
        "ada.a-0-7",
        "ada.a-0-8",
        "ada.a-0-9",
        "ada.b-0-0",
        "ada.b-0-1",
        "ada.a-0-99",
    ]


async def test_actions_are_never_dropped():
    counters = Counters()
    inbox = Inbox(counters, stream_limit=1, event_limit=1)
    for number in range(5000):
        inbox.put(of("action", number))
    assert len(inbox) == 5000
    assert counters.dropped == counters.lost == 0


async def test_events_and_state_give_way_only_beyond_a_high_limit_and_are_counted_as_lost():
    counters = Counters()
    inbox = Inbox(counters, event_limit=4)
    for number in range(6):
        inbox.put(of("event" if number % 2 else "state", number))
    assert counters.lost == 2
    assert await drained(inbox) == [f"ada.a-0-{number}" for number in range(2, 6)]
    assert (STREAM_LIMIT, EVENT_LIMIT) == (32, 10_000)


async def test_get_waits_for_the_next_and_a_cancelled_wait_loses_nothing():
    inbox = Inbox(Counters())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await inbox.get()
    inbox.put(of("event", 1))
    assert (await inbox.get()).id == "ada.a-0-1"
    waiting = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.put(of("event", 2))
    inbox.put(of("event", 3))
    assert (await waiting).id == "ada.a-0-2"
    assert len(inbox) == 1


async def test_a_stuck_handler_does_not_let_memory_grow():
    inbox = Inbox(Counters())
    inbox.put(of("action", 0))
    for number in range(50_000):
        inbox.put(of("stream", number))
    assert len(inbox) == STREAM_LIMIT + 1
    assert len(inbox._slots) < 10 * STREAM_LIMIT


@given(
    st.lists(
        st.tuples(st.sampled_from(["stream", "event", "action"]), st.sampled_from("ab"))
        | st.just("get"),
        max_size=200,
    )
)
def test_whatever_goes_in_the_newest_of_each_stream_come_out_in_order(plan):
    async def main() -> None:
        counters = Counters()
        inbox = Inbox(counters, stream_limit=2, event_limit=1000)
        expected: list[Envelope] = []
        dropped = 0
        for number, step in enumerate(plan):
            if step == "get":
                if expected:
                    assert await inbox.get() is expected.pop(0)
                continue
            envelope = of(step[0], number, f"ada.{step[1]}")
            inbox.put(envelope)
            expected.append(envelope)
            if step[0] == "stream":
                same = [e for e in expected if e.message.stream and e.source == envelope.source]
                if len(same) > 2:
                    expected.remove(same[0])
                    dropped += 1
        assert len(inbox) == len(expected)
        assert await drained(inbox) == [e.id for e in expected]
        assert counters.dropped == dropped

    asyncio.run(main())
