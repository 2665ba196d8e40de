"""Sections about the study itself: facts, who took part, and how it was designed."""

from __future__ import annotations

from collections.abc import Mapping

from sera.study.analysis import CORRECTION_TITLES, RANK_METHODS, Analysis
from sera.study.analysis._numbers import NOTHING, listed
from sera.study.design import sample_sentence
from sera.study.design_tables import Design
from sera.study.report.document import Block, Listing, Section, Sentence, Table

_KINDS = ("study", "pilot", "rehearsal", "simulated")
_FATES = ("completed", "excluded", "replaced", "aborted", "under_way")
_ASSIGNMENTS = {
    "random": "at random, each draw by itself",
    "blocked": "at random in blocks that have each condition equally often",
    "latin_square": "by a balanced Latin square of orders",
    "by_scenario": "by the scenario itself, one after the other in one run",
}
_RULES = {
    "normality": (
        "Two groups are compared by Student's t test where Shapiro-Wilk finds both normal "
        "(p > .05), else by the Mann-Whitney test"
    ),
    "welch": "Two groups are compared by Welch's t test",
    "ranks": "Two groups are compared by the Mann-Whitney test",
}
_RULES_WITHIN = {
    "normality": (
        "Two conditions are compared within participants by the paired t test where Shapiro-Wilk "
        "finds the differences normal (p > .05), else by Wilcoxon's signed-rank test"
    ),
    "welch": "Two conditions are compared within participants by the paired t test",
    "ranks": "Two conditions are compared within participants by Wilcoxon's signed-rank test",
}


def facts_section(analysis: Analysis, facts: Mapping[str, str]) -> Section:
    """What the study is, in a table."""
    study = analysis.plan.study
    rows = [("Title", study.title)]
    if study.hypothesis:
        rows.append(("Expectation", study.hypothesis))
    rows += [
        ("Participants counted", str(analysis.participants)),
        ("Conditions", listed([one.title for one in analysis.groups if one.is_condition])),
        ("Design", _kind_of_design(analysis)),
        ("Languages of forms", ", ".join(study.languages)),
        *facts.items(),
    ]
    table = Table("The study", ("What", "Value"), tuple(rows), widths=(1, 3.2))
    return Section("The study", (table,))


def _kind_of_design(analysis: Analysis) -> str:
    if analysis.plan.design is None:
        return "one condition"
    if not analysis.within:
        return "between participants: each met one condition"
    kinds = {factor.kind for factor in analysis.plan.design.factors}
    if analysis.in_one_run:
        return "within participants: each met several conditions, in one run"
    if len(kinds) > 1:
        return "mixed: some factors within, some between participants"
    return "within participants: each met all conditions"


def sample_section(analysis: Analysis) -> Section:
    """Sessions by kind and fate, exclusions, and sizes of the groups."""
    flow = analysis.flow
    kinds = [kind for kind in _KINDS if any(key[0] == kind for key in flow)]
    fates = [fate for fate in _FATES if any(key[1] == fate for key in flow)]
    rows = tuple(
        (
            kind,
            *(str(flow.get((kind, fate), 0)) for fate in fates),
            str(sum(count for key, count in flow.items() if key[0] == kind)),
        )
        for kind in kinds
    )
    columns = ("Kind", *(fate.replace("_", " ") for fate in fates), "all")
    counts = "simulated" if analysis.simulated else "study"
    note = f"Only completed sessions of kind {counts} are analysed."
    blocks: list[Block] = [Table("Sessions by kind and fate", columns, rows, note=note)]
    blocks += _exclusions(analysis)
    blocks.append(_group_sizes(analysis))
    if analysis.notes:
        blocks += [Sentence("What to know about these data:"), Listing(_shortened(analysis.notes))]
    return Section("Sample and exclusions", tuple(blocks))


def _shortened(notes: tuple[str, ...], most: int = 40) -> tuple[str, ...]:
    if len(notes) <= most:
        return notes
    return (*notes[:most], f"… and {len(notes) - most} more, in analysis.json.")


def _exclusions(analysis: Analysis) -> list[Block]:
    out = {
        (row.session, row.participant): row
        for row in analysis.rows
        if row.fate in {"excluded", "replaced", "aborted"}
    }
    if not out:
        return [Sentence("No session was excluded, replaced or aborted.")]
    rows = tuple(
        (row.participant, row.kind, row.fate, row.exclusion or NOTHING) for row in out.values()
    )
    columns = ("Participant", "Kind", "Fate", "Reason")
    return [Table("Sessions that do not count", columns, rows, widths=(1, 1, 1, 3))]


def _group_sizes(analysis: Analysis) -> Table:
    planned = None
    if analysis.plan.design is not None and not analysis.in_one_run:
        planned = analysis.plan.design.sample.per_condition
    rows = []
    for group in analysis.groups:
        inside = [row for row in analysis.counted if row.condition in group.conditions]
        people = len({row.participant for row in inside})
        titles = [one.title for one in analysis.groups if one.name in group.conditions]
        goal = "" if planned is None or not group.is_condition else str(planned)
        made_of = "one condition" if group.is_condition else listed(titles)
        rows.append((group.title, made_of, str(people), goal))
    columns = ("Group", "Made of", "Participants", "Planned")
    return Table("Groups", columns, tuple(rows))


def design_section(analysis: Analysis) -> Section:
    """How conditions were given, and how groups are compared."""
    blocks: list[Block] = []
    design = analysis.plan.design
    if design is not None:
        blocks += _design_blocks(design)
    wish = analysis.plan.analysis
    rule = (_RULES_WITHIN if analysis.within else _RULES)[wish.rule]
    blocks.append(Sentence(f"{rule}. p is two-sided, the level of significance {wish.alpha:g}."))
    ranks = RANK_METHODS[wish.rank_tests]
    blocks.append(Sentence(f"p of Mann-Whitney and Wilcoxon tests is found {ranks}."))
    correction = CORRECTION_TITLES[wish.correction]
    blocks.append(Sentence(f"Comparisons of one measure are {correction}."))
    blocks.append(
        Sentence(
            f"A scale counts as reliable where Cronbach's alpha or McDonald's omega is above "
            f"{wish.reliable_above:g}; its score is called positive or negative where it differs "
            "from the middle of the scale (not corrected for the number of groups), else neutral."
        )
    )
    return Section("Design and rules", tuple(blocks))


def _design_blocks(design: Design) -> list[Block]:
    blocks: list[Block] = [Sentence(f"Conditions were given {_ASSIGNMENTS[design.assignment]}.")]
    if design.factors:
        factors = tuple(
            (one.title or one.name, f"{one.kind} participants", ", ".join(one.levels))
            for one in design.factors
        )
        blocks.append(Table("Factors", ("Factor", "Varied", "Levels"), factors))
    if design.exclusions:
        rules = [f"{one.name}: {one.reason}" for one in design.exclusions]
        blocks += [Sentence("Rules of exclusion, made before the data:"), Listing(tuple(rules))]
    power = sample_sentence(design)
    if power is not None:
        blocks.append(Sentence(power))
    return blocks
