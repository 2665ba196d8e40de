"""Targets by name: built-in ones, ones made at run time, aliases, and what is refused."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Angles, Frame, Observer, Room, ScreenPlane
from sera.behaviour.targets import (
    BUILT_IN_ANGLES,
    AliasTarget,
    AngleTarget,
    Kind,
    PointTarget,
    PositionTarget,
    TargetRefused,
    TargetSettings,
    TargetTable,
    UnknownTarget,
    place_of,
)
from sera.messages import Direction, Position, ScreenPoint, TargetUpdated


def room() -> Room:
    screen = ScreenPlane(Frame.from_degrees((0, 0, 1), yaw_deg=180), 2.0, 2.0, 200, 100)
    return Room(
        Observer(), {"main": screen}, {"guest": Frame((0.0, 0.0, 2.0))}, {"cup": Frame((-1, 0, 1))}
    )


@pytest.fixture
def table() -> TargetTable:
    return TargetTable(room())


def look(table: TargetTable, name: str, seed: int = 1) -> Angles | None:
    return table.angles(name, 0.0, random.Random(seed))


def test_nine_angles_are_built_in():
    assert len(BUILT_IN_ANGLES) == 9
    assert BUILT_IN_ANGLES["topLeft"] == (-30.0, 30.0)
    assert BUILT_IN_ANGLES["bottomRight"] == (30.0, -20.0)
    assert BUILT_IN_ANGLES["front"] == (0.0, 0.0)


@pytest.mark.parametrize("name", ["topLeft", "TOPLEFT", " topleft "])
def test_the_case_of_a_name_does_not_count(table, name):
    assert look(table, name) == (-30.0, 30.0)
    assert table.kind(name) is Kind.ANGLE


def test_what_stands_in_the_scenario_is_a_target(table):
    assert look(table, "guest") == pytest.approx((0.0, 0.0))
    assert look(table, "cup") == pytest.approx((45.0, 0.0))
    assert look(table, "main") == pytest.approx((0.0, 0.0))
    assert table.kind("cup") is Kind.POSITION
    assert table.kind("main") is Kind.SCREEN_POINT


@pytest.mark.parametrize(
    ("place", "expected", "kind"),
    [
        (AngleTarget(Angles(12.0, -3.0)), (12.0, -3.0), Kind.ANGLE),
        (PositionTarget((1.0, 0.0, 1.0)), (-45.0, 0.0), Kind.POSITION),
        (PointTarget("main", 200, 50), (45.0, 0.0), Kind.SCREEN_POINT),
        (AliasTarget("bottom"), (0.0, -20.0), Kind.ANGLE),
    ],
)
def test_a_target_is_made_moved_and_removed_at_run_time(table, place, expected, kind):
    table.place("house", place)
    assert look(table, "House") == pytest.approx(expected)
    assert table.kind("house") is kind
    assert "house" in table.names()
    table.place("house", AngleTarget(Angles(1.0, 2.0)))
    assert look(table, "house") == (1.0, 2.0)
    table.remove("house")
    with pytest.raises(UnknownTarget, match="there is no target 'house'"):
        look(table, "house")


def test_an_unknown_name_is_answered_with_the_nearest(table):
    with pytest.raises(
        UnknownTarget, match="no target 'tpoLeft'; did you mean 'topLeft'"
    ) as caught:
        look(table, "tpoLeft")
    assert caught.value.nearest == "topLeft"


def test_a_built_in_angle_can_be_moved_and_comes_back(table):
    table.place("left", AngleTarget(Angles(-50.0, 0.0)))
    assert look(table, "left") == (-50.0, 0.0)
    assert table.remove("left") == []
    assert look(table, "left") == (-30.0, 0.0)


@pytest.mark.parametrize("name", ["person", "Person2", "clicks", "random", "throughMap"])
def test_targets_of_the_senses_cannot_be_moved(table, name):
    with pytest.raises(TargetRefused, match="follows the senses; choose another name"):
        table.place(name, AngleTarget(Angles(0.0, 0.0)))


@pytest.mark.parametrize("name", ["top", "guest", "clicks"])
def test_what_was_not_made_at_run_time_cannot_be_removed(table, name):
    with pytest.raises(TargetRefused, match="was not made at run time"):
        table.remove(name)


def test_removing_what_is_not_there_is_said(table):
    with pytest.raises(UnknownTarget, match="did you mean 'guest'"):
        table.remove("gest")


def test_an_alias_of_a_person_is_a_person(table):
    table.person_seen("visitor", 0.0, position_m=(0.0, 0.0, 1.0))
    table.place("leader", AliasTarget("person1"))
    table.place("eco", AliasTarget("leader"))
    assert table.kind("eco") is Kind.PERSON
    assert table.person_of("eco", 0.0) == "visitor"
    assert look(table, "eco") == pytest.approx((0.0, 10.0))


def test_a_circle_of_aliases_is_refused_with_its_path(table):
    table.place("a", AliasTarget("top"))
    table.place("b", AliasTarget("a"))
    table.place("c", AliasTarget("b"))
    with pytest.raises(TargetRefused, match="'a' would follow itself: a → c → b → a"):
        table.place("a", AliasTarget("c"))
    assert look(table, "c") == (0.0, 30.0)
    with pytest.raises(TargetRefused, match="d → D"):
        table.place("d", AliasTarget("D"))


def test_an_alias_of_nothing_is_refused_with_the_nearest(table):
    with pytest.raises(UnknownTarget, match="did you mean 'guest'"):
        table.place("who", AliasTarget("guets"))


def test_removing_a_target_names_the_aliases_it_leaves_behind(table):
    table.place("house", AngleTarget(Angles(5.0, 5.0)))
    table.place("home", AliasTarget("house"))
    assert table.remove("house") == ["home"]
    with pytest.raises(UnknownTarget, match="no target 'house', which 'home' follows"):
        look(table, "home")


@given(links=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=30))
def test_no_order_of_aliases_makes_a_circle(links):
    table = TargetTable()
    for name in "abcdef":
        table.place(name, AngleTarget(Angles(1.0, 1.0)))
    for name, of in links:
        try:
            table.place(name, AliasTarget(of))
        except TargetRefused as error:
            assert "would follow itself" in str(error)  # noqa: PT017 - refusals are expected here
    for name in "abcdef":
        assert look(table, name) == (1.0, 1.0)


def test_a_point_on_an_unknown_screen_is_refused(table):
    with pytest.raises(TargetRefused, match=r"no screen 'mian' .* did you mean 'main'"):
        table.place("house", PointTarget("mian", 1, 1))


def test_a_point_beyond_its_screen_is_refused(table):
    with pytest.raises(TargetRefused, match="beyond the screen 'main', which has 200 by 100"):
        table.place("house", PointTarget("main", 201, 1))


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_place_of_no_number_is_refused(table, number):
    with pytest.raises(TargetRefused, match="ordinary numbers"):
        table.place("house", AngleTarget(Angles(number, 0.0)))
    with pytest.raises(TargetRefused, match="ordinary numbers"):
        table.place("house", PositionTarget((0.0, number, 0.0)))


def test_a_target_without_a_name_is_refused(table):
    with pytest.raises(TargetRefused, match="needs a name"):
        table.place("  ", AngleTarget(Angles(0.0, 0.0)))


def test_clicks_have_no_place_before_the_first_click(table):
    assert look(table, "clicks") is None
    table.click("main", 200, 50)
    assert look(table, "Clicks") == pytest.approx((45.0, 0.0))
    assert table.click_on("cup", 0.0, random.Random(1)) == pytest.approx((45.0, 0.0))
    assert table.click_on("nothing", 0.0, random.Random(1)) is None


@given(seed=st.integers(0, 10_000))
def test_random_looks_stay_within_the_amplitude_and_elsewhere_goes_up(seed):
    table = TargetTable()
    looked, up = look(table, "random", seed), look(table, "elsewhere", seed)
    assert looked is not None
    assert up is not None
    assert abs(looked.horizontal_deg) <= 40.0
    assert -10.0 <= looked.vertical_deg <= 20.0
    assert abs(up.horizontal_deg) <= 40.0
    assert 5.0 <= up.vertical_deg <= 20.0
    assert looked == look(table, "random", seed)


@pytest.mark.parametrize("name", ["throughMap", "acrossRoom"])
@pytest.mark.parametrize("where", [Room(), room()])
def test_rows_are_three_looks_from_one_side_to_the_other(name, where):
    table = TargetTable(where)
    sides = set()
    for seed in range(10):
        row = table.row(name, 0.0, random.Random(seed))
        across = [angles.horizontal_deg for angles in row]
        assert len(row) == 3
        assert across in (sorted(across), sorted(across, reverse=True))
        assert abs(across[2] - across[0]) > 20.0
        sides.add(across[0] < 0)
    assert sides == {True, False}


def test_a_person_is_looked_at_above_the_given_point():
    table = TargetTable(settings=TargetSettings(person_raised_deg=4.0))
    table.person_seen("visitor", 0.0, direction=Angles(20.0, 0.0))
    assert look(table, "visitor") == pytest.approx((20.0, 4.0))
    assert look(TargetTable(), "person") is None


def test_a_person_overhead_is_not_looked_at_beyond_the_zenith():
    table = TargetTable()
    table.person_seen("visitor", 0.0, direction=Angles(0.0, 85.0))
    assert look(table, "visitor") == pytest.approx((0.0, 90.0))


def test_somebody_without_a_place_is_refused(table):
    with pytest.raises(TargetRefused, match="nobody says where 'visitor' is"):
        table.person_seen("visitor", 0.0)


def test_a_target_cannot_take_the_name_of_somebody_in_view(table):
    table.person_seen("visitor", 0.0, position_m=(0, 0, 1))
    with pytest.raises(TargetRefused, match="somebody in view"):
        table.place("Visitor", AngleTarget(Angles(0.0, 0.0)))


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (TargetUpdated(target="x", alias_of="top"), AliasTarget("top")),
        (
            TargetUpdated(target="x", point=ScreenPoint(screen="main", x_px=3, y_px=4)),
            PointTarget("main", 3, 4),
        ),
        (
            TargetUpdated(target="x", position=Position(x_m=1, y_m=2, z_m=3)),
            PositionTarget((1, 2, 3)),
        ),
        (
            TargetUpdated(target="x", direction=Direction(horizontal_deg=5, vertical_deg=6)),
            AngleTarget(Angles(5, 6)),
        ),
    ],
)
def test_a_message_says_where_a_target_is(message, place):
    assert place_of(message) == place
