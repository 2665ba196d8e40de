"""What the commands of `sera emotion` share: the workspace's emotions, a robot with its profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.animation.stage_set import StageSet
    from sera.emotion import Emotions, Profile
    from sera.emotion.wish import Wish

WishArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME|P,A,D",
        help="A name, three numbers from -1 to 1, or a corner such as LHL (low, high, low).",
    ),
]
RobotArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="As `sera list robots` has it.")
]
NEEDS_MATPLOTLIB = 'drawing needs matplotlib: pip install "sera-hri[figures]"'


def emotions_of(scenario: str | None = None) -> Emotions:
    """The emotions of the workspace, and of a scenario where one is named."""
    from sera.animation.assets.repertoire import shared_folders
    from sera.cli._workspace import workspace_around
    from sera.emotion import load_emotions

    workspace = workspace_around(scenario)
    folders = [*shared_folders(workspace.roots)]
    if scenario is not None:
        folders.append(workspace.find_scenario(scenario))
    return load_emotions(folders)


def wish_of(text: str, emotions: Emotions) -> Wish:
    """The emotion that a text means, or one sentence."""
    from sera.emotion.wish import understood

    try:
        return understood(text, emotions)
    except (LookupError, ValueError) as error:
        raise CommandError(str(error.args[0])) from None


def profile_of(robot: str) -> tuple[StageSet, Profile]:
    """Everything a robot needs to be animated, and how it expresses emotions."""
    from sera.animation.stage_set import StageSet
    from sera.cli._robot import find_body
    from sera.emotion import has_profile, load_profile
    from sera.runtime.workspace import Workspace

    body = find_body(robot)
    if not has_profile(body.folder):
        raise CommandError(
            f"'{robot}' has no expressive profile: emotion.toml beside its body.toml; "
            "docs/emotion.md says how to write one"
        )
    stage_set = StageSet.find(body.folder, Workspace.discover().roots)
    return stage_set, load_profile(body.folder, body)
