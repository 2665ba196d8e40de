"""All rows of a participant as one JSON object."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sera.study.data import Participation, as_one

WARM = Participation(
    participant="s01",
    session="s01_1",
    kind="simulated",
    fate="completed",
    condition="warm",
    factors={"warmth": "warm"},
    seed=5,
    language="en",
    measures={"Wrong": 3, "Odd": None},
    answers={"ios": {"ios": 4}},
    problems=("Odd could not be taken",),
)
COOL = replace(
    WARM,
    session="s01_2",
    period=2,
    condition="cool",
    factors={"warmth": "cool"},
    measures={"Wrong": 1, "Odd": 2},
    answers={"ios": {"ios": 6}},
    problems=(),
)


def test_who_met_one_condition_has_it_with_the_measures_beside_it():
    assert as_one([WARM]) == WARM.as_json()


def test_who_met_several_has_their_order_and_the_measures_of_each():
    one = as_one([COOL, WARM])
    assert one["condition"] == ["cool", "warm"]
    assert one["measures"] == {"cool": {"Wrong": 1, "Odd": 2}, "warm": {"Wrong": 3, "Odd": None}}
    assert one["answers"]["cool"] == {"ios": {"ios": 6}}
    assert one["factors"]["warm"] == {"warmth": "warm"}
    assert (one["id"], one["simulated"], one["seed"]) == ("s01", True, 5)
    assert one["problems"] == ["warm: Odd could not be taken"]


def test_people_are_not_mixed():
    with pytest.raises(ValueError, match="one participant"):
        as_one([WARM, replace(COOL, participant="s02")])
    with pytest.raises(ValueError, match="one participant"):
        as_one([])
