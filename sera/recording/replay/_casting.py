"""Which modules of a recording are played again, in which scenario, and which are fed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sera.recording.replay._changes import Changes, changed
from sera.recording.replay._recorded import RecordedRun, ReplayError
from sera.runtime.located import nearest_name
from sera.runtime.module import Role
from sera.runtime.robot import RobotCard, load_robot
from sera.runtime.scenario import ModulePlan, Scenario, load_scenario
from sera.runtime.workspace import UnknownName, Workspace

PLAYED_ROLES = (Role.DECISION, Role.BEHAVIOUR, Role.REALISATION)
_VOICE = "SpeechStarted"
_BODY = "BodyState"


@dataclass(frozen=True)
class Cast:
    """The scenario of a replay and who plays in it."""

    scenario: Scenario
    workspace: Workspace
    played: list[str]
    notes: list[str]
    left_out: frozenset[str] = frozenset()
    """Who decided, behaved or moved then and is not in the scenario as it is changed."""


def cast_of(
    run: RecordedRun, around: Workspace, changes: Changes, modules: list[str] | None = None
) -> Cast:
    """Rebuild the scenario of a recording and choose who is played.

    Args:
        run: the recording.
        around: the workspace where its scenario is found, unless it was frozen.
        changes: what is to be different.
        modules: sources to play; None: those that decide, behave and move.

    Raises:
        ReplayError: the scenario or a module is not there.
        ScenarioError: the scenario's file is broken today.
    """
    notes = list(run.notes)
    workspace = around
    if run.frozen is not None:
        workspace = Workspace([run.frozen, *around.roots], built_in=around.built_in, own=run.frozen)
    else:
        notes.append(
            "the scenario's files are those of today: nothing was frozen beside the recording"
        )
    workspace.activate()
    try:
        scenario = load_scenario(run.scenario, workspace, changes.condition or run.condition)
    except UnknownName as error:
        raise ReplayError(f"the recording is of scenario '{run.scenario}': {error}") from None
    before = scenario
    if changes.condition is not None:
        before = load_scenario(run.scenario, workspace, run.condition)
    # The bodies that the recording had, except where the other condition has another one.
    robots = {
        character: robot
        for character, robot in _robots(run, workspace).items()
        if scenario.bodies.get(character) == before.bodies.get(character)
    }
    scenario = scenario.overridden(seed=run.seed, robots=robots)
    if scenario.duration_s is not None:
        about = scenario.file.scenario.model_copy(update={"duration_s": None})
        file = scenario.file.model_copy(update={"scenario": about})
        scenario = replace(scenario, file=file)
    played = _chosen(scenario, modules) if modules else _by_role(run, scenario, changes)
    missing = [source for source in played if source not in run.sources()]
    if missing and not changes.any:
        raise ReplayError(
            f"{', '.join(missing)} said nothing in the recording: there is nothing to compare with"
        )
    known = {plan.source for plan in scenario.plans}
    left_out = frozenset(
        plan.source
        for plan in before.plans
        if plan.module_class.role in PLAYED_ROLES and plan.source not in known
    )
    notes += [f"{source} is left out: the condition has it not" for source in sorted(left_out)]
    strangers = [one for one in _deciders(run) if one not in known | left_out]
    notes += [
        f"{source} is not in the scenario of today: what it said then is fed"
        for source in strangers
        if not modules
    ]
    return Cast(changed(scenario, changes, played), workspace, played, notes, left_out)


def _deciders(run: RecordedRun) -> list[str]:
    """Who decided, behaved or moved in the recording, by what they said of themselves."""
    roles = {str(role) for role in PLAYED_ROLES}
    return list(
        dict.fromkeys(
            record.source
            for record in run.records
            if record.type == "ModulePresence" and record.data.get("role") in roles
        )
    )


def _robots(run: RecordedRun, workspace: Workspace) -> dict[str, RobotCard]:
    """The bodies that the recording had, whatever the file says today."""
    try:
        return {
            character: load_robot(workspace.find_robot(robot))
            for character, robot in (run.robots or {}).items()
        }
    except UnknownName as error:
        raise ReplayError(f"the recording was made with another robot: {error}") from None


def _chosen(scenario: Scenario, modules: list[str]) -> list[str]:
    known = [plan.source for plan in scenario.plans]
    for source in modules:
        if source not in known:
            near = nearest_name(source, known)
            hint = f"; did you mean '{near}'?" if near else ""
            raise ReplayError(
                f"--modules {source}: scenario '{scenario.name}' has no such module{hint} "
                f"(it has {', '.join(known)})"
            )
    return [source for source in known if source in modules]


def _by_role(run: RecordedRun, scenario: Scenario, changes: Changes) -> list[str]:
    """Who decides, behaves and moves; not the bodies, which only answer.

    A real voice took its own time; it is played only where lines may be others than they were.
    """
    said: dict[str, set[str]] = {}
    for record in run.records:
        said.setdefault(record.source, set()).add(record.type)
    voice_is_fed = not run.exact and (not changes.any or changes.only_gaze)

    def is_played(plan: ModulePlan) -> bool:
        types = said.get(plan.source)
        if plan.module_class.role not in PLAYED_ROLES or (types is None and not changes.any):
            return False
        if types is not None and _BODY in types:
            return False
        return not (voice_is_fed and types is not None and _VOICE in types)

    played = [plan.source for plan in scenario.plans if is_played(plan)]
    if not played:
        raise ReplayError(
            f"scenario '{scenario.name}' has no module that decides, behaves or moves and is in "
            "the recording: name those to play with --modules"
        )
    return played
