"""`sera doctor`: is everything there that runs need, and what to do where it is not."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._errors import FAILED
from sera.cli._options import JsonOption

_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}
_SIGNS = {"ok": "ok", "warning": "!!", "error": "NO"}


def doctor(
    *,
    warm: Annotated[
        bool,
        typer.Option(
            "--warm", help="Instead, compile the inner loops of the kinematics, once for all runs."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check Python, packages, brokers, programs, devices and the workspace, each with the fix.

    Exits with 1 where something would keep runs from working.
    """
    if warm:
        from sera.cli._doctor_warm import warm_kernels

        warm_kernels(as_json=as_json)
        return
    from sera.cli._doctor_checks import all_checks
    from sera.cli._text import print_json

    checks = all_checks()
    if as_json:
        print_json([check.as_dict() for check in checks])
    else:
        from rich.text import Text

        from sera.cli._text import clean, standard_console

        console = standard_console()
        for check in checks:
            status = check.status
            line = Text.assemble(
                (f"{_SIGNS[status]:<3}", _STYLES[status]),
                (f"{check.name:<17} ", "bold"),
                clean(check.finding),
            )
            if check.fix:
                line.append(f"\n                     → {clean(check.fix)}", style="yellow")
            console.print(line, soft_wrap=True)
        counts = {status: sum(each.status == status for each in checks) for status in _STYLES}
        print(f"{counts['ok']} ok, {counts['warning']} warnings, {counts['error']} errors")
    if any(check.status == "error" for check in checks):
        raise typer.Exit(FAILED)
