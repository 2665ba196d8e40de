"""Portraits that come inside of a package: scikit-image's astronaut, and its small set of faces.

The astronaut is sharp and in colour. The hundred faces of the small set are grey and 25 pixels
wide; enlarged they are blurred, like somebody far away from a cheap camera. `mirrored` is the
astronaut seen in a mirror in other colours: a second sharp person, though not another face.

Units and frames: pixels of the portrait; the astronaut's eyes as they were read off by eye;
those of the small set, which is aligned, are at one place, right to about two hundredths of a side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]
Mask = NDArray[np.float32]

FACES_OF_SET = (3, 6, 7, 10, 41, 45, 46, 49, 55, 66, 72, 80, 91, 92, 93, 95)
"""Those of the small set whom a detector finds at all when enlarged, looking straight ahead."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """A picture of somebody, with what belongs to the person."""

    name: str
    image: Image
    """Blue, green, red, 0 to 255."""
    mask: Mask
    """1 where the person is, 0 where the background shows."""
    eyes_px: tuple[float, float]
    """The point between the eyes."""
    eyes_apart_px: float


@cache
def portrait(name: str) -> Portrait:
    """A portrait by its name: `astronaut`, `mirrored`, or `face_NUMBER` of the small set."""
    if name == "astronaut":
        return _astronaut()
    if name == "mirrored":
        return _mirrored(_astronaut())
    kind, _, number = name.partition("_")
    if kind == "face" and number.isdecimal() and int(number) < 100:
        return _face_of_set(int(number))
    raise ValueError(f"no portrait '{name}': there are astronaut, mirrored and face_0 to face_99")


def _loaded(name: str) -> NDArray[Any]:
    from skimage import data

    load: Any = getattr(data, name)
    return np.asarray(load())


def _astronaut() -> Portrait:
    image = np.asarray(_loaded("astronaut")[:330, 60:390, ::-1], np.float32)
    height, width = image.shape[:2]
    eyes = (165.3, 102.0)
    mask = _oval(height, width, (eyes[0] - 2, eyes[1] + 8), (92.0, 118.0))
    shoulders = _oval(height, width, (165.0, 330.0), (165.0, 110.0))
    return Portrait("astronaut", image, np.maximum(mask, shoulders), eyes, 43.5)


def _mirrored(original: Portrait) -> Portrait:
    image = original.image[:, ::-1] * np.array([1.15, 0.85, 0.72], np.float32)
    image = np.clip(255.0 * (image / 255.0) ** 1.25, 0.0, 255.0)
    x_px, y_px = original.eyes_px
    eyes = (image.shape[1] - 1 - x_px, y_px)
    mask = np.ascontiguousarray(original.mask[:, ::-1])
    return Portrait(
        "mirrored", np.ascontiguousarray(image, np.float32), mask, eyes, original.eyes_apart_px
    )


def _face_of_set(number: int) -> Portrait:
    side = 200
    small = np.asarray(_loaded("lfw_subset")[number], np.float32) * 255.0
    grey = cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC).clip(0.0, 255.0)
    canvas = np.full((300, 300), float(np.median(grey)), np.float32)
    canvas[30 : 30 + side, 50 : 50 + side] = grey
    # A light tint of skin, other clothes for everybody.
    image: Image = canvas[:, :, None] * np.array([0.82, 0.95, 1.08], np.float32)
    clothes = _oval(300, 300, (150.0, 330.0), (150.0, 115.0))
    shade = np.random.default_rng(number).uniform(40.0, 200.0, 3)
    head = _oval(300, 300, (138.0, 124.0), (88.0, 102.0))
    part = (clothes * (1.0 - head))[:, :, None]
    image = np.asarray(image * (1.0 - part) + shade * part, np.float32)
    mask = np.maximum(head, clothes)
    return Portrait(
        f"face_{number}", np.asarray(image.clip(0.0, 255.0), np.float32), mask, (136.0, 100.0), 70.0
    )


def _oval(height: int, width: int, middle: tuple[float, float], radii: tuple[float, float]) -> Mask:
    """1 inside of an oval, with a soft edge."""
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    far = np.hypot((columns - middle[0]) / radii[0], (rows - middle[1]) / radii[1])
    return np.asarray(np.clip((1.0 - far) / 0.06 + 0.5, 0.0, 1.0), np.float32)
