"""The order in which modules handle their messages is told, and survives a kill but for its end."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Counters
from sera.messages import (
    ActivityEvent,
    Direction,
    Envelope,
    Handled,
    PersonMoved,
)
from sera.recording import LogReader
from sera.recording.replay import read_recording
from sera.recording.replay._inbox import OrderedInbox
from sera.runtime._order import MOST_AT_ONCE, HandlingOrder, handled_in_short
from sera.runtime.clock import run as run_in_loop

ids = st.builds(
    "{}-{}-{}".format,
    st.sampled_from(["world.eye", "ada.mind", "ada.a-b"]),
    st.integers(0, 2**41),
    st.integers(0, 2**31),
)


@given(st.lists(ids, max_size=60), st.integers(0, 10**6))
def test_ids_come_back_in_their_order_from_the_short_form(given_ids, first):
    handled = handled_in_short(given_ids, first)
    assert Handled.model_validate_json(handled.model_dump_json()).ids == given_ids
    assert handled.first == first


def test_numbers_that_name_no_life_are_passed_over():
    assert Handled(lives=["a.b-1"], order=[0, 4, 7, 5, 0]).ids == ["a.b-1-4"]


def test_the_order_is_told_once_a_while_and_without_a_gap():
    async def play() -> list[Handled]:
        told: list[Handled] = []
        order = HandlingOrder(told.append, 1.0)
        order.note("a.b-0-1")
        await asyncio.sleep(0.5)
        order.note("a.b-0-2")
        await asyncio.sleep(5.0)  # nothing happens, so that nothing is told
        order.note("a.b-0-3")
        order.tell()
        order.tell()
        return told

    told = run_in_loop(play(), clock="virtual")
    assert [(one.first, one.ids) for one in told] == [
        (0, ["a.b-0-1", "a.b-0-2"]),
        (2, ["a.b-0-3"]),
    ]


def test_a_flood_is_told_before_it_grows_too_long():
    async def play() -> list[Handled]:
        told: list[Handled] = []
        order = HandlingOrder(told.append, 1.0)
        for number in range(MOST_AT_ONCE + 3):
            order.note(f"a.b-0-{number}")
        return told

    assert len(run_in_loop(play(), clock="virtual")[0].ids) == MOST_AT_ONCE


def test_every_module_of_a_run_tells_what_it_handled(hello_recording):
    handled = read_recording(hello_recording).handled
    messages = {record.id: record for record in LogReader(hello_recording)}
    assert {"ada.greeter", "ada.decision", "ada.behaviour", "ada.engine"} <= handled.keys()
    assert "world.supervisor" not in handled
    assert "world.recorder" not in handled
    for source, told in handled.items():
        assert len(set(told)) == len(told), source
        assert all(one in messages for one in told), source
    greeted = [messages[one].type for one in handled["ada.greeter"]]
    assert "PersonDetected" in greeted


@pytest.fixture(scope="module")
def told_often(tmp_path_factory, make_recording):
    """A visit during which modules tell their order every two seconds."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sera.runtime._host.VIRTUAL_TOLD_EVERY_S", 2.0)
        return make_recording(tmp_path_factory.mktemp("told") / "often.jsonl", "hello", seed=5)


def test_a_killed_recording_says_that_its_end_is_not_known(told_often, tmp_path):
    lines = told_often.read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[: len(lines) * 2 // 3]) + lines[-2][:40])
    run = read_recording(cut)
    assert any("the run was killed" in note for note in run.notes)
    whole = read_recording(told_often)
    assert len(run.handled["ada.engine"]) > 10
    for source, told in run.handled.items():
        assert whole.handled[source][: len(told)] == told


def test_a_gap_in_the_order_is_noticed(told_often, tmp_path):
    lines = told_often.read_bytes().splitlines(keepends=True)
    of_engine = [
        line for line in lines if b'"type":"Handled"' in line and b'"source":"ada.engine"' in line
    ]
    holed = tmp_path / "holed.jsonl"
    holed.write_bytes(b"".join(line for line in lines if line != of_engine[0]))
    assert any("ada.engine" in note and "gap" in note for note in read_recording(holed).notes)


# -- following it ---------------------------------------------------------------------------


def _event(number: int, message=None) -> Envelope:
    said = message or ActivityEvent(event=f"e{number}")
    return Envelope(said, f"w.game-0-{number}", 0.0, "w.game", "world")


def _inbox(order: list[int], **more) -> OrderedInbox:
    options = {"recorded_id": lambda one: one, "patience_s": 0.1, "known_until_s": 100.0, **more}
    return OrderedInbox(Counters(), [f"w.game-0-{number}" for number in order], **options)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_messages_are_handed_over_in_the_recorded_order_however_they_arrive(order, arrival):
    async def play() -> list[str]:
        inbox = _inbox(order)
        for number in arrival:
            inbox.put(_event(number))
        return [(await inbox.get()).id for _ in order]

    assert run_in_loop(play(), clock="virtual") == [f"w.game-0-{number}" for number in order]


def test_what_never_comes_holds_up_the_rest_for_a_moment_only():
    async def play() -> tuple[str, float, int]:
        inbox = _inbox([1, 2])
        inbox.put(_event(2))
        got = await inbox.get()
        return got.id, asyncio.get_running_loop().time(), inbox.out_of_order

    assert run_in_loop(play(), clock="virtual") == ("w.game-0-2", pytest.approx(0.1), 1)


def test_what_the_recording_does_not_know_comes_at_once():
    async def play() -> tuple[str, float]:
        inbox = _inbox([1], recorded_id=lambda _: None)
        inbox.put(_event(9))
        return (await inbox.get()).id, asyncio.get_running_loop().time()

    assert run_in_loop(play(), clock="virtual") == ("w.game-0-9", 0.0)


def test_values_of_a_stream_that_the_module_was_too_slow_for_are_left_out():
    async def play() -> str:
        inbox = _inbox([1])
        moved = PersonMoved(person="p", direction=Direction(horizontal_deg=0.0))
        inbox.put(_event(5, moved))
        inbox.put(_event(1))
        assert len(inbox) == 1
        return (await inbox.get()).id

    assert run_in_loop(play(), clock="virtual") == "w.game-0-1"
