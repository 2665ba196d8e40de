"""A camera's focal length, centre and distortion from pictures of a printed board.

Design overview: `ShotCollector` takes pictures one by one and keeps those that add something: a
whole, still board in another place or at another tilt than before. `calibrate` fits the camera to
the shots, leaves out pictures that fit badly (blurred, bent paper), and says how well the result is
known; what the shots lack is said as advice (`advice_for`).

Units and frames: pixels; degrees of the board's tilt against the picture.
Threading: no locks, one thread at a time. OpenCV is loaded at the first call.
Safety: shots that leave the camera open raise CalibrationProblem rather than give numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sera.vision.board import Board, BoardFinder, BoardShot
from sera.vision.camera import CameraModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_SHOTS = 5
GOOD_RMS_PX = 1.0
"""Calibrations of sharp pictures stay well below this."""
LOOSE_FOCAL = 0.02
"""A focal length that is known less exactly than this part of itself is known badly."""
_STILL_PART = 0.004
_NEW_PART = 0.05
_NEW_SHARE = 0.08
_GRID = 3
_TILTED_DEG = 15.0


class CalibrationProblem(ValueError):
    """The pictures do not say what the camera is; the message says what to add."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A camera, and how well it is known."""

    model: CameraModel
    rms_px: float
    """Root mean square of the distance between found and computed corners."""
    errors_px: tuple[float, ...]
    """The same for each shot that was used."""
    left_out: tuple[int, ...]
    """Shots that fitted badly, by their place in the list, from 0."""
    focal_doubt: float
    """Standard deviation of the focal length, as a part of it."""
    tilts_deg: tuple[float, ...]
    """How each board was tilted against the picture."""

    @property
    def fov_deg(self) -> tuple[float, float]:
        """Width and height of the picture as angles, distortion included."""
        width, height = self.model.width_px, self.model.height_px
        centre_x, centre_y = self.model.centre_px
        return (
            _between_deg(self.model.ray(-0.5, centre_y), self.model.ray(width - 0.5, centre_y)),
            _between_deg(self.model.ray(centre_x, -0.5), self.model.ray(centre_x, height - 0.5)),
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """What became of a picture."""

    shot: BoardShot | None
    """The board, where one was found."""
    taken: bool
    sentence: str


class ShotCollector:
    """Takes the pictures that add something.

    Args:
        board: what is looked for.
        wanted: how many shots are enough.
        must_be_still: for moving pictures: two in a row have to show the board in one place.
    """

    def __init__(self, board: Board, wanted: int = 20, *, must_be_still: bool = True) -> None:
        self.finder = BoardFinder(board)
        self.wanted = wanted
        self.shots: list[BoardShot] = []
        self.size_px: tuple[int, int] | None = None
        self._must_be_still = must_be_still
        self._before: BoardShot | None = None

    @property
    def enough(self) -> bool:
        return len(self.shots) >= self.wanted

    def offer(self, picture: NDArray[np.uint8]) -> Offer:
        """Look at a picture and take it where it adds something.

        Raises:
            CalibrationProblem: it is of another size than the first.
            ValueError: it is no picture.
        """
        size = (int(picture.shape[1]), int(picture.shape[0]))
        if self.size_px is None:
            self.size_px = size
        elif size != self.size_px:
            raise CalibrationProblem(
                f"a picture of {size[0]}x{size[1]} pixels among those of "
                f"{self.size_px[0]}x{self.size_px[1]}: all must be of one size"
            )
        shot = self.finder.find(picture)
        before, self._before = self._before, shot
        if shot is None:
            return Offer(None, taken=False, sentence="no board in view")
        width = size[0]
        if self._must_be_still and (
            before is None or shot.moved_px(before) > max(1.0, _STILL_PART * width)
        ):
            return Offer(shot, taken=False, sentence="hold the board still")
        # A board far away moves few pixels when it is tilted, which adds as much as a new place.
        new_px = min(_NEW_PART * width, _NEW_SHARE * shot.extent_px)
        if any(shot.moved_px(other) < new_px for other in self.shots):
            return Offer(shot, taken=False, sentence=f"taken already; {self.next_wish()}")
        self.shots.append(shot)
        return Offer(shot, taken=True, sentence=self.next_wish())

    def next_wish(self) -> str:
        """Where to hold the board next."""
        if self.size_px is None or not self.shots:
            return "hold the board so that it fills about half of the picture"
        empty = empty_parts(self.shots, self.size_px)
        if empty and len(self.shots) % 2:
            return f"hold the board {empty[0]} of the picture"
        turns = ("left", "right", "upwards", "downwards")
        return f"tilt the board {turns[len(self.shots) // 2 % 4]}, by 30° or so"


def empty_parts(shots: Sequence[BoardShot], size_px: tuple[int, int]) -> list[str]:
    """The parts of the picture in which no corner was ever seen, as an onlooker calls them."""
    import numpy as np

    seen = np.zeros((_GRID, _GRID), bool)
    for shot in shots:
        cells = (shot.places_px * _GRID / np.array(size_px)).astype(int).clip(0, _GRID - 1)
        seen[cells[:, 1], cells[:, 0]] = True
    across, down = ("at the left", "in the middle", "at the right"), ("upper", "", "lower")
    names = []
    for row, column in np.argwhere(~seen):
        where = across[column]
        names.append(f"{where} of the {down[row]} part" if down[row] else where)
    return names


def calibrate(board: Board, shots: Sequence[BoardShot], size_px: tuple[int, int]) -> Calibration:
    """Fit a camera to shots of a board.

    Raises:
        CalibrationProblem: there are too few shots, or they leave the camera open.
    """
    if len(shots) < FEWEST_SHOTS:
        raise CalibrationProblem(
            f"the board was found in {len(shots)} useful "
            f"picture{'' if len(shots) == 1 else 's'}; at least {FEWEST_SHOTS} are needed, 15 to "
            "20 are good: near and far, in all corners of the picture, tilted to all sides"
        )
    finder = BoardFinder(board)
    used = list(range(len(shots)))
    left_out: list[int] = []
    while True:
        fit = _best_fit(finder, [shots[index] for index in used], size_px)
        errors = fit[-1]
        middle = sorted(errors)[len(errors) // 2]
        worst = max(range(len(used)), key=errors.__getitem__)
        # Half a pixel is what a sharp picture may miss by; more is blur or bent paper.
        is_wild = errors[worst] > max(0.5, 3.0 * middle)
        if not is_wild or len(used) - 1 < max(FEWEST_SHOTS, len(shots) // 2):
            break
        left_out.append(used.pop(worst))
    rms, matrix, distortion, doubts, turns, errors = fit
    focal_x, focal_y = float(matrix[0][0]), float(matrix[1][1])
    tilts = tuple(_tilt_deg(turn) for turn in turns)
    doubt = float(max(doubts[0] / focal_x, doubts[1] / focal_y))
    width, height = size_px
    plausible = 0.2 * width < focal_x < 20.0 * width and abs(focal_x / focal_y - 1.0) < 0.2
    inside = 0.1 < matrix[0][2] / width < 0.9 and 0.1 < matrix[1][2] / height < 0.9
    if not (math.isfinite(rms) and plausible and inside):
        raise CalibrationProblem(
            "these pictures leave the camera open: the board was hardly tilted or always in the "
            "same place; tilt it by 30° to all sides, and bring it into the corners of the picture"
        )
    rows = tuple(tuple(float(value) for value in row) for row in matrix)
    model = CameraModel(
        width,
        height,
        matrix=(_three(rows[0]), _three(rows[1]), _three(rows[2])),
        distortion=tuple(float(value) for value in distortion[:5]),
    )
    return Calibration(model, rms, tuple(errors), tuple(sorted(left_out)), doubt, tilts)


def advice_for(
    calibration: Calibration, shots: Sequence[BoardShot], size_px: tuple[int, int]
) -> list[str]:
    """What would make the calibration better; empty: it is good."""
    advice = []
    if calibration.rms_px > GOOD_RMS_PX:
        advice.append(
            f"{calibration.rms_px:.2f} pixels are much: is the paper flat, the light good, and "
            "the size of a field right?"
        )
    if max(calibration.tilts_deg) < _TILTED_DEG:
        advice.append("the board was hardly tilted: without tilt its distance cannot be told")
    if calibration.focal_doubt > LOOSE_FOCAL:
        advice.append(
            f"the focal length is known to ±{100 * calibration.focal_doubt:.0f} % only: take more "
            "pictures, tilted to all sides"
        )
    empty = empty_parts(shots, size_px)
    if len(empty) >= _GRID:
        told = ", ".join(empty[:3])
        advice.append(f"the board was never {told}: the lens is not known there")
    return advice


def _best_fit(finder: BoardFinder, shots: Sequence[BoardShot], size_px: tuple[int, int]) -> Any:
    """With the third radial number only where it explains clearly more: it is easily overfitted."""
    import cv2

    plain = _fit(finder, shots, size_px, cv2.CALIB_FIX_K3)
    if len(shots) < 2 * FEWEST_SHOTS:
        return plain
    full = _fit(finder, shots, size_px, 0)
    return full if full[0] < 0.9 * plain[0] else plain


def _fit(
    finder: BoardFinder, shots: Sequence[BoardShot], size_px: tuple[int, int], flags: int
) -> Any:
    import cv2
    import numpy as np

    try:
        rms, matrix, distortion, turns, _, doubts, _, errors = cv2.calibrateCameraExtended(
            [finder.points_m(shot) for shot in shots],
            [shot.places_px for shot in shots],
            size_px,
            np.eye(3),  # not a guess: it is asked for, and not used without a flag that says so
            np.zeros(5),
            flags=flags,
        )
    except cv2.error:
        raise CalibrationProblem(
            "no camera explains these pictures: is it the board that the options describe?"
        ) from None
    flat = [float(value) for value in errors.reshape(-1)]
    return float(rms), matrix, distortion.reshape(-1), doubts.reshape(-1), turns, flat


def _tilt_deg(turn: Any) -> float:
    import cv2

    matrix, _ = cv2.Rodrigues(turn)
    return math.degrees(math.acos(min(1.0, abs(float(matrix[2][2])))))


def _three(row: Sequence[float]) -> tuple[float, float, float]:
    return (row[0], row[1], row[2])


def _between_deg(first: Sequence[float], second: Sequence[float]) -> float:
    cosine = sum(a * b for a, b in zip(first, second, strict=True))
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


__all__ = [
    "FEWEST_SHOTS",
    "Calibration",
    "CalibrationProblem",
    "Offer",
    "ShotCollector",
    "advice_for",
    "calibrate",
    "empty_parts",
]
