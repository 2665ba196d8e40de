"""Faces: expressions for a moment, over one that stays.

Design overview: a face that stays is shown until the next one. A face for a moment covers it and
then gives way to it again. `neutral`, and any face without values, lets go, so that the face of the
posture appears.
Units and frames: values in the channels' own units; seconds.
Threading: one owner.
Safety: faces grow over each other without a jump; an unknown one, or one that the body has nothing
to show with, is refused in one sentence and changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from sera.animation.assets import Face
from sera.animation.assets.face import NEUTRAL
from sera.animation.controllers._looks import Looks
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.runtime.located import nearest_name

_Asked = tuple[str, float, float]
"""Name, weight and blend_s of an order."""


class FaceController(Controller):
    """Shows faces, for a moment or to stay."""

    class Parameters(ControllerParameters):
        """What it begins with."""

        face: str = NEUTRAL
        """The face that stays; neutral is there for every body. A wire may change it."""
        blend_s: float = Field(default=0.3, ge=0.0, le=60.0)
        """How long the change takes when a wire asks for another one, seconds."""

    wires = frozenset({"face"})

    def __init__(self, faces: Mapping[str, Face], first: str = NEUTRAL) -> None:
        """Know faces by every word for them, and begin with the first."""
        self.name = "face"
        self.face = self._wired = self._first = first
        """The one that was wired last; orders by `show` stand until the wire changes."""
        self.blend_s = 0.3
        self.refused: list[str] = []
        """What a wire asked for that cannot be done, since somebody last emptied the list."""
        self._faces: dict[str, Face] = {NEUTRAL: Face(NEUTRAL, {}), **faces}
        self._looks = Looks()
        self._stays: _Asked = (self.known(first).name, 1.0, 0.3)
        self._moment: _Asked | None = None
        self._left_s = 0.0

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(making.faces, parameters.face)
        made.blend_s = parameters.blend_s
        return made

    def known(self, name: str) -> Face:
        """The face of that name or word.

        Raises:
            LookupError: there is none, with the nearest name; or the body cannot show it.
        """
        face = self._faces.get(name) or self._faces.get(name.lower())
        if face is None:
            near = nearest_name(name.lower(), self._faces)
            hint = f"; did you mean '{near}'?" if near else ""
            raise LookupError(f"there is no face '{name}'{hint}")
        if not face.can_be_shown:
            lacking = ", ".join(face.lacking)
            raise LookupError(f"this body cannot show the face '{name}': it has none of {lacking}")
        return face

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = {
            face.name: {
                column: value
                for channel, value in face.values.items()
                if (column := row.layout.find(channel)) is not None
            }
            for face in self._faces.values()
        }
        self._looks = Looks()
        self._go((self._stays[0], 1.0, 0.0))

    def show(
        self,
        name: str,
        *,
        hold_s: float | None = None,
        weight: float = 1.0,
        blend_s: float = 0.3,
    ) -> None:
        """Show a face; `hold_s` None lets it stay.

        Raises:
            LookupError: it cannot be shown; nothing changes then.
        """
        asked = (self.known(name).name, weight, blend_s)
        if hold_s is None:
            self._stays, self._moment = asked, None
        else:
            self._moment, self._left_s = asked, blend_s + hold_s
        self._go(asked)

    def end_moment(self) -> None:
        """A face for a moment has been shown long enough."""
        if self._moment is not None:
            name, weight, _ = self._stays
            self._go((name, weight, self._moment[2]))
            self._moment = None

    @property
    def shown(self) -> str:
        """Name of the face that is shown, or coming."""
        return self._stays[0] if self._moment is None else self._moment[0]

    @property
    def rests(self) -> bool:
        return self._looks.empty and self._moment is None and self.face == self._wired

    def step(self, dt_s: float) -> None:
        if self.face != self._wired:
            self._follow_wire()
        if self._moment is not None:
            # In the frame after the last: a hold of n frames is seen for n frames.
            if self._left_s <= 1e-9:
                self.end_moment()
            self._left_s -= dt_s
        self._looks.step(dt_s, self._row)

    def _go(self, asked: _Asked) -> None:
        name, weight, blend_s = asked
        self._looks.show(self._columns[name], opacity=weight, blend_s=blend_s)

    def _follow_wire(self) -> None:
        """Show the face that a wire names; no name, or an unknown one, changes nothing."""
        self._wired = self.face
        if self.face:
            try:
                self.show(self.face, blend_s=self.blend_s)
            except LookupError as error:
                self.refused.append(str(error.args[0]))

    def adopt(self, old: Self) -> None:
        """Go on with the faces that are shown; those that have changed or gone are exchanged."""
        self._looks = old._looks
        if self._first == old._first:
            self.face, self._wired = old.face, old._wired
            self._stays, self._moment, self._left_s = old._stays, old._moment, old._left_s
        if self._stays[0] not in self._columns:
            self._stays = (NEUTRAL, 1.0, self.blend_s)
        if self._moment is not None and self._moment[0] not in self._columns:
            self._moment = None
        name, weight, _ = self._moment or self._stays
        if name != old.shown or self._columns[name] != old._columns[name]:
            self._go((name, weight, self.blend_s))
