"""What the lines of a scenario may say: its names, its verbs, and the sign around its tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from sera.behaviour.library import Library
    from sera.behaviour.markup import MarkupSyntax, Vocabulary
    from sera.runtime.scenario import Scenario

DEFAULT_SIGN = "/"


@dataclass(frozen=True, slots=True)
class Wording:
    """What lines may say."""

    vocabulary: Vocabulary
    syntax: MarkupSyntax
    library: Library
    """What the scenario says already; empty without one."""


def wording_of(scenario: str | None, sign: str | None = None) -> Wording:
    """The names and the syntax of a scenario's lines; without one only verbs are known.

    Args:
        scenario: its name or folder.
        sign: around tags; None: as the scenario's behaviour manager has it, else `/`.

    Raises:
        CommandError: the sign means something else already.
        FileProblems: everything that is wrong in the scenario.
    """
    from sera.behaviour.library import Library
    from sera.behaviour.markup import Vocabulary

    if scenario is None:
        return Wording(Vocabulary(), syntax_of(None, sign), Library("none"))
    from sera.cli._workspace import workspace_around
    from sera.runtime.scenario import load_scenario

    workspace = workspace_around(scenario)
    workspace.activate()
    loaded = load_scenario(scenario, workspace)
    names = vocabulary_of(loaded, tuple(workspace.roots))
    syntax = syntax_of(loaded.folder, sign or sign_of(loaded))
    return Wording(names, syntax, library_of(loaded))


def syntax_of(folder: Path | None, sign: str | None) -> MarkupSyntax:
    """The verbs of a scenario's folder, with tags between signs."""
    from sera.behaviour.markup import MarkupSyntax, TagDelimiters
    from sera.behaviour.own_files import verbs_of
    from sera.cli._errors import as_wrong_input

    used = sign or DEFAULT_SIGN
    verbs = verbs_of(folder)
    with as_wrong_input():
        return MarkupSyntax(verbs=verbs, delimiters=TagDelimiters(used, used))


def vocabulary_of(scenario: Scenario, roots: tuple[Path, ...]) -> Vocabulary:
    from sera.animation.stage_set import StageSet
    from sera.behaviour.markup import Vocabulary
    from sera.behaviour.targets import BUILT_IN_NAMES, PERSON

    animations: set[str] = set()
    faces: set[str] = set()
    for card in scenario.robots.values():
        found = StageSet.find(card.folder, roots, scenario=scenario.folder).repertoire()
        animations |= found.animations.keys()
        faces |= found.faces.keys()
    space = scenario.space
    targets = {*BUILT_IN_NAMES, *scenario.people, *scenario.characters}
    targets |= {f"{PERSON}{number}" for number in range(1, 5)}
    targets |= {*space.screens, *space.seats, *space.objects}
    targets |= {str(name) for name in _listed(scenario, "targets")}
    actions = {str(name) for name in _listed(scenario, "actions")}
    media = scenario.folder / "media"
    sounds = {name for file in media.glob("*") for name in (file.stem, file.name)}
    return Vocabulary(
        targets=targets,
        animations=animations or None,
        faces=faces or None,
        sounds=sounds or None,
        actions=actions or None,
    )


def _listed(scenario: Scenario, key: str) -> list[object]:
    """Names that the activity adds at run time, as `[activity]` lists them."""
    value = scenario.activity.get(key, [])
    return value if isinstance(value, list) else []


def library_of(scenario: Scenario) -> Library:
    """Everything that the scenario's characters say; what cannot be read is left out."""
    from sera.behaviour.library import read_libraries

    found = [getattr(plan.settings, "libraries", None) for plan in scenario.plans]
    names = [name for each in found if isinstance(each, list) for name in each]
    return read_libraries([scenario.folder / str(name) for name in names]).library


def sign_of(scenario: Scenario) -> str | None:
    for plan in scenario.plans:
        sign = getattr(plan.settings, "tag_sign", None)
        if isinstance(sign, str):
            return sign
    return None
