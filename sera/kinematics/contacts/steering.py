"""Steering: a pose that follows a wanted one and keeps clear of contacts on its way.

Design overview: the pose stands still or moves by at most what joints may move in a frame, so that
its way is looked at all along; what is near makes rows of a step (`_steer_kernels`). It slides
along what it meets, and rests where that ends.

Units and frames: radians and metres in the tree's order. Threading: one owner.
Safety: the pose stays within the ends of its joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.contacts._steer_kernels import Work, hold_tasks, steer
from sera.kinematics.contacts.model import MOST_CONTACTS, ContactModel

PULL = 0.5
"""Share of what a contact lacks that is made up for in one step."""
DIRECTION_WEIGHT = 1000.0
"""Of a direction to hold, times the square of the body's size."""
PLACE_WEIGHT = 30.0


class Held(NamedTuple):
    """What steering holds: a direction that an end point has, or its place."""

    end_point: str
    direction: tuple[float, float, float] | None
    """In the frame of the end point; None: its place is held."""


class Steering:
    """One pose on its way."""

    def __init__(self, model: ContactModel, ends: FloatArray, held: Sequence[Held] = ()) -> None:
        """Bind to a body: `ends` (2, n) of its joints, and what it holds."""
        from sera.kinematics.rotations import rotate

        self._model, self._ends = model, ends
        self._look = model.look(near=True)
        width, rows = ends.shape[1], 3 * len(held)
        self.pose = np.zeros(width)
        found = [model.tree.end_in_zero_pose(each.end_point) for each in held]
        self._carriers = np.array([joint for joint, _, _ in found], dtype=np.int64)
        self._vectors = np.array(
            [
                offset if each.direction is None else rotate(turn, np.array(each.direction))
                for each, (_, offset, turn) in zip(held, found, strict=True)
            ]
        ).reshape(-1, 3)
        self._turns = np.array([each.direction is not None for each in held], dtype=np.int64)
        whole = DIRECTION_WEIGHT * model.height_m**2
        self._whole = np.sqrt(np.where(self._turns == 1, whole, PLACE_WEIGHT))
        self._tasks, self._goals = np.zeros((rows, width)), np.zeros(rows)
        self._wanting = np.zeros(MOST_CONTACTS)
        self._work = Work(
            used=np.zeros(width, dtype=np.int64),
            square=np.zeros((width, width)),
            step=np.zeros(width),
            answers=np.zeros((MOST_CONTACTS, width)),
            coupled=np.zeros((MOST_CONTACTS, MOST_CONTACTS)),
            forces=np.zeros(MOST_CONTACTS),
            lacking=np.zeros(MOST_CONTACTS),
            goals=np.zeros(width),
            metric=np.zeros(width),
            stays=np.zeros(width),
        )

    def step(self, wanted: FloatArray, longest: FloatArray, shares: FloatArray) -> IntArray:
        """Go on towards a wanted pose by at most `longest`; `shares` say how much each task counts.

        Returns the columns that contacts made go with each other.
        """
        look = self._look
        count = look.at(self.pose)
        held = hold_tasks(
            look.scene,
            look.seen,
            self.pose,
            wanted,
            self._carriers,
            self._vectors,
            self._turns,
            self._whole * np.sqrt(shares),
            self._tasks,
            self._goals,
        )
        keeps = self._model.keeps_m[look.found]
        lacks = keeps - look.distances_m
        self._wanting[:count] = PULL * lacks
        used = steer(
            self.pose,
            wanted,
            self._model.metric,
            self._ends,
            longest,
            self._tasks,
            self._goals,
            look.seen.rows,
            self._wanting,
            look.seen.levers,
            (held, count),
            self._work,
        )
        return self._work.used[:used]

    @property
    def pressed(self) -> int | None:
        """The pair that held the last step back most; None: none did."""
        count = self._look.count
        if not count or not (self._work.forces[:count] > 0.0).any():
            return None
        return int(self._look.found[int(np.argmax(self._work.forces[:count]))])
