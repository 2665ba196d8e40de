"""Whether the planned sample can be shared out equally, and whether its power can be reckoned."""

from __future__ import annotations

from sera.runtime.located import KeyPath
from sera.study.design._complaints import Complaints, either, nearest_multiples
from sera.study.design._groups import block_size, groups_of, orders_each
from sera.study.design.power import (
    LARGEST_EFFECT,
    MOST_PER_GROUP,
    PAIRED_TESTS,
    needed_per_group,
)
from sera.study.design.sample import compared_groups
from sera.study.design_tables import Design, PowerWish

_SAMPLE: KeyPath = ("design", "sample")


def check_sample(complaints: Complaints, design: Design) -> None:
    """Complain of a sample that the method of assignment cannot balance, or of its power."""
    if design.sample.per_condition is not None and design.assignment != "random":
        if design.is_within:
            _check_orders(complaints, design, design.sample.per_condition)
        else:
            _check_blocks(complaints, design, design.sample.per_condition)
    if design.sample.power is not None:
        _check_power(complaints, design, design.sample.power)


def _check_blocks(complaints: Complaints, design: Design, wanted: int) -> None:
    repeats = design.repeats_in_block
    if wanted % repeats:
        numbers = either(nearest_multiples(wanted, repeats))
        complaints.say(
            (*_SAMPLE, "per_condition"),
            f"{wanted} in each condition cannot be made of whole blocks, which hold each condition "
            f"{repeats} times",
            fix=f"take {numbers}, or another repeats_in_block",
        )


def _check_orders(complaints: Complaints, design: Design, wanted: int) -> None:
    block = block_size(design)
    if wanted % block == 0:
        return
    groups, orders = len(groups_of(design)), orders_each(design)
    shares = f"{orders} orders of {len(groups_of(design)[0])} conditions"
    if groups > 1:
        shares += f" in {groups} groups"
    if design.repeats_in_block > 1:
        shares += f", {design.repeats_in_block} times each"
    complaints.say(
        (*_SAMPLE, "per_condition"),
        f"{wanted} participants cannot be shared equally among {shares}",
        fix=f"take {either(nearest_multiples(wanted, block))}",
    )


def _check_power(complaints: Complaints, design: Design, wish: PowerWish) -> None:
    path: KeyPath = (*_SAMPLE, "power")
    if len(design.conditions) < 2:
        complaints.say(
            path,
            "power is about a difference, but the study has only one condition",
            fix="leave it out",
        )
        return
    if wish.test == "mann_whitney" and wish.effect > 1:
        complaints.say(
            (*path, "effect"),
            f"{wish.effect:g} is no rank-biserial correlation, which is at most 1",
            fix="0.1 counts as small, 0.3 as medium, 0.5 as large",
        )
        return
    if wish.effect > LARGEST_EFFECT:
        complaints.say(
            (*path, "effect"),
            f"an effect of {wish.effect:g} is none that a study looks for: it is measured in "
            f"standard deviations, and at most {LARGEST_EFFECT:g}",
            fix="of Cohen's d 0.2 counts as small, 0.5 as medium, 0.8 as large",
        )
        return
    if wish.power <= wish.alpha:
        complaints.say(
            (*path, "power"),
            f"a power of {wish.power:g} is no more than alpha, which is {wish.alpha:g}: a test "
            "reaches it without any effect",
            fix="0.8 is common",
        )
        return
    alone = len(groups_of(design)) == 1
    if wish.test in PAIRED_TESTS and not design.is_within:
        complaints.say(
            (*path, "test"),
            f"{wish.test} compares conditions of one participant, but everybody meets only one",
            fix='test = "t_test" or "mann_whitney"; or kind = "within" in a factor',
        )
    elif design.is_within and alone and wish.test in ("t_test", "mann_whitney"):
        complaints.say(
            (*path, "test"),
            f"{wish.test} compares different participants, but each meets all conditions",
            fix='test = "paired_t" or "wilcoxon"',
        )
    elif design.sample.per_condition is None and (
        needed_per_group(wish, compared_groups(design)) is None
    ):
        complaints.say(
            (*path, "effect"),
            f"an effect of {wish.effect:g} is found with power {wish.power:g} only beyond "
            f"{MOST_PER_GROUP:,} participants in each condition",
            fix="look for a larger effect, or say how many there are: per_condition = …",
        )
