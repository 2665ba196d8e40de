"""Keeps the way of a body clear, after everything else: where the filter goes, and where it can stop.

Design overview: what is wanted is clear, but joints that travel at their own speeds may cut through
something on their way. Each step of the motion filter is looked at before it counts: the pose that
it gives, and the pose in which the body would come to rest if it braked then. While both are clear
nothing else happens. If not, the step is taken back and the body goes on *carefully*: a pose of its
own moves from where the body can stop to where it is wanted, with all joints in step and along what
it meets, and the filter follows that. A step that is not clear even so is not made: the joints that
bring the two together brake. They can, since the pose in which they come to rest was clear before.

Units and frames: own channels in the order of the body, seconds; radians and metres.
Threading: one owner, the engine.
Safety: limits stay the filter's: this gives it set-points and lets joints brake. Contacts that are
there already (a robot that was put down so) may go on, but get no deeper. Limits of what is found:
poses between here and rest are taken to be as clear as both ends.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.engine.clearance import ClearanceStage
from sera.kinematics.contacts import Steering
from sera.kinematics.filter import MotionFilter

FloatArray = NDArray[np.float64]
HARD_SHARE = 0.3
"""Of the distances that poses keep: nearer than that nothing may come on its way."""
CAREFUL_SHARE = 0.6
"""Of the joints' speed, while it goes carefully."""
ARRIVED_RAD = 2e-3
_SETTLED = 1e-9


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
        self._watch = model.look(share=HARD_SHARE)
        self._steering = Steering(model, stage.ends, stage.held)
        self._shares = np.ones(len(stage.held))
        self._longest = CAREFUL_SHARE * stage.speeds * motion.step_s
        self._depths = np.full(len(model.pairs), np.inf)
        """How near pairs are that are too near already."""
        self._there = np.empty(motion.joints)
        self.careful = False
        self.note = ""
        self.held_back = 0
        """Steps that were taken back so far."""

    def follow(self, motion: MotionFilter) -> None:
        """Go on with another filter of the same body."""
        self._motion = motion
        self.start()

    def start(self) -> None:
        """The body was put somewhere."""
        self.careful = False
        self._depths[:] = np.inf

    def step(self, wanted: FloatArray) -> FloatArray:
        """The next positions on the way to a wanted pose."""
        motion = self._motion
        before = motion.snapshot()
        if not self.careful:
            motion.set_point(wanted)
            after = motion.step()
            if self._is_clear(after):
                self.note = ""
                return after
            motion.go_back(before)
            self.careful = True
            self._steering.pose[:] = motion.stops(self._there)[self._joints]
        goal = wanted[self._joints]
        self._steering.step(goal, self._longest, self._shares)
        pose = self._steering.pose
        careful = wanted.copy()
        careful[self._joints] = pose
        motion.set_point(careful)
        after = motion.step()
        if not self._is_clear(after):
            self.held_back += 1
            motion.go_back(before)
            motion.brake(self._to_brake())
            after = motion.step()
            self._is_clear(after)
        elif float(np.abs(pose - goal).max()) < ARRIVED_RAD:
            self.careful = False
        return after

    def _is_clear(self, here: FloatArray) -> bool:
        """Whether the pose and the one in which the body can stop are clear."""
        there = self._motion.stops(self._there)
        watch = self._watch
        if watch.on_way(here[self._joints], there[self._joints]) == 0:
            return True
        found, distances = watch.found, watch.distances_m
        return bool((distances >= self._depths[found] - _SETTLED).all())

    def _to_brake(self) -> NDArray[np.bool_]:
        """Joints that bring together what comes too near."""
        brakes = np.zeros(self._motion.joints, dtype=np.bool_)
        brakes[self._joints] = (self._watch.rows != 0.0).any(axis=0)
        return brakes
