"""A body as the engine knows it: channels, rules, kinematics, limits.

Design overview: `load_body(folder)` reads `body.toml` and gives a `Body`, or every problem of the
file by line. Own channels are `Body.<joint>`, `Body.<light>` and further outputs; generic channels
exist where an enslaving rule moves own ones, with the range that these allow, and where a chain
aims by them.

Units and frames: radians and metres inside; Y up, facing +Z.
Threading: immutable.
Safety: limits that a file leaves out are filled with cautious ones (`_channels`), never none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sera.animation.body._file import Face
from sera.animation.body.enslaving import Rule
from sera.animation.body.sets import AIMS
from sera.animation.channels import OWN_SET, ChannelSpec
from sera.runtime.located import nearest_name

if TYPE_CHECKING:
    from sera.kinematics.tree import Tree


@dataclass(frozen=True, slots=True)
class IkChain:
    """A chain that holds postures while its end point aims."""

    name: str
    end_point: str
    symmetric: bool
    aims: str
    """A key of `AIMS`, such as `Gazing` or `Arms.LeftPoint`."""
    face: Face
    """What aims, as a direction in the frame of the end point."""
    begins: str | None = None
    """The first joint that may move for it; None where all may."""
    upright: bool = True
    """A face looks with its head upright; an arm that points may roll about its direction."""

    @property
    def horizontal(self) -> str:
        """The channel that says how far to the right."""
        return AIMS[self.aims][0]

    @property
    def vertical(self) -> str:
        """The channel that says how far upwards."""
        return AIMS[self.aims][1]


@dataclass(frozen=True, slots=True)
class Health:
    """When the body calms down and when it rests."""

    warn_temperature_c: float
    rest_temperature_c: float
    warn_battery: float
    rest_battery: float


@dataclass(frozen=True)
class Body:
    """One robot's body."""

    name: str
    folder: Path
    title: str
    description: str
    stop: Literal["hold", "compliant", "rest"]
    rate_hz: float
    channels: dict[str, ChannelSpec]
    """All channels by full name: own ones first, in the order of the file, then generic ones."""
    joints: tuple[str, ...]
    """Own names of the joints, in the order of the file."""
    rules: dict[str, Rule]
    """Enslaving rules by generic channel."""
    chains: tuple[IkChain, ...]
    rest: dict[str, float]
    """Own channel to value, for every own channel."""
    lag_s: dict[str, float]
    health: Health
    connection: dict[str, object] = field(default_factory=dict)

    @cached_property
    def own(self) -> dict[str, ChannelSpec]:
        """Own channels by their name without the set."""
        return {spec.own_name: spec for spec in self.channels.values() if spec.body_set == OWN_SET}

    @cached_property
    def generic(self) -> dict[str, ChannelSpec]:
        """Generic channels that this body can follow, by full name."""
        return {name: spec for name, spec in self.channels.items() if spec.body_set != OWN_SET}

    @cached_property
    def body_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spec.body_set for spec in self.channels.values()))

    @cached_property
    def tree(self) -> Tree:
        """The kinematics; built when first asked for, because that loads numpy and numba."""
        from sera.animation.body._kinematics import build_tree

        return build_tree(self.folder)

    def channel(self, name: str) -> ChannelSpec:
        """The channel of that full name.

        Raises:
            LookupError: with the nearest name.
        """
        if name in self.channels:
            return self.channels[name]
        near = nearest_name(name, self.channels)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the body of '{self.name}' has no channel '{name}'{hint}")

    def resolve(self, values: dict[str, float]) -> dict[str, float]:
        """Own channels that follow from values of any channels, all others neutral.

        Own channels take their own value, and generic ones add what their rules say beyond their
        neutral value. What only chains aim by moves nothing here. For looking at
        postures; the engine does the same, compiled.
        """
        own = self.own
        result = {name: spec.neutral for name, spec in own.items()}
        for name, value in values.items():
            spec = self.channel(name)
            if spec.body_set == OWN_SET:
                result[spec.own_name] = spec.clamp(value)
        for name in (name for name in self.rules if name in values):
            rule, at_rest = self.rules[name], self.channels[name].neutral
            before = rule.distribute(at_rest, own)
            for target, offset in rule.distribute(values[name], own).items():
                moved = result[target] + offset - before[target]
                result[target] = own[target].clamp(moved)
        return result
