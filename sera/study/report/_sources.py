"""Sections about other answers, where questionnaires come from, and how to check the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sera.study.analysis import Analysis
from sera.study.analysis._numbers import NOTHING, fixed, number, present
from sera.study.data import Participation
from sera.study.form_wish import asked_once
from sera.study.questionnaire import Item, Questionnaire
from sera.study.report.document import Block, Listing, Section, Sentence, Table

Forms = Mapping[str, Questionnaire]
_DATA = (
    "data.csv and data.json beside this report have a row for each participant and condition: "
    "measures, scores of scales as analysed, and answers; `simulated` is in each row."
)
_CODEBOOK = "`sera study export` writes the codebook that explains every column."
_FULL = "analysis.json has every figure of this report in full precision."
_INTERVALS = (
    "Intervals: noncentral t for Cohen's d and Hedges' g, noncentral F for eta squared, Fisher's z "
    "for correlations of values and ranks, Feldt's for Cronbach's alpha."
)
_SIGNS = (
    "U, W and effects are of the group named first: r or d above 0 means that it is higher. Of "
    "pairs, d is the mean difference over the standard deviation of the differences."
)
_NOT_DATA = ("consent", "debriefing")


def answers_section(analysis: Analysis, forms: Forms) -> Section | None:
    """Answers that are in no scale (age, gender, checks) by condition; None without any."""
    titles = {group.name: group.title for group in analysis.groups}
    language = analysis.plan.study.languages[0]
    blocks: list[Block] = []
    for name, form in forms.items():
        if name.startswith(_NOT_DATA):
            continue
        by_condition = _by_condition(analysis, name)
        scaled = {item for scale in form.scales for item in form.items_of(scale.name)}
        rows: list[tuple[str, ...]] = []
        for item in form.items:
            if item.id not in scaled and item.kind != "text":
                rows += _item_rows(item, name, form.language(language), by_condition)
        if rows and any(cell not in {NOTHING, "0"} for row in rows for cell in row[1:]):
            title = form.questionnaire.title[form.language(language)]
            columns = ("Answer", *(titles.get(group, group) for group in by_condition))
            blocks.append(Table(title, columns, tuple(rows)))
    return Section("Other answers", tuple(blocks)) if blocks else None


def _by_condition(analysis: Analysis, form: str) -> dict[str, list[Participation]]:
    """The rows by condition; all together where everybody is asked only once."""
    if analysis.within and asked_once(analysis.plan, form):
        return {"All": [row for row in analysis.counted if form in row.answers]}
    found = {
        group.name: [row for row in analysis.counted if row.condition == group.name]
        for group in analysis.groups
        if group.is_condition
    }
    if not analysis.in_one_run:
        return found
    asked = {name: rows for name, rows in found.items() if any(form in row.answers for row in rows)}
    return asked or found


def _item_rows(
    item: Item, form: str, tag: str, by_condition: Mapping[str, list[Participation]]
) -> list[tuple[str, ...]]:
    given = {
        name: [row.answers.get(form, {}) for row in rows] for name, rows in by_condition.items()
    }
    text = item.text[tag]
    if item.kind == "choice":
        counts = {name: Counter(one.get(item.id) for one in rows) for name, rows in given.items()}
        return [
            (f"{text} {choice.text[tag]}", *(str(one[choice.key]) for one in counts.values()))
            for choice in item.choices
        ]
    if item.kind == "multiple":
        return [
            (
                f"{text} {choice.text[tag]}",
                *(
                    str(sum(one.get(f"{item.id}.{choice.key}") is True for one in rows))
                    for rows in given.values()
                ),
            )
            for choice in item.choices
        ]
    cells = []
    for rows in given.values():
        values = present(number(one.get(item.id)) for one in rows)
        deviation = float(values.std(ddof=1)) if values.size > 1 else None
        known = f"{fixed(float(values.mean()))} ({fixed(deviation)})" if values.size else NOTHING
        cells.append(known)
    return [(f"{text} Mean (SD)", *cells)]


def sources_section(analysis: Analysis, forms: Forms) -> Section | None:
    """Where each questionnaire comes from, and what is known of its wording in each language."""
    if not forms:
        return None
    sessions = {(row.session, row.participant): row.language for row in analysis.counted}
    spoken = Counter(language for language in sessions.values() if language)
    rows = []
    for name, form in forms.items():
        wordings = "; ".join(f"{tag}: {wording}" for tag, wording in form.languages.items())
        facts = form.questionnaire
        rows.append((name, facts.source, facts.licence, wordings))
    columns = ("Questionnaire", "Source", "Licence", "Wording by language")
    blocks: list[Block] = [
        Table("Questionnaires", columns, tuple(rows), widths=(1.3, 2.6, 1.5, 2.6))
    ]
    if spoken:
        told = ", ".join(f"{tag}: {count}" for tag, count in sorted(spoken.items()))
        blocks.append(Sentence(f"Sessions by language: {told}."))
    return Section("Questionnaires and their sources", tuple(blocks))


def checking_section(analysis: Analysis, versions: Mapping[str, str]) -> Section:
    """What a reader needs to compute the report again."""
    seeds = sorted({row.seed for row in analysis.rows if row.seed is not None})
    told = f"{len(seeds)} seeds, from {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else ""
    if len(seeds) == 1:
        told = f"seed {seeds[0]}"
    items = [_DATA, _CODEBOOK, _FULL, _INTERVALS, _SIGNS]
    if told:
        items.append(f"Seeds of the sessions: {told}.")
    rows = tuple(versions.items())
    blocks: list[Block] = [Listing(tuple(items))]
    if rows:
        blocks.append(Table("Versions", ("What", "Version"), rows, widths=(1, 3)))
    return Section("Checking this report", tuple(blocks))
