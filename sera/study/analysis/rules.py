"""Decision rules of the documents: which test is taken, and what its result is called.

- A scale is *reliable* where Cronbach's alpha or McDonald's omega is above 0.7.
- A group is *normal* where Shapiro-Wilk's p is above 0.05.
- Two groups are compared by Student's t where both are normal, else by Mann and Whitney's U; in
  pairs by the paired t where the differences are normal, else by Wilcoxon's ranks.
- A score is *positive* or *negative* where it differs from the middle of its scale (one-sample t,
  or Wilcoxon), else *neutral*.
- A control, two enhanced conditions and the two as one group make a *strong* or *soft expressivity
  difference* or a *technological difference*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from sera.study.analysis._numbers import Values, paired, present
from sera.study.analysis.many_groups import anova, friedman, kruskal, repeated_anova, welch_anova
from sera.study.analysis.normality import shapiro_wilk
from sera.study.analysis.one_group import one_sample_t, paired_t, wilcoxon, wilcoxon_paired
from sera.study.analysis.rank_p import AS_THE_DOCUMENTS, RankMethod
from sera.study.analysis.reliability import Coefficient
from sera.study.analysis.result import TestResult
from sera.study.analysis.two_groups import mann_whitney, student_t, welch_t

Rule = Literal["normality", "welch", "ranks"]
Polarity = Literal["positive", "negative", "neutral"]

RELIABLE_ABOVE = 0.7
NORMAL_ABOVE = 0.05


def is_reliable(
    alpha: Coefficient, omega: Coefficient, above: float = RELIABLE_ABOVE
) -> bool | None:
    """Whether either coefficient is above the threshold; None where there is neither."""
    known = [one.value for one in (alpha, omega) if one.value is not None]
    return any(value > above for value in known) if known else None


def is_normal(result: TestResult, above: float = NORMAL_ABOVE) -> bool | None:
    """Whether a Shapiro-Wilk test found no departure from normality; None where it said nothing."""
    return None if result.p is None else result.p > above


def inverted(score: float, lowest: float, highest: float) -> float:
    """A score on a negatively scored scale as if high were good."""
    return lowest + highest - score


def compare_groups(
    first: Values, second: Values, rule: Rule, ranks: RankMethod = AS_THE_DOCUMENTS
) -> TestResult:
    """Two independent groups, by the test that the rule takes."""
    one, other = present(first), present(second)
    if rule == "welch":
        return welch_t(one, other)
    if rule == "normality" and is_normal(shapiro_wilk(one)) and is_normal(shapiro_wilk(other)):
        return student_t(one, other)
    return mann_whitney(one, other, method=ranks)


def compare_pairs(
    first: Sequence[float | None],
    second: Sequence[float | None],
    rule: Rule,
    ranks: RankMethod = AS_THE_DOCUMENTS,
) -> TestResult:
    """Two conditions of the same persons, by the test that the rule takes."""
    one, other = paired(first, second)
    if rule == "welch" or (rule == "normality" and is_normal(shapiro_wilk(one - other))):
        return paired_t(one, other)
    return wilcoxon_paired(one, other, method=ranks)


def omnibus(groups: Sequence[Values], rule: Rule) -> TestResult:
    """More than two independent groups at once."""
    data = [present(group) for group in groups]
    normal = all(is_normal(shapiro_wilk(group)) for group in data)
    if rule == "welch":
        return welch_anova(data)
    return anova(data) if rule == "normality" and normal else kruskal(data)


def omnibus_within(conditions: Sequence[Sequence[float | None]], rule: Rule) -> TestResult:
    """More than two conditions of the same persons at once."""
    normal = all(is_normal(shapiro_wilk(group)) for group in conditions)
    if rule == "welch" or (rule == "normality" and normal):
        return repeated_anova(conditions)
    return friedman(conditions)


def compare_with_middle(
    values: Values, middle: float, rule: Rule, ranks: RankMethod = AS_THE_DOCUMENTS
) -> TestResult:
    """One group against the middle of its scale."""
    data = present(values)
    if rule == "welch" or (rule == "normality" and is_normal(shapiro_wilk(data))):
        return one_sample_t(data, middle)
    return wilcoxon(data, middle, method=ranks)


def polarity(values: Values, middle: float, result: TestResult, alpha: float) -> Polarity | None:
    """What a score is called after its test against the middle; None where there was no test."""
    if result.p is None:
        return None
    if result.p >= alpha:
        return "neutral"
    # The sign of the tested effect: the mean alone may point elsewhere where ranks were tested.
    effect = result.effect
    above = effect.value > 0 if effect is not None else float(present(values).mean()) > middle
    return "positive" if above else "negative"


class DifferenceKind(StrEnum):
    """How a control, two enhanced conditions and their group differ."""

    STRONG = "Strong E-D"
    SOFT = "Soft E-D"
    TECHNOLOGICAL = "T-D"
    NONE = "no difference"
    OTHER = "none of the three"


@dataclass(frozen=True, slots=True)
class Difference:
    """What was found, in a word and in a sentence."""

    kind: DifferenceKind | None
    """None where it cannot be judged."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Significances:
    """Which of the four comparisons are significant; None where one could not be made."""

    one: bool | None
    """The first enhanced condition and the control."""
    other: bool | None
    """The second enhanced condition and the control."""
    together: bool | None
    """Both as one group, and the control."""
    between: bool | None
    """The two enhanced conditions."""


def difference_kind(found: Significances, one: str, other: str, together: str) -> Difference:
    """The documents' name for a pattern of differences from a control.

    Args:
        found: what is significant.
        one: title of the first enhanced condition.
        other: of the second one.
        together: of their group.
    """
    if None in (found.one, found.other, found.together, found.between):
        return Difference(None, "It cannot be judged: one of the four comparisons has no result.")
    singles = [name for name, differs in ((one, found.one), (other, found.other)) if differs]
    if found.together and len(singles) == 2 and not found.between:
        sentence = (
            f"Strong expressivity difference: {one}, {other} and {together} all differ from the "
            "control, and not from each other."
        )
        return Difference(DifferenceKind.STRONG, sentence)
    if found.together and len(singles) == 1:
        sentence = (
            f"Soft expressivity difference: {together} and, of its two conditions, {singles[0]} "
            "differ from the control."
        )
        return Difference(DifferenceKind.SOFT, sentence)
    if singles and not found.together:
        sentence = (
            f"Technological difference: {' and '.join(singles)} "
            f"{'differs' if len(singles) == 1 else 'differ'} from the control, but {together} "
            "does not."
        )
        return Difference(DifferenceKind.TECHNOLOGICAL, sentence)
    return _unnamed(found, one, other, together)


def _unnamed(found: Significances, one: str, other: str, together: str) -> Difference:
    if found.together and found.one:
        sentence = (
            f"None of the three kinds: {one} and {other} differ from the control, but also from "
            "each other."
        )
        return Difference(DifferenceKind.OTHER, sentence)
    if found.together:
        sentence = (
            f"None of the three kinds: only {together} differs from the control, neither {one} "
            f"nor {other} by itself."
        )
        return Difference(DifferenceKind.OTHER, sentence)
    if found.between:
        sentence = (
            f"None of the three kinds: {one} and {other} differ from each other, but not from the "
            "control."
        )
        return Difference(DifferenceKind.OTHER, sentence)
    return Difference(DifferenceKind.NONE, "No difference from the control.")
