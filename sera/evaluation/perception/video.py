"""Videos with known truth: portraits that walk, cross, hide and turn in front of a background.

Design overview
    An `Actor` is a portrait with a path in front of the camera and a turn of the head over time. A
    `Clip` puts actors, background, light, blur and noise together; `Clip.frame(time_s)` draws one
    picture and says where everybody is. Nearer actors hide those behind them.

Units and frames
    Paths are metres along the camera's own axes (X to its left, Y up, Z forward) and say where the
    middle between the eyes is. Yaw is positive to the person's own left, in degrees.

Threading
    None. The same clip with the same seed draws the same pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from sera.behaviour.space import Vector
from sera.evaluation.perception._portraits import Image, Portrait
from sera.evaluation.perception._turned import turned
from sera.vision.camera import CameraModel
from sera.vision.source import Frame, Picture

EYES_APART_M = 0.063

Path3 = Callable[[float], Vector]
OverTime = Callable[[float], float]


def standing(x_m: float, y_m: float, z_m: float) -> Path3:
    """A path that stays."""
    return lambda _time_s: (x_m, y_m, z_m)


def walking(start: Vector, end: Vector, duration_s: float) -> Path3:
    """From one place to another at one speed, then standing there."""

    def where(time_s: float) -> Vector:
        part = min(1.0, max(0.0, time_s / duration_s))
        x, y, z = (a + part * (b - a) for a, b in zip(start, end, strict=True))
        return x, y, z

    return where


def swaying(middle: Vector, reach: Vector, period_s: float) -> Path3:
    """To and fro around a place."""

    def where(time_s: float) -> Vector:
        swing = math.sin(2.0 * math.pi * time_s / period_s)
        x, y, z = (a + swing * b for a, b in zip(middle, reach, strict=True))
        return x, y, z

    return where


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody in a clip."""

    name: str
    portrait: str
    path: Path3
    yaw_deg: OverTime = lambda _time_s: 0.0
    pitch_deg: OverTime = lambda _time_s: 0.0
    present: Callable[[float], bool] = lambda _time_s: True


@dataclass(frozen=True, slots=True)
class Truth:
    """Where an actor is in a picture."""

    name: str
    eyes_px: tuple[float, float]
    position_m: Vector
    yaw_deg: float
    pitch_deg: float
    visible: float
    """The part of the face that nobody and nothing hides."""


@dataclass(frozen=True)
class Clip:
    """A video that is drawn frame by frame."""

    actors: Sequence[Actor]
    duration_s: float = 4.0
    fps: float = 25.0
    camera: CameraModel = field(default_factory=lambda: CameraModel(640, 480, 60.0))
    seed: int = 0
    light: OverTime = lambda _time_s: 1.0
    blur_px: float = 0.0
    noise: float = 3.0
    pillar_px: tuple[int, int] | None = None
    """From where to where a pillar stands in front of everybody."""
    curtain: Callable[[float], bool] = lambda _time_s: False
    """When nothing but the background is seen."""

    def frames(self) -> Iterator[tuple[Frame, list[Truth]]]:
        """Every picture with what is true of it."""
        for number in range(round(self.duration_s * self.fps)):
            yield self.frame(number)

    def frame(self, number: int) -> tuple[Frame, list[Truth]]:
        """One picture with what is true of it."""
        time_s = number / self.fps
        image = _background(self.camera.width_px, self.camera.height_px, self.seed).copy()
        owner = np.zeros(image.shape[:2], np.int32)
        drawn: list[tuple[int, Actor, _Figure]] = []
        there = [
            (index + 1, actor)
            for index, actor in enumerate(self.actors)
            if actor.present(time_s) and not self.curtain(time_s)
        ]
        for index, actor in sorted(there, key=lambda one: -one[1].path(time_s)[2]):
            figure = _figure(actor, self.camera, time_s)
            figure.draw(image, owner, index)
            drawn.append((index, actor, figure))
        if self.pillar_px is not None:
            left, right = self.pillar_px
            image[:, left:right] = (70.0, 90.0, 110.0)
            owner[:, left:right] = -1
        truths = [figure.truth(actor, owner, index, time_s) for index, actor, figure in drawn]
        return Frame(self._spoilt(image, number), time_s, number), truths

    def write(self, path: Path) -> Path:
        """Save the pictures as a video; `.mp4` or `.avi`."""
        code = "mp4v" if path.suffix == ".mp4" else "MJPG"
        size = (self.camera.width_px, self.camera.height_px)
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), self.fps, size)
        if not writer.isOpened():
            raise OSError(f"OpenCV cannot write {path.name} here: try .avi in place of it")
        for frame, _ in self.frames():
            writer.write(frame.picture)
        writer.release()
        return path

    def _spoilt(self, image: Image, number: int) -> Picture:
        """What the lens and the sensor make of it."""
        image = image * self.light(number / self.fps)
        if self.blur_px > 0.0:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), self.blur_px), np.float32)
        if self.noise > 0.0:
            dice = np.random.default_rng([self.seed, number])
            image = image + self.noise * dice.standard_normal(image.shape, np.float32)
        return image.clip(0.0, 255.0).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A portrait at its size and place."""

    source: Portrait
    scale: float
    eyes_px: tuple[float, float]

    def draw(
        self, image: Image, owner: np.ndarray[tuple[int, ...], np.dtype[np.int32]], index: int
    ) -> None:
        height, width = image.shape[:2]
        x_px, y_px = self.source.eyes_px
        move = np.array(
            [
                [self.scale, 0.0, self.eyes_px[0] - self.scale * x_px],
                [0.0, self.scale, self.eyes_px[1] - self.scale * y_px],
            ]
        )
        how = cv2.INTER_AREA if self.scale < 0.7 else cv2.INTER_LINEAR
        picture = self.source.image
        if self.scale < 0.5:  # else a shrunk portrait glitters
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.4 / self.scale), np.float32)
        laid = cv2.warpAffine(picture, move, (width, height), flags=how)
        mask = cv2.warpAffine(self.source.mask, move, (width, height), flags=how)
        image += (laid - image) * mask[:, :, None]
        owner[mask > 0.5] = index

    def truth(
        self,
        actor: Actor,
        owner: np.ndarray[tuple[int, ...], np.dtype[np.int32]],
        index: int,
        time_s: float,
    ) -> Truth:
        reach = self.scale * self.source.eyes_apart_px
        x_px, y_px = self.eyes_px
        rows = np.clip(np.arange(int(y_px - 0.5 * reach), int(y_px + 1.5 * reach)), -1, 10**6)
        columns = np.arange(int(x_px - 0.9 * reach), int(x_px + 0.9 * reach))
        height, width = owner.shape
        inside = ((rows >= 0) & (rows < height))[:, None] & ((columns >= 0) & (columns < width))[
            None, :
        ]
        seen = owner[np.clip(rows, 0, height - 1)][:, np.clip(columns, 0, width - 1)] == index
        visible = float((seen & inside).mean()) if inside.size else 0.0
        yaw_deg, pitch_deg = actor.yaw_deg(time_s), actor.pitch_deg(time_s)
        return Truth(actor.name, self.eyes_px, actor.path(time_s), yaw_deg, pitch_deg, visible)


def _figure(actor: Actor, camera: CameraModel, time_s: float) -> _Figure:
    place = actor.path(time_s)
    source = turned(actor.portrait, actor.yaw_deg(time_s), actor.pitch_deg(time_s))
    apart_px = camera.focal_x_px * EYES_APART_M / place[2]
    return _Figure(source, apart_px / source.eyes_apart_px, camera.project(place))


@lru_cache(maxsize=8)
def _background(width_px: int, height_px: int, seed: int) -> Image:
    """A wall with soft patches of colour and a few things on it, always the same for a seed."""
    dice = np.random.default_rng(seed)
    coarse = dice.uniform(50.0, 190.0, (6, 8, 3)).astype(np.float32)
    wall = cv2.resize(coarse, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    fine = dice.normal(0.0, 10.0, (height_px // 4, width_px // 4, 1)).astype(np.float32)
    wall = wall + cv2.resize(fine, (width_px, height_px))[:, :, None]
    for _ in range(6):
        left, top = int(dice.integers(0, width_px)), int(dice.integers(0, height_px))
        right, bottom = left + int(dice.integers(20, 120)), top + int(dice.integers(20, 120))
        shade = [float(value) for value in dice.uniform(20.0, 230.0, 3)]
        cv2.rectangle(wall, (left, top), (right, bottom), shade, -1)
    return np.asarray(wall.clip(0.0, 255.0), np.float32)
