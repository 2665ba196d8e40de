"""What a character can do: postures, animations, faces, emotions, gaze policies, targets, markup.

`GET /console/api/repertoire?character=ada`. The files are read here as the animation engine reads
them (a scenario's over the robot's over the shared ones), but without the engine, and one that
cannot be used is left out and told in `problems`.

Threading: files are read in a thread, and again when they change.
Safety: nothing here moves a robot or changes a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.behaviour.gaze import BUILT_IN_POLICIES
from sera.behaviour.own_files import POLICIES, own_files, policies_of
from sera.behaviour.targets import Kind, TargetTable, place_of, targets_of
from sera.console._cast import Cast, cast_of, sentences_of
from sera.console._console import Console
from sera.console._heard import Heard, listen
from sera.console._kept import Kept
from sera.console._verb_forms import Named, controls, verb_forms
from sera.console._visitor import Visitor, answering
from sera.console.library import Shelf, shelves_of
from sera.emotion import load_emotions
from sera.emotion.emotions import EMOTIONS_FILE
from sera.messages import TargetRemoved, TargetUpdated
from sera.runtime.located import FileProblem, FileProblems
from sera.runtime.workspace import scenario_folders

if TYPE_CHECKING:
    from sera.animation.assets import Animation, Face, Posture

_ENDINGS = ("*.toml", "*.json")
_KINDS = ("animations", "postures", "faces")
BUTTONS = 6
"""How many emotions have a button; all of them have a name, and the pad has the rest."""
NOBODY: dict[str, Any] = {
    "postures": [],
    "animations": [],
    "faces": [],
    "emotions": [],
    "gaze_policies": [],
    "targets": [],
    "verbs": [],
    "controls": [],
    "languages": [],
    "problems": [],
}
"""The answer where there is no character."""


@dataclass(slots=True)
class Abilities:
    """Names that orders to a character may use."""

    postures: list[str] = field(default_factory=list)
    animations: list[dict[str, Any]] = field(default_factory=list)
    faces: list[str] = field(default_factory=list)
    emotions: list[str] = field(default_factory=list)
    """Those that have a button: the first ones, without neutral, which has its own."""
    gaze_policies: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/repertoire`."""
    heard = Heard()
    listen(console, heard, [TargetUpdated, TargetRemoved])
    known: dict[str, Kept[Abilities]] = {}
    shelves = shelves_of(console)

    @answering(console)
    async def repertoire(request: Request, _visitor: Visitor) -> Response:
        cast = cast_of(console, request)
        if cast is None:
            return JSONResponse(NOBODY)
        if cast.name not in known:
            known[cast.name] = Kept(lambda: files_of(cast), lambda _before: abilities_of(cast))
        able, shelf = await known[cast.name].get(), await shelves.of(cast)
        targets = target_table(cast, heard)
        named = Named(
            [each["name"] for each in able.animations],
            able.faces,
            list(shelf.abilities.sounds or ()),
            [str(name) for name in _listed(cast, "actions")],
        )
        return JSONResponse(
            {
                "postures": able.postures,
                "animations": able.animations,
                "faces": able.faces,
                "emotions": able.emotions,
                "gaze_policies": able.gaze_policies,
                "targets": [
                    {"name": name, "kind": kind_of(cast, targets, name)} for name in targets.names()
                ],
                "verbs": verb_forms(shelf.syntax.verbs, named),
                "controls": controls(),
                "languages": languages_of(cast, shelf),
                "problems": able.problems,
            }
        )

    return [Route("/console/api/repertoire", repertoire)]


def _places(cast: Cast) -> list[Path]:
    """Folders with animations, postures and faces, the most particular last."""
    # As sera.animation.assets.repertoire.shared_folders has them: the user's own one wins.
    shared = [root / "robots" / "shared" for root in reversed(cast.roots)]
    if cast.robot is None:
        return [*shared, cast.folder]
    return [*shared, cast.robot, *scenario_folders(cast.folder, cast.robot)]


def files_of(cast: Cast) -> Iterator[Path]:
    """Every file that has a say in what the character can do."""
    yield from own_files(cast.folder, POLICIES)
    yield from (place / EMOTIONS_FILE for place in _places(cast))
    if cast.robot is None:
        return
    yield cast.robot / "body.toml"
    for place in _places(cast):
        for kind in _KINDS:
            yield place / kind
            for ending in _ENDINGS:
                yield from (place / kind).glob(ending)


def abilities_of(cast: Cast) -> Abilities:
    """What the files say; blocks."""
    found = Abilities()
    try:
        found.gaze_policies = list(policies_of(cast.folder))
    except (FileProblem, FileProblems) as problem:
        found.gaze_policies = list(BUILT_IN_POLICIES)
        found.problems += sentences_of(problem)
    try:
        names = load_emotions(_places(cast)).names
    except FileProblems as problem:
        names = load_emotions().names
        found.problems += sentences_of(problem)
    found.emotions = [name for name in names if name != "neutral"][:BUTTONS]
    if cast.robot is not None:
        _read_body(cast, cast.robot, found)
    return found


def _read_body(cast: Cast, robot: Path, found: Abilities) -> None:
    # Loaded late: they bring numpy, which a gateway without a robot need not wait for.
    from sera.animation.assets import load_animations, load_faces, read_postures
    from sera.animation.assets.sides import on_both_sides
    from sera.animation.body import load_body

    try:
        channels = load_body(robot).channels
    except (FileProblem, FileProblems, OSError) as problem:
        found.problems += sentences_of(problem)
        return
    animations: dict[str, Animation] = {}
    postures: dict[str, Posture] = {}
    faces: dict[str, Face] = {}
    for place in _places(cast):
        here, wrong = load_animations(place / "animations", channels)
        animations |= here
        faces_here, wrong_faces = load_faces(place / "faces", channels)
        faces |= faces_here
        found.problems += [str(each) for each in (*wrong, *wrong_faces)]
        for file in sorted((place / "postures").glob("*")):
            if file.suffix in (".toml", ".json"):
                reading = read_postures(file, channels)
                postures |= reading.postures
                found.problems += [str(each) for each in reading.problems]
    found.postures, found.faces = sorted(postures), sorted(faces)
    found.animations = [
        {"name": name, "duration_s": None if each.loop else round(each.duration_s, 3)}
        for name, each in sorted(on_both_sides(animations).items())
    ]


def target_table(cast: Cast, heard: Heard) -> TargetTable:
    """What can be looked at now."""
    table = targets_of(
        cast.scenario,
        cast.name,
        targets=cast.setting("targets", None),
        people=cast.setting("people", None),
    )
    for message in heard.placed_for(cast.name):
        try:
            table.place(message.target, place_of(message))
        except ValueError:  # the behaviour manager refuses it too, and says so
            continue
    return table


def kind_of(cast: Cast, table: TargetTable, name: str) -> str:
    """What a target is, in the words of the scenario file where it stands there."""
    scenario, space = cast.scenario, cast.scenario.space
    for kind, names in (
        ("person", scenario.people),
        ("character", scenario.characters),
        ("screen", space.screens),
        ("seat", space.seats),
        ("object", space.objects),
    ):
        if name in names:
            return kind
    try:
        kind_found = table.kind(name)
    except ValueError:  # an alias of something that is gone
        return "nowhere"
    return Kind(kind_found).value


def languages_of(cast: Cast, shelf: Shelf) -> list[str]:
    """Tags of the languages that the character's lines are written in, its own first."""
    own = cast.language
    known = {tag.lower(): tag for tag in (*([own] if own else []), *shelf.library.languages)}
    return list(known.values())


def _listed(cast: Cast, key: str) -> list[object]:
    value = cast.scenario.activity.get(key, [])
    return value if isinstance(value, list) else []
