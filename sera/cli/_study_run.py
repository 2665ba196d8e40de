"""`sera study run`: one session of a study, from the checks before it to its fate."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._run import HostOption, NoBrowserOption, PortOption, TlsOption, pages_settings
from sera.cli._study_found import (
    FoundStudy,
    StudyArgument,
    WaitOption,
    check_study,
    find_study,
    now,
)

if TYPE_CHECKING:
    from sera.cli._study_session import Pages
    from sera.messages import PreflightCheck
    from sera.study.sessions import KeptSession, Wish


class SessionKind(StrEnum):
    """Sessions that people begin."""

    REHEARSAL = "rehearsal"
    PILOT = "pilot"
    STUDY = "study"


def run(
    study: StudyArgument,
    *,
    kind: Annotated[
        SessionKind | None,
        typer.Option(
            "--kind", help="Only sessions of the kind `study`, which it is else, are analysed."
        ),
    ] = None,
    participant: Annotated[
        str | None,
        typer.Option("--participant", metavar="ID", help="Pseudonym; left out, the next free one."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="TAG", help="Language of the forms.")
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option("--condition", metavar="NAME", help="In a rehearsal; else it is drawn."),
    ] = None,
    override: Annotated[
        str | None,
        typer.Option(
            "--override", metavar="REASON", help="Begin although a check is red; it is logged."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the session that is open.")
    ] = False,
    abort: Annotated[
        str | None,
        typer.Option(
            "--abort", metavar="REASON", help="End the session that is open, and nothing else."
        ),
    ] = None,
    wait: WaitOption = None,
    port: PortOption = 0,
    host: HostOption = None,
    tls: TlsOption = False,
    no_browser: NoBrowserOption = False,
) -> None:
    """Run one session: checks, draw, freeze, run, fate.

    The condition is drawn when the session starts, and everything that it is made of is frozen. The
    console's page Study leads through it. A session that was interrupted, by a crash too, is
    continued with --resume at the step where it stopped.

    Exits with 0 when the session came to its end, with 1 when it is still open.
    """
    from sera.cli._study_session import Pages, StudySession, abort_open
    from sera.study.sessions import Wish

    asked = {
        "--kind": kind,
        "--participant": participant,
        "--condition": condition,
        "--language": language,
        "--override": override,
    }
    _check_options([name for name, value in asked.items() if value is not None], resume, abort)
    found = find_study(study)
    pages = Pages(pages_settings(port=port, host=host, tls=tls), open_browser=not no_browser)
    kept = found.folder.open_session()
    if abort is not None:
        kept = _the_open_one(found, kept)
        abort_open(found, kept, abort)
        print(f"session {kept.session}: aborted", flush=True)
        return
    if resume:
        kept = _the_open_one(found, kept)
    elif kept is not None:
        _ask_about(found, kept)
    else:
        wish = Wish(
            kind=(kind or SessionKind.STUDY).value,
            participant=participant,
            condition=condition,
            language=language,
            override=override,
        )
        kept = _begin(found, wish, pages, wait)
    raise typer.Exit(StudySession(found, kept, pages).lead())


def _check_options(given: list[str], resume: bool, abort: str | None) -> None:
    """Refuse what would be ignored: an open session is what it was when it began."""
    if abort is not None and not abort.strip():
        raise CommandError("--abort needs a reason, which is written into the session's records")
    if abort is not None and resume:
        raise CommandError("a session either goes on or is aborted: leave out --resume or --abort")
    if given and (resume or abort is not None):
        raise CommandError(
            f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for a new session: leave "
            f"{'it' if len(given) == 1 else 'them'} out with "
            f"{'--resume' if resume else '--abort'}, since the open one keeps what it began with"
        )


def _the_open_one(study: FoundStudy, kept: KeptSession | None) -> KeptSession:
    if kept is None:
        raise CommandError(
            f"no session of '{study.name}' is open: `sera study run {study.name}` begins one"
        )
    return kept


def _ask_about(study: FoundStudy, kept: KeptSession) -> None:
    """An open session comes first: ask whether it goes on, or say how."""
    holder = kept.held_by()
    if holder is not None:
        raise CommandError(
            f"session {kept.session} goes on in {holder}: end it at the console before another one "
            "begins"
        )
    sentence = f"session {kept.session} ({kept.head.kind}) is open since {kept.head.began_at}"
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = f"{sentence}. Go on with it, in the same condition, where it stopped?"
        if typer.confirm(question, default=True, err=True):
            return
    name = study.name
    raise CommandError(
        f"{sentence}: `sera study run {name} --resume` goes on with it in the same condition where "
        f"it stopped, `sera study run {name} --abort REASON` ends it and gives its slot back"
    )


def _begin(study: FoundStudy, wish: Wish, pages: Pages, wait_s: float | None) -> KeptSession:
    from sera.cli._study_preflight import print_checks
    from sera.cli._text import note
    from sera.study.preflight import reds

    if wish.override is not None and not wish.override.strip():
        raise CommandError("--override needs a reason, which is written into the session's records")
    # What can be refused at once is refused before the checks take their time.
    study.folder.check(study.plan, wish)
    check_study(study)
    checks: list[PreflightCheck] = []
    if wish.kind != "rehearsal":
        checks = _checked(study, pages, wait_s)
        print_checks(checks)
    red = reds(checks)
    if red and wish.kind == "study" and wish.override is None:
        names = ", ".join(check.check for check in red)
        raise CommandError(
            f"no session was begun, since not everything is in order ({names}): mend it, or write "
            "--override REASON, which is logged"
        )
    told = [check.model_dump(mode="json", exclude_none=True) for check in checks]
    kept = study.folder.begin(
        study.plan,
        replace(wish, preflight=told, override=wish.override if red else None),
        scenario_file=study.scenario_file,
        workspace=study.workspace,
        now=now(),
        alone=True,
    )
    note(f"session {kept.session} ({kept.head.kind})", "bold green")
    return kept


def _checked(study: FoundStudy, pages: Pages, wait_s: float | None) -> list[PreflightCheck]:
    """The checks in a process of their own: the session imports its modules from frozen copies."""
    from sera.messages import PreflightCheck

    command = [sys.executable, "-P", "-m", "sera", "study", "preflight", study.asked]
    command += ["--json"] + ([] if wait_s is None else ["--wait", f"{wait_s:g}"])
    for name, value in pages.settings.items():
        command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    try:
        told = json.loads(done.stdout)["checks"]
        return [PreflightCheck.model_validate(one) for one in told]
    except (ValueError, KeyError, TypeError):
        raise CommandError(
            f"the checks before the session could not be made (`sera study preflight {study.name}` "
            "shows why)"
        ) from None
