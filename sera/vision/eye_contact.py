"""Whether somebody looks at the robot: the face points at it, within a cone.

Design overview: webcams show too few pixels of an eye to follow the gaze, so the head stands for
it, as people do at a distance. The cone is wider to stay in than to get in, so that somebody on its
edge does not blink in and out.
Units and frames: metres and degrees in the scenario's space.
Threading: none.
"""

from __future__ import annotations

from collections.abc import Mapping

from sera.behaviour.space import Vector, between_deg


class EyeContact:
    """Remembers whom each person looks at."""

    def __init__(self, *, enter_deg: float = 14.0, leave_deg: float = 20.0) -> None:
        if not 0.0 < enter_deg <= leave_deg:
            raise ValueError(
                f"the cone of eye contact is entered at {enter_deg:g} and left at {leave_deg:g} "
                "degrees: the second must not be smaller"
            )
        self._enter_deg = enter_deg
        self._leave_deg = leave_deg
        self._looks_at: dict[str, str] = {}

    def step(
        self, person: str, head_m: Vector, face: Vector, targets: Mapping[str, Vector]
    ) -> str | None:
        """The target that a person's face points at; None: none of them."""
        angles = {
            name: between_deg(face, _towards(head_m, place)) for name, place in targets.items()
        }
        before = self._looks_at.get(person)
        best = min(angles, key=lambda name: angles[name], default=None)
        # It takes somebody who is clearly meant more to take a look away.
        before_deg = angles.get(before or "", 360.0)
        if before_deg <= self._leave_deg and angles[best or ""] > before_deg - 5.0:
            return before
        if best is not None and angles[best] <= self._enter_deg:
            self._looks_at[person] = best
            return best
        self._looks_at.pop(person, None)
        return None

    def forget(self, person: str) -> None:
        """Somebody was lost."""
        self._looks_at.pop(person, None)


def _towards(start_m: Vector, end_m: Vector) -> Vector:
    return end_m[0] - start_m[0], end_m[1] - start_m[1], end_m[2] - start_m[2]
