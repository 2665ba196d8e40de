"""What simulated people do: steps that somebody wrote, and habits that fill the time between.

A script is a list of steps in the scenario file, each with `do` and what that needs:

    script = [
        { do = "come", to = "guest" },
        { do = "look", at = "ada", for_s = 2 },
        { do = "say", text = "Hello robot." },
        { do = "leave" },
    ]

Units and frames: metres on the floor of the scenario's space (x to the left of somebody who faces
forward, z forward), seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from sera.runtime.located import nearest_name

FloorPoint = tuple[float, float]
"""x and z."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Doing = Literal["come", "walk", "cross", "sit", "stand", "look", "say", "answer", "wait", "leave"]
ROBOT = "robot"
"""The first character, whatever it is called."""
AWAY = "away"
"""Somewhere beside everything."""
AROUND = "around"
"""Here and there, as habit has it."""

_TAKES: Mapping[str, tuple[str, ...]] = {
    "come": ("to", "via", "speed_m_s"),
    "walk": ("to", "via", "speed_m_s"),
    "cross": ("to", "via", "speed_m_s"),
    "sit": ("to", "via", "speed_m_s"),
    "stand": (),
    "look": ("at", "for_s"),
    "say": ("text", "at"),
    "answer": ("text", "for_s"),
    "wait": ("for_s",),
    "leave": ("via", "speed_m_s"),
}
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "walk": ("to",),
    "look": ("at",),
    "say": ("text",),
    "answer": ("text",),
    "wait": ("for_s",),
}
_EXAMPLES: Mapping[str, str] = {
    "to": 'to = "guest" or to = [0.2, 1.2]',
    "at": 'at = "robot"',
    "text": 'text = "Hello robot."',
    "for_s": "for_s = 2",
}


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class ScriptStep(_Table):
    """One step of a script."""

    do: Doing
    """come, walk, cross (pass by and be gone), sit, stand, look, say, answer, wait or leave."""
    to: Text | FloorPoint | None = None
    """Where: a seat, a person of the scenario file (their place), or x and z in metres."""
    via: list[FloorPoint] = Field(default_factory=list, max_length=100)
    """Places on the way."""
    speed_m_s: float | None = Field(default=None, ge=0.1, le=3.0)
    at: Text | None = None
    """Whom or what: `robot`, `away`, `around`, a character, person, screen, object or seat."""
    text: Text | None = None
    for_s: float | None = Field(default=None, ge=0.0, le=86400.0)
    """How long; an `answer` waits so long for the robot's words."""

    @model_validator(mode="after")
    def _takes_what_it_needs(self) -> Self:
        # Empty values count as left out: a process of its own gets the settings written in full.
        given = [name for name, value in self if name != "do" and value not in (None, [])]
        for name in given:
            if name not in _TAKES[self.do]:
                takes = " and ".join(_TAKES[self.do]) or "nothing else"
                raise ValueError(f"the step '{self.do}' takes no `{name}` (it takes {takes})")
        for name in _NEEDS.get(self.do, ()):
            if getattr(self, name) is None:
                raise ValueError(
                    f"the step '{self.do}' needs `{name}`; add for example {_EXAMPLES[name]}"
                )
        return self


class Traits(_Table):
    """Somebody who is simulated: what they do, and how they are."""

    script: list[ScriptStep] | None = Field(default=None, max_length=1000)
    """What they do, one step after the other; left out: come, stay, leave."""
    stays_s: float = Field(default=20.0, ge=0.0, le=86400.0)
    """How long they stay without a script."""
    repeats: int = Field(default=1, ge=0)
    """How often the script is played; 0: without end."""
    pause_s: float = Field(default=4.0, ge=0.0)
    """Mean time between two times."""
    comes_after_s: float = Field(default=0.2, ge=0.0)
    """When they begin."""
    door_m: FloorPoint | None = None
    """Where they come from and go to; left out, the door of all."""
    walks_m_s: float = Field(default=1.1, ge=0.1, le=3.0)
    looks_around: float = Field(default=0.3, ge=0.0, le=1.0)
    """Part of the time that they look at something else than the robot or who speaks."""
    says: list[Text] = Field(default_factory=list, max_length=200)
    """What they say of their own accord while they stay."""
    says_every_s: float = Field(default=0.0, ge=0.0)
    """How often, on average; 0: never."""
    answers: dict[str, list[Text]] = Field(default_factory=dict)
    """What they answer to the robot: a part of its words (`?` for any question), and answers."""
    answers_part: float = Field(default=1.0, ge=0.0, le=1.0)
    """Part of the robot's words that they answer."""
    reaction_s: float = Field(default=0.8, ge=0.0, le=30.0)
    """How long they think before an answer, on average."""

    def steps(self) -> list[ScriptStep]:
        """The script, or the usual visit."""
        if self.script is not None:
            return self.script
        return [
            ScriptStep(do="come"),
            ScriptStep(do="wait", for_s=self.stays_s),
            ScriptStep(do="leave"),
        ]


def script_problems(
    name: str, traits: Traits, walkable: Collection[str], visible: Collection[str]
) -> list[str]:
    """What a script asks for that the scenario does not have, one sentence each.

    Args:
        name: who plays it.
        traits: the script.
        walkable: seats and people one can go to.
        visible: everything one can look at.
    """
    found: list[str] = []
    for number, step in enumerate(traits.steps(), start=1):
        where = f"people.{name}.script[{number - 1}] ('{step.do}')"
        if isinstance(step.to, str) and step.to not in walkable:
            found.append(_unknown(where, "place", step.to, walkable))
        if step.at is not None and step.at not in visible:
            found.append(_unknown(where, "target", step.at, visible))
    return found


def _unknown(where: str, what: str, name: str, known: Collection[str]) -> str:
    near = nearest_name(name, known)
    meant = f"; did you mean '{near}'?" if near else ""
    listed = ", ".join(sorted(known)) or "none"
    return f"{where}: there is no {what} '{name}'{meant} (known: {listed}); the step is left out"
