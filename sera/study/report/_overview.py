"""The results at a glance: hypotheses, means, comparisons, polarity and reliability in matrices."""

from __future__ import annotations

from collections.abc import Sequence

from sera.study.analysis import Analysis, Comparison, Reliability, Variable
from sera.study.analysis._numbers import NOTHING, bounded, fixed, p_text
from sera.study.report.document import Block, Listing, Mark, Place, Section, Sentence, Table

_MOST_COLUMNS = 5
_MOST_GROUPS = 9
"""Columns of means that fit beside each other."""
_VERDICT_MARKS: dict[str, Mark] = {"supported": "good", "not supported": "bad"}
_POLARITY_MARKS: dict[str | None, Mark] = {"positive": "good", "negative": "bad"}


def hypotheses_section(analysis: Analysis) -> Section | None:
    """Each hypothesis with what the data say; None where the plan has none."""
    if not analysis.hypotheses:
        return None
    rows = tuple((one.name, one.text, one.verdict) for one in analysis.hypotheses)
    marks: dict[Place, Mark] = {
        (place, 2): _VERDICT_MARKS[one.verdict]
        for place, one in enumerate(analysis.hypotheses)
        if one.verdict in _VERDICT_MARKS
    }
    columns = ("Name", "Hypothesis", "Verdict")
    blocks: list[Block] = [Table("Hypotheses", columns, rows, marks, widths=(0.7, 5, 1.6))]
    for one in analysis.hypotheses:
        blocks.append(Sentence(one.verdict + ".", lead=one.name))
        blocks.append(Listing(one.why))
    return Section("Hypotheses", tuple(blocks))


def glance_section(analysis: Analysis) -> Section | None:
    """Means of all variables by group, and what was found; None where nothing was measured."""
    variables = analysis.variables
    if not variables:
        return None
    blocks: list[Block] = []
    for kind, title in (("measure", "Measures"), ("scale", "Scales")):
        chosen = [one for one in variables if one.kind == kind]
        if chosen:
            blocks.append(_means(analysis, chosen, title))
            blocks += _comparison_matrix(analysis, chosen, title)
    scales = [one for one in variables if one.kind == "scale"]
    if scales and len(analysis.groups) <= _MOST_COLUMNS:
        blocks.append(_polarities(analysis, scales))
    return Section("Results at a glance", tuple(blocks))


def _short(variable: Variable) -> str:
    """Measures by their title, scales by their name and title."""
    if variable.kind == "measure" or variable.title == variable.name:
        return f"{variable.title} ({variable.unit})" if variable.unit else variable.title
    turned = " (turned round)" if variable.inverted else ""
    return f"{variable.name}, {variable.title}{turned}"


def _means(analysis: Analysis, variables: Sequence[Variable], title: str) -> Table:
    found = any(one.difference is not None for one in variables)
    columns = ["Measure" if title == "Measures" else "Scale"]
    columns += [group.title for group in analysis.groups]
    columns += ["Found"] if found else []
    if len(analysis.groups) > _MOST_GROUPS and not found:
        return _means_on_their_side(analysis, variables, title)
    rows = []
    for one in variables:
        cells = [f"{fixed(each.mean)} ({fixed(each.sd)})" for each in one.descriptions]
        kind = one.difference.kind if one.difference is not None else None
        rows.append((_short(one), *cells, *([str(kind or NOTHING)] if found else [])))
    note = "Strong E-D, Soft E-D and T-D are explained under Design and rules." if found else ""
    caption = f"{title}: mean (standard deviation) by group"
    return Table(caption, tuple(columns), tuple(rows), note=note)


def _means_on_their_side(analysis: Analysis, variables: Sequence[Variable], title: str) -> Table:
    """The same with a row a group: many groups are too wide for a page."""
    by_group = [
        [one.descriptions[place] for one in variables] for place in range(len(analysis.groups))
    ]
    rows = tuple(
        (
            group.title,
            *(f"{fixed(one.mean)} ({fixed(one.sd)})" if one.n else NOTHING for one in own),
        )
        for group, own in zip(analysis.groups, by_group, strict=True)
    )
    columns = ("Group", *(_short(one) for one in variables))
    return Table(f"{title}: mean (standard deviation) by group", columns, rows)


def _comparison_matrix(
    analysis: Analysis, variables: Sequence[Variable], title: str
) -> list[Block]:
    planned = (one for each in variables for one in each.comparisons if one.planned)
    pairs = list(dict.fromkeys((one.first.name, one.second.name) for one in planned))
    if not pairs or len(pairs) > _MOST_COLUMNS:
        return []
    titles = {group.name: group.title for group in analysis.groups}
    marks: dict[Place, Mark] = {}
    rows = []
    for row, variable in enumerate(variables):
        cells = []
        for column, pair in enumerate(pairs, 1):
            comparison = variable.comparison(*pair)
            cells.append(_cell(comparison))
            if comparison is not None and comparison.significant:
                marks[row, column] = "strong"
        rows.append((_short(variable), *cells))
    head = ["Measure" if title == "Measures" else "Scale"]
    columns = (*head, *(f"{titles[one]} vs {titles[other]}" for one, other in pairs))
    corrected = analysis.correction != "none"
    note = f"* p {'(corrected) ' if corrected else ''}below {analysis.plan.analysis.alpha:g}."
    return [Table(f"{title}: comparisons", columns, tuple(rows), marks, note)]


def _cell(comparison: Comparison | None) -> str:
    if comparison is None or comparison.result.statistic is None:
        return NOTHING
    result = comparison.result
    digits = 1 if result.symbol in {"U", "W"} else 2
    star = "*" if comparison.significant else ""
    p = p_text(comparison.p_corrected)
    return f"{result.symbol} = {fixed(result.statistic, digits)}, {p}{star}"


def _polarities(analysis: Analysis, scales: Sequence[Variable]) -> Table:
    marks: dict[Place, Mark] = {}
    rows = []
    for row, scale in enumerate(scales):
        for column, one in enumerate(scale.against_middle, 1):
            if one.polarity in _POLARITY_MARKS:
                marks[row, column] = _POLARITY_MARKS[one.polarity]
        cells = [one.polarity or NOTHING for one in scale.against_middle]
        rows.append((_short(scale), *cells))
    columns = ("Scale", *(group.title for group in analysis.groups))
    return Table("Scales against their middle", columns, tuple(rows), marks)


def reliability_section(analysis: Analysis) -> Section | None:
    """Alpha and omega of all scales; None where there are none."""
    scales = [one for one in analysis.variables if one.reliability]
    if not scales:
        return None
    groups = [None, *analysis.groups] if len(analysis.groups) <= _MOST_COLUMNS else [None]
    marks: dict[Place, Mark] = {}
    rows, lacking = [], []
    for row, scale in enumerate(scales):
        shown = scale.reliability[: len(groups)]
        for column, one in enumerate(shown, 1):
            if one.reliable is False:
                marks[row, column] = "bad"
        rows.append((_short(scale), *(_coefficients(one) for one in shown)))
        whole = scale.reliability[0]
        lacking += [
            f"{scale.name}: {coefficient.text()}."
            for coefficient in (whole.alpha, whole.omega)
            if coefficient.problem
        ]
    columns = ("Scale", *("All" if group is None else group.title for group in groups))
    alpha = "\N{GREEK SMALL LETTER ALPHA}"
    above = bounded(analysis.plan.analysis.reliable_above, 1)
    note = (
        f"{alpha}: Cronbach's alpha, ω: McDonald's omega. * neither is above {above}. "
        f"{NOTHING} there is none: too few items or answers, or the model has no proper solution."
    )
    blocks: list[Block] = [Table("Reliability of scales", columns, tuple(rows), marks, note)]
    intervals = tuple(
        f"{scale.name}: {scale.reliability[0].alpha.text()}, {scale.reliability[0].omega.text()}."
        for scale in scales
        if scale.reliability[0].alpha.value is not None
        and scale.reliability[0].omega.value is not None
    )
    if intervals:
        blocks += [Sentence("Over all participants, with 95 % intervals:"), Listing(intervals)]
    if lacking:
        blocks += [
            Sentence("What could not be computed, or needs a look:"),
            Listing(tuple(lacking)),
        ]
    return Section("Reliability", tuple(blocks))


def _coefficients(found: Reliability) -> str:
    star = "*" if found.reliable is False else ""
    alpha = "\N{GREEK SMALL LETTER ALPHA}"
    return f"{alpha} {bounded(found.alpha.value)}  ω {bounded(found.omega.value)}{star}"
