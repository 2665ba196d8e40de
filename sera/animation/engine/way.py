"""Keeps the way of a body clear, last of all: where the filter goes, and where it can stop.

Design overview: what is wanted is clear, but joints that travel at their own speeds may cut through
something on their way. Each step of the motion filter is looked at before it counts: the pose that
it gives, the pose in which the body would come to rest if it braked then, and one between them.
While all are clear nothing else happens. If not, the step is taken back and the body goes on
*carefully*: a pose of its own moves from where the body can stop to where it is wanted, with all
joints in step and along what it meets, and the filter follows that. A step that is not clear even
so is not made: the joints that bring the two together brake. They can, since the pose in which they
come to rest was clear before.

Units and frames: own channels in the order of the body, seconds; radians and metres.
Threading: one owner, the engine.
Safety: limits stay the filter's: this gives it set-points and lets joints brake. Contacts that are
there already (a robot that was put down so) may go on, but get no deeper. Limits of what is found:
poses between those three are taken to be as clear as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.engine.clearance import ClearanceStage
from sera.kinematics.contacts import Steering
from sera.kinematics.filter import MotionFilter

FloatArray = NDArray[np.float64]
CAREFUL_WITHIN = 0.45
"""Share of the distance that poses keep: nearer than that it goes carefully …"""
BRAKES_WITHIN = 0.15
"""… and nearer than that it brakes."""
CAREFUL_SHARE = 0.6
"""Of the joints' speed, while it goes carefully."""
SPEED_UP_S = 0.3
"""In which it gets to that: joints that speed up as they like are out of step."""
ARRIVED_RAD = 2e-3
_SETTLED_M = 1e-6
_NONE = np.zeros(0)


class Way:
    """Steps a motion filter."""

    def __init__(
        self, stage: ClearanceStage, motion: MotionFilter, names: Mapping[str, int]
    ) -> None:
        """Watch a filter; `names` has the place of each own channel in it."""
        model = stage.model
        assert model is not None
        self._motion = motion
        self._joints = np.array([names[name] for name in model.tree.joint_names], dtype=np.intp)
        self._watch = model.look(share=CAREFUL_WITHIN)
        self._steering = Steering(model, stage.ends)
        self._longest = CAREFUL_SHARE * stage.speeds * motion.step_s
        self._closest = model.shared_keeps_m(BRAKES_WITHIN)
        self._depths = np.full(len(model.pairs), np.inf)
        """How near pairs are that are too near already."""
        self._mask = np.zeros(len(self._joints), dtype=np.bool_)
        """Joints, in the tree's order, that are careful."""
        self._touches = False
        self._there = np.empty(motion.joints)
        self._all = np.ones(motion.joints, dtype=np.bool_)
        self.careful = False
        self._hurry = 0.0

    def follow(self, motion: MotionFilter) -> None:
        """Go on with another filter of the same body."""
        self._motion = motion
        self.start()

    def start(self) -> None:
        """The body was put somewhere."""
        self.careful = False
        self._mask[:] = False
        self._is_clear(self._motion.positions)
        self._remember()

    def step(self, wanted: FloatArray) -> FloatArray:
        """The next positions on the way to a wanted pose."""
        motion = self._motion
        before = motion.snapshot()
        if not self.careful:
            motion.set_point(wanted)
            after = motion.step()
            if self._is_clear(after):
                return after
            motion.go_back(before)
            self._be_careful(self._culprits())
        set_point = self._steered(wanted)
        motion.set_point(set_point)
        after = motion.step()
        if self._is_clear(after):
            return after
        motion.go_back(before)
        for brakes in (self._culprits(), self._all):
            self._be_careful(brakes)
            set_point[self._joints] = np.where(
                self._mask, self._steering.pose, set_point[self._joints]
            )
            motion.set_point(set_point)
            motion.brake(brakes)
            after = motion.step()
            if brakes is self._all or self._is_clear(after):
                break
            motion.go_back(before)
        self._remember()
        return after

    def _be_careful(self, joints: NDArray[np.bool_]) -> None:
        """Have joints begin anew where they can stop."""
        pose, mask = self._steering.pose, joints[self._joints]
        pose[:] = np.where(mask, self._motion.stops(self._there)[self._joints], pose)
        self._mask |= mask
        self.careful, self._hurry = True, 0.0

    def _steered(self, wanted: FloatArray) -> FloatArray:
        """Where joints that are careful go next; the others go where they are wanted."""
        goal, pose, mask = wanted[self._joints], self._steering.pose, self._mask
        stops = self._motion.stops(self._there)[self._joints]
        pose[:] = np.where(mask, pose, stops)
        self._hurry = min(1.0, self._hurry + self._motion.step_s / SPEED_UP_S)
        pressed = self._steering.step(goal, self._hurry * self._longest, _NONE)
        mask &= np.abs(pose - goal) > ARRIVED_RAD
        mask[pressed] = True
        self.careful = bool(mask.any())
        set_point = wanted.copy()
        set_point[self._joints] = np.where(mask, pose, goal)
        return set_point

    def _is_clear(self, here: FloatArray) -> bool:
        """Whether the pose and the one in which the body can stop are clear, or no worse."""
        there = self._motion.stops(self._there)
        watch = self._watch
        if watch.on_way(here[self._joints], there[self._joints]) == 0:
            if self._touches:
                self._remember()
            return True
        if self._worse().any():
            return False
        self._remember()
        return True

    def _remember(self) -> None:
        """What is too near already may stay so, and come apart."""
        watch = self._watch
        self._touches = watch.count > 0
        self._depths[:] = np.inf
        np.minimum.at(self._depths, watch.found, watch.distances_m)

    def _culprits(self) -> NDArray[np.bool_]:
        """Joints that bring together what comes too near."""
        brakes = np.zeros(self._motion.joints, dtype=np.bool_)
        brakes[self._joints] = (self._watch.rows[self._worse()] != 0.0).any(axis=0)
        return brakes

    def _worse(self) -> NDArray[np.bool_]:
        """Which contacts are too near, and nearer than they were."""
        found = self._watch.found
        allowed = self._depths[found] - _SETTLED_M
        if self.careful:
            allowed = np.minimum(allowed, self._closest[found])
        return self._watch.distances_m < allowed
