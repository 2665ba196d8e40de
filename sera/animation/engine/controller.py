"""Controllers: the blocks that an animation program is made of.

Design overview: there are two kinds. A *frame controller* moves channels: it writes into the row of
its layer. A *signal* gives one value (float, int, string or bool) that drives parameters of other
controllers; signals make up the secondary chains. Parameters are plain attributes of the object;
where a program wires one, the engine copies the source's value into the attribute before each
step, so that a controller never knows whether a value was written in the file or comes over a wire.

Life cycle: made from its settings, or by `make` from the parameters of a program file →
`bind(row)` once, where names become columns → `step(dt_s)` every frame while its layer has any
weight → never again once it was muted for a fault. When a program is loaded again, `adopt(old)`
takes over what the one of the same name was doing.

A laboratory's own controllers are subclasses in `controllers/*.py` of its workspace.

Units and frames: values in the channels' own units; parameters that people write are in degrees.
Threading: one owner, the engine.
Safety: a controller that raises, or gives what is no number, is muted and reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from sera.animation.assets import Animation, Face
    from sera.animation.body import Body
    from sera.animation.engine.affect import Affect
    from sera.animation.engine.seams import Seams
    from sera.animation.engine.sight import Sights
    from sera.animation.frame import Blend, ChannelLayout, FrameBlock
    from sera.emotion.profile import Profile

FloatArray = NDArray[np.float64]
ByteArray = NDArray[np.uint8]
Value = float | int | str | bool


class Output(StrEnum):
    """What comes out of a controller, as programs call it."""

    FRAME = "frame"
    FLOAT = "float"
    INT = "int"
    STRING = "string"
    BOOL = "bool"

    def fits(self, wanted: Output) -> bool:
        """Whether a wire of this kind may drive a parameter of the other."""
        return self is wanted or (self in {Output.INT, Output.BOOL} and wanted is Output.FLOAT)


class ControllerParameters(BaseModel):
    """Parameters of a controller, as they stand in a program file."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        defer_build=True,  # a program uses few of the many controllers
    )


class FrameWire:
    """Marks a parameter that takes the frame of another controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What a controller may need to be made."""

    body: Body
    animations: Mapping[str, Animation] = field(default_factory=dict)
    postures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    faces: Mapping[str, Face] = field(default_factory=dict)
    """By every word for them, fitted to the body."""
    profile: Profile | None = None
    """How the body shows what it feels."""
    seed: int = 0
    """Different for every controller of a program, the same in every run."""


class Row:
    """One row of the program's matrices: what frame controllers read and write."""

    __slots__ = (
        "_seams",
        "_speed_masks",
        "_speeds",
        "affect",
        "below",
        "layout",
        "masks",
        "measured",
        "number",
        "passthrough",
        "sights",
        "values",
    )

    def __init__(
        self,
        block: FrameBlock,
        row: int,
        measured: FloatArray | None = None,
        affect: Affect | None = None,
        sights: Sights | None = None,
        seams: Seams | None = None,
    ) -> None:
        self._seams = seams
        self.number = row
        self.layout: ChannelLayout = block.layout
        self.values: FloatArray = block.values[row]
        self.masks: ByteArray = block.masks[row]
        self.passthrough: FloatArray = block.passthrough[row]
        self._speeds: FloatArray = block.speeds[row]
        self._speed_masks: ByteArray = block.speed_masks[row]
        self.below: Blend | None = None
        """What the layers below add up to; only where a controller of the layer asks for it."""
        self.measured: FloatArray = block.layout.neutral if measured is None else measured
        """Where the body is, as far as it is known (see `Engine.heartbeat`)."""
        self.sights: Sights | None = sights
        """Where faces and hands are; None where a row is only looked at."""
        self.affect: Affect | None = affect
        """What the character feels; None where a row is only looked at."""

    @property
    def seams(self) -> Seams:
        """How long going over takes, and who owns which limb; an engine has it."""
        assert self._seams is not None
        return self._seams

    def write(self, column: int, value: float) -> None:
        """Animate a channel in this frame."""
        self.values[column] = value
        self.masks[column] = 1

    def add(self, column: int, value: float) -> None:
        """Add to what the layer has for a channel; nought where it has nothing yet."""
        self.values[column] += value
        self.masks[column] = 1

    def set_speed(self, column: int, speed: float) -> None:
        """Say how fast the motor may follow, as a factor on its own speed."""
        self._speeds[column] = speed
        self._speed_masks[column] = 1

    def read(self, column: int) -> float:
        """What the chain so far, or the layers below, have for a channel; neutral if nobody."""
        if self.masks[column]:
            return float(self.values[column])
        if self.below is not None:
            return float(self.below.values[column])
        return float(self.layout.neutral[column])


class Controller(ABC):
    """Something that moves channels."""

    Parameters: ClassVar[type[ControllerParameters]] = ControllerParameters
    output: ClassVar[Output] = Output.FRAME
    wires: ClassVar[frozenset[str]] = frozenset()
    """Parameters that may be driven by another controller: attributes of the same name."""
    reads_below: ClassVar[bool] = False
    """True where it changes what the layers below made; its layer has to override."""
    moves_hands: ClassVar[bool] = False
    """True where hands work by it, so that their paths are kept whatever the body expresses."""
    looks_below: ClassVar[bool] = False
    """True where it only looks at what the layers below made, and may add to them."""
    name: str = ""
    muted: bool = False
    off_chain: bool = False
    """A frame controller that feeds another one and has a row of its own; set by the program."""
    result: Value = 0.0
    """What a signal gave in the last frame; frame controllers leave it alone."""
    pulls: tuple[tuple[str, Any], ...] = ()
    """Attribute and the signal that drives it; set by the program."""

    @property
    def rests(self) -> bool:
        """Whether a step would write nothing and change nothing, so that it can be left out."""
        return False

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        """One from the parameters of a program file.

        Raises:
            ValueError, LookupError: one sentence on what does not fit.
        """
        raise NotImplementedError(f"{cls.__name__} cannot be used in a program file")

    @abstractmethod
    def bind(self, row: Row) -> None:
        """Find the columns once; LookupError names a channel that the body does not have."""

    @abstractmethod
    def step(self, dt_s: float) -> None:
        """Write this frame's values into the row."""

    def adopt(self, old: Self) -> None:  # noqa: B027 - most have nothing to take over
        """Go on where the controller of the same name in the program before was."""


class Signal(Controller):
    """Something that gives one value a frame, in `result`."""

    output: ClassVar[Output] = Output.FLOAT

    def bind(self, row: Row) -> None:
        """A signal has no channels."""
