"""What a participant answered, from the QuestionnaireAnswered records of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sera.study._questionnaire_answers import answer_names
from sera.study.data import Answer
from sera.study.measures._runs import LogEntry
from sera.study.measures.log import SessionLog
from sera.study.questionnaire import Item, Questionnaire

ANSWERED_TYPE = "QuestionnaireAnswered"


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A form that came back."""

    time_s: float
    questionnaire: str
    answers: Mapping[str, Answer]
    """By item, as given."""
    free_answers: Mapping[str, str]
    """By item, what was typed; pseudonyms where the log was not restored."""
    language: str | None = None
    item_order: tuple[str, ...] = ()
    duration_s: float | None = None


@dataclass(slots=True)
class Answers:
    """All that a participant answered in a session."""

    given: dict[str, dict[str, Answer]] = field(default_factory=dict)
    """By questionnaire and item."""
    free: dict[str, dict[str, str]] = field(default_factory=dict)
    """By questionnaire and item, what was typed."""
    forms: dict[str, FilledForm] = field(default_factory=dict)
    """The form that counts, by questionnaire."""
    earlier: list[FilledForm] = field(default_factory=list)
    """Forms that came back more than once, without those that count."""
    problems: list[str] = field(default_factory=list)
    """One sentence for each form that came back more than once, or not whole."""


def answers_of(
    log: SessionLog,
    forms: Mapping[str, Questionnaire] | None = None,
    session: str | None = None,
) -> Answers:
    """What was answered: of a form that came back several times, the last complete one.

    Args:
        log: of the session.
        forms: the questionnaires as the study uses them; without, a form counts as complete where
            no answer is empty.
        session: only forms of this session, or of none; None: all.
    """
    found: dict[str, list[FilledForm]] = {}
    answers = Answers()
    if (lacks := log.lacks(ANSWERED_TYPE)) is not None:
        answers.problems.append(f"answers are missing or not the last ones, since {lacks}")
    for entry in log.messages(ANSWERED_TYPE):
        if session is not None and entry.data.get("session") not in (None, session):
            continue
        filled = _filled(entry)
        if filled is not None and forms is not None and filled.questionnaire in forms:
            filled, beyond = _within_bounds(filled, forms[filled.questionnaire])
            answers.problems += [f"{one}, in {log.name}" for one in beyond]
        if filled is None:
            answers.problems.append(
                f"a filled form at {entry.time_s:.1f} s cannot be read, in {log.name}"
            )
        else:
            found.setdefault(filled.questionnaire, []).append(filled)
    for name, all_ in found.items():
        form = (forms or {}).get(name)
        complete = [one for one in all_ if not _missing(one, form)]
        counts = (complete or all_)[-1]
        answers.forms[name] = counts
        answers.given[name] = dict(counts.answers)
        answers.free[name] = dict(counts.free_answers)
        answers.earlier += [one for one in all_ if one is not counts]
        answers.problems += _remarks(name, all_, counts, form, log.name)
    return answers


def unanswered_share(
    forms: Mapping[str, Questionnaire],
    given: Mapping[str, Mapping[str, Answer]],
    free: Mapping[str, Mapping[str, str]] | None = None,
) -> float | None:
    """How much of the required answers is missing, 0-1; None where none is required.

    Args:
        forms: the questionnaires of the session, as the study uses them.
        given: answers by questionnaire and item.
        free: what was typed, by questionnaire and item.
    """
    required = missing = 0
    for name, form in forms.items():
        typed = (free or {}).get(name, {})
        needed = [item for item in form.items if item.required and answer_names(item)]
        required += len(needed)
        missing += sum(not _is_answered(item, given.get(name, {}), typed) for item in needed)
    return missing / required if required else None


def _filled(entry: LogEntry) -> FilledForm | None:
    data = entry.data
    name, answers = data.get("questionnaire"), data.get("answers")
    free, order = data.get("free_answers") or {}, data.get("item_order") or []
    duration = data.get("duration_s")
    if not isinstance(name, str) or not isinstance(answers, dict) or not isinstance(free, dict):
        return None
    return FilledForm(
        time_s=entry.time_s,
        questionnaire=name,
        answers=answers,
        free_answers={item: str(text) for item, text in free.items()},
        language=data.get("language"),
        item_order=tuple(order) if isinstance(order, list) else (),
        duration_s=duration if isinstance(duration, int | float) else None,
    )


def _within_bounds(filled: FilledForm, form: Questionnaire) -> tuple[FilledForm, list[str]]:
    """The form without answers that it cannot have taken, which would spoil every score."""
    beyond: list[str] = []
    answers = dict(filled.answers)
    for item in form.items:
        given = answers.get(item.id)
        if isinstance(given, bool) or not isinstance(given, int | float):
            continue
        lowest, highest = item.bounds
        if (lowest is not None and given < lowest) or (highest is not None and given > highest):
            answers[item.id] = None
            ends = [f"from {lowest:g}" if lowest is not None else "", ""]
            ends[1] = f"to {highest:g}" if highest is not None else ""
            beyond.append(
                f"the form '{filled.questionnaire}' has {str(given)[:20]} for '{item.id}', which "
                f"goes {' '.join(filter(None, ends))}: it counts as missing"
            )
    return (replace(filled, answers=answers), beyond) if beyond else (filled, [])


def _missing(filled: FilledForm, form: Questionnaire | None) -> list[str]:
    """Items without an answer that should have one."""
    if form is None:
        return [item for item, value in filled.answers.items() if value is None]
    return [
        item.id
        for item in form.items
        if item.required
        and answer_names(item)
        and not _is_answered(item, filled.answers, filled.free_answers)
    ]


def _is_answered(item: Item, given: Mapping[str, Answer], typed: Mapping[str, str]) -> bool:
    source: Mapping[str, Any] = typed if item.kind == "text" else given
    values = [source.get(name) for name in answer_names(item)]
    # 0 is an answer, although it equals False.
    return any(
        value is not None
        and value is not False
        and not (isinstance(value, str) and not value.strip())
        for value in values
    )


def _remarks(
    name: str,
    all_: list[FilledForm],
    counts: FilledForm,
    form: Questionnaire | None,
    log_name: str,
) -> list[str]:
    remarks = []
    if len(all_) > 1:
        which = "the last one" if counts is all_[-1] else "the last complete one"
        remarks.append(
            f"the form '{name}' came back {len(all_)} times; {which}, at {counts.time_s:.1f} s, "
            f"counts, in {log_name}"
        )
    if form is not None and (missing := _missing(counts, form)):
        remarks.append(
            f"the form '{name}' lacks {len(missing)} required answers "
            f"({', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}), in {log_name}"
        )
    return remarks
