"""What is wrong in sheets, told to people or to scripts; errors end the command with 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sera.behaviour.findings import has_errors
from sera.cli._text import print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sera.behaviour.findings import Finding


def tell_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print findings, a line each or as one JSON list.

    Raises:
        typer.Exit: with 1, where one of them is an error.
    """
    if as_json:
        print_json([finding.as_dict() for finding in findings])
    else:
        for finding in findings:
            print(finding)
        count = len(findings)
        print("nothing was found" if not count else f"{count} finding{'s' if count > 1 else ''}")
    if has_errors(findings):
        raise typer.Exit(1)
