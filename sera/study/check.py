"""Checks a study file and the forms that it names, before any session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name
from sera.study._form_wish_check import form_wish_problems
from sera.study._measure_type_check import measure_type_problems
from sera.study.plan import PLAN_FILE, StudyError, read_plan
from sera.study.questionnaire import (
    Questionnaire,
    QuestionnaireError,
    known_questionnaires,
    load_questionnaire,
)


def study_problems(folder: Path, plan: Path | str = PLAN_FILE) -> list[FileProblem]:
    """Everything that is wrong in a scenario's study file and in its forms; never raises.

    Args:
        folder: of the scenario.
        plan: the study file, relative to the folder.
    """
    from sera.study.media.check import media_problems  # it knows more than most users of this file

    try:
        document = LocatedToml.load(folder / plan)
    except FileProblem as problem:
        return [problem]
    problems: list[FileProblem] = []
    known = known_questionnaires(folder)
    loaded: dict[str, Questionnaire] = {}
    looked_at: set[str] = set()
    # From the tables as they are: one mistake in the plan must not hide those in the forms.
    for path, form in _forms(document.data):
        if form not in known:
            near = nearest_name(form[:60], known)
            message = f"there is no questionnaire '{form[:60]}'"
            fix = f"there are {', '.join(sorted(known))}"
            problems.append(document.problem(path, message, nearest=near, fix=fix))
        elif form not in looked_at:
            looked_at.add(form)
            try:
                loaded[form] = load_questionnaire(known[form])
            except QuestionnaireError as error:
                problems += error.problems
    try:
        read_plan(document, scales={each.name for form in loaded.values() for each in form.scales})
    except StudyError as error:
        problems += error.problems
    problems += form_wish_problems(document, known)
    problems += media_problems(document, loaded)
    problems += measure_type_problems(document, folder)
    return sorted(problems, key=lambda one: (one.file != document.path, one.file, one.line or 0))


def _forms(data: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    for number, phase in _tables(data.get("phases")):
        for place, step in _tables(phase.get("steps")):
            form = step.get("form")
            if isinstance(form, str):
                yield ("phases", number, "steps", place, "form"), form


def _tables(value: Any) -> list[tuple[int, dict[str, Any]]]:
    listed = value if isinstance(value, list) else []
    return [(number, one) for number, one in enumerate(listed) if isinstance(one, dict)]
