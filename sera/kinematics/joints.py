"""Joints: what a chain or a tree is made of.

Design overview: a joint carries one link. Its frame is placed in the frame of its parent joint
(`origin_m`, `origin_wxyz`) and then turns about, or slides along, `axis`. A *fixed* joint only
places a frame. A *continuous* joint turns without end: its limits are one turn, and an angle
outside them is wrapped rather than held at an end. A *driven* joint (`mimic`) has no angle of its
own: it follows another joint as `multiplier * angle + shift`.

Units and frames: radians and metres; `axis` and `centre_m` in the joint's own frame; quaternions
(w, x, y, z).
Threading: immutable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

_UNIT_TOLERANCE = 1e-3


class JointKind(StrEnum):
    """How a joint moves."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint and the link that it carries.

    `lower`, `upper` and `velocity_limit` are in radians for a revolute joint, in metres for a
    prismatic one. `axis` may have any length but nought; it is kept at length one.
    """

    name: str
    kind: JointKind = JointKind.REVOLUTE
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    origin_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    origin_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    lower: float = -math.pi
    upper: float = math.pi
    velocity_limit: float = math.inf
    mass_kg: float = 0.0
    centre_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    parent: str | None = None
    continuous: bool = False
    mimic: str | None = None
    multiplier: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"A joint needs a name; this one is called {self.name!r}.")
        object.__setattr__(self, "kind", _kind(self.name, self.kind))
        axis = _numbers(self.name, "axis", self.axis, 3)
        if self.moves:
            axis = _unit(self.name, "axis", axis)
        turn = _numbers(self.name, "origin_wxyz", self.origin_wxyz, 4)
        if abs(math.hypot(*turn) - 1.0) > _UNIT_TOLERANCE:
            raise ValueError(
                f"Joint {self.name!r}: origin_wxyz {turn} has the length {math.hypot(*turn):.4g}; "
                "an orientation is a quaternion (w, x, y, z) of length 1."
            )
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "origin_wxyz", _unit(self.name, "origin_wxyz", turn))
        object.__setattr__(self, "origin_m", _numbers(self.name, "origin_m", self.origin_m, 3))
        object.__setattr__(self, "centre_m", _numbers(self.name, "centre_m", self.centre_m, 3))
        self._check_numbers()
        self._check_relations()

    @property
    def moves(self) -> bool:
        """Whether the joint turns or slides at all."""
        return self.kind is not JointKind.FIXED

    @property
    def has_angle(self) -> bool:
        """Whether the joint has an angle of its own: neither fixed nor driven by another."""
        return self.moves and self.mimic is None

    def _check_numbers(self) -> None:
        for field in ("lower", "upper", "mass_kg", "multiplier", "shift"):
            value = getattr(self, field)
            if not math.isfinite(value):
                raise ValueError(f"Joint {self.name!r}: {field} is {value}; give a finite number.")
            object.__setattr__(self, field, float(value))
        if self.moves and self.lower > self.upper:
            raise ValueError(
                f"Joint {self.name!r}: its lower limit {self.lower:.6g} is above its upper limit "
                f"{self.upper:.6g}; swap them."
            )
        if not self.velocity_limit > 0.0:
            raise ValueError(
                f"Joint {self.name!r}: velocity_limit is {self.velocity_limit}; it must be above "
                "nought, or math.inf for none."
            )
        if self.mass_kg < 0.0:
            raise ValueError(
                f"Joint {self.name!r}: mass_kg is {self.mass_kg}; no mass is negative."
            )

    def _check_relations(self) -> None:
        if self.parent == self.name:
            raise ValueError(f"Joint {self.name!r} is its own parent; name another, or None.")
        if self.continuous:
            if self.kind is not JointKind.REVOLUTE:
                raise ValueError(
                    f"Joint {self.name!r} is {self.kind.value}: only revolute joints can be "
                    "continuous."
                )
            object.__setattr__(self, "lower", -math.pi)
            object.__setattr__(self, "upper", math.pi)
        if self.mimic is None:
            return
        if not self.moves:
            raise ValueError(f"Joint {self.name!r} is fixed: it cannot follow {self.mimic!r}.")
        if self.mimic == self.name:
            raise ValueError(f"Joint {self.name!r} follows itself; name the joint that drives it.")


def _kind(name: str, kind: JointKind | str) -> JointKind:
    try:
        return JointKind(kind)
    except ValueError:
        known = ", ".join(JointKind)
        raise ValueError(f"Joint {name!r}: there is no kind {kind!r}; choose of {known}.") from None


def _numbers(name: str, field: str, values: Iterable[float], count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ValueError(f"Joint {name!r}: {field} is {values!r}; give {count} numbers.") from None
    if len(numbers) != count or not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"Joint {name!r}: {field} is {numbers}; give {count} finite numbers.")
    return numbers


def _unit(name: str, field: str, values: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*values)
    if length < 1e-12:
        raise ValueError(f"Joint {name!r}: {field} is {values}; a direction has a length.")
    return tuple(value / length for value in values)
