"""Columns for the items and scales of questionnaires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sera.study._questionnaire_answers import answer_names
from sera.study._questionnaire_tables import POINT_KINDS
from sera.study.export.column import Column, ColumnKind, Level, Value
from sera.study.questionnaire import Item, Questionnaire
from sera.study.scoring import Scale

YES_NO: dict[Value, str] = {False: "no", True: "yes"}


@dataclass(frozen=True, slots=True)
class FormLine:
    """An answer that a form asks for."""

    form: str
    answer: str
    """Name of the answer in the data."""
    column: Column


def form_lines(
    forms: Mapping[str, Questionnaire], scales: Sequence[Scale], language: str
) -> Iterator[FormLine]:
    """One for each answer of each form; what people type themselves is left out."""
    for name, form in forms.items():
        tag = form.language(language)
        for item in form.items:
            if item.kind == "text":
                continue
            for answer in answer_names(item):
                column = _column(name, form, item, answer, scales=scales, tag=tag)
                yield FormLine(name, answer, column)


def typed_items(forms: Mapping[str, Questionnaire]) -> list[str]:
    """Items that people type into."""
    return [
        f"{name}.{item.id}"
        for name, form in forms.items()
        for item in form.items
        if item.kind == "text"
    ]


def validation_of(form: Questionnaire) -> str:
    """For each language whether its wording was validated."""
    return "; ".join(f"{tag}: {wording}" for tag, wording in form.languages.items())


def _column(
    name: str, form: Questionnaire, item: Item, answer: str, *, scales: Sequence[Scale], tag: str
) -> Column:
    asked = item.asks(tag)
    chosen = next((one for one in item.choices if f"{item.id}.{one.key}" == answer), None)
    if item.kind == "multiple" and chosen is not None:
        asked = f"{asked}: {chosen.text[tag]}"
    least, most = item.bounds
    kind, level = _kind(item)
    return Column(
        name=f"{name}.{answer}",
        meaning=asked,
        kind=kind,
        level=level,
        labels=_labels(item, tag),
        lowest=least if kind in ("whole", "decimal") else None,
        highest=most if kind in ("whole", "decimal") else None,
        questionnaire=name,
        item=item.id,
        wording=" | ".join(f"{one}: {_with_group(form, item, one)}" for one in form.languages),
        source=form.questionnaire.source,
        validation=validation_of(form),
        reversed=item.reversed,
        scales=tuple(
            scale.name
            for scale in scales
            if scale.questionnaire == name and item.id in {one.item for one in scale.items}
        ),
        is_answer=True,
    )


def _with_group(form: Questionnaire, item: Item, tag: str) -> str:
    above = form.instruction(item, tag)
    return f"{above} {item.asks(tag)}" if above else item.asks(tag)


def _kind(item: Item) -> tuple[ColumnKind, Level]:
    if item.kind in POINT_KINDS:
        return "whole", "ordinal"
    if item.kind == "slider":
        return "decimal", "scale"
    if item.kind == "number":
        return ("whole" if item.whole else "decimal"), "scale"
    return ("text" if item.kind == "choice" else "truth"), "nominal"


def _labels(item: Item, tag: str) -> dict[Value, str]:
    if item.kind == "choice":
        return {choice.key: choice.text[tag] for choice in item.choices}
    if item.kind in ("multiple", "agreement"):
        return dict(YES_NO)
    anchors = item.anchors.get(tag, [])
    if item.kind in POINT_KINDS and len(anchors) == item.points:
        return dict(enumerate(anchors, start=1))
    if item.kind in POINT_KINDS and len(anchors) >= 2:
        return {1: anchors[0], item.points: anchors[-1]}
    return {}


def scale_columns(scale: Scale, forms: Mapping[str, Questionnaire]) -> tuple[Column, Column | None]:
    """The column of a scale's score, and of the score turned round where lower is better."""
    form = forms[scale.questionnaire]
    turned = [item.item for item in scale.items if item.reversed]
    made = f"mean of {', '.join(item.item for item in scale.items)}"
    if turned:
        made += f", after {', '.join(turned)} were turned round"
    plain = Column(
        name=f"scale.{scale.name}",
        meaning=f"{scale.title}: {made}; empty where more than half of them have no answer"
        + (" (lower is better)" if scale.negative else ""),
        kind="decimal",
        level="scale",
        lowest=scale.lowest,
        highest=scale.highest,
        questionnaire=scale.questionnaire,
        source=form.questionnaire.source,
        validation=validation_of(form),
        scales=(scale.name,),
    )
    if not scale.negative:
        return plain, None
    other = Column(
        name=f"scale.{scale.name}.inverted",
        meaning=f"{scale.title}, turned round so that higher is better: "
        f"{scale.lowest + scale.highest:g} minus scale.{scale.name}",
        kind="decimal",
        level="scale",
        lowest=scale.lowest,
        highest=scale.highest,
        questionnaire=scale.questionnaire,
        source=form.questionnaire.source,
        validation=validation_of(form),
        scales=(scale.name,),
    )
    return plain, other
