"""Printed markers in pictures: families of ArUco and AprilTag, their ids, and their corners.

Design overview: a family is a fixed list of square patterns. Its markers are known as
`family:number`, such as `aruco_4x4:17`, so that two families in one room are not confused.
`MarkerDetector` finds the markers of one or several families in a picture; how far away they are is
the business of `pose_from_marker`, and who is who over time that of `marker_tracks`.

Units and frames: pixels from the upper left corner of the picture. Corners are given clockwise from
the marker's own upper left one.
Threading: a detector belongs to one thread at a time. OpenCV is loaded when the first one is made.
Safety: pictures of the wrong shape or sort raise ValueError with a sentence; nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sera.runtime.located import nearest_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Corner = tuple[float, float]
Corners = tuple[Corner, Corner, Corner, Corner]

DEFAULT_FAMILY = "aruco_4x4"
_SQUARES = (4, 5, 6, 7)
_COUNTS = (50, 100, 250, 1000)
_DICTIONARIES: dict[str, tuple[str, int, int]] = {
    # The smallest list of a size has the most different patterns, so it is the plain name's.
    **{f"aruco_{n}x{n}": (f"DICT_{n}X{n}_50", 50, n) for n in _SQUARES},
    **{f"aruco_{n}x{n}_{c}": (f"DICT_{n}X{n}_{c}", c, n) for n in _SQUARES for c in _COUNTS},
    "aruco_original": ("DICT_ARUCO_ORIGINAL", 1024, 5),
    "aruco_mip_36h12": ("DICT_ARUCO_MIP_36h12", 250, 6),
    "apriltag_16h5": ("DICT_APRILTAG_16h5", 30, 4),
    "apriltag_25h9": ("DICT_APRILTAG_25h9", 35, 5),
    "apriltag_36h10": ("DICT_APRILTAG_36h10", 2320, 6),
    "apriltag_36h11": ("DICT_APRILTAG_36h11", 587, 6),
}
FAMILIES: tuple[str, ...] = tuple(_DICTIONARIES)
"""All families by name."""
_ID = re.compile(r"([a-z0-9_]+):(\d{1,5})")
_SMALLEST_PX = 8.0
"""Nearer corners than this are a speck whose pattern cannot be read safely."""


class MarkerError(ValueError):
    """A marker or a family that does not exist; the message says what to write instead."""


@dataclass(frozen=True, slots=True, order=True)
class MarkerId:
    """One printed pattern."""

    family: str
    number: int

    def __str__(self) -> str:
        return f"{self.family}:{self.number}"

    @classmethod
    def parse(cls, text: str, default_family: str | None = None) -> MarkerId:
        """An id from what people write: `aruco_4x4:17`, or `17` where a family is understood.

        Raises:
            MarkerError: it is no id, or the family has no such number.
        """
        written = text.strip().lower()
        if default_family is not None and written.isascii() and written.isdecimal():
            written = f"{default_family}:{written}"
        match = _ID.fullmatch(written)
        if match is None or not match[2].isascii():
            shown = text if len(text) <= 40 else f"{text[:40]}…"
            raise MarkerError(
                f"'{shown}' is no marker; write its family and number, such as {DEFAULT_FAMILY}:17"
            )
        family = check_family(match[1])
        number, count = int(match[2]), count_of(family)
        if number >= count:
            raise MarkerError(f"{family} has the numbers 0 to {count - 1}, not {number}")
        return cls(family, number)


@dataclass(frozen=True, slots=True)
class MarkerInPicture:
    """One marker that was found."""

    marker: MarkerId
    corners_px: Corners
    """Clockwise from the marker's own upper left corner."""

    @property
    def side_px(self) -> float:
        """The mean length of its sides."""
        pairs = zip(self.corners_px, (*self.corners_px[1:], self.corners_px[0]), strict=True)
        return sum(_distance(a, b) for a, b in pairs) / 4.0

    @property
    def centre_px(self) -> Corner:
        xs, ys = zip(*self.corners_px, strict=True)
        return sum(xs) / 4.0, sum(ys) / 4.0


def check_family(name: str) -> str:
    """The name of a family as it is known.

    Raises:
        MarkerError: there is none of that name; with the nearest.
    """
    wanted = name.strip().lower()
    if wanted in _DICTIONARIES:
        return wanted
    near = nearest_name(wanted, FAMILIES)
    hint = f"; did you mean '{near}'?" if near else ""
    some = "aruco_4x4, aruco_5x5, aruco_6x6, aruco_7x7, apriltag_36h11"
    raise MarkerError(f"there is no family of markers '{name[:40]}'{hint} (there are {some} …)")


def count_of(family: str) -> int:
    """How many markers a family has; they are counted from 0."""
    return _DICTIONARIES[check_family(family)][1]


def dictionary_of(family: str) -> Any:
    """OpenCV's dictionary of a family."""
    import cv2

    return cv2.aruco.getPredefinedDictionary(
        getattr(cv2.aruco, _DICTIONARIES[check_family(family)][0])
    )


def pattern_of(marker: MarkerId) -> NDArray[np.bool_]:
    """The cells of a marker with its black border; True is black. Row 0 is the upper one."""
    import cv2

    cells = _DICTIONARIES[marker.family][2] + 2
    drawn = cv2.aruco.generateImageMarker(dictionary_of(marker.family), marker.number, cells)
    black: NDArray[np.bool_] = drawn < 128
    return black


class MarkerDetector:
    """Finds the markers of some families in pictures.

    Args:
        families: which ones; each costs the time of a search of its own.
    """

    def __init__(self, families: Iterable[str] = (DEFAULT_FAMILY,)) -> None:
        import cv2

        self.families = tuple(dict.fromkeys(check_family(name) for name in families))
        if not self.families:
            raise MarkerError("name at least one family of markers, such as aruco_4x4")
        # The window of `cornerSubPix` has to stay within a cell of the marker, so it goes by the
        # size of the cells; `_marker_edges` goes on from there.
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        parameters.relativeCornerRefinmentWinSize = 0.4
        parameters.cornerRefinementWinSize = 5
        parameters.cornerRefinementMaxIterations = 40
        parameters.cornerRefinementMinAccuracy = 0.005
        # One wrong bit in a marker of 16 is too much for studies: a false card is worse than a
        # picture without it, since the next one comes in 30 ms.
        parameters.errorCorrectionRate = 0.4
        self._detectors = [
            cv2.aruco.ArucoDetector(dictionary_of(name), parameters) for name in self.families
        ]

    def find(self, picture: NDArray[np.uint8]) -> list[MarkerInPicture]:
        """All markers in a picture (grey, or blue-green-red), by family and number.

        A pattern that is there twice is reported twice.

        Raises:
            ValueError: it is no picture.
        """
        import numpy as np

        from sera.vision._marker_edges import refine_corners

        grey = as_grey(picture)
        found: list[MarkerInPicture] = []
        for family, detector in zip(self.families, self._detectors, strict=True):
            corners, numbers, _ = detector.detectMarkers(grey)
            if numbers is None:
                continue
            for quad, number in zip(corners, numbers.reshape(-1).tolist(), strict=True):
                cells = _DICTIONARIES[family][2] + 2
                exact = refine_corners(grey, quad.reshape(4, 2).astype(np.float64), cells)
                points = [(float(x), float(y)) for x, y in exact]
                marker = MarkerInPicture(
                    MarkerId(family, int(number)), (points[0], points[1], points[2], points[3])
                )
                if marker.side_px >= _SMALLEST_PX:
                    found.append(marker)
        return sorted(found, key=lambda each: (each.marker, each.centre_px))


def as_grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture without colour.

    Raises:
        ValueError: it is no picture of 8 bits with one, three or four channels.
    """
    import cv2
    import numpy as np

    if picture.dtype != np.uint8 or picture.ndim not in (2, 3) or 0 in picture.shape:
        raise ValueError(
            f"a picture has 8 bits a channel and a size, not {picture.dtype} {picture.shape}"
        )
    if picture.ndim == 2:
        return picture
    codes = {1: None, 3: cv2.COLOR_BGR2GRAY, 4: cv2.COLOR_BGRA2GRAY}
    channels = picture.shape[2]
    if channels not in codes:
        raise ValueError(f"a picture has 1, 3 or 4 channels, not {channels}")
    code = codes[channels]
    grey = picture[:, :, 0] if code is None else cv2.cvtColor(picture, code)
    return np.ascontiguousarray(grey, dtype=np.uint8)


def parse_numbers(text: str, family: str) -> list[MarkerId]:
    """Markers of a family from `0-9,12`, in the order they are written, each once.

    Raises:
        MarkerError: it is no such list, or the family has no such number.
    """
    count = count_of(family)
    numbers: dict[int, None] = {}
    for part in text.split(","):
        ends = part.split("-")
        if len(ends) > 2 or not all(_is_number(end) for end in ends):
            raise MarkerError(
                f"'{part[:40].strip()}' is no number of a marker; write ids such as 0-9,12"
            )
        first, last = int(ends[0].strip()), int(ends[-1].strip())
        if last < first:
            raise MarkerError(f"'{part.strip()}' counts backwards; write {last}-{first}")
        if last >= count:
            raise MarkerError(f"{family} has the numbers 0 to {count - 1}, not {last}")
        numbers |= dict.fromkeys(range(first, last + 1))
    return [MarkerId(check_family(family), number) for number in numbers]


def _is_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) <= 5


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


__all__ = [
    "DEFAULT_FAMILY",
    "FAMILIES",
    "Corners",
    "MarkerDetector",
    "MarkerError",
    "MarkerId",
    "MarkerInPicture",
    "as_grey",
    "check_family",
    "count_of",
    "dictionary_of",
    "parse_numbers",
    "pattern_of",
]
