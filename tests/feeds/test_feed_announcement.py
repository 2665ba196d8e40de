"""The files by which feeds are found: private, one a device, and gone with their process."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import asdict, replace

from sera.feeds import feeds_folder, list_feeds
from sera.feeds.announcement import Feed, announce_feed, own_process

FEED = Feed(
    kind="picture",
    name="camera 0",
    source="world.eyes",
    character="world",
    port=4000,
    token="t" * 20,
    pid=own_process()[0],
    process_started_s=own_process()[1],
    began_s=1.0,
)


def dead_pid() -> int:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


async def test_the_file_is_this_users_alone_and_goes_with_the_feed(offer):
    server = await offer()
    (path,) = feeds_folder("play").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await server.stop()
    assert not feeds_folder("play").exists()
    assert list_feeds("play") == []


async def test_an_older_life_does_not_take_the_new_ones_file_away(offer):
    old = await offer()
    new = await offer()
    await old.stop()
    assert [feed.token for feed in list_feeds("play")] == [new._token]


def test_files_of_dead_processes_are_ignored_and_removed():
    dead = announce_feed("play", replace(FEED, pid=dead_pid()))
    assert dead.exists()
    assert list_feeds("play") == []
    assert not dead.exists()


def test_what_a_killed_run_left_is_swept_by_the_next_one():
    announce_feed("killed", replace(FEED, pid=dead_pid()))
    assert feeds_folder("killed").exists()
    announce_feed("play", FEED)
    assert not feeds_folder("killed").exists()
    assert list_feeds("play") == [FEED]


def test_a_process_that_took_over_the_number_is_not_the_one():
    announce_feed("play", replace(FEED, process_started_s=FEED.process_started_s - 100))
    assert list_feeds("play") == []


async def test_two_trackers_on_one_camera_are_offered_as_one(offer):
    first = await offer(source="world.eyes", device=0, now_s=5.0)
    await offer(source="world.markers", device="0", now_s=6.0)
    await offer(source="world.far", device="rtsp://user:secret@cam", now_s=7.0)
    assert [feed.source for feed in list_feeds("play")] == ["world.eyes", "world.far"]
    texts = "".join(path.read_text() for path in feeds_folder("play").iterdir())
    assert "secret" not in texts
    await first.stop()
    assert [feed.source for feed in list_feeds("play")] == ["world.markers", "world.far"]


def test_files_that_make_no_sense_are_passed_over():
    path = announce_feed("play", FEED)
    odd = [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        json.dumps(asdict(FEED) | {"port": "80"}).encode(),
        json.dumps(asdict(FEED) | {"port": 99999}).encode(),
        json.dumps(asdict(FEED) | {"kind": "keys"}).encode(),
        json.dumps(asdict(FEED) | {"pid": -1}).encode(),
        json.dumps(asdict(FEED) | {"name": ["x"]}).encode(),
        json.dumps(asdict(FEED) | {"more": 1}).encode(),
    ]
    for number, content in enumerate(odd):
        (path.parent / f"odd{number}.json").write_bytes(content)
    assert list_feeds("play") == [FEED]


def test_a_folder_that_others_may_write_to_is_not_believed():
    announce_feed("play", FEED)
    feeds_folder("play").chmod(0o777)
    assert list_feeds("play") == []


def test_the_name_of_a_run_cannot_lead_out_of_the_folder(own_live_runs):
    assert feeds_folder("../../etc").parent == own_live_runs
