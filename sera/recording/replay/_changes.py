"""What is played otherwise than it was: lines, gaze policy, condition, single settings.

A change is laid over the settings of the modules that are played; the settings are checked as
those of a scenario file are.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sera.recording.replay._recorded import ReplayError
from sera.runtime.located import nearest_name
from sera.runtime.scenario import ModulePlan, Scenario, with_settings

WITH = ("utterances", "gaze_policy", "condition")


@dataclass(frozen=True)
class Changes:
    """What is to be different."""

    utterances: Path | None = None
    """Another sheet in place of all libraries."""
    gaze_policy: str | None = None
    condition: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """By `character.module.key`."""

    @property
    def any(self) -> bool:
        return self != Changes()

    @property
    def only_gaze(self) -> bool:
        """Whether lines and decisions keep their time."""
        return self == Changes(gaze_policy=self.gaze_policy)

    def in_words(self) -> list[str]:
        """One phrase a change."""
        told = []
        if self.utterances is not None:
            told.append(f"utterances {self.utterances.name}")
        if self.gaze_policy is not None:
            told.append(f"gaze policy {self.gaze_policy}")
        if self.condition is not None:
            told.append(f"condition {self.condition}")
        return [*told, *(f"{key} = {value!r}" for key, value in self.settings.items())]


def read_changes(wishes: list[str], settings: list[str]) -> Changes:
    """Changes from the command line: `utterances=FILE`, and `ada.behaviour.gaze_policy=random`.

    Raises:
        ReplayError: with what can be written.
    """
    found: dict[str, Any] = {}
    for wish in wishes:
        key, equals, value = wish.partition("=")
        if key not in WITH or not equals or not value:
            near = nearest_name(key, WITH)
            hint = f"; did you mean {near}=…?" if near and near != key else ""
            known = "utterances=FILE, gaze_policy=NAME or condition=NAME"
            raise ReplayError(f"--with {wish}: write {known}{hint}")
        if key in found:
            raise ReplayError(f"--with {key} is given twice: a replay has one")
        found[key] = value
    if "utterances" in found:
        path = Path(found["utterances"]).expanduser()
        if not path.is_file():
            raise ReplayError(f"--with utterances={path}: there is no such file")
        found["utterances"] = path.resolve()
    chosen: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or key.count(".") < 2:
            raise ReplayError(
                f"--set {setting}: write CHARACTER.MODULE.KEY=VALUE, for example "
                "ada.behaviour.gaze_policy=random"
            )
        chosen[key] = _value(text)
    return Changes(**found, settings=chosen)


def _value(text: str) -> Any:
    """A value as a scenario file has it; words need no quotation marks."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def changed(scenario: Scenario, changes: Changes, played: list[str]) -> Scenario:
    """The scenario with the changes laid over the modules that are played.

    Raises:
        ReplayError: nothing has such a setting, or it does not take the value.
    """
    new: dict[str, dict[str, Any]] = {}
    plans = {plan.source: plan for plan in scenario.plans if plan.source in played}
    if changes.utterances is not None:
        for source in _having(plans, "libraries", "utterances"):
            new.setdefault(source, {})["libraries"] = [str(changes.utterances)]
    if changes.gaze_policy is not None:
        for source in _having(plans, "gaze_policy", "gaze_policy"):
            new.setdefault(source, {})["gaze_policy"] = changes.gaze_policy
    for key, value in changes.settings.items():
        character, module, name = key.split(".", 2)
        source = f"{character}.{module}"
        if source not in plans:
            near = nearest_name(source, plans)
            hint = f"; did you mean '{near}'?" if near else ""
            known = f"played are {', '.join(plans)}"
            raise ReplayError(f"--set {key}: '{source}' is not played{hint} ({known})")
        _lay(new.setdefault(source, {}), name.split("."), value)
    return replace(
        scenario,
        plans=tuple(
            _with_settings(plan, new[plan.source]) if plan.source in new else plan
            for plan in scenario.plans
        ),
    )


def _having(plans: dict[str, ModulePlan], key: str, wish: str) -> list[str]:
    found = [source for source, plan in plans.items() if key in type(plan.settings).model_fields]
    if not found:
        raise ReplayError(
            f"--with {wish}=…: none of the played modules ({', '.join(plans)}) has the setting "
            f"'{key}'; name the one you mean with --modules or --set"
        )
    return found


def _lay(table: dict[str, Any], path: list[str], value: Any) -> None:
    for part in path[:-1]:
        table = table.setdefault(part, {})
    table[path[-1]] = value


def _with_settings(plan: ModulePlan, new: dict[str, Any]) -> ModulePlan:
    try:
        return with_settings(plan, new)
    except (LookupError, ValueError) as error:
        raise ReplayError(str(error.args[0])) from None
