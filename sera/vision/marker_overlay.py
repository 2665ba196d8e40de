"""Markers drawn into a picture: outline, upper left corner, id, and how far away.

Units and frames: pixels of the picture; the distance is that from the camera, in metres.
Threading: no state. The picture that is handed in stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sera.behaviour.space import Frame
from sera.vision.markers import MarkerId, MarkerInPicture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GREEN, _ORANGE, _BLACK, _WHITE = (90, 220, 90), (40, 160, 250), (0, 0, 0), (255, 255, 255)
_UNITS_16 = 4


def draw_markers(
    picture: NDArray[np.uint8],
    found: Sequence[MarkerInPicture],
    places: Mapping[MarkerId, Frame],
    *,
    camera: Frame,
    names: Mapping[MarkerId, str],
    problem: str | None = None,
) -> NDArray[np.uint8]:
    """A copy of the picture with what was found in it.

    Args:
        picture: blue-green-red.
        found: the markers in this picture.
        places: where those are that are tracked, in the room.
        camera: where the camera is.
        names: what the scenario calls those that it knows.
        problem: a sentence to write beneath.
    """
    import cv2
    import numpy as np

    drawn = picture.copy()
    for each in found:
        colour = _GREEN if each.marker in places else _ORANGE
        corners = np.array(each.corners_px, np.float64)
        points = np.rint(corners * (1 << _UNITS_16)).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(drawn, [points], True, colour, 2, cv2.LINE_AA, _UNITS_16)
        x, y = (round(float(value)) for value in corners[0])
        cv2.circle(drawn, (x, y), 4, colour, -1, cv2.LINE_AA)
        told = f"{names[each.marker]} ({each.marker})" if each.marker in names else str(each.marker)
        if each.marker in places:
            away_m = math.dist(places[each.marker].position_m, camera.position_m)
            told += f"  {away_m:.2f} m"
        low = int(corners[:, 1].max()) + 18
        _write(drawn, told, (int(corners[:, 0].min()), min(low, drawn.shape[0] - 6)))
    if problem is not None:
        _write(drawn, problem, (8, 20))
    return drawn


def _write(picture: NDArray[np.uint8], text: str, place: tuple[int, int]) -> None:
    import cv2

    plain = text.encode("ascii", "replace").decode()
    for colour, thick in ((_BLACK, 3), (_WHITE, 1)):
        cv2.putText(
            picture, plain, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, thick, cv2.LINE_AA
        )


__all__ = ["draw_markers"]
