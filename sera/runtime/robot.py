"""The robot's card: what a run needs to know of a body before any engine is loaded.

`robots/<name>/body.toml` belongs to the animation engine, which reads all of it. This file reads
the part that lists, checks and shows a robot, and lets every further table pass.

Units and frames: degrees and metres, as people write them. Y up, right-handed, the robot faces
+Z; an axis is that of the joint's own frame in the neutral pose.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name

Axis = Literal["x", "y", "z", "-x", "-y", "-z"]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class RobotError(FileProblems):
    """A body file that cannot be used, with everything that is wrong in it."""

    what = "body file"


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", allow_inf_nan=False, use_attribute_docstrings=True
    )


class Joint(_Table):
    """One degree of freedom with its limits."""

    name: _Text
    kind: Literal["revolute", "continuous", "prismatic"] = "revolute"
    """`revolute` turns between limits, `continuous` turns without end, `prismatic` slides."""
    axis: Axis | None = None
    """What it turns about or slides along; not given where a URDF says so."""
    length_m: float | None = Field(default=None, ge=0)
    """Length of the segment from this joint to the next."""
    lower_deg: float | None = None
    upper_deg: float | None = None
    neutral_deg: float = 0.0
    max_velocity_deg_s: float | None = Field(default=None, gt=0)
    lower_m: float | None = None
    upper_m: float | None = None
    neutral_m: float = 0.0
    max_velocity_m_s: float | None = Field(default=None, gt=0)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Lower and upper limit in degrees (prismatic: metres); None where it turns without end."""
        unit = "m" if self.kind == "prismatic" else "deg"
        lower, upper = getattr(self, f"lower_{unit}"), getattr(self, f"upper_{unit}")
        return None if lower is None or upper is None else (lower, upper)

    @model_validator(mode="after")
    def _limits_make_sense(self) -> Self:
        unit = "m" if self.kind == "prismatic" else "deg"
        if self.limits is None:
            if self.kind == "continuous":
                return self
            raise ValueError(f"a {self.kind} joint needs lower_{unit} and upper_{unit}")
        lower, upper = self.limits
        if lower >= upper:
            raise ValueError(f"lower_{unit} = {lower:g} must be below upper_{unit} = {upper:g}")
        neutral = getattr(self, f"neutral_{unit}")
        if not lower <= neutral <= upper:
            raise ValueError(
                f"neutral_{unit} = {neutral:g} lies outside the limits {lower:g} to {upper:g}"
            )
        return self


class Light(_Table):
    """One light, or a group that is switched as one."""

    name: _Text
    kind: Literal["on_off", "brightness", "colour"] = "brightness"


class _About(_Table):
    title: _Text
    description: str = ""
    urdf: str | None = None
    """File beside the body file with the kinematics; without it, axes and lengths stand here."""
    symmetric_head: bool = False
    """The head looks the same upside down, so the robot may turn it over to look behind itself."""
    eyes_m: tuple[float, float, float] | None = None
    """The point between the eyes in the neutral pose: to the robot's left, up, forward, from
    the middle of its foot."""


class _BodyFile(_Table):
    robot: _About
    joints: list[Joint] = []
    lights: list[Light] = []


class RobotCard(_Table):
    """A robot at a glance."""

    name: str
    """Name of its folder, which scenarios use."""
    folder: Path
    title: str
    description: str
    joints: tuple[Joint, ...]
    lights: tuple[Light, ...]
    urdf: Path | None
    symmetric_head: bool
    eyes_m: tuple[float, float, float] | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints from root to end, in the order of the file."""
        return tuple(joint.name for joint in self.joints)

    def joint(self, name: str) -> Joint:
        """The joint of that name.

        Raises:
            LookupError: with the nearest joint name.
        """
        for joint in self.joints:
            if joint.name == name:
                return joint
        near = nearest_name(name, self.joint_names)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"robot '{self.name}' has no joint '{name}'{hint}")


def load_robot(folder: Path) -> RobotCard:
    """Read the card of the robot in a folder.

    Raises:
        RobotError: with every problem of the body file, by line.
    """
    try:
        document = LocatedToml.load(folder / "body.toml")
    except FileProblem as problem:
        raise RobotError([problem]) from None
    try:
        body = _BodyFile.model_validate(document.data)
    except ValidationError as error:
        raise RobotError(problems_of(error, document, _BodyFile, document.data)) from None
    problems = _repeated_names(document, "joints", body.joints)
    problems += _repeated_names(document, "lights", body.lights)
    about = body.robot
    urdf = None if about.urdf is None else folder / about.urdf
    if urdf is not None and not urdf.is_file():
        problems.append(document.problem(("robot", "urdf"), f"there is no file {about.urdf}"))
    if problems:
        raise RobotError(problems)
    return RobotCard(
        name=folder.name,
        folder=folder,
        title=about.title,
        description=about.description,
        joints=tuple(body.joints),
        lights=tuple(body.lights),
        urdf=urdf,
        symmetric_head=about.symmetric_head,
        eyes_m=about.eyes_m,
    )


def _repeated_names(document: LocatedToml, table: str, parts: list[Any]) -> list[FileProblem]:
    first: dict[str, int] = {}
    problems = []
    for number, part in enumerate(parts):
        if first.setdefault(part.name, number) != number:
            line = document.line_of((table, first[part.name], "name"))
            message = f"the name '{part.name}' is taken by the one on line {line}"
            problems.append(document.problem((table, number, "name"), message))
    return problems
