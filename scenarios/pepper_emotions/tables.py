"""The published tables beside those of a run, with the same statistics for both.

Published figures come from `sera.emotion.published`, where it stands what was corrected in them:
p of naming an emotion is that of as many answers or more, intervals and p of correlations within
halves count the answers of a half. Standard deviations are not printed there; they are recovered
from the intervals. What a run of simulated perceivers shows beside it was put into them.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence

from sera.emotion.published import CORNERS, EMOTIONS, NONE, published_study
from sera.emotion.tables import (
    CorrelationInterval,
    MeanTest,
    binomial_at_least,
    correlation_table,
    fisher_interval,
    mean_test,
    pooled_means,
    recognition_table,
    sam_table,
    wald_interval,
)
from sera.study.analysis import spearman
from sera.study.data import Participation
from sera.study.report import Sentence, Table

AXES = ("Pleasure", "Arousal", "Dominance")
"""Names of the measures."""
STARS = ("P*", "A*", "D*")
"""How the document calls what was perceived."""
LETTERS = {"jerkiness": 0, "activity": 1, "gaze": 2}
"""Which letter of a corner a feature goes by; jerkiness is high where pleasure is low."""
HALVES = {
    "all": "all answers",
    "low_activity": "activity low",
    "high_activity": "activity high",
    "low_jerkiness": "jerkiness low",
    "high_jerkiness": "jerkiness high",
    "low_gaze": "gaze averted",
    "high_gaze": "gaze direct",
}
NOTHING = "\N{EN DASH}"


def beside_published(rows: Sequence[Participation]) -> list[Table | Sentence]:
    """All tables of the published study, each with what the rows say."""
    return [
        ratings(rows),
        signs(rows),
        pooled(rows),
        correlations(rows),
        recognition(rows),
    ]


# -- ratings ----------------------------------------------------------------------------------


def ratings(rows: Sequence[Participation]) -> Table:
    """What was perceived of each corner, against nought (table 5.1, below)."""
    published = sam_table()
    lines = []
    for corner in CORNERS:
        for place, axis in enumerate(AXES):
            own = _mean_test(_values(rows, axis, corner))
            lines.append((corner, STARS[place], *_told(own), *_told(published[corner][place])))
    return Table(
        "Ratings of the eight corners: mean, p against 0, 95 % interval and Cohen's d",
        ("Corner", "", *_both("mean", "p", "interval", "d")),
        tuple(lines),
        note="p two-sided, by the t test. Published p and d are reckoned from the means and the "
        "recovered deviations.",
        widths=(1.0, 0.6, 0.9, 1.0, 1.4, 0.9, 1.3, 1.3, 1.5, 1.3),
    )


def signs(rows: Sequence[Participation]) -> Sentence:
    """How often the sign of what was perceived is that of what was shown."""
    published = sam_table()
    told = []
    for place, axis in enumerate(AXES):
        wanted = [1 if corner[place] == "H" else -1 for corner in CORNERS]
        own = [_mean(_values(rows, axis, corner)) for corner in CORNERS]
        agrees = sum(
            mean is not None and mean * sign > 0 for mean, sign in zip(own, wanted, strict=True)
        )
        printed = sum(
            published[corner][place].mean * sign > 0
            for corner, sign in zip(CORNERS, wanted, strict=True)
        )
        told.append(f"{axis.lower()} in {agrees} of 8 corners (published {printed})")
    return Sentence(f"What was perceived has the sign of what was shown: {', '.join(told)}.")


def pooled(rows: Sequence[Participation]) -> Table:
    """What was perceived of all corners together (table 5.2a)."""
    lines = []
    for place, axis in enumerate(AXES):
        own = _mean_test(_values(rows, axis))
        lines.append((STARS[place], *_told(own), *_told(_published_pooled(place))))
    return Table(
        "All ratings together",
        ("", *_both("mean", "p", "interval", "d")),
        tuple(lines),
        widths=(0.6, 0.9, 1.0, 1.4, 0.9, 1.3, 1.3, 1.5, 1.3),
    )


def _published_pooled(place: int) -> MeanTest:
    cells = list(published_study().cells.values())
    mean = pooled_means()[place]
    people = sum(cell.people for cell in cells)
    squares = math.fsum(
        (cell.people - 1) * cell.sd[place] ** 2 + cell.people * (cell.mean[place] - mean) ** 2
        for cell in cells
    )
    return mean_test(mean, math.sqrt(squares / (people - 1)), people)


# -- correlations -----------------------------------------------------------------------------


def correlations(rows: Sequence[Participation]) -> Table:
    """Spearman's correlations of features and ratings, over all and within halves (5.2b, 5.3)."""
    lines = []
    for which, features in correlation_table().items():
        for feature, printed in features.items():
            cells = [HALVES[which], feature]
            for axis, theirs in zip(AXES, printed, strict=True):
                cells += [_r(_own_correlation(rows, which, feature, axis)), _r(theirs)]
            lines.append(tuple(cells))
    heads = [f"{star}, {whose}" for star in STARS for whose in ("run", "published")]
    return Table(
        "Spearman's correlations of features and ratings",
        ("Of", "Feature", *heads),
        tuple(lines),
        note="In brackets 95 % intervals by Fisher's z. * p below .05, one-sided in the direction "
        "that was found, with as many answers as the row is of.",
        widths=(1.6, 1.2, *(1.7,) * 6),
    )


def _own_correlation(
    rows: Sequence[Participation], which: str, feature: str, axis: str
) -> CorrelationInterval | None:
    inside = [row for row in rows if row.condition in CORNERS and _in_half(row.condition, which)]
    found = [(_level(row.condition, feature), row.measures.get(axis)) for row in inside]
    known = [(level, value) for level, value in found if value is not None]
    if len(known) < 4:
        return None
    result = spearman([level for level, _ in known], [value for _, value in known])
    if result.statistic is None or abs(result.statistic) >= 1.0:
        return None
    return fisher_interval(result.statistic, len(known))


def _in_half(corner: str, which: str) -> bool:
    if which == "all":
        return True
    level, feature = which.split("_")
    return _level(corner, feature) == (1 if level == "high" else 0)


def _level(corner: str, feature: str) -> int:
    high = corner[LETTERS[feature]] == "H"
    return int(not high if feature == "jerkiness" else high)


def _r(found: CorrelationInterval | None) -> str:
    if found is None:
        return NOTHING
    star = "*" if found.p_one_sided < 0.05 else ""
    return f"{_figure(found.r)}{star} [{_figure(found.low)}, {_figure(found.high)}]"


# -- naming -----------------------------------------------------------------------------------


def recognition(rows: Sequence[Participation]) -> Table:
    """Which answers each named emotion got (table 5.1, above)."""
    given = {name: Counter[str]() for name in EMOTIONS}
    for row in rows:
        answer = row.answers.get("emotion_choice", {}).get("emotion")
        if row.condition in given and answer is not None:
            given[row.condition][str(answer)] += 1
    lines = []
    for theirs in recognition_table():
        count, people = given[theirs.shown][theirs.answer], given[theirs.shown].total()
        own = (NOTHING,) * 3 if not people else _share(count, people)
        published = _share(theirs.count, theirs.people)
        answer = "none of them" if theirs.answer == NONE else theirs.answer
        lines.append((theirs.shown, answer, *own, *published))
    return Table(
        "Named emotions: answers, 95 % interval of the share, and p of so many by luck",
        ("Shown", "Answered", *_both("answers", "interval", "p")),
        tuple(lines),
        note="p one-sided, of as many answers or more where each of five is as likely; intervals "
        "by Wald's formula.",
        widths=(1.3, 1.6, 1.9, 1.6, 1.0, 1.9, 1.6, 1.3),
    )


def _share(count: int, people: int) -> tuple[str, str, str]:
    low, high = wald_interval(count, people)
    return (
        f"{count} of {people} ({100 * count / people:.0f} %)",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        _p(binomial_at_least(count, people)),
    )


# -- figures ----------------------------------------------------------------------------------


def _values(rows: Sequence[Participation], axis: str, corner: str | None = None) -> list[float]:
    """Ratings of one corner, or of all."""
    wanted = CORNERS if corner is None else (corner,)
    found = (row.measures.get(axis) for row in rows if row.condition in wanted)
    return [float(value) for value in found if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _mean_test(values: Sequence[float]) -> MeanTest | None:
    if len(values) < 3:
        return None
    deviation = statistics.stdev(values)
    return mean_test(statistics.fmean(values), deviation, len(values)) if deviation > 0 else None


def _both(*heads: str) -> tuple[str, ...]:
    return tuple(f"{whose}: {head}" for whose in ("run", "published") for head in heads)


def _told(found: MeanTest | None) -> tuple[str, str, str, str]:
    if found is None:
        return (NOTHING,) * 4
    interval = f"{_figure(found.low)}, {_figure(found.high)}"
    return _figure(found.mean), _p(found.p), interval, f"{found.d:.2f}"


def _figure(value: float) -> str:
    """Two decimals without the leading nought; never a minus before nothing."""
    text = f"{value:.2f}"
    return ".00" if float(text) == 0 else text.replace("0.", ".", 1)


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
