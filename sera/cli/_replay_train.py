"""`sera replay --train`: a recording on the bus, a console, a trainee, a score."""

from __future__ import annotations

import contextlib
import secrets
import sys
import time
from typing import TYPE_CHECKING, Any

from sera.cli._errors import as_wrong_input

if TYPE_CHECKING:
    from sera.recording.replay import Cast, RecordedRun


def train_with(
    run: RecordedRun,
    cast: Cast,
    *,
    character: str | None,
    window_s: float | None,
    speed: float | None,
    to_s: float | None,
    pages: dict[str, Any],
    open_browser: bool,
    as_json: bool,
) -> int:
    """Play a recording for a trainee, then print the score; returns the exit code."""
    from dataclasses import replace

    from sera.cli._replay_text import training_lines
    from sera.cli._run import pages_settings
    from sera.cli._session import Session, Wishes
    from sera.cli._text import note, print_json
    from sera.recording import LogReader, RunFolder
    from sera.recording.replay import WINDOW_S, Training
    from sera.runtime.launcher import RunOptions

    with as_wrong_input():
        training = Training(run, cast, character=character, to_s=to_s)
    said = pages_settings(port=pages["port"], host=pages["host"], tls=False)
    plans = tuple(
        replace(plan, settings=plan.settings.model_copy(update=said))
        if plan.source == "world.gateway"
        else plan
        for plan in training.scenario.plans
    )
    scenario = replace(training.scenario, plans=plans)
    folder = RunFolder.create(
        f"{run.scenario}_training_{time.strftime('%Y%m%d_%H%M%S')}_{secrets.token_hex(2)}",
        scenario=run.scenario,
        seed=scenario.seed,
        condition=scenario.condition,
        robots=scenario.bodies,
        training_of=run.name,
    )
    note(
        f"Training on {run.path}: {len(training.recorded)} decisions of the recorded wizard. "
        "Decide at the console; Ctrl-C ends it early.",
        "bold cyan",
    )
    session = Session(
        scenario,
        cast.workspace,
        RunOptions(log=folder.log_path, extra_modules={"gateway": said}),
        Wishes(clock=speed or "real", as_json=as_json, open_browser=open_browser),
    )
    # What the run came to is told as ever, but for scripts the score alone is the answer.
    with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
        code = session.run()
    found = training.score(LogReader(folder.log_path), window_s=window_s or WINDOW_S)
    if as_json:
        print_json({"recording": str(run.path), "log": str(folder.log_path), **found.as_dict()})
    else:
        print("\n".join(training_lines(found)))
    return code
