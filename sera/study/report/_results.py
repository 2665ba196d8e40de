"""A section for each measure and scale: plot, tables, and the text of each test."""

from __future__ import annotations

from collections.abc import Sequence

from sera.study.analysis import (
    Analysis,
    Effect,
    Group,
    TestResult,
    Variable,
    is_normal,
)
from sera.study.analysis._numbers import NOTHING, bounded, fixed, p_text
from sera.study.report.document import Block, Figure, Mark, Place, Section, Sentence, Table

_MOST_CORRELATIONS = 24
_DIRECTIONS = {"lower": "lower is better", "higher": "higher is better"}


def variable_section(analysis: Analysis, variable: Variable) -> Section:
    """All about one measure or scale."""
    asked = _asked_groups(analysis, variable)
    conditions = tuple(group for group in analysis.groups if group.is_condition and group in asked)
    figure = Figure(
        f"{variable.title} by condition: each point a participant, box with median and quartiles, "
        f"diamond the mean{', lines join what is of one participant' if analysis.within else ''}",
        variable,
        conditions,
        within=analysis.within,
        simulated=analysis.simulated,
    )
    blocks: list[Block] = []
    if about := _about(variable):
        blocks.append(Sentence(about))
    if any(point.value is not None for point in variable.points):
        blocks.append(figure)
    else:
        blocks.append(Sentence("There is not a single value of it.", "warning"))
    blocks.append(_description(variable, asked))
    if variable.omnibus is not None:
        blocks.append(Sentence(_told(variable.omnibus), "test", lead="All conditions."))
    blocks += _comparisons(analysis, variable)
    if variable.difference is not None:
        blocks.append(Sentence(variable.difference.sentence, lead="Rule of the documents."))
    blocks += _middle(variable)
    return Section(_title(variable), tuple(blocks), level=2)


def _title(variable: Variable) -> str:
    if variable.title == variable.name:
        return variable.name
    return f"{variable.title} ({variable.name})"


def _about(variable: Variable) -> str:
    parts = []
    if variable.kind == "scale":
        parts.append(
            f"Scale of the questionnaire {variable.questionnaire}, from {variable.lowest:g} to "
            f"{variable.highest:g}"
        )
        if variable.inverted:
            parts.append("negatively scored, so turned round: high is good")
    elif variable.unit:
        parts.append(f"In {variable.unit}")
    if variable.kind == "measure" and variable.better is not None:
        parts.append(_DIRECTIONS[variable.better])
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _told(result: TestResult) -> str:
    if result.problem is not None:
        return f"{result.text()}."
    method = f" ({result.method})" if result.method else ""
    return f"{result.title}: {result.text()}{method}."


def _asked_groups(analysis: Analysis, variable: Variable) -> list[Group]:
    """Groups that the variable is of; all, unless a scenario shows many things itself."""
    told = [one.group for one in variable.descriptions if one.n or one.missing]
    return told if analysis.in_one_run and told else list(analysis.groups)


def _description(variable: Variable, asked: Sequence[Group]) -> Table:
    rows = []
    for one, normal in zip(variable.descriptions, variable.normality, strict=True):
        if one.group not in asked:
            continue
        verdict = is_normal(normal.result)
        word = {True: "normal", False: "not normal", None: "not tested"}[verdict]
        figures = "" if normal.result.p is None else f"{p_text(normal.result.p)}, "
        rows.append(
            (
                one.group.title,
                str(one.n),
                str(one.missing),
                fixed(one.mean),
                fixed(one.sd),
                fixed(one.median),
                fixed(one.minimum),
                fixed(one.maximum),
                f"{figures}{word}",
            )
        )
    columns = ("Group", "n", "Missing", "Mean", "SD", "Median", "Min", "Max", "Shapiro-Wilk")
    widths = (2, 0.7, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 2.6)
    return Table(f"{variable.title} by group", columns, tuple(rows), widths=widths)


def _comparisons(analysis: Analysis, variable: Variable) -> list[Block]:
    if not variable.comparisons:
        return []
    corrected = analysis.correction != "none"
    marks: dict[Place, Mark] = {}
    rows = []
    for row, one in enumerate(variable.comparisons):
        star = " *" if one.significant else ""
        told = one.result.text() if one.result.problem is None else one.result.problem
        cells = [one.title, one.result.title.removesuffix(" test"), told + star]
        if corrected:
            cells.append(NOTHING if one.p_corrected is None else _p(one.p_corrected))
        rows.append(tuple(cells))
        if one.significant:
            marks[row, 2] = "strong"
    columns = ("Groups", "Test", "Result", *(["Corrected p"] if corrected else []))
    widths = (2.5, 1.9, 3.9, *([1.0] if corrected else []))
    level = f"* below {analysis.plan.analysis.alpha:g}."
    methods = _methods([(one.title, one.result) for one in variable.comparisons])
    note = f"{level} In brackets 95 % intervals. {methods}".strip()
    table = Table(
        f"{variable.title}: comparisons", columns, tuple(rows), marks, note, widths=widths
    )
    return [table]


def _p(value: float) -> str:
    return p_text(value).removeprefix("p ").removeprefix("= ")


def _methods(results: Sequence[tuple[str, TestResult]]) -> str:
    """How p was found, each way once, with the comparisons that it holds for."""
    ways: dict[str, list[str]] = {}
    for title, result in results:
        if result.method:
            ways.setdefault(result.method, []).append(title)
    if not ways:
        return ""
    if len(ways) == 1:
        return f"p of ranks: {next(iter(ways))}."
    told = [f"{' / '.join(titles)}: {way}" for way, titles in ways.items()]
    return f"p of ranks: {'; '.join(told)}."


def _middle(variable: Variable) -> list[Block]:
    if not variable.against_middle:
        return []
    marks: dict[Place, Mark] = {}
    rows = []
    for row, one in enumerate(variable.against_middle):
        if one.polarity in {"positive", "negative"}:
            marks[row, 2] = "good" if one.polarity == "positive" else "bad"
        told = one.result.text() if one.result.problem is None else one.result.problem
        rows.append((one.group.title, told, one.polarity or "cannot be judged"))
    middle = variable.against_middle[0].middle
    caption = f"{variable.title} against the scale's middle, {middle:g}"
    note = _methods([(one.group.title, one.result) for one in variable.against_middle])
    columns = ("Group", "Result", "Score")
    return [Table(caption, columns, tuple(rows), marks, note, widths=(2, 5, 1.5))]


def correlations_section(analysis: Analysis) -> Section | None:
    """Correlations over all participants; None where there are none."""
    found = [one for one in analysis.correlations if one.result.statistic is not None]
    if not found:
        return None
    shown = sorted(found, key=lambda one: one.result.p or 0.0)[:_MOST_CORRELATIONS]
    titles = {
        one.name: one.title if one.kind == "measure" else one.name for one in analysis.variables
    }
    rows = tuple(
        (
            f"{titles.get(one.first, one.first)} and {titles.get(one.second, one.second)}",
            one.result.title.removesuffix(" correlation"),
            bounded(one.result.statistic),
            _limits(one.result.effect),
            _p(one.result.p or 0.0),
            str(one.result.n[0]),
        )
        for one in shown
    )
    columns = ("Variables", "Kind", "r", "95 % interval", "p", "n")
    left = (
        f" The {len(shown)} of {len(found)} with the smallest p." if len(found) > len(shown) else ""
    )
    note = (
        "Over all participants whatever their condition. Nothing was expected of these before the "
        f"data, and p is not corrected: they may suggest, not show.{left}"
    )
    table = Table("Correlations", columns, rows, note=note, widths=(4, 1.2, 0.8, 1.6, 0.9, 0.6))
    return Section("Correlations", (table,))


def _limits(effect: Effect | None) -> str:
    if effect is None or effect.interval is None:
        return NOTHING
    return effect.interval.text(within_one=True)
