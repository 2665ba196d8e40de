"""`sera dialogue`: dialogue sheets, checked, drawn and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.dialogue import Script
    from sera.behaviour.findings import Finding
    from sera.behaviour.markup import MarkupSyntax, Vocabulary

app = typer.Typer(help="Dialogues in sheets.", no_args_is_help=True)

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="The sheet: .xlsx, .ods or .csv.")
]
TagsOption = Annotated[
    str | None, typer.Option("--tags", metavar="SIGN", help="The sign around tags: / or |.")
]
LanguageOption = Annotated[
    str | None, typer.Option("--language", metavar="TAG", help="Language of the words shown.")
]


@app.callback()
def _dialogue() -> None:
    """Dialogues in sheets."""


@app.command()
def lint(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Sheets: .xlsx, .ods or .csv.")
    ],
    *,
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME", help="Know its targets, animations and people."),
    ] = None,
    tags: TagsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find dead ends, states out of reach and other mistakes. Exits with 1 on errors."""
    from sera.cli._sheet_findings import tell_findings
    from sera.cli._wording import wording_of

    wording = wording_of(scenario, tags)
    findings: list[Finding] = []
    for file in files:
        findings += _checked(file, wording.vocabulary, wording.syntax, name_file=len(files) > 1)[1]
    tell_findings(findings, as_json=as_json)


@app.command()
def graph(
    file: FileArgument,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="The picture: .svg, .png or .dot.")
    ],
    language: LanguageOption = None,
    tags: TagsOption = None,
) -> None:
    """Draw the states and the ways between them; states with findings are coloured."""
    from sera.behaviour.dialogue import DialogueGraph, write_graph
    from sera.cli._wording import syntax_of

    script, findings = _usable(file, syntax_of(None, tags))
    drawn = DialogueGraph(script, language=language, findings=findings)
    try:
        write_graph(drawn, out)
    except (ImportError, ValueError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror or error}") from None
    print(out)


@app.command()
def show(
    file: FileArgument,
    *,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a dialogue state by state, as SERA reads it."""
    from sera.cli._text import clean, print_json, standard_console
    from sera.cli._wording import syntax_of

    script, _ = _usable(file, syntax_of(None, None))
    if as_json:
        print_json(
            [
                {
                    "state": script.name(row.state),
                    "next_state": script.name(row.next_state),
                    "when": str(row.when),
                    "meaning": row.row.meaning,
                    "style": row.row.style,
                    "texts": dict(row.row.texts),
                    "row": row.row.origin.row,
                }
                for row in script.rows
            ]
        )
        return
    console = standard_console()
    for state in dict.fromkeys(row.state for row in script.rows):
        first = " (start)" if state == script.start else ""
        lines = [f"{script.name(state)}{first}"]
        for row in script.own_rows(state):
            said = row.row.text_in(language) or row.row.text_in() or ""
            style = f" [{row.row.style}]" if row.row.style else ""
            when = row.row.when or "at once"
            shown = f': "{said}"' if said else ""
            lines.append(f"  {when} -> {script.name(row.next_state)}{style}{shown}")
        for line in lines:
            console.print(clean(line), markup=False, highlight=False, soft_wrap=True)


def _usable(file: Path, syntax: MarkupSyntax) -> tuple[Script, list[Finding]]:
    from sera.behaviour.markup import Vocabulary

    script, findings = _checked(file, Vocabulary(), syntax)
    if not script.start:
        raise CommandError("\n".join(str(finding) for finding in findings))
    return script, findings


def _checked(
    file: Path, vocabulary: Vocabulary, syntax: MarkupSyntax, *, name_file: bool = False
) -> tuple[Script, list[Finding]]:
    """The dialogue of a file, and everything that is wrong with it."""
    from dataclasses import replace

    from sera.behaviour.dialogue import Script, lint_dialogue, unknown_messages
    from sera.behaviour.findings import Finding
    from sera.behaviour.library import read_library
    from sera.cli._workspace import workspace_around
    from sera.runtime.own_messages import import_own_messages

    reading = read_library(file)
    rows = reading.library.dialogue
    if any(unknown_messages(row.when) for row in rows):
        import_own_messages(workspace_around(str(file)))
    script = Script(rows)
    findings = [*reading.findings, *lint_dialogue(script, vocabulary, syntax)]
    if not rows and reading.usable:
        findings.append(
            Finding(
                code="no-dialogue",
                message="no sheet has the columns Current State, Next State and Utterance",
                fix="`sera utterances lint` is for sheets of lines",
                sheet=file.name,
            )
        )
    if name_file:
        findings = [replace(each, sheet=_with_file(each.sheet, file.name)) for each in findings]
    return script, findings


def _with_file(sheet: str, file: str) -> str:
    return sheet if sheet.startswith(file) else f"{file}: {sheet}" if sheet else file
