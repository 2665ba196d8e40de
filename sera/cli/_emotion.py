"""`sera emotion`: the emotions there are, what bodies do with them, pictures, slow timelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli import _emotion_export, _emotion_pictures
from sera.cli._emotion_parts import WishArgument, emotions_of, profile_of, wish_of
from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.emotion import PAD, Emotions, Profile

app = typer.Typer(help="Emotions: list, show, draw, export.", no_args_is_help=True)
ScenarioOption = Annotated[
    str | None,
    typer.Option("--scenario", metavar="NAME", help="Also the emotions of this scenario."),
]


@app.callback()
def _emotion() -> None:
    """Emotions: list, show, draw, export."""


@app.command(name="list", short_help="List the emotions that have names.")
def list_(*, scenario: ScenarioOption = None, as_json: JsonOption = False) -> None:
    """List the emotions that have names, with their points and what they make of motion."""
    from sera.cli._text import clean, print_json, standard_console

    emotions = emotions_of(scenario)
    if as_json:
        print_json([_as_data(emotions, name) for name in emotions.names])
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    words = ("emotion", "octant", "also", "source")
    numbers = ("P", "A", "D", "jerkiness", "activity", "gaze")
    for head in (words[0], *numbers[:3], words[1], *numbers[3:], *words[2:]):
        table.add_column(head, justify="left" if head in words else "right")
    for name in emotions.names:
        emotion = emotions.emotion(name)
        features = emotion.pad.features().values
        table.add_row(
            clean(name),
            *(f"{value:+.2f}" for value in emotion.pad.values),
            emotion.pad.octant.value,
            *(f"{value:.2f}" for value in features),
            clean(", ".join(emotion.also)),
            clean(emotion.source),
        )
    standard_console().print(table)


@app.command(
    short_help="Show what an emotion makes of motion and of robots.",
    context_settings={"ignore_unknown_options": True},  # -0.5,0,0 is no option
)
def show(
    emotion: WishArgument,
    *,
    robot: Annotated[
        str | None,
        typer.Option("--robot", metavar="NAME", help="What this robot does with it; else all."),
    ] = None,
    scenario: ScenarioOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show an emotion: where it lies, what it makes of motion, what robots do with it."""
    from sera.cli._text import clean, note, print_json, standard_console
    from sera.emotion.words import done_by, in_words

    emotions = emotions_of(scenario)
    wish = wish_of(emotion, emotions)
    if wish.remark is not None:
        note(wish.remark)
    done = {name: done_by(profile, wish.pad) for name, profile in _profiles(robot)}
    if as_json:
        nearest = emotions.nearest(wish.pad)
        print_json({"emotion": wish.title, **_point(wish.pad), "nearest": nearest, "robots": done})
        return
    console = standard_console()
    numbers = ", ".join(
        f"{axis} {value:+.2f}"
        for axis, value in zip(("pleasure", "arousal", "dominance"), wish.pad.values, strict=True)
    )
    near = emotions.nearest(wish.pad)
    beside = "" if near == wish.title else f"; the nearest name is {near}"
    octant = wish.pad.octant.value.lower()
    lines = [f"{wish.title}: {numbers}; {octant}{beside}", *in_words(wish.pad)]
    lines += [f"{name}: {sentence}" for name, sentence in done.items()]
    for line in lines:
        console.print(clean(line), markup=False, highlight=False, soft_wrap=True)


app.command(short_help="Draw a robot in all emotions.")(_emotion_pictures.sheet)
app.command(short_help="Draw emotions over time, with numbers.")(_emotion_pictures.curves)
app.command(short_help="Write a gesture with an emotion for slow playback.")(_emotion_export.export)


def _profiles(robot: str | None) -> list[tuple[str, Profile]]:
    """The robots that are asked for, with how each expresses emotions."""
    from sera.runtime.workspace import Workspace

    if robot is not None:
        return [(robot, profile_of(robot)[1])]
    found: list[tuple[str, Profile]] = []
    for entry in Workspace.discover().robots():
        try:
            found.append((entry.name, profile_of(entry.name)[1]))
        except CommandError:  # a robot that has no profile, or whose files are being written
            continue
    return found


def _as_data(emotions: Emotions, name: str) -> dict[str, Any]:
    emotion = emotions.emotion(name)
    also, source = list(emotion.also), emotion.source
    return {"emotion": name, **_point(emotion.pad), "also": also, "source": source}


def _point(pad: PAD) -> dict[str, Any]:
    features = pad.features()
    return {
        "pad": list(pad.values),
        "octant": pad.octant.value,
        "jerkiness": features.jerkiness,
        "activity": features.activity,
        "gaze": features.gaze,
    }
