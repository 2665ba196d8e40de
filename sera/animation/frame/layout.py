"""Which channel stands in which column: names become indices once, when a program is loaded.

Design overview: a `ChannelLayout` is compiled from the channels of a body. The frame path works on
columns alone; names are for files, messages and reports. Lower and upper ends, neutral values and
limits lie in arrays in the same order, ready for the kernels.
Units and frames: every array is in the channel's own unit (radians, metres, percent 0 to 1, valence
-1 to 1), limits in that unit and seconds.
Threading: immutable; the arrays cannot be written.
Safety: ranges that are no ranges, and neutral values outside of them, are refused here, so that
the kernels may trust them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.channels import ChannelSpec, Unit


def _refuse_unusable(spec: ChannelSpec) -> None:
    if math.isnan(spec.lower) or math.isnan(spec.upper) or spec.lower > spec.upper:
        raise ValueError(
            f"channel {spec.name!r} has the range {spec.lower} to {spec.upper}; "
            "the lower end must not be above the upper one"
        )
    if not math.isfinite(spec.neutral) or not spec.lower <= spec.neutral <= spec.upper:
        raise ValueError(
            f"channel {spec.name!r} has the neutral value {spec.neutral}, "
            f"which is not within its range {spec.lower} to {spec.upper}"
        )


def _fixed(numbers: Iterable[float]) -> NDArray[np.float64]:
    array = np.array(list(numbers), dtype=np.float64)
    array.flags.writeable = False
    return array


class ChannelLayout:
    """The channels of a body in a fixed order.

    Args:
        specs: the channels; their order is the order of the columns.

    Raises:
        ValueError: two channels share a name, a range is no range, or a neutral value is outside.
    """

    __slots__ = (
        "_columns",
        "lower",
        "max_acceleration",
        "max_jerk",
        "max_velocity",
        "names",
        "neutral",
        "specs",
        "units",
        "upper",
    )

    def __init__(self, specs: Sequence[ChannelSpec]) -> None:
        self._columns: dict[str, int] = {}
        for column, spec in enumerate(specs):
            if spec.name in self._columns:
                raise ValueError(
                    f"two channels are called {spec.name!r} "
                    f"(the {self._columns[spec.name] + 1}. and the {column + 1}.); rename one"
                )
            _refuse_unusable(spec)
            self._columns[spec.name] = column
        self.specs: tuple[ChannelSpec, ...] = tuple(specs)
        self.names: tuple[str, ...] = tuple(self._columns)
        self.units: tuple[Unit, ...] = tuple(spec.unit for spec in specs)
        self.lower = _fixed(spec.lower for spec in specs)
        self.upper = _fixed(spec.upper for spec in specs)
        self.neutral = _fixed(spec.neutral for spec in specs)
        self.max_velocity = _fixed(spec.max_velocity for spec in specs)
        self.max_acceleration = _fixed(spec.max_acceleration for spec in specs)
        self.max_jerk = _fixed(spec.max_jerk for spec in specs)

    def __len__(self) -> int:
        return len(self.specs)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __repr__(self) -> str:
        return f"ChannelLayout({len(self)} channels)"

    def find(self, name: str) -> int | None:
        """The column of a channel, None where this body has no such channel."""
        return self._columns.get(name)

    def index(self, channel: str | int) -> int:
        """The column of a channel.

        Raises:
            LookupError: there is no such channel; the nearest name is in the sentence.
        """
        if isinstance(channel, str):
            column = self._columns.get(channel)
            if column is None:
                raise LookupError(self._unknown(channel))
            return column
        column = int(channel)
        # A negative index would silently mean another channel.
        if not 0 <= column < len(self.specs):
            raise LookupError(
                f"there is no channel number {column}; "
                f"this body has {len(self.specs)}, counted from 0"
            )
        return column

    def indices(self, channels: Iterable[str | int]) -> NDArray[np.intp]:
        """The columns of several channels, in the order asked for."""
        return np.array([self.index(channel) for channel in channels], dtype=np.intp)

    def of_set(self, body_set: str) -> NDArray[np.intp]:
        """The columns of a body set such as `Gazing`; empty where the body has none of it."""
        found = [at for at, spec in enumerate(self.specs) if spec.body_set == body_set]
        return np.array(found, dtype=np.intp)

    def _unknown(self, name: str) -> str:
        # Only here: the frame path must not wait for the runtime room to load.
        from sera.runtime.located import nearest_name

        near = nearest_name(name, self.names)
        hint = f"did you mean {near!r}?" if near else f"this body has {', '.join(self.names)}"
        return f"there is no channel {name!r}; {hint}"
