"""`sera study paper`: a questionnaire as a PDF with boxes to tick."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.study.questionnaire import Questionnaire


def paper(
    form: Annotated[str, typer.Argument(metavar="FORM", help="A questionnaire, such as rosas.")],
    *,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="TAG", help="Of the wording: en, pt …"),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option("--points", metavar="N", min=2, max=21, help="Points of its scales."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario", metavar="NAME|PATH", help="With its own forms and what its study sets."
        ),
    ] = None,
    participant: Annotated[
        str | None,
        typer.Option(
            "--participant", metavar="ID", help="Pseudonym: items in this participant's order."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The PDF; else FORM_TAG.pdf, here."),
    ] = None,
) -> None:
    """Write a questionnaire as PDF, with boxes to tick."""
    from sera.runtime.located import shown_path
    from sera.study.paper import PaperError, write_paper

    asked = _form(form, scenario, points)
    if language is not None and language not in asked.languages:
        there = ", ".join(asked.languages)
        raise CommandError(f"'{form}' has no wording in '{language[:20]}' (there are {there})")
    if participant is not None:
        participant = _pseudonym(participant)
    tag = asked.language(language)
    ending = "" if participant is None else f"_{participant}"
    file = Path(f"{form}_{tag}{ending}.pdf") if out is None else out
    if file.suffix.lower() != ".pdf":
        raise CommandError(f"{shown_path(file)}: paper ends in .pdf")
    if file.exists():
        raise CommandError(
            f"{shown_path(file)} exists already and is not overwritten; name another with --out"
        )
    try:
        pages = write_paper(asked, form, file, language=tag, participant=participant)
    except PaperError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(
            f"{shown_path(file)} cannot be written: {error.strerror or error}"
        ) from None
    told = f"{pages} page{'' if pages == 1 else 's'}"
    typer.echo(f"{shown_path(file)}: {told}, {tag}, {asked.languages[tag]}")


def _form(name: str, scenario: str | None, points: int | None) -> Questionnaire:
    """The form as the study of the scenario uses it."""
    from sera.study.form_wish import adapted, wish_for
    from sera.study.plan import PLAN_FILE, load_plan
    from sera.study.questionnaire import find_questionnaire, load_questionnaire

    folder = plan = None
    if scenario is not None:
        from sera.cli._workspace import workspace_around
        from sera.runtime.scenario import find_scenario_file

        folder = find_scenario_file(scenario, workspace_around(scenario)).parent
        plan = load_plan(folder / PLAN_FILE) if (folder / PLAN_FILE).is_file() else None
    try:
        form = load_questionnaire(find_questionnaire(name, folder))
        wish = wish_for(plan, name)
        return adapted(form, wish if points is None else wish.model_copy(update={"points": points}))
    except LookupError as error:
        raise CommandError(str(error.args[0])) from None
    except ValueError as error:
        raise CommandError(str(error)) from None


def _pseudonym(participant: str) -> str:
    """What may stand in a file's name and on paper: never a person's name."""
    from sera.study.journal import PSEUDONYM

    if PSEUDONYM.fullmatch(participant) is None:
        raise CommandError(
            f"{participant[:40]!r} is no pseudonym: write letters and digits with at least one "
            "digit, such as p07"
        )
    return participant
