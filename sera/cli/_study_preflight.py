"""`sera study preflight`: whether everything is in order for a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sera.cli._options import JsonOption
from sera.cli._run import HostOption, PortOption, TlsOption, pages_settings
from sera.cli._study_found import StudyArgument, WaitOption, find_study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sera.messages import PreflightCheck

_STYLES = {"green": "green", "amber": "yellow", "red": "bold red", "grey": "dim"}


def preflight(
    study: StudyArgument,
    *,
    wait: WaitOption = None,
    port: PortOption = 0,
    host: HostOption = None,
    tls: TlsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check robot, face, microphone, voice, screen, tablet, disk, clock and stop button.

    The scenario's senses, bodies and pages are started for a short while, without its activity. The
    robot says a test line, and is stopped and released. Exits with 0 where nothing is red, else
    with 1.
    """
    from sera.cli._study_checks import PAGES_WAIT_S, Asked, ask_in_terminal, check
    from sera.cli._text import print_json
    from sera.runtime.scenario import load_scenario
    from sera.study.preflight import reds

    found = find_study(study)
    found.workspace.activate()
    asked = Asked(
        scenario=load_scenario(found.scenario_file, found.workspace),
        workspace=found.workspace,
        plan=found.plan,
        pages=pages_settings(port=port, host=host, tls=tls),
        pages_wait_s=PAGES_WAIT_S if wait is None else wait,
        confirm=ask_in_terminal(),
    )
    checks = check(asked)
    if as_json:
        print_json({"checks": [one.model_dump(mode="json") for one in checks]})
    else:
        print_checks(checks)
    raise typer.Exit(1 if reds(checks) else 0)


def print_checks(checks: Sequence[PreflightCheck]) -> None:
    """A line for each check, and what to do about it."""
    from rich.text import Text

    from sera.cli._text import clean, standard_console

    console = standard_console()
    for one in checks:
        line = Text(f"{one.check:<11}", style="bold")
        line.append(f"{one.colour:<6} ", style=_STYLES[one.colour])
        line.append(clean(one.sentence))
        console.print(line, soft_wrap=True)
        if one.advice is not None and one.colour in ("red", "amber"):
            console.print(Text(f"{'':<18}{clean(one.advice)}", style="dim"), soft_wrap=True)
