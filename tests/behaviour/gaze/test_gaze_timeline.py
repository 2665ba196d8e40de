"""The timeline of a gaze as a picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from sera.behaviour.gaze import TimelineEntry, draw_timeline

LOOKS = [
    TimelineEntry(0.0, "random", "free: policy mutual"),
    TimelineEntry(3.0, "visitor", "mutual: visitor looks at the robot"),
    TimelineEntry(3.5, "visitor", "tracking: visitor moved"),
    TimelineEntry(8.0, "elsewhere", "breaking: 5.0 s on visitor"),
    TimelineEntry(9.5, "visitor", "back: to visitor after elsewhere"),
    TimelineEntry(11.0, "clicks", "something else entirely"),
]


def test_an_svg_names_every_target_and_every_reason():
    text = draw_timeline(LOOKS, end_s=12.0, title="Condition A").decode()
    ET.fromstring(text)
    words = set(re.findall(r"<text[^>]*>([^<]+)</text>", text))
    assert {"random", "visitor", "elsewhere", "clicks", "Condition A"} <= words
    assert {"free", "mutual", "breaking", "back"} <= words
    # Tracking is a tick on the bar it belongs to and no reason of its own.
    assert "tracking" not in words


def test_the_same_looks_in_any_order_give_the_same_bytes():
    assert draw_timeline(LOOKS, end_s=12.0) == draw_timeline(LOOKS[::-1], end_s=12.0)


def test_a_png_is_a_picture():
    picture = draw_timeline(LOOKS, picture="png")
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000


def test_nothing_to_draw_is_said():
    with pytest.raises(ValueError, match="no looks to draw"):
        draw_timeline([])


def test_an_end_before_the_last_look_is_refused():
    with pytest.raises(ValueError, match="the end, 5 s, lies before the last look, 11 s"):
        draw_timeline(LOOKS, end_s=5.0)
