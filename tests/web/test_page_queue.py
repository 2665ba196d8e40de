"""The queue of one page: streams give way, everything else is kept up to a limit."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from sera.web._limits import Allowance
from sera.web._outgoing import Outgoing

STREAM = ("PersonMoved", "world.camera")


def queue(dropped: list[None] | None = None, **options: int) -> Outgoing:
    drops: list[None] = [] if dropped is None else dropped
    return Outgoing(now=lambda: 100.0, on_drop=lambda: drops.append(None), **options)


async def drain(outgoing: Outgoing) -> list[str]:
    return [await outgoing.get() for _ in range(len(outgoing))]


async def test_frames_come_out_in_the_order_in_which_they_went_in():
    outgoing = queue()
    for number in range(5):
        assert outgoing.put(str(number), stream=STREAM if number % 2 else None)
    assert await drain(outgoing) == ["0", "1", "2", "3", "4"]


async def test_a_stream_keeps_its_newest_values_and_counts_what_it_dropped():
    dropped: list[None] = []
    outgoing = queue(dropped, stream_limit=3)
    outgoing.put("first")
    for number in range(1000):
        assert outgoing.put(f"s{number}", stream=STREAM)
    outgoing.put("last")
    assert len(dropped) == 997
    assert await drain(outgoing) == ["first", "s997", "s998", "s999", "last"]


async def test_dropped_values_do_not_pile_up_behind_a_stalled_page():
    outgoing = queue(stream_limit=3)
    for number in range(10_000):
        outgoing.put(f"s{number}", stream=STREAM)
    assert len(outgoing._slots) < 20


async def test_one_stream_does_not_push_out_another():
    outgoing = queue(stream_limit=2)
    outgoing.put("rare", stream=("HeadDirection", "world.camera"))
    for number in range(100):
        outgoing.put(f"s{number}", stream=STREAM)
    assert await drain(outgoing) == ["rare", "s98", "s99"]


async def test_too_many_frames_that_may_not_be_dropped_are_an_overflow():
    outgoing = queue(limit=3)
    assert [outgoing.put("x") for _ in range(5)] == [True, True, True, False, False]


async def test_too_much_text_drops_streams_first_and_then_is_an_overflow():
    dropped: list[None] = []
    outgoing = queue(dropped, limit_characters=100)
    for _ in range(4):
        assert outgoing.put("s" * 20, stream=STREAM)
    assert outgoing.put("x" * 90)
    assert len(dropped) == 4
    assert not outgoing.put("x" * 20)


async def test_what_is_no_longer_worth_sending_is_not_sent():
    outgoing = queue()
    outgoing.put("late", expires_at_s=99.9)
    outgoing.put("in time", expires_at_s=100.0)
    assert await outgoing.get() == "in time"
    assert len(outgoing) == 0


async def test_whoever_waits_is_woken():
    outgoing = queue()
    waiting = asyncio.create_task(outgoing.get())
    await asyncio.sleep(0)
    outgoing.put("here")
    assert await waiting == "here"


@given(st.lists(st.sampled_from(["kept", "a", "b", "take"]), max_size=80))
def test_the_length_is_what_is_left_whatever_happens(steps: list[str]):
    async def play() -> None:
        outgoing = queue(stream_limit=2)
        for number, step in enumerate(steps):
            if step == "take":
                if len(outgoing):
                    await outgoing.get()
            else:
                outgoing.put(f"{number}", stream=None if step == "kept" else (step, "x"))
        left = await drain(outgoing)
        assert [int(text) for text in left] == sorted(int(text) for text in left)
        assert len(outgoing) == 0
        assert outgoing._characters == 0

    asyncio.run(play())


def test_an_allowance_lets_a_burst_through_and_then_so_many_a_second():
    allowance = Allowance(per_s=10, burst=5, now_s=0.0)
    assert [allowance.take(0.0) for _ in range(6)] == [True] * 5 + [False]
    assert [allowance.take(0.25) for _ in range(3)] == [True, True, False]
    assert [allowance.take(1000.0) for _ in range(6)] == [True] * 5 + [False]
