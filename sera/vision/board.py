"""The printed board that a camera is calibrated with: a chessboard with markers in its fields.

Design overview: a ChArUco board. Each corner between fields has a number, so that a board that is
half out of the picture counts too, which is what corners of the picture need. Its markers are of
another family than the cards of a scenario, so that the two are not confused.

Units and frames: metres on the board, pixels in pictures.
Threading: a finder belongs to one thread at a time; OpenCV is loaded when the first one is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sera.vision.markers import as_grey, check_family, count_of, dictionary_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARKER_SHARE = 0.75
"""Length of a marker's side as a part of a field's."""
FEWEST_CORNERS = 8
DEFAULT_BOARD_FAMILY = "aruco_5x5_100"
_MOST_FIELDS = 40


class BoardError(ValueError):
    """A board that cannot be; the message says why and what to write."""


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard with markers in its white fields."""

    columns: int = 9
    rows: int = 6
    square_m: float = 0.028
    """Length of a field's side. Measure it on paper: printers scale."""
    family: str = DEFAULT_BOARD_FAMILY

    def __post_init__(self) -> None:
        if not (3 <= self.columns <= _MOST_FIELDS and 3 <= self.rows <= _MOST_FIELDS):
            raise BoardError(
                f"a board has 3 to {_MOST_FIELDS} fields a side, not {self.columns}x{self.rows}"
            )
        if not 0.002 <= self.square_m <= 1.0:
            raise BoardError(
                f"a field is 2 to 1000 mm wide, not {self.square_m * 1000:g} mm: sizes are in "
                "millimetres"
            )
        check_family(self.family)
        if self.markers > count_of(self.family):
            raise BoardError(
                f"a board of {self.columns}x{self.rows} needs {self.markers} markers; "
                f"{self.family} has {count_of(self.family)}: take fewer fields"
            )

    @classmethod
    def parse(cls, squares: str, square_mm: float, family: str | None = None) -> Board:
        """A board from what people write: `9x6` and millimetres.

        Raises:
            BoardError, MarkerError: there can be none like that.
        """
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*[x*]\s*([0-9]{1,3})\s*", squares.lower())
        if match is None:
            raise BoardError(f"'{squares[:40]}' is no number of fields; write 9x6")
        chosen = DEFAULT_BOARD_FAMILY if family is None else check_family(family)
        return cls(int(match[1]), int(match[2]), square_mm / 1000.0, chosen)

    @property
    def markers(self) -> int:
        return (self.columns * self.rows) // 2

    @property
    def corners(self) -> int:
        """How many corners lie between fields."""
        return (self.columns - 1) * (self.rows - 1)

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows} fields of {self.square_m * 1000:g} mm"

    def for_opencv(self) -> Any:
        import cv2

        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows),
            self.square_m,
            self.square_m * MARKER_SHARE,
            dictionary_of(self.family),
        )


@dataclass(frozen=True, slots=True)
class BoardShot:
    """A board in one picture."""

    numbers: NDArray[np.int32]
    """Which corners were found."""
    places_px: NDArray[np.float32]
    """Where, one row each."""

    @property
    def centre_px(self) -> tuple[float, float]:
        x, y = self.places_px.mean(axis=0)
        return float(x), float(y)

    @property
    def extent_px(self) -> float:
        """How large the board appears: the diagonal around its corners."""
        import numpy as np

        return float(np.hypot(*(self.places_px.max(axis=0) - self.places_px.min(axis=0))))

    def moved_px(self, other: BoardShot) -> float:
        """How far the corners that both have are apart, in the mean; infinite: none in common."""
        import numpy as np

        _, mine, theirs = np.intersect1d(
            self.numbers, other.numbers, assume_unique=True, return_indices=True
        )
        if mine.size == 0:
            return float("inf")
        steps = self.places_px[mine] - other.places_px[theirs]
        return float(np.hypot(steps[:, 0], steps[:, 1]).mean())


class BoardFinder:
    """Finds one kind of board in pictures."""

    def __init__(self, board: Board) -> None:
        import cv2

        self.board = board
        self._detector = cv2.aruco.CharucoDetector(board.for_opencv())

    def find(self, picture: NDArray[np.uint8]) -> BoardShot | None:
        """The board in a picture, where enough of it is seen.

        Raises:
            ValueError: it is no picture.
        """
        import numpy as np

        corners, numbers, _, _ = self._detector.detectBoard(as_grey(picture))
        if numbers is None or len(numbers) < FEWEST_CORNERS:
            return None
        numbers = np.asarray(numbers, np.int32).reshape(-1)
        places = np.asarray(corners, np.float32).reshape(-1, 2)
        rows = {int(number) // (self.board.columns - 1) for number in numbers}
        columns = {int(number) % (self.board.columns - 1) for number in numbers}
        if len(rows) < 2 or len(columns) < 2:  # corners on one line say nothing about the camera
            return None
        return BoardShot(numbers, places)

    def points_m(self, shot: BoardShot) -> NDArray[np.float32]:
        """Where the corners of a shot are on the board, one row each."""
        import numpy as np

        every = np.asarray(self.board.for_opencv().getChessboardCorners(), np.float32)
        return np.ascontiguousarray(every[shot.numbers])


__all__ = ["FEWEST_CORNERS", "MARKER_SHARE", "Board", "BoardError", "BoardFinder", "BoardShot"]
