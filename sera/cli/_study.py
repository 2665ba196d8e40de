"""`sera study`: run, simulate, look after, analyse and export the sessions of a study."""

from __future__ import annotations

import typer

from sera.cli._study_analyse import analyse, report
from sera.cli._study_erase import erase
from sera.cli._study_export import export
from sera.cli._study_learn import learn
from sera.cli._study_paper import paper
from sera.cli._study_preflight import preflight
from sera.cli._study_run import run
from sera.cli._study_simulate import simulate
from sera.cli._study_status import fate, status

app = typer.Typer(help="Studies.", no_args_is_help=True)


@app.callback()
def _study() -> None:
    """Studies: sessions, simulated participants, analysis and export."""


app.command()(run)
app.command()(status)
app.command()(preflight)
app.command()(fate)
app.command()(erase)
app.command()(paper)
app.command()(simulate)
app.command()(learn)
app.command()(analyse)
app.command()(report)
app.command()(export)
