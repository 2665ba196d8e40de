"""What is felt, in programs: a signal for any parameter, postures and gaze of bodies like lines.

Design overview: all read what the engine's character feels. A body like a line has a profile that
says which of its postures goes with which emotion; they are mixed and laid over the posture below
as far as something is felt. Where it looks is somebody else's business and stands above every
posture: to that the gaze of the mixed postures is added, and an offset aside and down for whoever
is submissive. Bodies with hands show emotion in the second stage instead; these leave them alone.

Units and frames: channels in their own units; emotions from -1 to 1, features from 0 to 1.
Threading: one owner, the engine.
Safety: postures are the body's own, so that any mixture is within its limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from sera.animation.controllers._rows import lay_over
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row, Signal
from sera.emotion.features import features_of
from sera.emotion.posture_profile import PostureProfile

_GAZING = "Gazing."
_LEFT = -1.0
"""Gazing counts to the right; who stands there is averted to the left, towards the front."""
_UNSEEN = 0.05
What = Literal["pleasure", "arousal", "dominance", "intensity", "jerkiness", "activity", "gaze"]


class EmotionSignal(Signal):
    """One side of what is felt; nought, or the middle of a feature, while nothing is."""

    class Parameters(ControllerParameters):
        """Which side."""

        what: What = "arousal"
        """An axis of emotion, as far as it shows; how much shows; or a feature of motion."""

    def __init__(self, what: What = "arousal") -> None:
        self._what = what
        self._row: Row | None = None

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(parameters.what)

    def bind(self, row: Row) -> None:
        self._row = row

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        affect = None if self._row is None else self._row.affect
        if affect is None:
            return
        felt, what = affect.felt, self._what
        if what == "intensity":
            self.result = felt.intensity
        elif what in ("pleasure", "arousal", "dominance"):
            self.result = felt.intensity * float(getattr(felt.pad, what))
        else:
            feature = float(getattr(features_of(felt.pad), what))
            self.result = 0.5 + felt.intensity * (feature - 0.5)


class _ByPostures(Controller):
    """What bodies like lines do with what is felt: nothing where the body is of another kind."""

    class Parameters(ControllerParameters):
        """How much of it."""

        weight: float = 1.0
        """How much of it, 0 to 1."""

    wires = frozenset({"weight"})

    _row: Row

    def __init__(
        self, profile: PostureProfile | None, postures: Mapping[str, Mapping[str, float]]
    ) -> None:
        self.weight = 1.0
        self._profile, self._postures = profile, postures

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        profile = making.profile if isinstance(making.profile, PostureProfile) else None
        made = cls(profile, making.postures)
        made.weight = parameters.weight
        return made

    @property
    def rests(self) -> bool:
        affect = self._row.affect
        return self._profile is None or affect is None or affect.felt.intensity <= 0.0


class EmotionPosture(_ByPostures):
    """Mixes the postures that go with what is felt, for bodies like lines; see EmotionGaze."""

    def __init__(
        self, profile: PostureProfile | None, postures: Mapping[str, Mapping[str, float]]
    ) -> None:
        super().__init__(profile, postures)
        self.name = "emotion"

    def bind(self, row: Row) -> None:
        self._row = row
        used = () if self._profile is None else {a.posture for a in self._profile.anchors}
        self._columns = {
            name: {
                column: value
                for channel, value in self._postures.get(name, {}).items()
                if not channel.startswith(_GAZING)
                and (column := row.layout.find(channel)) is not None
            }
            for name in used
        }
        self._moved = sorted({column for values in self._columns.values() for column in values})

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        affect = self._row.affect
        if self._profile is None or affect is None or affect.felt.intensity <= 0.0:
            return
        felt = affect.felt
        shares = self._profile.weights(felt.pad)
        opacity = min(1.0, max(0.0, self.weight)) * felt.intensity
        neutral = self._row.layout.neutral
        for column in self._moved:
            rest = float(neutral[column])
            value = sum(
                share * self._columns[name].get(column, rest) for name, share in shares.items()
            )
            lay_over(self._row, column, value, opacity)


class EmotionGaze(_ByPostures):
    """Adds to the gaze of bodies like lines what is felt: how postures look, and averted gaze."""

    looks_below = True

    def __init__(
        self, profile: PostureProfile | None, postures: Mapping[str, Mapping[str, float]]
    ) -> None:
        super().__init__(profile, postures)
        self.name = "averted gaze"
        self._side = _LEFT

    def bind(self, row: Row) -> None:
        self._row = row
        self._horizontal = row.layout.find(f"{_GAZING}Horizontal")
        channels = [name for name in row.layout.names if name.startswith(_GAZING)]
        self._columns = {row.layout.index(name): name for name in channels}

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        affect = self._row.affect
        if self._profile is None or affect is None or affect.felt.intensity <= 0.0:
            return
        felt = affect.felt
        opacity = min(1.0, max(0.0, self.weight)) * felt.intensity
        shares = self._profile.weights(felt.pad)
        averted = self._averted(opacity * (1.0 - features_of(felt.pad).gaze))
        for column, channel in self._columns.items():
            posed = sum(
                share * self._postures.get(name, {}).get(channel, 0.0)
                for name, share in shares.items()
            )
            self._row.add(column, opacity * posed + averted.get(channel, 0.0))

    def _averted(self, away: float) -> dict[str, float]:
        """Aside and down, by as much as the gaze is averted."""
        assert self._profile is not None
        below = self._row.below
        if self._horizontal is not None and below is not None and away < _UNSEEN:
            # Looking straight at somebody: the side may change unseen.
            self._side = _LEFT if float(below.values[self._horizontal]) >= 0.0 else -_LEFT
        aside_rad, down_rad = self._profile.averted_rad
        return {
            f"{_GAZING}Horizontal": self._side * away * aside_rad,
            f"{_GAZING}Vertical": -away * down_rad,
        }

    def adopt(self, old: Self) -> None:
        self._side = old._side
