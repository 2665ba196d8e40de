"""Forms that are not what they were in a session, and what becomes of its answers.

Answers are scored with the forms of today. Where an item took other answers when the session froze
it (five points in place of seven), its answer means something else today: it counts as missing, and
a sentence says so, until the form is put back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sera.runtime.located import FileProblem, FileProblems
from sera.study._questionnaire_tables import RATED_KINDS
from sera.study.data import Participation
from sera.study.form_wish import study_form
from sera.study.plan import PLAN_FILE, StudyPlan, load_plan
from sera.study.questionnaire import FOLDER_NAME, Item, Questionnaire, find_questionnaire
from sera.study.sessions._inputs import digest_of, study_file_of
from sera.study.sessions.freeze import Frozen
from sera.study.sessions.kept import KeptSession


@dataclass(slots=True)
class FormChanges:
    """How the forms of a session differ from those of today."""

    not_comparable: dict[str, set[str]] = field(default_factory=dict)
    """By form: items whose answers mean something else today."""
    sentences: list[str] = field(default_factory=list)

    def applied(self, row: Participation) -> Participation:
        """The row without answers that mean something else today."""
        if not self.sentences:
            return row
        answers = {
            form: {
                name: None if _item_of(name) in self.not_comparable.get(form, ()) else value
                for name, value in given.items()
            }
            for form, given in row.answers.items()
        }
        told = tuple(one for one in self.sentences if one not in row.problems)
        return replace(row, answers=answers, problems=(*told, *row.problems))


def changes_of_forms(
    plan: StudyPlan,
    session: KeptSession,
    forms: Mapping[str, Questionnaire],
    folder: Path | None,
) -> FormChanges:
    """Compare the forms that a session has frozen with those of today.

    Args:
        plan: of today.
        session: with its frozen inputs.
        forms: of today, as the study uses them.
        folder: of the scenario; None: there is nothing to compare with.
    """
    changes = FormChanges()
    frozen = session.frozen()
    if folder is None or frozen is None or folder.is_relative_to(frozen.folder):
        return changes
    then = frozen.folder / "scenarios" / folder.resolve().name
    changed = [name for name in forms if _may_differ(name, frozen, then, folder)]
    if not changed:
        return changes
    try:
        plan_then = load_plan(study_file_of(then / "scenario.toml"))
    except (FileProblem, FileProblems, OSError):
        plan_then = plan
    for name in changed:
        try:
            asked = study_form(name, then, plan_then)
        except (LookupError, ValueError, FileProblems, OSError):
            changes.sentences.append(
                f"the form '{name}' as session {session.session} had it cannot be read beside it: "
                "its answers are scored with the form of today"
            )
            continue
        _compare(name, asked, forms[name], session.session, changes)
    return changes


def _may_differ(name: str, frozen: Frozen, then: Path, folder: Path) -> bool:
    """Whether a form's file, or the study file that adapts it, is another one today."""
    base = then.relative_to(frozen.folder).as_posix()
    try:
        file = find_questionnaire(name, folder)
        today = {
            f"{base}/{FOLDER_NAME}/{file.name}": file,
            f"{base}/{PLAN_FILE}": folder / PLAN_FILE,
        }
        return any(frozen.files.get(place) != digest_of(path) for place, path in today.items())
    except (LookupError, OSError):
        return True


def _compare(
    name: str, then: Questionnaire, today: Questionnaire, session: str, changes: FormChanges
) -> None:
    before = {item.id: item for item in then.items if item.is_asked}
    otherwise: list[str] = []
    for item in today.items:
        was = before.get(item.id)
        if was is not None and _answers_to(was) != _answers_to(item):
            changes.not_comparable.setdefault(name, set()).add(item.id)
            otherwise.append(item.id)
    if otherwise:
        changes.sentences.append(
            f"the form '{name}' was changed after session {session}: its items "
            f"{', '.join(otherwise[:5])}{' …' if len(otherwise) > 5 else ''} took other answers "
            "then, which count as missing; put the form back, or give the new one another name"
        )
    scored = [
        item.id for item in today.items if item.id in before and _turned(before[item.id], item)
    ]
    if scored or _scales(then) != _scales(today):
        what = f"items {', '.join(scored[:5])}" if scored else "its scales"
        changes.sentences.append(
            f"the form '{name}' was changed after session {session} ({what}): its answers are "
            "scored with the form of today"
        )


def _answers_to(item: Item) -> tuple[Any, ...]:
    """What decides on the meaning of an answer; a key of a choice means the same among others."""
    return item.kind, item.bounds if item.kind in RATED_KINDS else None


def _turned(then: Item, today: Item) -> bool:
    return then.reversed != today.reversed


def _scales(form: Questionnaire) -> dict[str, set[str]]:
    return {scale.name: set(form.items_of(scale.name)) for scale in form.scales}


def _item_of(name: str) -> str:
    """The item of an answer: one of several choices has a name of its own."""
    return name.split(".", 1)[0]
