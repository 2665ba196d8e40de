"""Going from mark to mark with a robot: nudge its look until it is right, accept, go back.

Design overview: `Marking` only keeps account; who uses it sends `look` to the robot after each
call. Every call answers with a sentence for the operator, empty where there is nothing to say.

Units and frames: degrees as the robot sees them, right and up positive.
Threading: one thread, no clock.
Safety: no look ever leaves the robot's reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sera.behaviour.space._angles import Angles
from sera.behaviour.space._marks import GazeReach, Mark
from sera.behaviour.space._room import Observer


class Marking:
    """One pass over the marks of a room.

    Args:
        observer: the robot, as the scenario places it.
        marks: where to look, in this order.
        reach: what the robot's gaze can do.
    """

    def __init__(self, observer: Observer, marks: Sequence[Mark], reach: GazeReach) -> None:
        self.marks = tuple(marks)
        self.reach = reach
        self._nominal = [observer.angles_to(mark.place_m) for mark in self.marks]
        self._looks = [reach.nearest(angles) for angles in self._nominal]
        self._touched = [False] * len(self.marks)
        self._accepted = [False] * len(self.marks)
        self._at = 0

    @property
    def mark(self) -> Mark | None:
        """Where the robot looks now; None after the last one."""
        return None if self.is_over else self.marks[self._at]

    @property
    def number(self) -> int:
        """Which mark it is, from 1."""
        return self._at + 1

    @property
    def is_over(self) -> bool:
        return self._at >= len(self.marks)

    @property
    def look(self) -> Angles:
        """Where the robot has to look now."""
        return self._looks[min(self._at, len(self.marks) - 1)]

    @property
    def nominal(self) -> Mapping[Mark, Angles]:
        """Where each mark would be if the scenario were right."""
        return MappingProxyType(dict(zip(self.marks, self._nominal, strict=True)))

    @property
    def accepted(self) -> dict[Mark, Angles]:
        """Where the robot looked when the operator said that it was right."""
        each = zip(self.marks, self._looks, self._accepted, strict=True)
        return {mark: look for mark, look, accepted in each if accepted}

    def introduction(self) -> str:
        """What to say when a mark begins; that it is out of reach, where it is."""
        if self.is_over or self.reach.holds(self._nominal[self._at]):
            return ""
        angles = self._nominal[self._at]
        return (
            f"{self.marks[self._at].name} is out of reach at {shown_angles(angles)} (the gaze goes "
            f"{self.reach}): the robot looks as near as it can; nudge it if it is there, else skip"
        )

    def nudge(self, right_deg: float, up_deg: float) -> str:
        """Turn the look a little."""
        look = self.look
        return self.turn_to(Angles(look.horizontal_deg + right_deg, look.vertical_deg + up_deg))

    def turn_to(self, angles: Angles) -> str:
        """Look in that direction, or as near to it as the robot can."""
        if self.is_over:
            return "all marks are done"
        near = self.reach.nearest(angles)
        self._touched[self._at] = self._touched[self._at] or near != self._looks[self._at]
        self._looks[self._at] = near
        self._accepted[self._at] = False
        if self.reach.holds(angles):
            return ""
        return f"that is as far as the gaze goes ({self.reach})"

    def accept(self) -> str:
        """The look is right: keep it and go on."""
        if self.is_over:
            return "all marks are done"
        name, at = self.marks[self._at].name, self._at
        self._at += 1
        if not self.reach.holds(self._nominal[at]) and not self._touched[at]:
            self._accepted[at] = False
            return f"{name} is out of reach and was not nudged, so it is left out"
        self._accepted[at] = True
        return ""

    def skip(self) -> str:
        """Leave this mark out and go on."""
        if self.is_over:
            return "all marks are done"
        self._accepted[self._at] = False
        self._at += 1
        return ""

    def back(self) -> str:
        """Return to the mark before, which looks as it was left."""
        if self._at == 0:
            return "this is the first mark"
        self._at -= 1
        self._accepted[self._at] = False
        return ""


def shown_angles(angles: Angles) -> str:
    """`12.0° right, 3.5° down`."""
    side = "right" if angles.horizontal_deg >= 0 else "left"
    height = "up" if angles.vertical_deg >= 0 else "down"
    return f"{abs(angles.horizontal_deg):.1f}° {side}, {abs(angles.vertical_deg):.1f}° {height}"
