"""Find the pose of a screen, or of the robot, from where the robot looked to meet known points.

Design overview: an operator has the robot look at corners of a screen or at seats and nudges it
until the look is right. Each pair (known point, angles) gives two equations; the six numbers of the
pose (four where whatever it is keeps its tilt) follow by least squares on the angle between the
wanted and the found direction. Many starts, because a flat set of points seen from one eye looks
nearly the same from two poses. A point that fits badly is named and left out, the one first whose
absence makes the others fit best: a plain fit would bend towards it and blame its neighbours.

Units and frames: metres, degrees; the pose that was written in the scenario is the first guess.
Threading: no state; numpy and scipy are loaded at the first call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from sera.behaviour.space._angles import Angles, between_deg, vector_of
from sera.behaviour.space._frame import Frame, Vector
from sera.behaviour.space._room import Observer
from sera.behaviour.space._screen import ScreenPlane

OUTLIER_DEG = 2.0
"""A point whose residual is larger than this does not belong to the others."""
_UNDETERMINED = 1e-6
_START_YAWS_DEG = (0.0, 40.0, -40.0, 90.0, -90.0, 140.0, -140.0, 180.0)
_GOOD_ENOUGH_DEG = 1e-3


class CalibrationError(ValueError):
    """The measurements do not say what the pose is."""


class Freedom(Enum):
    """Which numbers of a pose are unknown."""

    FULL = "full"
    """Position, yaw, pitch and roll."""
    UPRIGHT = "upright"
    """Position and yaw; pitch and roll are known."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One point that the robot was made to look at."""

    name: str
    point_m: Vector
    """For the pose of a screen: along the screen's own axes (`ScreenPlane.local_m`); for the
    pose of the robot: in the room."""
    angles: Angles
    """Where the robot looked then."""


@dataclass(frozen=True, slots=True)
class SolvedPose:
    """The pose that explains the measurements best."""

    frame: Frame
    residuals_deg: dict[str, float]
    """How far the look was from each point, outliers included."""
    outliers: tuple[str, ...]
    """Points that were left out because they do not fit the others."""
    loose_m: float = 0.0
    """How far an error of 1° in each look moves the position: large where all points are far away
    or close together."""

    @property
    def rms_deg(self) -> float:
        """Root mean square over the points that were used."""
        used = [value for name, value in self.residuals_deg.items() if name not in self.outliers]
        return math.sqrt(sum(value * value for value in used) / len(used))

    @property
    def worst_deg(self) -> float:
        """The largest residual of the points that were used."""
        return max(v for name, v in self.residuals_deg.items() if name not in self.outliers)


_Look = Callable[[Frame, Vector], Vector]


def solve_screen_pose(
    observer: Observer,
    screen: ScreenPlane,
    sightings: Sequence[Sighting],
    *,
    freedom: Freedom = Freedom.FULL,
    outlier_deg: float = OUTLIER_DEG,
) -> SolvedPose:
    """The pose of a screen from where a robot of known pose looked.

    Raises:
        CalibrationError: too few points, or points that leave the pose open.
    """
    eye = observer.eye_m

    def look(frame: Frame, point_m: Vector) -> Vector:
        x, y, z = observer.frame.to_local(frame.to_room(point_m))
        return (x - eye[0], y - eye[1], z - eye[2])

    def admissible(frame: Frame) -> bool:
        # The picture can only be pointed at from its front.
        return frame.to_local(observer.eye_in_room_m)[2] > 0.0

    return _solve(_Fit(look, screen.frame, freedom, admissible), sightings, outlier_deg)


def solve_robot_pose(
    observer: Observer,
    sightings: Sequence[Sighting],
    *,
    freedom: Freedom = Freedom.UPRIGHT,
    outlier_deg: float = OUTLIER_DEG,
) -> SolvedPose:
    """The pose of the robot from where it looked to meet known places of the room.

    Raises:
        CalibrationError: too few points, or points that leave the pose open.
    """
    eye = observer.eye_m

    def look(frame: Frame, point_m: Vector) -> Vector:
        x, y, z = frame.to_local(point_m)
        return (x - eye[0], y - eye[1], z - eye[2])

    return _solve(_Fit(look, observer.frame, freedom, lambda _: True), sightings, outlier_deg)


def _solve(fit: _Fit, sightings: Sequence[Sighting], outlier_deg: float) -> SolvedPose:
    fewest = 4 if fit.freedom is Freedom.FULL else 3
    names = [sighting.name for sighting in sightings]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CalibrationError(f"the point '{twice}' is given twice; give each its own name")
    if len(names) < fewest:
        raise CalibrationError(
            f"{len(names)} points are too few: a pose needs at least {fewest}, not all on one line"
        )
    used = list(sightings)
    frame = fit.best(used)
    # One point more than needed is not enough to tell which one is wrong.
    while fit.worst_deg(frame, used) > outlier_deg and len(used) > fewest:
        choices = [[s for s in used if s is not left_out] for left_out in used]
        frames = [fit.best(choice) for choice in choices]
        errors = [fit.worst_deg(f, c) for f, c in zip(frames, choices, strict=True)]
        least = min(range(len(used)), key=errors.__getitem__)
        used, frame = choices[least], frames[least]
    loose_m = fit.looseness_m(frame, used)
    kept = {sighting.name for sighting in used}
    return SolvedPose(
        frame,
        {s.name: fit.error_deg(frame, s) for s in sightings},
        tuple(name for name in names if name not in kept),
        loose_m,
    )


@dataclass(frozen=True)
class _Fit:
    look: _Look
    guess: Frame
    freedom: Freedom
    admissible: Callable[[Frame], bool]

    def best(self, used: Sequence[Sighting]) -> Frame:
        from scipy.optimize import least_squares

        best: tuple[bool, float, Frame] | None = None
        for turned_deg in _START_YAWS_DEG:
            start = _turned(self.guess, (0.0, math.radians(turned_deg), 0.0))
            found = least_squares(
                lambda values, start=start: self._misses(start, values, used),
                [0.0] * self._unknowns,
                method="trf", xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=200,
            )  # fmt: skip
            frame = self._moved(start, found.x)
            candidate = (not self.admissible(frame), float(found.cost), frame)
            if best is None or candidate[:2] < best[:2]:
                best = candidate
            if not best[0] and self.worst_deg(best[2], used) < _GOOD_ENOUGH_DEG:
                break
        assert best is not None
        return best[2]

    def looseness_m(self, frame: Frame, used: Sequence[Sighting]) -> float:
        """How far an error of 1° in each look moves the position, in its worst direction.

        Raises:
            CalibrationError: without end.
        """
        import numpy as np
        from scipy.optimize import approx_fprime

        slopes = approx_fprime(
            np.zeros(self._unknowns), lambda values: np.array(self._misses(frame, values, used))
        )
        strengths = np.linalg.svd(slopes, compute_uv=False)
        if len(strengths) < self._unknowns or strengths[-1] < _UNDETERMINED * strengths[0]:
            raise CalibrationError(
                "these points leave the pose open, as when all lie on one line; "
                "add one beside the others"
            )
        spread = np.linalg.inv(slopes.T @ slopes)[:3, :3]
        return math.radians(1.0) * math.sqrt(float(np.linalg.eigvalsh(spread)[-1]))

    def error_deg(self, frame: Frame, sighting: Sighting) -> float:
        return between_deg(self.look(frame, sighting.point_m), vector_of(sighting.angles))

    def worst_deg(self, frame: Frame, used: Sequence[Sighting]) -> float:
        return max(self.error_deg(frame, sighting) for sighting in used)

    @property
    def _unknowns(self) -> int:
        return 6 if self.freedom is Freedom.FULL else 4

    def _moved(self, start: Frame, values: Sequence[float]) -> Frame:
        """A pose near another: so far along the axes of the room, and turned about them.

        Not yaw, pitch and roll, which are no longer three where something lies flat.
        """
        x, y, z, *turn = (float(value) for value in values)
        about = (turn[0], turn[1], turn[2]) if len(turn) == 3 else (0.0, turn[0], 0.0)
        here = start.position_m
        return Frame((here[0] + x, here[1] + y, here[2] + z), _turned(start, about).axes)

    def _misses(
        self, start: Frame, values: Sequence[float], used: Sequence[Sighting]
    ) -> list[float]:
        """Difference of the unit vectors: the angle for small ones, and smooth everywhere."""
        frame = self._moved(start, values)
        misses: list[float] = []
        for sighting in used:
            found = self.look(frame, sighting.point_m)
            length = math.hypot(*found) or 1.0
            wanted = vector_of(sighting.angles)
            misses += [f / length - w for f, w in zip(found, wanted, strict=True)]
        return misses


def _turned(frame: Frame, about_rad: Vector) -> Frame:
    """The frame where it is, turned about an axis of the room by the length of the vector."""
    angle = math.hypot(*about_rad)
    if angle == 0.0:
        return frame
    x, y, z = (part / angle for part in about_rad)
    c, s = math.cos(angle), math.sin(angle)
    turn = (
        (c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
        (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)),
    )
    columns = list(zip(*frame.axes, strict=True))
    a, b, last = (
        tuple(sum(r * v for r, v in zip(row, column, strict=True)) for column in columns)
        for row in turn
    )
    return Frame(
        frame.position_m, ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (last[0], last[1], last[2]))
    )
