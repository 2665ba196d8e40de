"""Feeds over real sockets: who is let in, what slow readers miss, and what is never made."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.feeds import FeedEnded, FeedReader, FeedServer, list_feeds
from sera.feeds._wire import LARGEST_FRAME_BYTES, FeedBroken, packed, read_frame
from sera.feeds.announcement import feed_id
from tests.helpers import until


async def test_frames_arrive_with_their_times_and_only_while_somebody_reads(offer):
    server = await offer()
    assert not server.wants(1.0)
    (feed,) = list_feeds("play")
    async with FeedReader(feed) as reader:
        assert reader.greeting == {"kind": "picture", "name": "camera 0", "rate_hz": None}
        await until(lambda: server.wants(1.0))
        server.send(b"one", 1.25)
        assert await reader.next() == (1.25, b"one")
    await until(lambda: not server.read)
    assert not server.wants(2.0)


async def test_the_rate_is_said_again_where_it_changes(offer):
    server = await offer("voice", "ada.speaker")
    async with FeedReader(list_feeds("play")[0]) as reader:
        await until(lambda: server.read)
        server.send(b"ab", 1.0, rate_hz=22_050)
        server.send(b"cd", 1.1, rate_hz=22_050)
        server.send(b"ef", 1.2, rate_hz=44_100)
        came = [await reader.next() for _ in range(5)]
    rates = [frame["rate_hz"] for frame in came if isinstance(frame, dict)]
    assert rates == [22_050, 44_100]
    assert [frame for frame in came if isinstance(frame, tuple)] == [
        (1.0, b"ab"),
        (1.1, b"cd"),
        (1.2, b"ef"),
    ]
    assert isinstance(came[3], dict)


async def test_a_reader_that_sleeps_misses_old_pictures_and_holds_up_nobody(offer):
    server = await offer()
    feed = list_feeds("play")[0]
    async with FeedReader(feed) as asleep, FeedReader(feed) as awake:
        await until(lambda: len(server._readers) == 2)
        picture = bytes(60_000)
        for number in range(60):
            server.send(struct.pack("<I", number) + picture, float(number))
            time_s, payload = await awake.next()
            assert (time_s, payload[:4]) == (float(number), struct.pack("<I", number))
        assert server.missed > 10
        seen = [(await asleep.next())[0]]
        while seen[-1] != 59.0:
            seen.append((await asleep.next())[0])
    assert all(before < after for before, after in pairwise(seen))
    assert len(seen) < 50


async def test_nobody_comes_in_without_the_token(offer):
    server = await offer()
    feed = list_feeds("play")[0]
    for said in (b"\n", b"wrong\n", b"x" * 5000, feed.token[:-1].encode() + b"\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", feed.port)
        writer.write(said)
        with contextlib.suppress(ConnectionResetError):  # what it said was not even read
            assert await reader.read() == b""
        writer.close()
    assert not server.read


async def test_a_feed_that_stops_says_so_to_its_readers(offer):
    server = await offer()
    feed = list_feeds("play")[0]
    async with FeedReader(feed) as reader:
        await server.stop()
        with pytest.raises(FeedEnded, match="camera 0 has ended"):
            await reader.next()
    with pytest.raises(FeedEnded, match="camera 0 does not answer"):
        await FeedReader(feed).open()


@pytest.mark.parametrize(("camera_hz", "expected_hz"), [(30, 15), (15, 15), (60, 15), (10, 10)])
async def test_pictures_are_wanted_fifteen_times_a_second_at_most(offer, camera_hz, expected_hz):
    server: FeedServer = await offer()
    async with FeedReader(list_feeds("play")[0]):
        await until(lambda: server.read)
        taken = 0
        for number in range(10 * camera_hz):
            time_s = 1e9 + number / camera_hz + 0.004 * (number % 3)  # cameras are not exact
            if server.wants(time_s):
                server.send(b"", time_s)
                taken += 1
    assert taken == pytest.approx(10 * expected_hz, abs=5)


@given(st.floats(allow_nan=False), st.binary(max_size=300))
def test_every_frame_comes_out_as_it_went_in(time_s, payload):
    async def round_trip():
        reader = asyncio.StreamReader()
        reader.feed_data(packed(time_s, payload))
        return await read_frame(reader)

    assert asyncio.run(round_trip()) == (time_s, payload)


async def test_a_frame_of_absurd_length_is_refused():
    reader = asyncio.StreamReader()
    reader.feed_data(struct.pack("<Id", LARGEST_FRAME_BYTES + 1, 0.0))
    with pytest.raises(FeedBroken):
        await read_frame(reader)


@given(st.text())
def test_an_id_is_safe_in_paths_and_addresses(source):
    assert set(feed_id("sound", source)) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    )
