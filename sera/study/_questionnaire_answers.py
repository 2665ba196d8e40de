"""Which answers a form takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sera.study._questionnaire_tables import POINT_KINDS, Answer, Item

LONGEST_TEXT = 10_000
_STEP_TOLERANCE = 1e-6


def answer_names(item: Item) -> list[str]:
    """Names of an item's answers in the data: one, none, or one for each of several choices."""
    if item.kind == "multiple":
        return [f"{item.id}.{choice.key}" for choice in item.choices]
    return [item.id] if item.is_asked else []


def problems_with_answers(
    items: Sequence[Item], answers: Mapping[str, Answer], free_answers: Mapping[str, str]
) -> list[str]:
    """What is wrong with answers, one sentence each; they are complete and valid if nothing."""
    problems: list[str] = []
    known: set[str] = set()
    free = {item.id for item in items if item.kind == "text"}
    for item in items:
        names = answer_names(item)
        known.update(names)
        given: Mapping[str, Answer] = free_answers if item.kind == "text" else answers
        values = [given.get(name) for name in names]
        wrong = [
            f"{name}: {why}"
            for name, value in zip(names, values, strict=True)
            if value is not None and (why := _wrong_answer(item, value)) is not None
        ]
        problems += wrong
        if item.required and names and not wrong and not any(map(_is_given, values)):
            lacks = "this has to be agreed to" if item.kind == "agreement" else None
            problems.append(f"{item.id}: {lacks or 'an answer is required'}")
    for name in sorted({*answers, *free_answers} - known):
        problems.append(f"{name}: the form has no such item")
    misplaced = [*(free & set(answers)), *((known - free) & set(free_answers))]
    problems += [
        f"{name}: what is typed belongs into free_answers, the rest into answers"
        for name in sorted(misplaced)
    ]
    return problems


def _is_given(value: Answer) -> bool:
    # 0 is an answer (the left end of a slider), although it equals False.
    return value is not None and value is not False and not _is_blank(value)


def _is_blank(value: Answer) -> bool:
    return isinstance(value, str) and not value.strip()


def _wrong_answer(item: Item, value: Answer) -> str | None:
    if item.kind == "choice":
        keys = [choice.key for choice in item.choices]
        return None if value in keys else f"{value!r} is none of {', '.join(keys)}"
    if item.kind in ("multiple", "agreement"):
        return None if isinstance(value, bool) else f"{value!r} is neither true nor false"
    if item.kind == "text":
        fits = isinstance(value, str) and len(value) <= LONGEST_TEXT
        return None if fits else f"no text of at most {LONGEST_TEXT} characters"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value!r} is no number"
    return _wrong_number(item, value)


def _wrong_number(item: Item, value: float) -> str | None:
    if not math.isfinite(value):
        return f"{value} is no number"
    is_whole = item.kind in POINT_KINDS or (item.kind == "number" and item.whole)
    if is_whole and not float(value).is_integer():
        return f"{value:g} is no whole number"
    least, most = item.bounds
    if least is not None and value < least:
        return f"{value:g} is less than {least:g}"
    if most is not None and value > most:
        return f"{value:g} is more than {most:g}"
    if item.kind == "slider":
        steps = (value - (least or 0.0)) / item.slider_step
        if abs(steps - round(steps)) > _STEP_TOLERANCE:
            return f"{value:g} is not in steps of {item.slider_step:g}"
    return None
