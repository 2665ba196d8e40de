"""All commands of `sera`, put together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from sera import __version__
from sera.cli import (
    _console,
    _doctor,
    _list,
    _messages,
    _module,
    _monitor,
    _new,
    _replay,
    _robot,
    _run,
    _send,
)
from sera.cli._errors import DEBUG_VARIABLE
from sera.cli._group import (
    AnimationGroup,
    CameraGroup,
    DialogueGroup,
    EmotionGroup,
    EvaluateGroup,
    GazeGroup,
    LogGroup,
    RootGroup,
    SpaceGroup,
    StudyGroup,
    UtterancesGroup,
)
from sera.cli._text import forgive_encodings

_RUN = "Run scenarios"
_MAKE = "Make your own"
_LOOK = "Look into a run"
_CHECK = "Check and measure"

app = typer.Typer(
    name="sera",
    cls=RootGroup,
    help="SERA: asynchronous modules, messages and scenarios for social robots.",
    epilog="Begin with `sera demo`; then `sera new workspace lab`, `cd lab`, `sera run first`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_log_app = typer.Typer(cls=LogGroup, no_args_is_help=True)


@_log_app.callback()
def _log() -> None:
    """Recordings of runs: show, filter, export, trace, sum up, erase."""


_evaluate_app = typer.Typer(cls=EvaluateGroup, no_args_is_help=True)


@_evaluate_app.callback()
def _evaluate() -> None:
    """Run published evaluations again: ERIK, the motion filter."""


_animation_app = typer.Typer(cls=AnimationGroup, no_args_is_help=True)


@_animation_app.callback()
def _animation() -> None:
    """Animations: check them against a body's limits, show and convert them."""


_emotion_app = typer.Typer(cls=EmotionGroup, no_args_is_help=True)


@_emotion_app.callback()
def _emotion() -> None:
    """Emotions: list and show them, draw robots in them, export slow timelines."""


_utterances_app = typer.Typer(cls=UtterancesGroup, no_args_is_help=True)


@_utterances_app.callback()
def _utterances() -> None:
    """What the robot says, in sheets: make one, find mistakes, show and count."""


_dialogue_app = typer.Typer(cls=DialogueGroup, no_args_is_help=True)


@_dialogue_app.callback()
def _dialogue() -> None:
    """Dialogues in sheets, without code: find mistakes, draw and show them."""


_study_app = typer.Typer(cls=StudyGroup, no_args_is_help=True)


@_study_app.callback()
def _study() -> None:
    """Studies: sessions, simulated participants, questionnaires, analysis and export."""


_space_app = typer.Typer(cls=SpaceGroup, no_args_is_help=True)


@_space_app.callback()
def _space() -> None:
    """Where robots, screens and seats stand: show and calibrate."""


_camera_app = typer.Typer(cls=CameraGroup, no_args_is_help=True)


@_camera_app.callback()
def _camera() -> None:
    """Cameras: find, show, calibrate and place them; print boards and markers."""


_gaze_app = typer.Typer(cls=GazeGroup, no_args_is_help=True)


@_gaze_app.callback()
def _gaze() -> None:
    """Who is looked at and why: timelines of recordings, gaze policies."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"sera {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error was noticed.")
    ] = False,
) -> None:
    del version
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"


def _add(function: Callable[..., None], panel: str, summary: str) -> None:
    app.command(rich_help_panel=panel, short_help=summary)(function)


_add(_run.run, _RUN, "Run a scenario until it ends, or Ctrl-C.")
_add(_console.console, _RUN, "Open the operator's console in a browser.")
_add(_run.demo, _RUN, "Run the scenario that comes with SERA.")
app.add_typer(_module.app, name="module", rich_help_panel=_RUN)
app.add_typer(_study_app, name="study", rich_help_panel=_RUN)
app.add_typer(_new.app, name="new", rich_help_panel=_MAKE)
app.add_typer(_list.app, name="list", rich_help_panel=_MAKE)
app.add_typer(_robot.app, name="robot", rich_help_panel=_MAKE)
app.add_typer(_animation_app, name="animation", rich_help_panel=_MAKE)
app.add_typer(_emotion_app, name="emotion", rich_help_panel=_MAKE)
app.add_typer(_utterances_app, name="utterances", rich_help_panel=_MAKE)
app.add_typer(_dialogue_app, name="dialogue", rich_help_panel=_MAKE)
app.add_typer(_space_app, name="space", rich_help_panel=_MAKE)
app.add_typer(_camera_app, name="camera", rich_help_panel=_MAKE)
_add(_messages.messages, _MAKE, "List all message types, or show one in full.")
_add(_monitor.monitor, _LOOK, "Show the messages of a run as they travel.")
_add(_send.send, _LOOK, "Send one message into a run, by hand.")
app.add_typer(_log_app, name="log", rich_help_panel=_LOOK)
_add(_replay.replay, _LOOK, "Play a recording again: compare, ask what if, train a wizard.")
app.add_typer(_gaze_app, name="gaze", rich_help_panel=_LOOK)
app.add_typer(_evaluate_app, name="evaluate", rich_help_panel=_CHECK)
_add(_doctor.doctor, _CHECK, "Check this machine and the workspace, with the fixes.")


def main() -> None:
    """Run the command line."""
    forgive_encodings()
    if "--debug" in sys.argv[1:]:  # accepted anywhere, because people add it at the end
        sys.argv.remove("--debug")
        os.environ[DEBUG_VARIABLE] = "1"
    app(prog_name="sera")
