"""Makes the parts of a behaviour manager from the scenario, the robot and the files beside them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from sera.behaviour.abilities import abilities_of, reach_of
from sera.behaviour.markup import MarkupSyntax, TagDelimiters
from sera.behaviour.own_files import policies_of, verbs_of
from sera.behaviour.selection import Selector
from sera.behaviour.targets import targets_of
from sera.runtime import ModuleContext

from ._eyes import Eyes
from ._prompter import Prompter
from ._settings import BehaviourSettings
from ._sheets import Sheets

if TYPE_CHECKING:
    from . import BehaviourManager


def syntax_of(context: ModuleContext, settings: BehaviourSettings) -> MarkupSyntax:
    """The verbs and signs that lines may use.

    Raises:
        FileProblems: everything that is wrong in a file of verbs.
    """
    sign = settings.tag_sign
    return MarkupSyntax(verbs=verbs_of(context.folder), delimiters=TagDelimiters(sign, sign))


def sheets_of(context: ModuleContext, settings: BehaviourSettings, syntax: MarkupSyntax) -> Sheets:
    """The sheets, not read yet, and what the body can do of what they say."""
    robot = context.robot
    abilities = abilities_of(None if robot is None else robot.folder, context.folder)
    folder = context.folder or Path()
    return Sheets([folder / name for name in settings.libraries], syntax, abilities)


def prompter_of(module: BehaviourManager, syntax: MarkupSyntax, sheets: Sheets) -> Prompter:
    """Who finds words for orders."""
    scenario, language = module.context.scenario, module.settings.language
    if language is None and scenario is not None and module.character in scenario.characters:
        language = scenario.characters[module.character].language
    # Chance of their own: which line is said must not hang on how often the eyes have moved, or a
    # recording of real time could not be replayed.
    lines = random.Random(f"{module.context.seed}/{module.source}/lines")  # noqa: S311  # no secret
    waits = module.settings.wait_for_gestures
    return Prompter(Selector(lines), syntax, sheets.abilities, language, waits=waits)


def eyes_of(module: BehaviourManager) -> Eyes:
    """The gaze, in the room of the scenario."""
    context, settings = module.context, module.settings
    table = targets_of(
        context.scenario,
        module.character,
        targets=settings.targets,
        people=settings.people,
        eye_m=settings.eye_m or (None if context.robot is None else context.robot.eyes_m),
    )
    return Eyes(
        table,
        policies_of(context.folder),
        settings.gaze_policy,
        publish=module.publish,
        note=module.log.info,
        clock=module.clock,
        source=module.random,
        reach=reach_of(context.robot),
    )
