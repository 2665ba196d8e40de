"""The media player on the bus: sounds here, pictures and films on a page, one end for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.messages import ActivityCommand, Envelope, MediaFinished, PlayMedia
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace
from sera.speech import Sound, write_wav

ROOT = Path(__file__).parents[2]
load_packaged_class(Workspace.discover(ROOT), "media_player")
from modules.media_player._files import MediaProblem, find_medium, media_in  # noqa: E402

SCENARIO = """
[scenario]
title = "Play"
duration_s = 60
[modules.media_player]
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
SECOND = write_wav(Sound(b"\x00\x20" * 8000, 8000))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Media of every kind, and things that are none."""
    media = tmp_path / "made" / "media"
    (media / "films").mkdir(parents=True)
    (media / "bell.wav").write_bytes(SECOND)
    (media / "broken.wav").write_bytes(b"RIFFno")
    (media / "cat.png").write_bytes(b"\x89PNG")
    (media / "dog.png").write_bytes(b"\x89PNG")
    (media / "films" / "the end.mp4").write_bytes(b"film")
    (media / ".hidden.wav").write_bytes(SECOND)
    (media / "notes.txt").write_text("secret")
    return media


@pytest.fixture
def play(folder: Path, acted: Callable[..., list[Envelope]]) -> Callable[[str], list[Envelope]]:
    bring = f"import shutil\nshutil.copytree({str(folder)!r}, self.context.folder / 'media')\n"
    return lambda body: acted(SCENARIO, bring + body)


def ends(seen: list[Envelope]) -> list[MediaFinished]:
    return [each.message for each in seen if isinstance(each.message, MediaFinished)]


def order(media: str, wait_s: float = 0.0, **how: Any) -> str:
    said = "".join(f", {key}={value!r}" for key, value in how.items())
    return (
        f"action = await self.publish(PlayMedia(media={media!r}{said}))\n"
        f"await self.clock.sleep({wait_s})\n"
    )


def page(event: str, wait_s: float = 0.0, **data: Any) -> str:
    said = "".join(f", {key!r}: {value!r}" for key, value in data.items())
    return (
        f"await self.publish(ActivityEvent(event={event!r}, data={{'action': action{said}}}))\n"
        f"await self.clock.sleep({wait_s})\n"
    )


def test_a_sound_is_played_to_its_end_from_where_it_was_asked_to_begin(play):
    seen = play(order("bell.wav", 2.0) + order("bell", 2.0, start_s=0.75, volume=0.5))
    assert [(end.completed, end.problem) for end in ends(seen)] == [(True, None), (True, None)]
    starts = [each for each in seen if isinstance(each.message, PlayMedia)]
    lengths = [
        next(e.time for e in seen if e.type == "MediaFinished" and e.cause == start.id) - start.time
        for start in starts
    ]
    assert lengths == pytest.approx([1.0, 0.25], abs=0.02)
    assert [end.action for end in ends(seen)] == [start.id for start in starts]


def test_a_loop_goes_on_until_it_is_stopped(play):
    seen = play(
        order("bell.wav", 5.3, loop=True)
        + 'await self.publish(StopMedia(media="bell.wav"))\nawait self.clock.sleep(1)\n'
    )
    (end,) = ends(seen)
    assert (end.completed, end.problem) == (False, None)
    stopped_s = next(e.time for e in seen if e.type == "StopMedia")
    assert next(e.time for e in seen if e.type == "MediaFinished") - stopped_s < 0.02


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("bel.wav", "did you mean 'bell.wav'?"),
        ("../scenario.toml", "there is no medium"),
        ("/etc/passwd", "there is no medium"),
        ("films/../../scenario.toml", "there is no medium"),
        (".hidden.wav", "there is no medium"),
        ("notes.txt", "there is no medium"),
        ("broken.wav", "cannot be played"),
        ("x" * 5000, "there is no medium"),
    ],
)
def test_what_cannot_be_played_ends_at_once_with_a_sentence(play, name, why):
    (end,) = ends(play(order(name, 0.5)))
    assert not end.completed
    assert why in (end.problem or "")


def test_a_film_is_shown_by_a_page_that_tells_its_end(play):
    seen = play(
        order("films/the end.mp4", 0.5, start_s=3.0)
        + page("media_started", 10)
        + page("media_shown", 10)
        + page("media_finished", 1, completed=True)
    )
    (show,) = [e.message for e in seen if isinstance(e.message, ActivityCommand)]
    assert show.command == "show_media"
    assert show.data["url"] == "/media/films/the%20end.mp4"
    assert (show.data["kind"], show.data["start_s"]) == ("film", 3.0)
    assert [(end.completed, end.problem) for end in ends(seen)] == [(True, None)]


def test_without_a_page_it_ends_with_what_to_do(play):
    (end,) = ends(play(order("cat.png", 7)))
    assert not end.completed
    assert "open /static/media.html" in (end.problem or "")


def test_a_page_that_is_gone_or_cannot_show_it_is_told(play):
    seen = play(
        order("cat.png", 0.5)
        + page("media_started", 20)
        + order("dog.png", 0.5)
        + page("media_finished", 0.5, completed=True, problem="the browser cannot show this file")
    )
    gone, refused = ends(seen)
    assert "is gone" in (gone.problem or "")
    assert (refused.completed, refused.problem) == (False, "the browser cannot show this file")


def test_the_next_picture_takes_the_place_of_the_first_on_its_own_screen_only(play):
    seen = play(
        order("cat.png", 0.2)
        + page("media_started")
        + order("dog.png", 0.2, screen="wall")
        + page("media_started", 0.2)
        + order("dog.png", 0.2)
        + page("media_started")
        + "await self.publish(StopMedia())\nawait self.clock.sleep(1)\n"
    )
    assert [(end.media, end.completed) for end in ends(seen)] == [
        ("cat.png", True),
        ("dog.png", False),
    ]
    commands = [
        (e.message.command, e.message.data["screen"])
        for e in seen
        if isinstance(e.message, ActivityCommand)
    ]
    assert commands == [
        ("show_media", None),
        ("show_media", "wall"),
        ("hide_media", None),
        ("show_media", None),
        ("hide_media", None),
    ]


def test_an_emergency_stop_ends_everything_until_the_release(play):
    seen = play(
        order("bell.wav", loop=True)
        + order("cat.png", 0.5)
        + "await self.publish(EmergencyStop())\nawait self.clock.sleep(0.5)\n"
        + order("bell.wav", 0.5)
        + "await self.publish(EmergencyRelease())\nawait self.clock.sleep(0.1)\n"
        + order("bell.wav", 2)
    )
    assert [end.completed for end in ends(seen)] == [False, False, False, True]
    assert "emergency stop" in (ends(seen)[2].problem or "")
    stopped_s = next(e.time for e in seen if e.type == "EmergencyStop")
    first_s = next(e.time for e in seen if e.type == "MediaFinished")
    assert 0.0 <= first_s - stopped_s < 0.02


def test_what_strange_pages_say_changes_nothing(play):
    seen = play(
        order("cat.png", 0.5)
        + "await self.publish(ActivityEvent(event='media_finished', data={'action': ['x']}))\n"
        + "await self.publish(ActivityEvent(event='media_finished', data={}))\n"
        + page("media_started", 1)
        + page("media_finished", 0.5, completed="yes", problem=["a" * 500])
    )
    (end,) = ends(seen)
    assert not end.completed
    assert len(end.problem or "") == 200


def test_links_that_lead_outside_are_no_media(folder, tmp_path):
    outside = tmp_path / "outside.wav"
    outside.write_bytes(SECOND)
    (folder / "link.wav").symlink_to(outside)
    assert "link.wav" not in media_in(folder)
    with pytest.raises(MediaProblem, match="there is no medium"):
        find_medium(folder, "link.wav")
    with pytest.raises(MediaProblem, match="has no folder 'none'"):
        find_medium(folder / "none", "bell.wav")


@pytest.fixture(scope="module")
def one_folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("media")
    (place / "a.wav").write_bytes(SECOND)
    return place


@given(name=st.text() | st.from_regex(r"(\.\./|/|a\.wav|%2e|\\)*", fullmatch=True))
def test_no_name_leads_out_of_the_folder(one_folder, name):
    try:
        found = find_medium(one_folder, name)
    except MediaProblem:
        return
    assert found.path == one_folder / "a.wav"
