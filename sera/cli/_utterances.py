"""`sera utterances`: what the robot says, in sheets: new, lint, show, stats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.findings import Finding
    from sera.behaviour.library import Library
    from sera.behaviour.markup import MarkupSyntax, Vocabulary

app = typer.Typer(help="What the robot says, in sheets.", no_args_is_help=True)

FilesArgument = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Sheets: .xlsx, .ods or .csv.")
]
ScenarioOption = Annotated[
    str | None,
    typer.Option("--scenario", metavar="NAME", help="Know its targets, animations and people."),
]
TagsOption = Annotated[
    str | None,
    typer.Option("--tags", metavar="SIGN", help="Sign around tags; else the scenario's, or /."),
]


@app.callback()
def _utterances() -> None:
    """What the robot says, in sheets."""


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The workbook to write, .xlsx.")],
    *,
    scenario: ScenarioOption = None,
    language: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="TAG", help="A text column for each: en, pt …"),
    ] = None,
) -> None:
    """Write a workbook to start from, with lists to choose from and a help sheet."""
    from sera.behaviour.library import write_template
    from sera.cli._wording import wording_of

    if file.suffix.lower() != ".xlsx":
        raise CommandError(f"{file}: a workbook ends in .xlsx")
    if file.exists():
        raise CommandError(f"{file} exists already and is not overwritten; choose another name")
    wording = wording_of(scenario)
    vocabulary = wording.vocabulary
    write_template(
        file,
        verbs=sorted(wording.syntax.verbs.names),
        targets=sorted(vocabulary.targets or ()),
        animations=sorted(vocabulary.animations or ()),
        categories=wording.library.categories,
        languages=language or wording.library.languages,
    )
    print(file)


@app.command()
def lint(
    files: FilesArgument,
    *,
    scenario: ScenarioOption = None,
    tags: TagsOption = None,
    comments: Annotated[
        Path | None,
        typer.Option("--comments", metavar="OUT", help="Write a copy with a comment on each."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find what is wrong in sheets: place, text and fix. Exits with 1 where there are errors."""
    from sera.cli._sheet_findings import tell_findings
    from sera.cli._wording import wording_of

    if comments is not None and len(files) != 1:
        raise CommandError("--comments takes one sheet at a time")
    wording = wording_of(scenario, tags)
    findings: list[Finding] = []
    for file in files:
        findings += findings_in(file, wording.vocabulary, wording.syntax)
    if comments is not None:
        _write_comments(files[0], findings, comments)
    tell_findings(findings, as_json=as_json)


@app.command()
def show(
    files: FilesArgument,
    *,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="Only lines of this one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the lines of sheets as SERA reads them."""
    from sera.cli._text import clean, print_json, standard_console

    library = _read(files)
    lines = library.lines if category is None else library.in_category(category)
    if category is not None and not lines:
        from sera.runtime.located import nearest_name

        near = nearest_name(category, library.categories)
        hint = f"; did you mean '{near}'?" if near else ""
        raise CommandError(f"no line is in the category '{category}'{hint}")
    if as_json:
        print_json(
            [
                {
                    "id": line.id,
                    "category": line.category_path,
                    "question": line.question,
                    "repetitions": line.repetitions.value,
                    "texts": dict(line.texts),
                    "metadata": dict(line.metadata),
                }
                for line in lines
            ]
        )
        return
    console = standard_console()
    for line in lines:
        for language, text in line.texts.items():
            tag = f" [{language}]" if language else ""
            said = f"{line.category_path or '-'}  {line.id}{tag}  {clean(text)}"
            console.print(said, markup=False, highlight=False, soft_wrap=True)


@app.command("stats")
def show_stats(files: FilesArgument, *, as_json: JsonOption = False) -> None:
    """Count lines, words, categories and languages."""
    from sera.behaviour.library import stats
    from sera.cli._text import print_json

    found = stats(_read(files)).as_dict()
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        shown = (
            ", ".join(f"{key or 'unmarked'} {count}" for key, count in value.items())
            if isinstance(value, dict)
            else value
        )
        print(f"{name.replace('_', ' ')}: {shown}")


def findings_in(file: Path, vocabulary: Vocabulary, syntax: MarkupSyntax) -> list[Finding]:
    """Everything that reading and checking a sheet finds."""
    from sera.behaviour.library import lint_library, read_library
    from sera.behaviour.markup import lint_text

    reading = read_library(file)
    checked = lint_library(reading.library, lambda text: lint_text(text, vocabulary, syntax))
    return [*reading.findings, *checked]


def _read(files: list[Path]) -> Library:
    from sera.behaviour.findings import has_errors
    from sera.behaviour.library import read_libraries

    reading = read_libraries(files)
    if has_errors(reading.findings) and not reading.library.lines:
        raise CommandError("\n".join(str(finding) for finding in reading.findings))
    return reading.library


def _write_comments(file: Path, findings: list[Finding], out: Path) -> None:
    from sera.behaviour.library import write_comments
    from sera.runtime.located import FileProblem

    try:
        write_comments(file, findings, out)
    except FileProblem as problem:
        raise CommandError(str(problem)) from None


def _add_commands() -> None:
    from sera.cli._utterances_render import render
    from sera.cli._utterances_say import say

    app.command()(say)
    app.command()(render)


_add_commands()
