"""A portrait turned to the side, by laying it onto a surface with the shape of a head.

How far it can be trusted: the surface is an ellipsoid of a head's size with a nose and hollows for
the eyes, not the head of that person. What is hidden in the portrait (the far side of the nose,
the ears) is smeared when it turns into view, so the truth holds up to about 35 degrees to each
side. The portrait's own direction is not known: errors are those against the portrait as it is.

Units and frames: millimetres from the middle between the eyes, X to the person's left (the right of
the picture), Y up, Z out of the face. Yaw turns to the person's left, pitch upwards, in degrees.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sera.evaluation.perception._portraits import Portrait
from sera.evaluation.perception._portraits import portrait as portrait_named

_CENTRE = np.array([0.0, -15.0, -80.0])
_RADII = np.array([78.0, 118.0, 100.0])
_NOSE_MM, _SOCKET_MM = 23.0, 7.0
_EYES_APART_MM = 63.0
_STEP_MM = 2.0
_REACH_MM = 125


def turned(name: str, yaw_deg: float, pitch_deg: float = 0.0) -> Portrait:
    """A portrait with its head turned, to half a degree; the shoulders stay."""
    return _turned(name, 0.5 * round(2.0 * yaw_deg), 0.5 * round(2.0 * pitch_deg))


@lru_cache(maxsize=64)
def _turned(name: str, yaw_deg: float, pitch_deg: float) -> Portrait:
    portrait = portrait_named(name)
    if yaw_deg == 0.0 and pitch_deg == 0.0:
        return portrait
    px_per_mm = portrait.eyes_apart_px / _EYES_APART_MM
    axes = _rotation(yaw_deg, pitch_deg)
    height, width = portrait.image.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float64)
    right = (columns - portrait.eyes_px[0]) / px_per_mm - _CENTRE[0]
    up = -(rows - portrait.eyes_px[1]) / px_per_mm - _CENTRE[1]
    found_x, found_y, hit = _march(axes, right, up)
    map_x = (portrait.eyes_px[0] + found_x * px_per_mm).astype(np.float32)
    map_y = (portrait.eyes_px[1] - found_y * px_per_mm).astype(np.float32)
    sampled = cv2.remap(
        portrait.image, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    edge = cv2.GaussianBlur(hit.astype(np.float32), (0, 0), 1.5)[:, :, None]
    image = portrait.image * (1.0 - edge) + sampled * edge
    eyes = axes @ (np.array([0.0, 0.0, _surface(np.zeros(1), np.zeros(1))[0]]) - _CENTRE) + _CENTRE
    eyes_px = (
        portrait.eyes_px[0] + float(eyes[0]) * px_per_mm,
        portrait.eyes_px[1] - float(eyes[1]) * px_per_mm,
    )
    mask = np.maximum(portrait.mask, edge[:, :, 0])
    return Portrait(
        f"{portrait.name} turned", image.astype(np.float32), mask, eyes_px, portrait.eyes_apart_px
    )


def _march(
    axes: NDArray[np.float64], right: NDArray[np.float64], up: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Where on the unturned head each line of sight first meets the turned one."""
    found_x, found_y = np.zeros_like(right), np.zeros_like(up)
    hit = np.zeros(right.shape, bool)
    back = axes.T
    for out in np.arange(_REACH_MM, -40.0, -_STEP_MM):
        x, y, z = (
            back[row, 0] * right + back[row, 1] * up + back[row, 2] * out + _CENTRE[row]
            for row in range(3)
        )
        inside = (~hit) & (z <= _surface(x, y))
        found_x[inside], found_y[inside] = x[inside], y[inside]
        hit |= inside
    return found_x, found_y, hit


def _surface(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far out the head reaches at a place of the portrait; far behind outside of it."""
    flat = ((x - _CENTRE[0]) / _RADII[0]) ** 2 + ((y - _CENTRE[1]) / _RADII[1]) ** 2
    ball = _CENTRE[2] + _RADII[2] * np.sqrt(np.clip(1.0 - flat, 0.0, None))
    nose = _NOSE_MM * np.exp(-((x / 9.0) ** 2) - ((y + 34.0) / 20.0) ** 2)
    sockets = _SOCKET_MM * np.exp(-(((np.abs(x) - 31.0) / 14.0) ** 2) - (y / 10.0) ** 2)
    return np.where(flat < 0.97, ball + nose - sockets, -1e6)


def _rotation(yaw_deg: float, pitch_deg: float) -> NDArray[np.float64]:
    yaw, pitch = math.radians(yaw_deg), math.radians(-pitch_deg)
    turn = np.array(
        [[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]]
    )
    nod = np.array(
        [[1, 0, 0], [0, math.cos(pitch), -math.sin(pitch)], [0, math.sin(pitch), math.cos(pitch)]]
    )
    return np.asarray(turn @ nod, np.float64)
