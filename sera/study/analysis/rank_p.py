"""How p of a test of ranks is found: three ways, of which a study file chooses one.

`normal`
    Normal approximation, corrected for ties. So are the documents' published figures of guesses and
    of the pantomime (tables 7.2 and 7.7), and SPSS' *asymptotic significance*. Where a group has
    fewer than 10 values it finds too much, and p is counted out, with ties as they are.
`continuity`
    The same, corrected for continuity: R's `wilcox.test(exact = FALSE)` and scipy's default where
    there are ties. Table 7.6 of the documents has p values that come out only like this.
`exact`
    Counted out where there are no ties and fewer than 50 values a group, else as `continuity`: R's
    default.

Every result says which way was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from scipy import stats

RankMethod = Literal["normal", "continuity", "exact"]

AS_THE_DOCUMENTS: RankMethod = "normal"
EXACT_BELOW = 50
"""Ranks without ties are counted out below this size of either group."""
FEW_BELOW = 10
"""Below this size of a group an approximation without correction for continuity is too bold."""
HALF = 0.5
"""What is taken off the distance for continuity: ranks go in steps, the curve does not."""


RANK_METHODS: dict[RankMethod, str] = {
    "normal": (
        "from the normal distribution, corrected for ties, as in the documents; where a group has "
        f"fewer than {FEW_BELOW} values, counted out"
    ),
    "continuity": "from the normal distribution, corrected for ties and continuity",
    "exact": (
        f"counted out where there are no ties and fewer than {EXACT_BELOW} values a group, else "
        "from the normal distribution, corrected for ties and continuity"
    ),
}
"""What a report says of each way."""


class RankP(NamedTuple):
    """p, and how it was found."""

    p: float
    z: float | None
    """The standardised statistic, above 0 where the first group is higher; None: counted out."""
    words: str


def rank_p(
    method: RankMethod,
    *,
    distance: float,
    deviation: float,
    sizes: tuple[int, ...],
    tied: bool,
    exactly: Callable[[], float],
) -> RankP:
    """Two-sided p of a sum of ranks.

    Args:
        method: which way.
        distance: of the statistic from its expectation.
        deviation: its standard deviation, corrected for ties.
        sizes: values that have ranks, by group.
        tied: whether some share their rank.
        exactly: counts p out.
    """
    few = method == "normal" and min(sizes) < FEW_BELOW
    if max(sizes) < EXACT_BELOW and (few or (method == "exact" and not tied)):
        return RankP(exactly(), None, "exact, with shared ranks" if tied else "exact")
    off = 0.0 if method == "normal" and not few else HALF
    reach = max(abs(distance) - off, 0.0) / deviation
    words = "normal approximation, corrected for ties"
    if off:
        words += " and continuity"
    z = reach if distance >= 0 else -reach
    return RankP(float(min(1.0, 2 * stats.norm.sf(reach))), z, words)
