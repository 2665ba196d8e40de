"""`sera robot check`: the contract of all bridges, tried on one robot.

Design overview: a body that follows the injected clock alone (simulated, a file) is checked on a
clock that is moved by hand, in seconds; a real one in real time, after its operator has agreed,
because every joint goes through its whole range.

Units and frames: as the body's channels; seconds.
Threading: one event loop.
Safety: a robot that may be real is not moved without `--yes` or an answer at the terminal.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sera.cli._errors import FAILED, CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.output import Bridge, ContractResult, ContractSubject, Output, OutputChoice

_OUTPUTS = ("auto", "simulated", "serial", "tcp", "csv", "robot")
_REAL_TOLERANCE = 0.03
"""What a hobby servo measures wrongly: a degree and a half."""


def check(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `sera list robots` has it.")],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            metavar="OUTPUT",
            help="simulated, serial, tcp, csv or robot (its own bridge.py); auto takes its own "
            "bridge where it has one.",
        ),
    ] = "auto",
    device: Annotated[
        str | None, typer.Option("--device", metavar="PORT", help="Serial port of the robot.")
    ] = None,
    unit: Annotated[
        str, typer.Option("--unit", metavar="UNIT", help="Which unit, for its calibration.")
    ] = "default",
    host: Annotated[str, typer.Option("--host", help="Address for --output tcp.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port for --output tcp.")] = 0,
    path: Annotated[
        Path | None, typer.Option("--path", metavar="FILE", help="File for --output csv.")
    ] = None,
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", help="How long a tcp body may take.")
    ] = 30.0,
    yes: Annotated[
        bool, typer.Option("--yes", help="The robot has room and may move its whole range.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Try on a robot what every bridge must do: limits, stop, silence, rest and more."""
    import asyncio

    from sera.animation.output import BridgeUnavailable, OutputChoice
    from sera.cli._robot import find_body
    from sera.runtime.located import nearest_name

    if output not in _OUTPUTS:
        near = nearest_name(output, _OUTPUTS)
        hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(_OUTPUTS)}"
        raise CommandError(f"there is no output '{output}'{hint}")
    body = find_body(name)
    choice = OutputChoice(
        output=_resolved(body, output),
        device=device,
        host=host,
        port=port,
        body_expected=True,
        path=path,
        unit=unit,
    )
    try:
        trial = _Trial(body, choice, wait_s)
        if not trial.is_virtual and not yes:
            _ask(trial.where)
        results = asyncio.run(trial.run())
    except BridgeUnavailable as error:
        raise CommandError(str(error)) from None
    _show(body, trial.where, results, as_json=as_json)
    if not all(result.passed for result in results):
        raise typer.Exit(FAILED)


@dataclass(slots=True)
class _HandClock:
    """Seconds that pass when they are told to."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


class _Trial:
    """One robot on trial, on the clock that suits it."""

    def __init__(self, body: Body, choice: OutputChoice, wait_s: float) -> None:
        from sera.animation.output import bridge_for, own_specs

        self._body = body
        self._choice = choice
        self._wait_s = wait_s
        self._specs = own_specs(body)
        self._clock = _HandClock()
        description = bridge_for(body, choice, self._clock).describe()
        self.is_virtual = description.virtual
        self.where = f"{description.kind}, {description.where}"
        self._kept: Bridge | None = None

    async def run(self) -> list[ContractResult]:
        from sera.animation.output import run_contract

        try:
            return await run_contract(self._subject, self._specs)
        finally:
            if self._kept is not None:
                await self._kept.close()

    async def _subject(self, pose: Any) -> ContractSubject:
        import asyncio
        import dataclasses

        from sera.animation.output import ContractSubject, bridge_for, rest_pose

        choice = dataclasses.replace(self._choice, start=pose)
        clock = self._clock if self.is_virtual else time.monotonic
        if choice.output == "tcp":
            bridge: Bridge = await self._stream(choice)
        else:
            bridge = bridge_for(self._body, choice, clock)
        rest = rest_pose(self._body)
        if not self.is_virtual:
            return ContractSubject(
                bridge=bridge,
                specs=self._specs,
                clock=clock,
                pass_time=asyncio.sleep,
                rest=rest,
                tolerance=_REAL_TOLERANCE,
            )
        unplug, plug_in = (getattr(bridge, each, None) for each in ("unplug", "plug_in"))
        return ContractSubject(
            bridge=bridge,
            specs=self._specs,
            clock=clock,
            pass_time=self._pass_time,
            rest=rest,
            unplug=None if unplug is None else _awaited(unplug),
            plug_in=None if plug_in is None else _awaited(plug_in),
        )

    async def _pass_time(self, duration_s: float) -> None:
        self._clock.now_s += duration_s

    async def _stream(self, choice: OutputChoice) -> Bridge:
        """One server for all clauses, lest its body has to connect for each of them."""
        import asyncio

        from sera.animation.output import BridgeLost, bridge_for
        from sera.cli._text import note

        if self._kept is None:
            self._kept = bridge_for(self._body, choice, time.monotonic)
            deadline_s = time.monotonic() + self._wait_s
            told = False
            while True:
                try:
                    await self._kept.connect()
                    break
                except BridgeLost:
                    if time.monotonic() >= deadline_s:
                        break  # the contract says so, clause by clause
                    if not told:
                        told = True
                        self.where = f"tcp, {self._kept.describe().where}"
                        note(f"waiting for the body on {self._kept.describe().where}")
                    await asyncio.sleep(0.05)
        return _kept_open(self._kept)


def _kept_open(bridge: Bridge) -> Bridge:
    from sera.animation.output import ContainedBridge

    class KeptOpen(ContainedBridge):
        """A bridge that outlives the guard of one clause."""

        async def close(self) -> None:
            pass

    return KeptOpen(bridge, "the stream")


def _awaited(function: Any) -> Any:
    async def call() -> None:
        function()

    return call


def _resolved(body: Body, output: str) -> Output:
    from sera.animation.output import robot_bridge_file

    if output != "auto":
        return cast("Output", output)
    return "robot" if robot_bridge_file(body.folder).is_file() else "simulated"


def _ask(where: str) -> None:
    warning = f"every joint of the robot ({where}) will go through its whole range"
    if not sys.stdin.isatty():
        raise CommandError(f"{warning}: see that it has room, and say --yes")
    if not typer.confirm(f"{warning}. Has it room?"):
        raise CommandError("nothing was moved")


def _show(body: Body, where: str, results: list[ContractResult], *, as_json: bool) -> None:
    from sera.cli._text import clean, print_json, standard_console

    if as_json:
        clauses = [
            {
                "clause": result.clause,
                "passed": result.passed,
                "tried": result.tried,
                "sentence": result.sentence,
            }
            for result in results
        ]
        passed = all(result.passed for result in results)
        print_json({"robot": body.name, "bridge": where, "passed": passed, "clauses": clauses})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("clause", "passed", "how"):
        table.add_column(head)
    for result in results:
        verdict = ("yes" if result.tried else "-") if result.passed else "NO"
        table.add_row(result.clause, verdict, clean(result.sentence))
    console = standard_console()
    console.print(f"{clean(body.title)} ({clean(where)})", highlight=False)
    console.print(table)
