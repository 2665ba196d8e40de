"""Pages that send rubbish, send too much, or do not take what they are sent."""

from __future__ import annotations

import asyncio
import time

import pytest

from sera.messages import Clicked, PersonMoved, Position
from sera.web import Limits
from tests.helpers import PATIENCE_S, until

RUBBISH = [
    "",
    "{",
    "null",
    "[]",
    '{"send":7}',
    '{"send":{"type":"Receipt"}}',
    '{"x":{}}',
    "☃" * 999,
]


def moved(number: int) -> PersonMoved:
    return PersonMoved(person="visitor", position=Position(x_m=number, y_m=1, z_m=2))


@pytest.mark.parametrize("text", RUBBISH)
async def test_rubbish_is_refused_counted_and_reported_and_the_page_goes_on(stage, text):
    link = await stage.page("activity", page="game\nfake log line")
    link.say_raw(text)
    await link.next("refused")
    assert stage.gateway.counters.malformed == 1
    assert stage.reports[0].startswith("page game_fake log line (activity) was refused: ")
    link.say({"send": {"type": "Clicked", "data": {"element": "a"}}})
    await link.next("accepted")


async def test_reports_come_at_a_rate_that_people_can_read(make_stage):
    stage = await make_stage(limits=Limits(offences=100, fault_pause_s=0.5))
    link = await stage.page("activity")
    for _ in range(50):
        link.say_raw("{")
    await link.next("refused", count=50)
    assert stage.gateway.counters.malformed == 50
    assert len(stage.reports) <= 3
    await asyncio.sleep(0.51)
    link.say_raw("{")
    await link.next("refused", count=51)
    reported = sum(
        int(one.partition("(and ")[2].split()[0]) for one in stage.reports if "more" in one
    )
    assert reported + len(stage.reports) == 51


async def test_a_page_that_is_refused_too_often_is_sent_away_with_a_sentence(make_stage):
    stage = await make_stage(limits=Limits(offences=5))
    link = await stage.page("activity")
    for _ in range(50):
        link.say_raw("{")
    code, reason = await until(lambda: link.closed)
    assert code == 4429
    assert reason.startswith("too much was refused")
    assert len(link.all("refused")) == 7  # five that are tolerated, one too many, and the farewell
    assert "too much was refused" in link.all("refused")[-1]["why"]
    assert stage.gateway.pages == []


async def test_a_page_that_sends_too_fast_is_told_and_then_sent_away(make_stage):
    stage = await make_stage(limits=Limits(sends_per_s=1, burst=20, offences=5))
    began_s = time.perf_counter()
    link = await stage.page("activity")
    for ref in range(60):
        link.say({"send": {"type": "Clicked", "data": {"element": "a"}, "ref": ref}})
    await until(lambda: link.closed)
    assert 20 <= len(link.all("accepted")) <= 21 + time.perf_counter() - began_s
    refused = link.all("refused")[0]
    assert refused["why"] == "the page sends more than 1 frames a second"
    assert refused["ref"] == len(link.all("accepted"))
    assert len(stage.heard) == len(link.all("accepted"))


async def test_a_slow_page_loses_old_values_of_a_stream_and_nothing_else(make_stage):
    stage = await make_stage(limits=Limits(stream=4))
    link = await stage.listening("observer", "*")
    link.takes.clear()
    for number in range(100):
        stage.other.publish(moved(number))
        if number == 50:
            stage.other.publish(Clicked(element="kept"))
    await asyncio.sleep(0.02)
    link.takes.set()
    await until(lambda: link.all("message") and link.all("message")[-1]["data"]["position"])
    await until(lambda: link.all("message")[-1]["data"]["position"]["x_m"] == 99)
    kinds = [one["type"] for one in link.all("message")]
    assert kinds.count("Clicked") == 1
    assert 4 <= kinds.count("PersonMoved") <= 6
    link.leave()
    await until(lambda: not stage.gateway.pages)
    assert stage.gateway.counters.dropped == 100 - kinds.count("PersonMoved")


async def test_a_page_that_takes_nothing_is_cut_off_and_the_others_do_not_notice(make_stage):
    stage = await make_stage(limits=Limits(outgoing=50))
    stuck = await stage.listening("observer", "*")
    lively = await stage.listening("observer", "Clicked")
    stuck.takes.clear()
    for number in range(200):
        stage.other.publish(Clicked(element=f"card_{number}"))
        if number % 20 == 0:
            await asyncio.sleep(0.001)
    await lively.next("message", count=200)
    assert [one["data"]["element"] for one in lively.all("message")] == [
        f"card_{number}" for number in range(200)
    ]
    await until(lambda: stuck.aborted)
    assert len(stage.gateway.pages) == 1
    assert stage.gateway.counters.lost > 0
    assert "takes messages more slowly than they come" in stage.reports[-1]


async def test_closing_does_not_wait_for_a_page_that_takes_nothing(stage):
    stuck = await stage.listening("observer", "*")
    lively = await stage.listening("observer", "*")
    stuck.takes.clear()
    stage.other.publish(Clicked(element="a"))
    await lively.next("message")
    await asyncio.wait_for(stage.gateway.close(), PATIENCE_S)
    assert stuck.aborted
    assert lively.closed == (1001, "the run has ended")


async def test_nobody_is_let_in_while_the_gateway_closes(stage):
    await stage.gateway.close()
    late = await stage.page("observer")
    await until(lambda: late.closed)
    assert late.closed == (1001, "the run has ended")


async def test_pages_learn_that_there_is_no_broker_and_come_back_when_there_is(stage):
    page = await stage.listening("observer", "*")
    stage.gateway.lose_broker("connection refused")
    await until(lambda: page.closed)
    code, why = page.closed
    assert (code, why) == (1013, "the run has no connection to its broker (connection refused)")
    late = await stage.page("observer")
    await until(lambda: late.closed)
    assert late.closed == page.closed
    stage.gateway.find_broker()
    assert await stage.listening("observer", "*")
    assert stage.reports == []


async def test_an_oversized_frame_that_the_socket_refused_is_counted(stage):
    link = await stage.page("activity")
    link.leave(code=1009)
    await until(lambda: stage.reports)
    assert "sent a frame above 1,048,576 bytes" in stage.reports[0]
    assert stage.gateway.counters.malformed == 1


async def test_a_message_that_would_not_fit_on_the_bus_is_refused(stage):
    link = await stage.page("activity")
    link.say({"send": {"type": "Clicked", "data": {"element": "x" * 1_048_000}, "ref": 1}})
    refused = await link.next("refused")
    assert "the limit is 1,048,576" in refused["why"]
    assert len(refused["why"]) < 300
