"""Files with which a workspace or a scenario adds to what is built in, such as `verbs.toml`."""

from __future__ import annotations

from pathlib import Path

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazePolicy, load_policies
from sera.behaviour.markup import BUILT_IN_VERBS, VerbRegistry, load_verbs
from sera.runtime.own_messages import import_own_messages
from sera.runtime.workspace import Workspace

VERBS, POLICIES = "verbs.toml", "policies.toml"


def own_files(scenario: Path | None, name: str) -> list[Path]:
    """The workspace's file of that name and the scenario's, where they exist; the last one wins.

    Args:
        scenario: folder of the scenario, None without one.
        name: of the file.
    """
    if scenario is None:
        return []
    own = Workspace.discover(scenario).own
    places = [*([] if own is None else [own]), scenario]
    return [place / name for place in places if (place / name).is_file()]


def verbs_of(scenario: Path | None) -> VerbRegistry:
    """The verbs that lines of a scenario may use.

    Raises:
        FileProblem, FileProblems: everything that is wrong in a file of verbs.
    """
    verbs = BUILT_IN_VERBS
    for file in own_files(scenario, VERBS):
        # A verb may send a message that a module of the workspace defines.
        import_own_messages(Workspace.discover(file.parent), scenario)
        verbs = load_verbs(file, verbs)
    return verbs


def policies_of(scenario: Path | None) -> dict[str, GazePolicy]:
    """The gaze policies that a scenario may use, by name.

    Raises:
        FileProblem, FileProblems: everything that is wrong in a file of policies.
    """
    policies = dict(BUILT_IN_POLICIES)
    for file in own_files(scenario, POLICIES):
        policies |= load_policies(file)
    return policies
