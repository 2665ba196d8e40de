"""The tables of the published study, rebuilt from its figures with the statistics set right.

Three of the printed tables are computed otherwise than they say: the chance of naming an emotion by
luck is printed as that of *more* answers than were counted, not of as many or more; intervals of
correlations within halves of the data count 120 answers while their p values count 240. Here is
what the figures really say. Tests on raw answers, such as Spearman's correlation and the t test,
stand in `sera.study.analysis`; these are for where only means, deviations and counts are left.

Units and frames: none. Threading: pure. scipy is loaded by the functions that need it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.emotion.published import EMOTIONS, NONE, PublishedStudy, published_study

CHANCE = 1.0 / (len(EMOTIONS) + 1)
"""Of an answer by luck: four emotions, or none of them."""
_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class MeanTest:
    """A mean against nought."""

    mean: float
    t: float
    p: float
    """Two-sided."""
    low: float
    high: float
    """Ends of the 95 % interval of the mean."""
    d: float
    """Cohen's d: the mean in standard deviations."""


@dataclass(frozen=True, slots=True)
class RecognitionRow:
    """One answer to one emotion that was shown."""

    shown: str
    answer: str
    count: int
    people: int
    share: float
    p: float
    """Chance of as many answers or more by luck."""
    low: float
    high: float
    """Ends of the share's 95 % interval (Wald), held within 0 to 1."""


@dataclass(frozen=True, slots=True)
class CorrelationInterval:
    """A correlation with its interval and its chance of being nought."""

    r: float
    n: int
    low: float
    high: float
    p_one_sided: float
    """In the direction that was found."""


def binomial_at_least(count: int, people: int, chance: float = CHANCE) -> float:
    """The probability of as many successes or more."""
    if not 0 <= count <= people:
        raise ValueError(f"{count} of {people} is not possible")
    return math.fsum(
        math.comb(people, k) * chance**k * (1.0 - chance) ** (people - k)
        for k in range(count, people + 1)
    )


def wald_interval(count: int, people: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wald's formula, held within 0 to 1."""
    share = count / people
    reach = _Z_95 * math.sqrt(share * (1.0 - share) / people)
    return max(0.0, share - reach), min(1.0, share + reach)


def mean_test(mean: float, sd: float, people: int) -> MeanTest:
    """The two-sided one-sample t test of a mean against nought, from its figures alone."""
    from scipy import stats

    error = sd / math.sqrt(people)
    t = mean / error
    reach = float(stats.t.ppf(0.975, people - 1)) * error
    p = float(2.0 * stats.t.sf(abs(t), people - 1))
    return MeanTest(mean, t, p, mean - reach, mean + reach, mean / sd)


def fisher_interval(r: float, n: int) -> CorrelationInterval:
    """The interval of a correlation by Fisher's z, as the published ones are."""
    from scipy import stats

    reach = _Z_95 / math.sqrt(n - 3)
    middle = math.atanh(r)
    t = abs(r) * math.sqrt((n - 2) / (1.0 - r * r))
    return CorrelationInterval(
        r, n, math.tanh(middle - reach), math.tanh(middle + reach), float(stats.t.sf(t, n - 2))
    )


def recognition_table(study: PublishedStudy | None = None) -> list[RecognitionRow]:
    """Every answer to every emotion that was shown."""
    rows = []
    for shown, answers in (study or published_study()).recognition.items():
        people = sum(answers.values())
        for answer in (*EMOTIONS, NONE):
            count = answers.get(answer, 0)
            low, high = wald_interval(count, people)
            p = binomial_at_least(count, people)
            rows.append(RecognitionRow(shown, answer, count, people, count / people, p, low, high))
    return rows


def sam_table(study: PublishedStudy | None = None) -> dict[str, tuple[MeanTest, ...]]:
    """Perceived pleasure, arousal and dominance of each corner against nought."""
    return {
        corner: tuple(
            mean_test(mean, sd, cell.people) for mean, sd in zip(cell.mean, cell.sd, strict=True)
        )
        for corner, cell in (study or published_study()).cells.items()
    }


def pooled_means(study: PublishedStudy | None = None) -> tuple[float, ...]:
    """The means over all cells, which are of equal size."""
    cells = (study or published_study()).cells.values()
    return tuple(math.fsum(cell.mean[axis] for cell in cells) / len(cells) for axis in range(3))


def correlation_table(
    study: PublishedStudy | None = None,
) -> dict[str, dict[str, tuple[CorrelationInterval, ...]]]:
    """The printed correlations, each with the interval and the p of as many answers as it is of."""
    found = study or published_study()
    answers = sum(cell.people for cell in found.cells.values())
    return {
        which: {
            feature: tuple(
                fisher_interval(r, answers if which == "all" else answers // 2) for r in values
            )
            for feature, values in table.items()
        }
        for which, table in found.correlations.items()
    }
