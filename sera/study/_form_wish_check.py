"""What is wrong in the `[[forms]]` of a study file: unknown scales, impossible points."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from sera.runtime.located import FileProblem, KeyPath, LocatedToml
from sera.study.design_tables import FormWish
from sera.study.form_wish import wish_problems
from sera.study.questionnaire import QuestionnaireError, load_questionnaire


def form_wish_problems(document: LocatedToml, known: Mapping[str, Path]) -> list[FileProblem]:
    """Every wish that its questionnaire cannot fulfil, by line.

    Args:
        document: the study file.
        known: files of the questionnaires that the scenario may use, by name.
    """
    problems: list[FileProblem] = []
    listed = document.data.get("forms")
    for number, table in enumerate(listed if isinstance(listed, list) else []):
        path: KeyPath = ("forms", number)
        try:
            wish = FormWish.model_validate(table)
        except ValidationError:
            continue  # the plan's own check tells it
        problems += _of_wish(document, path, wish, known)
    return problems


def _of_wish(
    document: LocatedToml, path: KeyPath, wish: FormWish, known: Mapping[str, Path]
) -> list[FileProblem]:
    try:
        form = load_questionnaire(known[wish.name])
    except (KeyError, QuestionnaireError):
        return []  # told where the plan and the form are looked at
    return [
        document.problem(
            (*path, found.key, *(() if found.place is None else (found.place,))),
            found.message,
            nearest=found.nearest,
            fix=found.fix,
        )
        for found in wish_problems(form, wish)
    ]
