"""Reads BVH files: a skeleton with channels a joint, and one row of numbers a frame.

Angles are in degrees, in the order in which a joint lists its channels: `Zrotation Xrotation
Yrotation` means Z, then X about the turned axis, then Y. A frame stands on one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.runtime.located import FileProblem, nearest_name, read_text

CHANNELS = tuple(f"{axis}{what}" for what in ("rotation", "position") for axis in "XYZ")
_MOST_NUMBER = 1e6
_SHORTEST_FRAME_S = 1e-4


@dataclass
class BvhJoint:
    """A joint and where its numbers stand in a row."""

    name: str
    channels: list[str] = field(default_factory=list)
    first_column: int = 0

    def rotation_order(self) -> str:
        """The axes of its rotations as listed, such as ZXY."""
        return "".join(name[0] for name in self.channels if name.endswith("rotation"))


@dataclass(frozen=True)
class BvhClip:
    """A motion as it stands in the file, in degrees and the file's own lengths."""

    joints: dict[str, BvhJoint]
    frame_s: float
    frames: FloatArray
    """One row a frame, one column a channel."""

    def column(self, joint: str, channel: str) -> FloatArray:
        found = self.joints[joint]
        return self.frames[:, found.first_column + found.channels.index(channel)]


class _Words:
    """The words of a file, with the line of the last one taken."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self._words: Iterator[tuple[int, str]] = (
            (number, word)
            for number, line in enumerate(self.lines, start=1)
            for word in line.split()
        )
        self.line = 1

    def next(self, wanted: str) -> str:
        try:
            self.line, word = next(self._words)
        except StopIteration:
            raise self.problem(f"the file ends where {wanted} should stand") from None
        return word

    def expect(self, word: str) -> None:
        found = self.next(f"'{word}'")
        if found.upper() != word.upper():
            raise self.problem(f"'{word}' should stand here, not '{found[:40]}'")

    def number(self, what: str) -> float:
        word = self.next(what)
        try:
            value = float(word)
        except ValueError:
            raise self.problem(f"{what} must be a number, not '{word[:40]}'") from None
        if not -_MOST_NUMBER <= value <= _MOST_NUMBER:
            raise self.problem(f"{what} is {word[:40]}: no sensible number")
        return value

    def count(self, what: str) -> int:
        value = self.number(what)
        if value != int(value) or value < 0:
            raise self.problem(f"{what} must be a whole number, not {value:g}")
        return int(value)

    def problem(self, message: str, nearest: str | None = None) -> FileProblem:
        return FileProblem(self.path, message, line=self.line, nearest=nearest)


def read_bvh(path: Path, text: str | None = None) -> BvhClip:
    """The motion in a BVH file.

    Raises:
        FileProblem: the file is missing or broken; with the line.
    """
    words = _Words(path, read_text(path) if text is None else text)
    words.expect("HIERARCHY")
    joints, width = _hierarchy(words)
    count = _frames(words)
    words.expect("Frame")
    words.expect("Time:")
    frame_s = words.number("the frame time")
    if not frame_s >= _SHORTEST_FRAME_S:
        raise words.problem(f"a frame time of {frame_s:g} s is too short to be one")
    frames = _rows(words, width)
    if len(frames) != count:
        raise words.problem(f"the file announces {count} frames and has {len(frames)}")
    return BvhClip(joints, frame_s, frames)


def _frames(words: _Words) -> int:
    words.expect("Frames:")
    count = words.count("the number of frames")
    if count < 2:
        raise words.problem(f"{count} frames do not make a motion: two or more do")
    return count


def _hierarchy(words: _Words) -> tuple[dict[str, BvhJoint], int]:
    joints: dict[str, BvhJoint] = {}
    open_joints: list[BvhJoint | None] = []  # None for an end site
    width = 0
    while True:
        word = words.next("a joint, '}' or 'MOTION'").upper()
        if word in ("ROOT", "JOINT"):
            joint = BvhJoint(_name(words), first_column=width)
            if joint.name in joints:
                raise words.problem(f"there are two joints '{joint.name}'")
            joints[joint.name] = joint
            open_joints.append(joint)
        elif word == "END":
            _name(words)
            open_joints.append(None)
        elif word == "OFFSET":
            for axis in "XYZ":
                words.number(f"the offset along {axis}")
        elif word == "CHANNELS" and open_joints and open_joints[-1] is not None:
            open_joints[-1].channels = _channels(words)
            open_joints[-1].first_column = width
            width += len(open_joints[-1].channels)
        elif word == "}" and open_joints:
            open_joints.pop()
        elif word == "MOTION" and joints and not open_joints:
            return joints, width
        else:
            raise words.problem(f"'{word[:40]}' does not belong here")


def _name(words: _Words) -> str:
    """All words up to the opening bracket: some programs put spaces into names."""
    parts: list[str] = []
    while (word := words.next("'{'")) != "{":
        parts.append(word)
    if not parts:
        raise words.problem("the joint has no name")
    return " ".join(parts)


def _channels(words: _Words) -> list[str]:
    count = words.count("the number of channels")
    if count > len(CHANNELS):
        raise words.problem(f"a joint has {len(CHANNELS)} channels at most, not {count}")
    found: list[str] = []
    for _ in range(count):
        word = words.next("a channel")
        name = next((known for known in CHANNELS if known.lower() == word.lower()), None)
        if name is None:
            raise words.problem(f"there is no channel '{word[:40]}'", nearest_name(word, CHANNELS))
        if name in found:
            raise words.problem(f"the joint has two channels {name}")
        found.append(name)
    return found


def _rows(words: _Words, width: int) -> FloatArray:
    rows: list[list[float]] = []
    for number, line in enumerate(words.lines[words.line :], start=words.line + 1):
        parts = line.split()
        if not parts:
            continue
        words.line = number
        if len(parts) != width:
            raise words.problem(f"the frame has {len(parts)} numbers, the skeleton {width}")
        try:
            row = [float(part) for part in parts]
        except ValueError:
            raise words.problem("the frame holds something that is no number") from None
        if not all(-_MOST_NUMBER <= value <= _MOST_NUMBER for value in row):
            raise words.problem("the frame holds a number that is too large, or none")
        rows.append(row)
    return np.array(rows).reshape(len(rows), width)
