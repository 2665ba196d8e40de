"""The room from above as a picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from sera.behaviour.space import FloorPlan, Frame, Observer, ScreenPlane

PLAN = FloorPlan(
    characters={"ada": Observer(Frame((0.0, 0.0, 0.0)))},
    screens={"table": ScreenPlane(Frame.from_degrees((0.0, 0.9, 0.7), 180.0, -60.0), 1.0, 0.6)},
    seats={"left": Frame.from_degrees((0.5, 1.2, 1.4), 180.0)},
    objects={"lamp": Frame((1.4, 1.5, 1.0))},
    people_m={"learner_1": (0.5, 1.2, 1.4)},
)


def left_of(svg: bytes, name: str) -> float:
    """How far to the right a text stands."""
    (at,) = re.findall(rf'<text[^>]*\bx="([-0-9.]+)"[^>]*>{name}<', svg.decode())
    return float(at)


def test_everything_is_named_and_what_shares_a_place_shares_a_label():
    text = PLAN.draw(title="The $lab$").decode()
    ET.fromstring(text)
    for name in ("ada", "table (screen)", "left (seat), learner_1", "lamp", "The $lab$"):
        assert f">{name}<" in text


def test_the_left_of_who_faces_forward_is_on_the_left():
    picture = PLAN.draw()
    assert left_of(picture, "lamp") < left_of(picture, "ada")


def test_the_same_room_gives_the_same_bytes_and_a_png_is_a_picture():
    assert PLAN.draw() == PLAN.draw()
    assert PLAN.draw(picture="png").startswith(b"\x89PNG")


def test_an_empty_room_is_said():
    with pytest.raises(ValueError, match="nothing in the room to draw"):
        FloorPlan().draw()
