"""Which condition the next participant gets, drawn when the session starts.

Design overview
    A design is an endless row of numbered slots, in blocks. What a slot holds follows from the
    study file and the seed; which slot comes next follows from these and from the ledger. Nothing
    else enters, so that a draw is the same after a restart and on another machine.

    random        each draw by itself; cells differ in size by chance, and a session that does not
                  count gives nothing back.
    blocked       a block holds every condition `repeats_in_block` times. Within participants it
                  holds as many orders as there are conditions, so that each comes equally often at
                  each place.
    latin_square  within participants: a block holds all rows of a Williams design, so that each
                  condition comes equally often at each place and right after each other one.
    by_scenario   every slot is the same run, in which the scenario shows the conditions itself.

    A slot that was released goes back among those that can be drawn. A new block is opened when
    no slot is left in those before, so that all cells fill up exactly.

What people can predict
    Someone who knows the conditions of all sessions so far, which blind operators do not, can tell
    what is left in the block: its last slot for certain, those before in part. Larger blocks
    (`repeats_in_block`) tell less; `random` tells nothing. Slots of a block trade places by
    chance, so their numbers tell nothing, and a released slot waits among the others instead of
    coming next.

Threading
    None of its own: two draws from the same ledger give the same slot. Whoever keeps the ledger
    refuses the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sera.study.design._chance import pick, shuffled
from sera.study.design._groups import INDEPENDENT, block_size, groups_of
from sera.study.design._orders import balanced_orders, rotated_orders
from sera.study.design.ledger import LedgerEntry, LedgerError, Standing, standings
from sera.study.design.sample import planned_sample
from sera.study.design_tables import Condition, Design

Method = Literal["random", "blocked", "latin_square", "by_scenario"]
AS_IT_STANDS = "as_it_stands"
"""The condition in which a scenario is played without any of its conditions."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the design for one participant."""

    number: int
    """From 0; in blocks of `block_size`."""
    block: int
    """From 0."""
    method: Method
    conditions: tuple[str, ...]
    """In the order in which the participant meets them; one, unless a factor is within."""
    factors: tuple[Mapping[str, str], ...]
    """Levels of the factors in each of them."""
    beyond_plan: bool
    """Whether the planned sample is complete without it."""

    def drawn_for(self, session: str) -> LedgerEntry:
        """The entry that takes the slot."""
        return LedgerEntry("drawn", self.number, session, self.conditions)


def draw(design: Design, seed: int, ledger: Sequence[LedgerEntry]) -> Slot:
    """The next slot.

    Args:
        design: of the study file, without problems (`problems_of_design`).
        seed: of the study; the same for all its draws.
        ledger: everything that happened to slots so far, oldest first.

    Raises:
        LedgerError: the ledger contradicts itself, or the design has changed since.
    """
    rows = _Rows(design, seed)
    slots = standings(ledger)
    draws = sum(entry.what == "drawn" for entry in ledger)
    _check_past(rows, slots, draws)
    plan = planned_sample(design)
    planned = None if plan is None else plan.participants
    if design.assignment in INDEPENDENT:
        filled = sum(slot.taken for slot in slots.values())
        number = max(slots, default=-1) + 1
        return rows.slot(number, beyond_plan=planned is not None and filled >= planned)
    size = rows.size
    opened = max(slots, default=-1) // size + 1
    free = [number for number in range(opened * size) if not _taken(slots, number)]
    if not free:
        free = list(range(opened * size, (opened + 1) * size))
    if planned is not None:
        # A slot of the plan that came back goes before those that somebody opened beyond it.
        free = [number for number in free if number < planned] or free
    number = free[pick(seed, len(free), "draw", draws)]
    return rows.slot(number, beyond_plan=planned is not None and number >= planned)


def run_condition(design: Design) -> Condition:
    """What is run where the scenario shows the conditions itself."""
    return Condition(name=design.played_in or AS_IT_STANDS)


def _taken(slots: Mapping[int, Standing], number: int) -> bool:
    return number in slots and slots[number].taken


def _check_past(rows: _Rows, slots: Mapping[int, Standing], draws: int) -> None:
    for number, standing in slots.items():
        if number >= draws * rows.size:
            raise LedgerError(
                f"the assignment has a slot {number} after {draws} draws in blocks of "
                f"{rows.size}: it belongs to another study, or the design was changed"
            )
        now = tuple(one.name for one in rows.conditions(number))
        if standing.conditions and standing.conditions != now:
            raise LedgerError(
                f"slot {number} was drawn as {', '.join(standing.conditions)} for "
                f"{standing.session}, but the study file now makes it {', '.join(now)}: the design "
                "or its seed was changed after the first session; put them back, or begin a new "
                "study"
            )


class _Rows:
    """What every slot holds."""

    def __init__(self, design: Design, seed: int) -> None:
        self._design = design
        self._seed = seed
        self._groups = groups_of(design)
        self.size = block_size(design)
        self._block = lru_cache(maxsize=None)(self._new_block)

    def slot(self, number: int, *, beyond_plan: bool) -> Slot:
        conditions = self.conditions(number)
        return Slot(
            number=number,
            block=number // self.size,
            method=self._design.assignment,
            conditions=tuple(one.name for one in conditions),
            factors=tuple(dict(one.levels) for one in conditions),
            beyond_plan=beyond_plan,
        )

    def conditions(self, number: int) -> list[Condition]:
        if self._design.in_one_run:
            return [run_condition(self._design)]
        if self._design.assignment == "random":
            group = self._groups[pick(self._seed, len(self._groups), "group", number)]
            return shuffled(group, self._seed, "order", number)
        return self._block(number // self.size)[number % self.size]

    def _new_block(self, block: int) -> list[list[Condition]]:
        cells: list[list[Condition]] = []
        square = balanced_orders if self._design.assignment == "latin_square" else rotated_orders
        for repeat in range(self._design.repeats_in_block):
            for number, group in enumerate(self._groups):
                # Which condition is which letter of the square is drawn as well.
                letters = shuffled(group, self._seed, "letters", block, repeat, number)
                cells += [[letters[place] for place in row] for row in square(len(group))]
        return shuffled(cells, self._seed, "block", block)
