"""Conditions by the groups of participants who meet them."""

from __future__ import annotations

from sera.study.design._orders import balanced_orders
from sera.study.design_tables import Condition, Design

INDEPENDENT = ("random", "by_scenario")
"""Assignments in which no draw depends on those before it."""
Levels = tuple[tuple[str, str], ...]
"""Factors with their levels, in the order of the file."""


def levels_of(design: Design, condition: Condition, kind: str) -> Levels:
    """The condition's levels of the factors of that kind, as far as it has them."""
    return tuple(
        (factor.name, condition.levels[factor.name])
        for factor in design.factors
        if factor.kind == kind and factor.name in condition.levels
    )


def groups_of(design: Design) -> list[list[Condition]]:
    """What each group of participants meets, in the order of the file.

    Without a factor within participants every condition is a group; else conditions that share
    their levels of the factors between participants are met by the same people.
    """
    if not design.is_within:
        return [[condition] for condition in design.conditions]
    groups: dict[Levels, list[Condition]] = {}
    for condition in design.conditions:
        groups.setdefault(levels_of(design, condition, "between"), []).append(condition)
    return list(groups.values())


def orders_each(design: Design) -> int:
    """How many orders a group's participants are shared among; 1 in a design without orders."""
    most = max(len(group) for group in groups_of(design))
    if not design.is_within or design.assignment in INDEPENDENT:
        return 1
    return len(balanced_orders(most)) if design.assignment == "latin_square" else most


def block_size(design: Design) -> int:
    """After how many participants the design is balanced again; 1 where draws are independent."""
    if design.assignment in INDEPENDENT:
        return 1
    return len(groups_of(design)) * orders_each(design) * design.repeats_in_block
