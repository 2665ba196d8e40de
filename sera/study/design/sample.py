"""How many participants a design plans for, and how many at a time keep it balanced."""

from __future__ import annotations

from dataclasses import dataclass

from sera.study.design._groups import block_size, groups_of
from sera.study.design.power import PAIRED_TESTS, needed_per_group, sample_size, weigh
from sera.study.design_tables import Design


@dataclass(frozen=True, slots=True)
class PlannedSample:
    """The sample that a study file asks for."""

    participants: int
    """In all."""
    per_condition: int
    """Sessions that meet each condition; in a within-design: participants of each group."""
    block: int
    """After how many participants the design is balanced again."""


def planned_sample(design: Design) -> PlannedSample | None:
    """The planned sample: what the file says, else what the power analysis asks for.

    What the power analysis asks for is rounded up so that the design is balanced. None where the
    file says neither, or asks for what no study can recruit.
    """
    groups, block = len(groups_of(design)), block_size(design)
    wanted = design.sample.per_condition
    if wanted is not None:
        total = wanted if design.is_within else wanted * groups
        return PlannedSample(total, total // groups, block)
    wish = design.sample.power
    if wish is None:
        return None
    needed = needed_per_group(wish, compared_groups(design))
    if needed is None:
        return None
    total = needed if wish.test in PAIRED_TESTS else needed * groups
    if design.is_within and groups == 1:
        total = needed
    total = -(-total // block) * block
    return PlannedSample(total, -(-total // groups), block)


def sample_sentence(design: Design) -> str | None:
    """What the planned sample can show, and what it lacks; None: the file asks for no power."""
    wish = design.sample.power
    if wish is None:
        return None
    groups, planned = compared_groups(design), planned_sample(design)
    if planned is None:
        return sample_size(wish, groups).sentence
    paired = wish.test in PAIRED_TESTS
    return weigh(wish, planned.participants if paired else planned.per_condition, groups)


def compared_groups(design: Design) -> int:
    """How many groups or conditions an analysis of variance of this design compares."""
    groups = groups_of(design)
    return max(2, len(groups) if len(groups) > 1 else len(groups[0]))
