"""The wide table: a row a participant.

Where a participant meets several conditions, what is measured in each of them has a column for
each, with the condition behind its name: `measure.Errors.alone`, `measure.Errors.together`. Forms
that are filled in only once, with the first or the last condition, have one column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sera.study.data import Participation
from sera.study.design_tables import Condition
from sera.study.export._form_columns import YES_NO, form_lines, scale_columns, typed_items
from sera.study.export.column import Column, Table, Value, plain, unique
from sera.study.export.durations import Durations
from sera.study.form_wish import asked_once
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire
from sera.study.scoring import Scale, scales_of, score
from sera.study.sessions import conditions_of

DurationsBy = Mapping[tuple[str, int], Durations]
"""By session and period."""
Take = Callable[[Participation], Any]
KINDS: dict[Value, str] = {
    "simulated": "played by a simulated participant; supports no claim about people",
    "rehearsal": "a rehearsal",
    "pilot": "a pilot",
    "study": "a session of the study",
}
FATES: dict[Value, str] = {
    "under_way": "not over yet",
    "completed": "came to its end",
    "aborted": "was broken off",
    "excluded": "does not count, see exclusion",
    "replaced": "somebody else has its place in the assignment",
}


def wide_table(
    plan: StudyPlan,
    rows: Sequence[Participation],
    forms: Mapping[str, Questionnaire],
    durations: DurationsBy | None = None,
) -> Table:
    """A row a participant, of those that are given.

    Args:
        plan: of the study.
        rows: of the study; which of them count has been decided before.
        forms: the questionnaires as the study uses them.
        durations: what logs say about times; None: no logs were kept.
    """
    return _Wide(plan, rows, forms, durations).table()


class _Wide:
    def __init__(
        self,
        plan: StudyPlan,
        rows: Sequence[Participation],
        forms: Mapping[str, Questionnaire],
        durations: DurationsBy | None,
    ) -> None:
        self._plan, self._rows, self._forms = plan, rows, forms
        self._durations = durations
        self._within = plan.design is not None and plan.design.is_within
        self._conditions = _conditions(plan, rows)
        self._takes: list[tuple[Column, str | None, Take]] = []
        """Column, the condition that it is of (None: of the participant), and its value."""

    def table(self) -> Table:
        self._add_facts()
        self._add_durations()
        self._add_measures()
        notes = self._add_forms()
        table = Table("wide", [column for column, _, _ in self._takes], notes=notes)
        people: dict[tuple[str, str], list[Participation]] = {}
        for row in self._rows:
            people.setdefault((row.participant, row.session), []).append(row)
        for place, own in enumerate(people.values()):
            table.rows.append(self._row(own))
            table.left_out |= {
                (place, column.name)
                for column, condition, _ in self._takes
                if column.is_answer
                and table.rows[-1][column.name] is None
                and any(
                    column.questionnaire in row.answers
                    for row in own
                    if condition in (None, row.condition)
                )
            }
        return table

    def _row(self, own: list[Participation]) -> dict[str, Value]:
        told: dict[str, Value] = {}
        for column, condition, take in self._takes:
            values = (take(row) for row in own if condition in (None, row.condition))
            told[column.name] = next((plain(one) for one in values if plain(one) is not None), None)
        return told

    # -- columns --------------------------------------------------------------------------

    def _add(self, column: Column, take: Take, condition: str | None = None) -> None:
        name = unique(column.name, (one.name for one, _, _ in self._takes))
        self._takes.append((replace(column, name=name), condition, take))

    def _add_each(self, column: Column, take: Take, *, once: bool = False) -> None:
        """Add a column, or one for each condition where the participant meets several."""
        if once or not self._within:
            self._add(column, take)
            return
        for condition in self._conditions.values():
            said = f"{column.meaning} (in {condition.heading})"
            own = replace(column, name=f"{column.name}.{condition.name}", meaning=said)
            self._add(own, take, condition.name)

    def _add_facts(self) -> None:
        add = self._add
        add(Column("id", "Pseudonym of the participant"), lambda row: row.participant)
        add(
            Column(
                "simulated",
                "Whether the participant was simulated; such rows support no claim about people",
                "truth",
                labels=YES_NO,
            ),
            lambda row: row.simulated,
        )
        add(Column("session", "Id of the session"), lambda row: row.session)
        add(Column("kind", "Kind of the session", labels=KINDS), lambda row: row.kind)
        add(Column("fate", "What became of the session", labels=FATES), lambda row: row.fate)
        add(Column("exclusion", "Why the session does not count"), lambda row: row.exclusion)
        titles: dict[Value, str] = {one.name: one.heading for one in self._conditions.values()}
        if self._within:
            text = "Conditions in the order in which the participant met them"
            orders = {row.session: self._order(row.session) for row in self._rows}
            add(Column("conditions", text), lambda row: orders[row.session])
            text = "Which of the participant's conditions it was, from 1"
            self._add_each(Column("period", text, "whole", level="ordinal"), lambda row: row.period)
        else:
            add(Column("condition", "Condition", labels=titles), lambda row: row.condition)
            add(
                Column("condition_title", "What reports call the condition"),
                lambda row: titles.get(row.condition, row.condition),
            )
        for factor in () if self._plan.design is None else self._plan.design.factors:
            column = Column(
                f"factor.{factor.name}",
                f"Level of the factor {factor.title or factor.name} ({factor.kind})",
                labels={level: level for level in factor.levels},
            )
            take = _at(lambda row: row.factors, factor.name)
            self._add_each(column, take, once=factor.kind == "between")
        languages: dict[Value, str] = {tag: tag for tag in self._plan.study.languages}
        add(Column("language", "Language of the forms", labels=languages), lambda row: row.language)
        add(
            Column("seed", "Seed of the session's random choices", "whole", level="nominal"),
            lambda row: row.seed,
        )

    def _order(self, session: str) -> str:
        own = sorted((row for row in self._rows if row.session == session), key=lambda r: r.period)
        return " > ".join(row.condition for row in own)

    def _add_durations(self) -> None:
        if self._durations is None:
            return
        known = self._durations

        def of(row: Participation) -> Durations:
            return known.get((row.session, row.period), Durations())

        seconds = Column("", "", "decimal", unit="s", level="scale", lowest=0.0)
        whole = replace(seconds, name="duration", meaning="How long it took, with pauses")
        self._add_each(whole, lambda row: of(row).whole_s)
        for phase in self._plan.phases:
            meant = f"How long the phase {phase.heading} took, without pauses"
            column = replace(seconds, name=f"duration.phase.{phase.name}", meaning=meant)
            self._add_each(
                column,
                _at(lambda row: of(row).phases_s, phase.name),
                once=phase.conditions != "every",
            )
        for name in self._forms:
            meant = f"From opening the form {name} to sending it"
            column = replace(seconds, name=f"duration.form.{name}", meaning=meant)
            self._add_each(column, _at(lambda row: of(row).forms_s, name), once=self._once(name))

    def _add_measures(self) -> None:
        planned = [measure.name for measure in self._plan.measures]
        for measure in self._plan.measures:
            better = "" if measure.better is None else f" ({measure.better} is better)"
            column = Column(
                f"measure.{measure.name}",
                f"{measure.heading}{better}; empty where it could not be taken",
                "decimal",
                measure.unit,
                "scale",
            )
            self._add_each(column, _at(lambda row: row.measures, measure.name))
        found = dict.fromkeys(name for row in self._rows for name in row.measures)
        for name in found:
            if name not in planned:
                said = f"{name}; the study file does not have this measure any more"
                column = Column(f"measure.{name}", said, "decimal", level="scale")
                self._add_each(column, _at(lambda row: row.measures, name))

    def _add_forms(self) -> list[str]:
        language = self._plan.study.languages[0]
        scales = scales_of(self._forms, language)
        known: set[tuple[str, str]] = set()
        for line in form_lines(self._forms, scales, language):
            known.add((line.form, line.answer))
            self._add_each(
                line.column,
                _at(_answers(line.form), line.answer),
                once=self._once(line.form),
            )
        typed = set(typed_items(self._forms))
        notes = [
            f"{item} is not exported: what people type may tell who they are"
            for item in sorted(typed)
        ]
        for form, item in _unknown_answers(self._rows, known):
            if f"{form}.{item}" in typed:
                continue
            if any(isinstance(_answers(form)(row).get(item), str) for row in self._rows):
                # Nobody can say any more whether somebody typed this.
                notes.append(f"{form}.{item} is not exported: no questionnaire says what it is")
                continue
            said = f"Answer to {item} of {form}, which the questionnaire does not have any more"
            column = Column(
                f"{form}.{item}", said, "decimal", level="scale", questionnaire=form, item=item
            )
            self._add_each(column, _at(_answers(form), item), once=self._once(form))
        for scale in scales:
            plain_one, inverted = scale_columns(scale, self._forms)
            once = self._once(scale.questionnaire)
            self._add_each(plain_one, _scored(scale), once=once)
            if inverted is not None:
                self._add_each(inverted, _inverted(scale), once=once)
        return notes

    def _once(self, form: str) -> bool:
        return asked_once(self._plan, form)


def _at(mapping: Callable[[Participation], Mapping[str, Any]], name: str) -> Take:
    return lambda row: mapping(row).get(name)


def _answers(form: str) -> Callable[[Participation], Mapping[str, Any]]:
    return lambda row: row.answers.get(form, {})


def _scored(scale: Scale) -> Take:
    return lambda row: score(scale, row.answers)


def _inverted(scale: Scale) -> Take:
    def take(row: Participation) -> float | None:
        value = score(scale, row.answers)
        return None if value is None else scale.inverted(value)

    return take


def _unknown_answers(
    rows: Sequence[Participation], known: set[tuple[str, str]]
) -> list[tuple[str, str]]:
    found = dict.fromkeys(
        (form, item) for row in rows for form, given in row.answers.items() for item in given
    )
    return [one for one in found if one not in known]


def _conditions(plan: StudyPlan, rows: Sequence[Participation]) -> dict[str, Condition]:
    planned = {one.name: one for one in conditions_of(plan)}
    for row in rows:  # of an earlier version of the study file
        if row.condition not in planned:
            planned[row.condition] = Condition.model_construct(name=row.condition, title="")
    return planned
