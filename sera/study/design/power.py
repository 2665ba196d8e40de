"""How many participants a test needs, and how probable it is that so many find an effect.

Design overview
    `t_test`        two groups of equal size: noncentral t; effect is Cohen's d.
    `paired_t`      noncentral t of the differences; effect is their mean by their deviation, d_z.
    `wilcoxon`      as `paired_t` with the sample shortened by 3/π, the asymptotic relative
                    efficiency of the signed ranks for normal differences.
    `mann_whitney`  Noether (1987), Sample size determination for some common nonparametric tests,
                    JASA 82; effect is the rank-biserial correlation r = 2 P(X > Y) - 1.
    `anova`         noncentral F of independent groups of equal size; effect is Cohen's f. For
                    conditions within participants it asks for more than is needed.

    All tests are two-sided. Tests by rank cannot become significant below a certain size whatever
    the effect, which is the least that is advised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, isfinite, pi, sqrt
from typing import Any

from sera.study.design_tables import PowerWish

PAIRED_TESTS = frozenset({"paired_t", "wilcoxon"})
MOST_PER_GROUP = 10_000
"""Beyond this no sample is advised: `per_condition` may not be larger."""
LARGEST_EFFECT = 100.0
"""Beyond this an effect is a slip of the pen: groups that lie 100 deviations apart need no test."""
TEST_NAMES = {
    "t_test": "a t test",
    "paired_t": "a paired t test",
    "mann_whitney": "a Mann-Whitney test",
    "wilcoxon": "a Wilcoxon signed-rank test",
    "anova": "an analysis of variance",
}
_EFFECTS = {"mann_whitney": "r", "anova": "f", "paired_t": "d_z", "wilcoxon": "d_z"}


@dataclass(frozen=True, slots=True)
class SampleAdvice:
    """What a wish for power comes to."""

    per_group: int | None
    """Participants in each group, in all for paired tests; None: more than any study recruits."""
    participants: int | None
    """In all."""
    power: float | None
    """How probable it is that this sample finds the effect."""
    sentence: str


def sample_size(wish: PowerWish, groups: int = 2) -> SampleAdvice:
    """The smallest sample with the power that is wished for.

    Args:
        wish: test, effect, level and power.
        groups: how many groups or conditions the study has; tests of two compare them in pairs.

    Raises:
        ValueError: there are fewer than two.
    """
    needed = needed_per_group(wish, groups)
    aim = (
        f"{TEST_NAMES[wish.test]} finds {_EFFECTS.get(wish.test, 'd')} = {wish.effect:g} with power"
    )
    level = f"at alpha = {wish.alpha:g}"
    if needed is None:
        who = "participants" if wish.test in PAIRED_TESTS else "participants in each group"
        text = f"{aim} {wish.power:g} {level} only beyond {MOST_PER_GROUP:,} {who}."
        return SampleAdvice(None, None, None, _capital(text))
    reached = power_of(wish, needed, groups)
    total = needed if wish.test in PAIRED_TESTS else needed * groups
    who = f"{needed} participants"
    if wish.test not in PAIRED_TESTS:
        who = f"{needed} participants in each of {groups} groups ({total} in all)"
    return SampleAdvice(
        needed, total, reached, _capital(f"{aim} {reached:.2f} {level} with {who}.")
    )


def weigh(wish: PowerWish, planned_per_group: int, groups: int = 2) -> str:
    """One sentence or two on a sample that is planned already: what it can show, and what it lacks.

    Args:
        wish: test, effect, level and power.
        planned_per_group: participants in each group; in all for paired tests.
        groups: how many groups or conditions the study has.
    """
    power = power_of(wish, planned_per_group, groups)
    where = "" if wish.test in PAIRED_TESTS else " in each group"
    text = (
        f"With {planned_per_group} participants{where}, {TEST_NAMES[wish.test]} finds "
        f"{_EFFECTS.get(wish.test, 'd')} = {wish.effect:g} with power {power:.2f} "
        f"at alpha = {wish.alpha:g}."
    )
    needed = needed_per_group(wish, groups)
    if needed is None or needed <= planned_per_group:
        return text
    return f"{text} Power {wish.power:g} takes {needed}{where}."


def power_of(wish: PowerWish, per_group: int, groups: int = 2) -> float:
    """How probable it is that the test finds the effect.

    Args:
        wish: test, effect and level; its power is not looked at.
        per_group: participants in each group; in all for paired tests.
        groups: how many groups an analysis of variance compares.

    Raises:
        ValueError: there are fewer than two groups.
    """
    if groups < 2:
        raise ValueError(f"a comparison needs at least two groups, not {groups}")
    if per_group < _fewest(wish):
        return 0.0
    ways: dict[str, Callable[[PowerWish, int, int], float]] = {
        "t_test": lambda wish, size, _: _power_of_t(wish, 2 * size - 2, sqrt(size / 2)),
        "paired_t": lambda wish, size, _: _power_of_t(wish, size - 1, sqrt(size)),
        "wilcoxon": lambda wish, size, _: _power_of_t(wish, size * 3 / pi - 1, sqrt(size * 3 / pi)),
        "mann_whitney": _power_of_ranks,
        "anova": _power_of_f,
    }
    return min(1.0, max(0.0, ways[wish.test](wish, per_group, groups)))


def needed_per_group(wish: PowerWish, groups: int = 2) -> int | None:
    """Participants in each group (in all for paired tests); None beyond `MOST_PER_GROUP`."""
    low = _fewest(wish)
    if low > MOST_PER_GROUP or power_of(wish, MOST_PER_GROUP, groups) < wish.power:
        return None
    high = MOST_PER_GROUP
    while low < high:
        middle = (low + high) // 2
        if power_of(wish, middle, groups) >= wish.power:
            high = middle
        else:
            low = middle + 1
    return low


def _fewest(wish: PowerWish) -> int:
    """The smallest group with which the test can be made, or become significant at all."""
    size = 2
    if wish.test == "mann_whitney":
        while size < MOST_PER_GROUP and 2 / comb(2 * size, size) > wish.alpha:
            size += 1
    elif wish.test == "wilcoxon":
        while size < MOST_PER_GROUP and 2.0 ** (1 - size) > wish.alpha:
            size += 1
    return size


def _power_of_t(wish: PowerWish, freedom: float, root_of_size: float) -> float:
    special = _special()
    critical = float(special.stdtrit(freedom, 1 - wish.alpha / 2))
    shift = wish.effect * root_of_size
    above = 1 - float(special.nctdtr(freedom, shift, critical))
    below = float(special.nctdtr(freedom, shift, -critical))
    # So far out that the series ends, the normal distribution is exact enough.
    if not isfinite(above):
        above = float(special.ndtr(shift - critical))
    if not isfinite(below):
        below = float(special.ndtr(-shift - critical))
    return above + below


def _power_of_ranks(wish: PowerWish, per_group: int, _groups: int) -> float:
    special = _special()
    # Noether's equation, solved for the power: 12 c (1 - c) N (p - 1/2)², c = 1/2, p = (1 + r)/2.
    shift = sqrt(3 * 2 * per_group) * wish.effect / 2
    critical = float(special.ndtri(1 - wish.alpha / 2))
    return float(special.ndtr(shift - critical))


def _power_of_f(wish: PowerWish, per_group: int, groups: int) -> float:
    special = _special()
    total = per_group * groups
    between, inside = groups - 1, total - groups
    critical = float(special.fdtri(between, inside, 1 - wish.alpha))
    shift = wish.effect * wish.effect * total
    power = 1 - float(special.ncfdtr(between, inside, shift, critical))
    return power if isfinite(power) else 1.0


def _special() -> Any:
    from scipy import special  # takes a while: modules that only read the plan do without

    return special


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
