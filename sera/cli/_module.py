"""`sera module run`: one module in a process of its own, on this machine or another."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._options import BrokerOption, ConditionOption, RunOption, VerboseOption

app = typer.Typer(help="Run one module by itself.", no_args_is_help=True)


@app.callback()
def _module() -> None:
    """Run one module by itself, here or on another machine."""


@app.command()
def run(
    implementation: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A module of the workspace, or a file such as ./decision.py."
        ),
    ],
    *,
    character: Annotated[
        str,
        typer.Option(
            "--character", "-c", metavar="NAME", help="Whose module it is; world: nobody's."
        ),
    ],
    broker: BrokerOption = None,
    run_id: RunOption = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What it is called; else as the module is."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="NAME|PATH",
            help="Take settings, robot and folder from this scenario.",
        ),
    ] = None,
    condition: ConditionOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting; may be given several times."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Of its random choices.")
    ] = None,
    verbose: VerboseOption = False,
    child: Annotated[
        bool,
        typer.Option(
            "--child",
            hidden=True,
            help="Started by `sera run`: the broker comes as a line of JSON on standard input, "
            "whose end is the call to end.",
        ),
    ] = False,
) -> None:
    """Run one module and join it to a run that is alive.

    The run is the one of this machine, or with --broker one elsewhere.

    It ends with the run or on Ctrl-C (exit code 0); exit code 3 means that the module died.
    """
    from sera.cli._module_run import ModuleRequest, run_module

    request = ModuleRequest(
        implementation=implementation,
        character=character,
        name=name,
        broker=broker,
        run_id=run_id,
        scenario=scenario,
        condition=condition,
        settings=settings or [],
        seed=seed,
        verbose=verbose,
    )
    raise typer.Exit(run_module(request, child=child))
