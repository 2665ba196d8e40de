"""Analysis of studies: statistics on numpy and scipy, the documents' decision rules, `analyse`.

Every function takes plain numbers and gives a frozen result with a `text()` as journals print it.
Data that a test cannot be computed of come back as a result that says so in a sentence.
"""

from sera.study.analysis._analyse import analyse
from sera.study.analysis.corrections import CORRECTION_TITLES, Correction, corrected
from sera.study.analysis.correlation import pearson, spearman
from sera.study.analysis.effects import (
    eta_squared,
    hedges_factor,
    matched_rank_biserial,
    omega_squared,
    rank_biserial,
)
from sera.study.analysis.findings import (
    AgainstMiddle,
    Analysis,
    Comparison,
    Correlation,
    Description,
    Group,
    Judged,
    Point,
    Reliability,
    Variable,
)
from sera.study.analysis.many_groups import anova, friedman, kruskal, repeated_anova, welch_anova
from sera.study.analysis.normality import shapiro_wilk
from sera.study.analysis.one_group import one_sample_t, paired_t, wilcoxon, wilcoxon_paired
from sera.study.analysis.rank_p import RANK_METHODS, RankMethod
from sera.study.analysis.reliability import Coefficient, cronbach_alpha, mcdonald_omega
from sera.study.analysis.result import Effect, Interval, TestResult
from sera.study.analysis.rules import (
    Difference,
    DifferenceKind,
    Polarity,
    Significances,
    compare_groups,
    compare_pairs,
    compare_with_middle,
    difference_kind,
    inverted,
    is_normal,
    is_reliable,
    omnibus,
    omnibus_within,
    polarity,
)
from sera.study.analysis.sample import AnalysisRefused
from sera.study.analysis.two_groups import mann_whitney, student_t, welch_t

__all__ = [
    "CORRECTION_TITLES",
    "RANK_METHODS",
    "AgainstMiddle",
    "Analysis",
    "AnalysisRefused",
    "Coefficient",
    "Comparison",
    "Correction",
    "Correlation",
    "Description",
    "Difference",
    "DifferenceKind",
    "Effect",
    "Group",
    "Interval",
    "Judged",
    "Point",
    "Polarity",
    "RankMethod",
    "Reliability",
    "Significances",
    "TestResult",
    "Variable",
    "analyse",
    "anova",
    "compare_groups",
    "compare_pairs",
    "compare_with_middle",
    "corrected",
    "cronbach_alpha",
    "difference_kind",
    "eta_squared",
    "friedman",
    "hedges_factor",
    "inverted",
    "is_normal",
    "is_reliable",
    "kruskal",
    "mann_whitney",
    "matched_rank_biserial",
    "mcdonald_omega",
    "omega_squared",
    "omnibus",
    "omnibus_within",
    "one_sample_t",
    "paired_t",
    "pearson",
    "polarity",
    "rank_biserial",
    "repeated_anova",
    "shapiro_wilk",
    "spearman",
    "student_t",
    "welch_anova",
    "welch_t",
    "wilcoxon",
    "wilcoxon_paired",
]
