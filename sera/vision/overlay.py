"""Draws what was seen onto the picture: boxes, ids, where faces point, who looks here.

Units and frames: pixels; poses along the camera's own axes.
Threading: no state; the picture that is given is not changed.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import cv2
import numpy as np

from sera.behaviour.space import Vector
from sera.vision.camera import CameraModel
from sera.vision.face_engine import SeenPerson, View
from sera.vision.source import Picture

_COLOURS = ((80, 200, 80), (60, 160, 255), (255, 140, 60), (220, 80, 220))
_CONTACT = (0, 230, 230)
_NOSE_M = 0.25


def draw_overlay(
    picture: Picture, view: View, camera: CameraModel, looking: Collection[str] = ()
) -> Picture:
    """The picture with what is known about it; `looking` are those who look at the robot."""
    drawn = picture.copy()
    camera = camera.for_picture(picture.shape[1], picture.shape[0])
    for person in view.people:
        number = int(person.name.rpartition("_")[2])
        _draw_person(drawn, camera, person, _COLOURS[(number - 1) % 4], person.name in looking)
    return drawn


def _draw_person(
    drawn: Picture,
    camera: CameraModel,
    person: SeenPerson,
    colour: tuple[int, int, int],
    contact: bool,
) -> None:
    face = person.face
    left, top = round(face.x_px - 0.5 * face.width_px), round(face.y_px - 0.5 * face.height_px)
    right, bottom = round(left + face.width_px), round(top + face.height_px)
    cv2.rectangle(drawn, (left, top), (right, bottom), colour, 2)
    if contact:
        cv2.rectangle(drawn, (left - 4, top - 4), (right + 4, bottom + 4), _CONTACT, 1)
    with suppress(ValueError):
        eyes = _pixel(camera, person.position_m)
        cv2.circle(drawn, eyes, 3, colour, -1)
        if person.forward is not None:
            x, y, z = person.position_m
            fx, fy, fz = person.forward
            ahead = (x + _NOSE_M * fx, y + _NOSE_M * fy, z + _NOSE_M * fz)
            cv2.arrowedLine(drawn, eyes, _pixel(camera, ahead), colour, 2, tipLength=0.25)
    distance_m = float(np.linalg.norm(person.position_m))
    text = f"{person.name} {distance_m:.1f} m" + (" looks here" if contact else "")
    place = (max(2, left), max(12, top - 7))
    cv2.putText(drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)


def _pixel(camera: CameraModel, point: Vector) -> tuple[int, int]:
    x, y = camera.project(point)
    return round(max(-9999.0, min(9999.0, x))), round(max(-9999.0, min(9999.0, y)))
