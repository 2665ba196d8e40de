"""Who gets which condition: balanced whatever becomes of sessions, and the same after a restart."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.study.design import LedgerEntry, LedgerError, Slot, block_size, draw, planned_sample
from sera.study.design._orders import balanced_orders
from sera.study.design_tables import Design

SEEDS = st.integers(0, 2**32)
FATES = st.lists(st.sampled_from(["filled", "released", "late"]), max_size=60)


def between(count: int, **more: Any) -> Design:
    return Design.model_validate(
        {"conditions": [{"name": f"c{number}"} for number in range(count)], **more}
    )


def within(count: int, *, groups: int = 1, **more: Any) -> Design:
    """Every participant meets `count` visits; participants are in one of several groups."""
    levels = [f"v{number}" for number in range(count)]
    factors = [{"name": "visit", "kind": "within", "levels": levels}]
    if groups > 1:
        factors.append({"name": "group", "levels": [f"g{number}" for number in range(groups)]})
    conditions = [
        {
            "name": f"g{group}_{level}",
            "levels": {"visit": level} | ({"group": f"g{group}"} if groups > 1 else {}),
        }
        for group in range(groups)
        for level in levels
    ]
    told = {"assignment": "latin_square", "factors": factors, "conditions": conditions}
    return Design.model_validate({**told, **more})


def fill(design: Design, seed: int, fates: list[str]) -> list[Slot]:
    """Sessions until the plan is full: some fail at once, some fail when others have begun."""
    plan = planned_sample(design)
    assert plan is not None
    ledger: list[LedgerEntry] = []
    filled: list[Slot] = []
    undecided: list[tuple[Slot, str]] = []
    waiting = list(fates)
    session = 0
    while len(filled) < plan.participants:
        if len(filled) + len(undecided) == plan.participants:
            slot, name = undecided.pop(0)
            ledger.append(LedgerEntry("released", slot.number, name))
            continue
        session += 1
        name = f"s{session}"
        slot = draw(design, seed, ledger)
        assert not slot.beyond_plan
        ledger.append(slot.drawn_for(name))
        fate = waiting.pop(0) if waiting else "filled"
        if fate == "late":
            undecided.append((slot, name))
            continue
        ledger.append(LedgerEntry(fate, slot.number, name))  # type: ignore[arg-type]
        if fate == "filled":
            filled.append(slot)
    assert not undecided
    return filled


@given(SEEDS, st.integers(1, 6), st.integers(1, 3), st.integers(1, 3), FATES)
@settings(max_examples=60, deadline=None)
def test_cells_of_blocks_fill_up_exactly_whatever_becomes_of_sessions(
    seed: int, count: int, repeats: int, blocks: int, fates: list[str]
) -> None:
    sample = {"per_condition": repeats * blocks}
    filled = fill(between(count, repeats_in_block=repeats, sample=sample), seed, fates)
    met = Counter(slot.conditions for slot in filled)
    assert set(met.values()) == {repeats * blocks}
    assert len(met) == count


@given(SEEDS, st.integers(2, 6), st.integers(1, 2), st.integers(1, 2), FATES)
@settings(max_examples=60, deadline=None)
def test_latin_squares_are_balanced_for_place_and_carry_over(
    seed: int, count: int, groups: int, blocks: int, fates: list[str]
) -> None:
    design = within(count, groups=groups)
    rows = (count if count % 2 == 0 else 2 * count) * blocks
    sample = {"per_condition": rows * groups}
    filled = fill(
        design.model_copy(update={"sample": within(count, sample=sample).sample}), seed, fates
    )
    for group in range(groups):
        orders = [one.conditions for one in filled if one.conditions[0].startswith(f"g{group}_")]
        assert len(orders) == rows
        assert all(len(set(order)) == count for order in orders)
        at_place = Counter((place, name) for order in orders for place, name in enumerate(order))
        assert set(at_place.values()) == {rows // count}
        assert len(at_place) == count * count
        follows = Counter(pair for order in orders for pair in pairwise(order))
        assert len(set(follows.values())) == 1
        assert len(follows) == count * (count - 1)


@given(SEEDS, st.integers(2, 6), st.integers(1, 2), FATES)
@settings(max_examples=40, deadline=None)
def test_blocks_within_participants_are_balanced_for_place(
    seed: int, count: int, repeats: int, fates: list[str]
) -> None:
    sample = {"per_condition": 2 * count * repeats}
    design = within(count, assignment="blocked", repeats_in_block=repeats, sample=sample)
    filled = fill(design, seed, fates)
    places = Counter((at, name) for slot in filled for at, name in enumerate(slot.conditions))
    assert set(places.values()) == {2 * repeats}


def test_a_block_is_whole_before_the_next_one_begins() -> None:
    design = between(3, repeats_in_block=2)
    ledger: list[LedgerEntry] = []
    names = []
    for session in range(24):
        slot = draw(design, 7, ledger)
        ledger.append(slot.drawn_for(f"s{session}"))
        names.append(slot.conditions[0])
    for start in range(0, 24, block_size(design)):
        assert set(Counter(names[start : start + 6]).values()) == {2}
    assert len({tuple(names[start : start + 6]) for start in range(0, 24, 6)}) > 1


@given(SEEDS, st.sampled_from(["random", "blocked", "latin_square"]), FATES, st.data())
@settings(max_examples=40, deadline=None)
def test_the_same_ledger_and_seed_give_the_same_slot_after_a_restart(
    seed: int, method: str, fates: list[str], data: st.DataObject
) -> None:
    design = within(3, assignment=method)
    ledger: list[LedgerEntry] = []
    for session, fate in enumerate(fates):
        again = draw(design, seed, ledger)
        read_back = [LedgerEntry.from_json(json.loads(json.dumps(one.as_json()))) for one in ledger]
        assert draw(design, seed, read_back) == again
        ledger.append(again.drawn_for(f"s{session}"))
        if fate != "late":
            ledger.append(LedgerEntry(fate, again.number, f"s{session}"))  # type: ignore[arg-type]
    cut = data.draw(st.integers(0, len(ledger)))
    draw(design, seed, ledger[:cut])  # whatever a crash has left of it can be gone on with


def test_draws_are_the_same_on_every_machine_and_for_ever() -> None:
    """Written down when it was made: a study that is under way must not change with an update."""
    names = [one.conditions[0] for one in drawn(between(3), 19, 6)]
    assert names == ["c0", "c2", "c1", "c1", "c0", "c2"]


def drawn(design: Design, seed: int, count: int) -> list[LedgerEntry]:
    ledger: list[LedgerEntry] = []
    for session in range(count):
        ledger.append(draw(design, seed, ledger).drawn_for(f"s{session}"))
    return ledger


def test_random_draws_are_independent_and_roughly_even() -> None:
    names = [one.conditions[0] for one in drawn(between(2, assignment="random"), 4242, 300)]
    assert 120 < names.count("c0") < 180
    pairs = Counter(pairwise(names))
    assert all(50 < count < 100 for count in pairs.values())
    assert len(pairs) == 4


def test_other_seeds_give_other_orders() -> None:
    orders = {tuple(one.conditions for one in drawn(between(4), seed, 4)) for seed in range(40)}
    assert len(orders) > 15


def test_what_comes_next_after_a_release_is_not_certain() -> None:
    """Somebody who saw that a session failed must not know the next condition from it."""
    same = 0
    for seed in range(60):
        ledger = drawn(between(4), seed, 1)
        ledger.append(LedgerEntry("released", ledger[0].slot, "s0"))
        same += draw(between(4), seed, ledger).conditions == ledger[0].conditions
    assert 3 < same < 30


def test_a_slot_of_the_plan_that_comes_back_goes_before_those_beyond_it() -> None:
    design = between(3, sample={"per_condition": 1})
    ledger = drawn(design, 1, 4)
    assert draw(design, 1, ledger).beyond_plan
    back = ledger[1]
    slot = draw(design, 1, [*ledger, LedgerEntry("released", back.slot, "s1")])
    assert (slot.number, slot.conditions, slot.beyond_plan) == (back.slot, back.conditions, False)


def test_a_session_that_is_excluded_after_it_was_complete_gives_its_slot_back() -> None:
    design = between(2, sample={"per_condition": 1})
    ledger = drawn(design, 5, 2)
    ledger += [LedgerEntry("filled", one.slot, one.session) for one in list(ledger)]
    ledger.append(LedgerEntry("released", ledger[0].slot, "s0"))
    assert draw(design, 5, ledger).conditions == ledger[0].conditions


def test_levels_come_with_the_conditions_in_the_order_of_the_periods() -> None:
    slot = draw(within(3, groups=2), 3, [])
    assert [one["visit"] for one in slot.factors] == [name[3:] for name in slot.conditions]
    assert len({one["group"] for one in slot.factors}) == 1
    assert slot.method == "latin_square"


def test_without_a_plan_draws_go_on_for_ever() -> None:
    assert not any(draw(between(2), 0, drawn(between(2), 0, n)).beyond_plan for n in (0, 5, 40))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([("filled", 0, "a")], "slot 0 is filled, but was never drawn"),
        ([("drawn", 0, "a"), ("drawn", 0, "b")], "drawn for b, but a has it already"),
        ([("drawn", 0, "a"), ("filled", 0, "b")], "is filled by b, but belongs to a"),
        (
            [("drawn", 0, "a"), ("released", 0, "a"), ("filled", 0, "a")],
            "which had given it back before",
        ),
        ([("drawn", 10**12, "a")], "another study, or the design was changed"),
    ],
)
def test_a_ledger_that_contradicts_itself_is_refused(
    entries: list[tuple[Any, int, str]], sentence: str
) -> None:
    with pytest.raises(LedgerError, match=sentence):
        draw(between(2), 0, [LedgerEntry(*one) for one in entries])


def test_a_line_that_was_written_twice_changes_nothing() -> None:
    ledger = drawn(between(3), 0, 1)
    twice = [ledger[0], LedgerEntry("filled", ledger[0].slot, "s0")]
    assert draw(between(3), 0, [*twice, twice[1]]) == draw(between(3), 0, twice)


def test_a_design_that_was_changed_after_the_first_session_is_refused() -> None:
    ledger = drawn(between(3), 19, 3)
    turned = between(3).model_copy(update={"conditions": between(3).conditions[::-1]})
    with pytest.raises(LedgerError, match="changed after the first session"):
        draw(turned, 19, ledger)
    with pytest.raises(LedgerError, match="changed after the first session"):
        draw(between(3), 20, ledger)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"what": "drawn", "slot": -1, "session": "a"},
        {"what": "drawn", "slot": True, "session": "a"},
        {"what": "taken", "slot": 1, "session": "a"},
        {"what": "drawn", "slot": 1, "session": None},
        {"what": "drawn", "slot": 1, "session": "a", "conditions": [1]},
    ],
)
def test_what_is_no_entry_is_said(told: dict[str, Any]) -> None:
    with pytest.raises(LedgerError, match="no entry of an assignment"):
        LedgerEntry.from_json(told)


def test_there_is_no_order_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one condition"):
        balanced_orders(0)
    assert balanced_orders(1) == [(0,)]
