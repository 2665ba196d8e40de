"""`sera evaluate`: published evaluations, run again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import INTERRUPTED, CommandError, as_wrong_input
from sera.cli._evaluate_filter import evaluate_filter
from sera.cli._evaluate_motion import evaluate_motion
from sera.cli._text import note

if TYPE_CHECKING:
    from sera.evaluation.erik import Outcome

app = typer.Typer(no_args_is_help=True)

FIGURES_FIX = 'pip install "sera-hri[figures]"'
_METHODS = {
    "optimal": ("optimal",),
    "published": ("published",),
    "both": ("optimal", "published"),
}


@app.callback()
def _evaluate() -> None:
    """Run published evaluations again (ERIK, the motion filter), and measure bodies in motion."""


@app.command("erik", short_help="ERIK on the document's seven skeletons, with its tables.")
def evaluate_erik(
    *,
    skeletons: Annotated[
        str, typer.Option("--skeletons", metavar="A,C", help="Which of A to G.")
    ] = "A,B,C,D,E,F,G",
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", help="optimal, published (the document's), or both."
        ),
    ] = "optimal",
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Samples of each skeleton; else 20,000."),
    ] = None,
    fraction: Annotated[
        float | None,
        typer.Option("--fraction", metavar="SHARE", help="Share of all samples, such as 0.01."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All 302,374,051 samples.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which samples.")] = 0,
    dls: Annotated[
        bool, typer.Option("--dls", help="Also damped least squares, on skeleton C.")
    ] = False,
    floor: Annotated[
        int,
        typer.Option(
            "--floor",
            metavar="N",
            help="Samples of each skeleton on which a long search looks for the best there is.",
        ),
    ] = 0,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="For results and report.")
    ] = Path("erik-evaluation"),
) -> None:
    """Solve the document's postures and orientations; write its tables and figures with ours.

    Uses all cores. It may be stopped at any time, by Ctrl-C or worse: the same command goes on
    where it stopped.
    """
    from sera.cli._evaluate_bar import Bar
    from sera.evaluation.erik import OtherSettings, Wish, evaluate

    names = tuple(sorted({name.strip().upper() for name in skeletons.split(",") if name.strip()}))
    if not names:
        raise CommandError("--skeletons names none: give letters of A to G, such as A,C")
    if method not in _METHODS:
        raise CommandError(f"there is no method {method!r}: choose {', '.join(_METHODS)}")
    if full and (sample is not None or fraction is not None):
        raise CommandError("--full takes all samples: leave out --sample and --fraction")
    with as_wrong_input():
        wish = Wish(
            skeletons=names,
            methods=_METHODS[method],
            sample=sample,
            fraction=1.0 if full else fraction,
            seed=seed,
            baselines=dls,
            floor=floor,
        )
    if dls and "C" not in names:
        raise CommandError("--dls compares on skeleton C: add C to --skeletons")
    try:
        with Bar() as bar:
            outcome = evaluate(wish, out, command=_command_line(), watch=bar.show)
    except OtherSettings as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        note(f"stopped; what is done is kept in {out}: the same command goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    _tell(outcome)


app.command("filter", short_help="The motion filter's presets, measured and drawn.")(
    evaluate_filter
)


app.command("motion", short_help="Gaze, gestures and limits of bodies: does their motion live?")(
    evaluate_motion
)


@app.command("sweeps", short_help="ERIK followed round a circle, drawn.")
def draw_sweeps(
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where the figures are written to.")
    ] = Path("docs/figures"),
) -> None:
    """Draw ERIK on skeleton C while its target goes round and while its posture changes."""
    from sera.evaluation.erik import sweep_figures

    try:
        written = sweep_figures.draw_sweeps(folder)
    except ImportError:
        raise CommandError(f"figures need matplotlib: {FIGURES_FIX}") from None
    for path in written:
        print(path)


def _command_line() -> str:
    """What the user typed, for the report."""
    return shlex.join(["sera", *sys.argv[1:]])


def _tell(outcome: Outcome) -> None:
    from rich.table import Table

    from sera.cli._text import standard_console

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("", "samples", "combined", "orientation", "0.2 · posture", "p50", "p99"):
        table.add_column(head, justify="left" if not head else "right")
    for row in outcome.data["results"]:
        errors, times = row["errors"], row["single_solves"]
        table.add_row(
            f"{row['skeleton']} {row['method']}",
            f"{row['samples_counted']:,}",
            *(f"{error['mean']:.5f}" for error in errors.values()),
            f"{times['median_us']:.0f} µs",
            f"{times['p99_us']:.0f} µs",
        )
    console = standard_console()
    console.print(table)
    for floor in outcome.data["floors"]:
        verdict = "within" if floor["met"] else "BEYOND"
        console.print(
            f"{floor['skeleton']} floor {floor['floor']:.5f}, optimal {floor['optimal']:.5f} "
            f"({floor['ratio']:.4f} of it): {verdict} the bar {floor['bar']:.5f}"
        )
    for each in outcome.data["projections"]:
        console.print(
            f"all samples, {each['method']}, {each['cores']} cores: {each['wall_h']:.1f} h at this "
            f"pace, {each['cpu_h']:.1f} h of processor time a core"
        )
    console.print(f"report: {outcome.report}", soft_wrap=True)
    if not outcome.has_figures:
        note(f"figures need matplotlib: {FIGURES_FIX}, then the same command draws them")
