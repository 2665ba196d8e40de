"""Gaze policies as data: what the gaze does by itself, in figures that a study can select.

Design overview: a policy is a frozen table. Four are built in; a workspace's TOML file adds more,
each based on another one, and a message may change single figures by name. Weights say how often
each target is chosen when the gaze is free; nought leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name

WEIGHT = "weight_"
"""Beginning of an option that is the weight of a target: `weight_random`."""


def _grows(span: tuple[float, float]) -> tuple[float, float]:
    if span[0] > span[1]:
        raise ValueError(f"the first of two figures is the least: [{span[1]:g}, {span[0]:g}]")
    return span


_Seconds = Annotated[float, Field(ge=0, le=3600)]
_Span = Annotated[tuple[_Seconds, _Seconds], AfterValidator(_grows)]
_Weight = Annotated[float, Field(ge=0)]


class GazePolicy(BaseModel):
    """How the gaze behaves by itself. Two seconds are the least and the most of a random draw."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    name: str = "custom"
    weights: dict[str, _Weight] = Field(default_factory=lambda: {"random": 1.0})
    """How often a free gaze chooses each target, by name; `person` is whoever matters most."""
    interval_s: _Span = (4.0, 6.0)
    """How long a free gaze stays before it chooses again."""
    random_amplitude_deg: float | None = Field(default=None, ge=0, le=90)
    """How far to either side random looks go; None: as the targets' settings have it (40°)."""
    minimum_dwell_s: _Seconds = 1.0
    """No look that the gaze takes by itself is shorter, whatever happens."""
    glance_s: _Span = (1.0, 2.5)
    """How long a glance lasts unless its order says so."""
    glance_speed: float = Field(default=0.5, gt=0, le=10)
    """Factor on the body's usual gaze speed, for a glance."""
    gaze_speed: float = Field(default=1.0, gt=0, le=10)
    """The same for a gaze."""
    breaking: bool = True
    """Whether a gaze that is long on a person glances elsewhere."""
    break_after_s: _Span = (4.0, 6.0)
    establishing: bool = True
    """Whether a gaze that is long on clicks glances at the last person."""
    establish_after_s: _Span = (4.0, 6.0)
    follow_clicks: bool = True
    """Whether a free gaze goes where the screen is touched."""
    mutual: bool = False
    """Whether a free gaze answers the eyes of who looks at the robot."""
    joint_attention: bool = False
    """Whether the gaze follows where the person looks."""
    joint_after_s: _Seconds = 0.5
    """How long the person must look there."""
    joint_longest_s: float = Field(default=4.0, gt=0, le=3600)
    """How long the gaze stays there while the person does."""
    follow_speaker: bool = False
    """Whether a free gaze goes to who speaks."""
    alternate_s: float = Field(default=2.0, gt=0, le=3600)
    """How long each is looked at when several speak."""
    hold_while_speaking: bool = True
    """Whether the head stays on the person while the robot speaks or thinks."""
    lost_patience_s: _Seconds = 3.0
    """How long the gaze waits where a person was lost."""
    eyes_light_mutual: float = Field(default=1.0, ge=0, le=1)
    """Light of the eyes while somebody's eyes meet the robot's."""
    eyes_light_lost: float = Field(default=0.3, ge=0, le=1)
    """Light of the eyes otherwise."""
    track_deadband_deg: float = Field(default=0.3, ge=0, le=45)
    """Movements of a person smaller than this make no order."""

    @model_validator(mode="after")
    def _chooses_something(self) -> Self:
        if not any(self.weights.values()):
            raise ValueError("weights: at least one target needs a weight above 0")
        return self

    def with_options(self, options: Mapping[str, float]) -> GazePolicy:
        """The policy with single figures changed, as SetGazePolicy gives them.

        A figure with a least and a most takes `interval_s_min` and `interval_s_max`, or
        `interval_s` for both; switches take 0 and 1; weights are `weight_` and the target.

        Raises:
            ValueError: an unknown option, or a figure out of bounds, with the nearest name.
        """
        data = self.model_dump()
        for option, value in options.items():
            _change(data, option, value)
        try:
            return GazePolicy.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = str(first["loc"][0]) if first["loc"] else "policy"
            raise ValueError(f"gaze policy '{self.name}': {key}: {first['msg']}") from None


def _change(data: dict[str, Any], option: str, value: float) -> None:
    if option.startswith(WEIGHT) and len(option) > len(WEIGHT):
        data["weights"] = {**data["weights"], option.removeprefix(WEIGHT): value}
        return
    field, _, end = option.rpartition("_")
    if end in {"min", "max"} and isinstance(data.get(field), tuple):
        least, most = data[field]
        data[field] = (value, most) if end == "min" else (least, value)
        return
    known = data.get(option)
    if option in {"name", "weights"} or option not in data:
        names = [name for name in data if name not in {"name", "weights"}]
        near = nearest_name(option, [*names, f"{WEIGHT}random", f"{WEIGHT}person"])
        meant = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"a gaze policy has no option '{option}'{meant} (known: {names})")
    if isinstance(known, bool):
        if value not in {0, 1}:
            raise ValueError(f"the option '{option}' is a switch: 0 or 1, not {value:g}")
        data[option] = bool(value)
    else:
        data[option] = (value, value) if isinstance(known, tuple) else value


BUILT_IN_POLICIES: Mapping[str, GazePolicy] = {
    policy.name: policy
    for policy in (
        GazePolicy(name="random", weights={"random": 1.0}, follow_clicks=False),
        GazePolicy(name="mutual", weights={"person": 1.0}, mutual=True),
        GazePolicy(name="mutual_joint", weights={"person": 1.0}, mutual=True, joint_attention=True),
        GazePolicy(name="speaker", weights={"random": 1.0}, follow_speaker=True),
    )
}
_OTHER_NAMES = {"mutual_and_joint": "mutual_joint"}


class PolicyFileError(FileProblems):
    """A file of policies with everything that is wrong in it."""

    what = "gaze policies"


def find_policy(name: str, known: Mapping[str, GazePolicy] = BUILT_IN_POLICIES) -> GazePolicy:
    """A policy by name; a ValueError with the nearest name where there is none."""
    policy = known.get(name) or known.get(_OTHER_NAMES.get(name, ""))
    if policy is None:
        near = nearest_name(name, known)
        meant = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"there is no gaze policy '{name}'{meant} (known: {', '.join(known)})")
    return policy


def load_policies(path: Path) -> dict[str, GazePolicy]:
    """The policies of a TOML file beside the built-in ones: `[policies.NAME]`, `based_on`.

    Raises:
        FileProblem: the file is missing or no TOML.
        PolicyFileError: everything that is wrong in it, with its lines.
    """
    return read_policies(LocatedToml.load(path))


def read_policies(document: LocatedToml) -> dict[str, GazePolicy]:
    """The same from a file that has been read; see `load_policies`."""
    policies = dict(BUILT_IN_POLICIES)
    problems: list[FileProblem] = []
    for key in document.data:
        if key != "policies":
            near = nearest_name(key, ["policies"])
            problems.append(document.problem((key,), f"unknown table '{key}'", nearest=near))
    tables = document.data.get("policies", {})
    if not isinstance(tables, dict):
        tables = {}
        problems.append(document.problem(("policies",), "must hold tables [policies.NAME]"))
    for name, table in tables.items():
        try:
            policies[name] = _policy(document, name, table, policies)
        except FileProblems as found:
            problems += found.problems
    if problems:
        raise PolicyFileError(problems)
    return policies


def _policy(
    document: LocatedToml, name: str, table: Any, known: Mapping[str, GazePolicy]
) -> GazePolicy:
    place = ("policies", name)
    if not isinstance(table, dict):
        raise PolicyFileError([document.problem(place, f"must be a table, not {table!r}")])
    own = dict(table)
    based_on = own.pop("based_on", None)
    data: dict[str, Any] = {}
    if based_on is not None:
        try:
            base = find_policy(str(based_on), known)
        except ValueError as error:
            raise PolicyFileError([document.problem((*place, "based_on"), str(error))]) from None
        data = base.model_dump()
    data |= own | {"name": name}
    try:
        return GazePolicy.model_validate(data)
    except ValidationError as error:
        problems = problems_of(
            error, document, GazePolicy, data, relocate=lambda path: (*place, *path),
            also_known=("based_on",),
        )  # fmt: skip
        raise PolicyFileError(problems) from None
