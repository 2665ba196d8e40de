"""`sera gaze`: who is looked at and why, from recordings; and the gaze policies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.gaze import GazePolicy
    from sera.cli._gaze_log import GazeLog

app = typer.Typer(help="Who is looked at and why.", no_args_is_help=True)


@app.callback()
def _gaze() -> None:
    """Who is looked at and why."""


@app.command()
def timeline(
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A log file, the folder or id of a run, or `last`.")
    ] = "last",
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw it: .png or .svg."),
    ] = None,
    character: Annotated[
        str | None, typer.Option("--character", "-c", metavar="NAME", help="Whose gaze.")
    ] = None,
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="S", help="Seconds since the start.")
    ] = None,
    to_s: Annotated[
        float | None, typer.Option("--to", metavar="S", help="Seconds since the start.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who is looked at and why, from a recording; with -o as a picture."""
    from sera.cli._figures import picture_format, write_figure
    from sera.cli._gaze_log import read_gaze
    from sera.cli._text import note, print_json

    picture = None if output is None else picture_format(output)
    if from_s is not None and to_s is not None and not from_s < to_s:
        raise CommandError(f"--from {from_s:g} must be before --to {to_s:g}")
    gaze = read_gaze(log, character, from_s, to_s)
    for sentence in gaze.remarks:
        note(sentence)
    if output is not None and picture is not None:
        from sera.behaviour.gaze import draw_timeline

        write_figure(
            output,
            lambda: draw_timeline(
                gaze.entries,
                end_s=gaze.end_s,
                picture=picture,
                title=gaze.title,
                marks=gaze.marks,
                bands=gaze.bands,
            ),
        )
    if as_json:
        print_json(_as_data(gaze))
    elif output is not None:
        print(output)
    else:
        _print(gaze)


@app.command()
def policies(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="SCENARIO", help="Also those of its policies.toml."),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show the gaze policies that a study can choose from, with their figures."""
    from sera.cli._text import print_json

    known = _known_policies(scenario)
    if as_json:
        print_json(
            [
                {"source": source, "description": _describe(policy), **policy.model_dump()}
                for policy, source in known
            ]
        )
        return
    usual = type(known[0][0])().model_dump(exclude={"name"})
    for policy, source in known:
        own = policy.model_dump(exclude={"name", "weights"})
        print(f"{policy.name} ({source}): {_describe(policy)}")
        for key, value in own.items():
            if value != usual[key]:
                print(f"    {key} = {_shown(value)}")
    print("\nfigures of all where nothing else is said:")
    meanings = type(known[0][0]).model_fields
    for key, value in usual.items():
        if key != "weights":
            figure = f"{key} = {_shown(value)}"
            print(f"    {figure:<32} {meanings[key].description or ''}".rstrip())


def _known_policies(scenario: str | None) -> list[tuple[GazePolicy, str]]:
    """All policies with where each comes from; a scenario's takes the place of another."""
    from sera.behaviour.gaze import BUILT_IN_POLICIES, load_policies
    from sera.behaviour.own_files import POLICIES, own_files

    found = {name: (policy, "built in") for name, policy in BUILT_IN_POLICIES.items()}
    if scenario is not None:
        from sera.cli._workspace import workspace_around
        from sera.runtime.located import shown_path
        from sera.runtime.scenario import find_scenario_file

        workspace = workspace_around(scenario)
        path = find_scenario_file(scenario, workspace)
        if not path.is_file():
            raise CommandError(f"{shown_path(path)}: there is no such scenario")
        for file in own_files(path.parent, POLICIES):
            for name, policy in load_policies(file).items():
                if policy != BUILT_IN_POLICIES.get(name):
                    found[name] = (policy, shown_path(file))
    return list(found.values())


def _describe(policy: GazePolicy) -> str:
    """One sentence from the figures, so that it is true of a laboratory's own policies too."""
    total = sum(policy.weights.values())
    shares = ", ".join(
        f"{name} {weight / total:.0%}" for name, weight in policy.weights.items() if weight
    )
    least, most = policy.interval_s
    parts = [f"looks at {shares} for {least:g}-{most:g} s"]
    for switch, words in (
        (policy.mutual, "answers the eyes of who looks at the robot"),
        (policy.joint_attention, "follows where the person looks"),
        (policy.follow_speaker, f"goes to who speaks, every {policy.alternate_s:g} s to another"),
        (policy.follow_clicks, "goes where the screen is touched"),
        (policy.breaking, "glances away when it is long on a person"),
    ):
        if switch:
            parts.append(words)
    return "; ".join(parts)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(f'{each:g}' for each in value)}]"
    return "none" if value is None else f"{value:g}"


def _as_data(gaze: GazeLog) -> list[dict[str, Any]]:
    return [
        {
            "time_s": round(look.time_s, 3),
            "until_s": round(look.until_s, 3),
            "target": look.target,
            "reason": look.reason or None,
        }
        for look in gaze.looks
    ]


def _print(gaze: GazeLog) -> None:
    from rich.table import Table
    from rich.text import Text

    from sera.behaviour.gaze import UNKNOWN_REASON
    from sera.cli._text import clean, standard_console

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("from", "to", "target", "why"):
        table.add_column(head, justify="right" if head in {"from", "to"} else "left")
    for look in gaze.looks:
        times = (f"{look.time_s:.2f} s", f"{look.until_s:.2f} s")
        words = (look.target, look.reason or UNKNOWN_REASON)
        table.add_row(*times, *(Text(clean(word)) for word in words))
    standard_console().print(table)
