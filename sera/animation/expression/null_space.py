"""The second stage of bodies with hands: emotion in what working hands and the gaze leave free.

Design overview: layers, rules and aiming say what the body shall do (the *wanted* pose). From it
come the tasks of a priority controller: hands at work keep their paths (first their places, then
their orientations), the gaze keeps its direction, turned away as far as the emotion is submissive.
What is left of the joints follows the posture: the wanted one, with the emotional oscillation laid
over it as far as something is felt.

    wanted pose ─┬─ hands at work ── places ── orientations ─┐
                 ├─ gaze ────────────────────────────────────┤ priority controller ── pose
                 └─ posture + intensity · (oscillation - neutral) ┘

Nothing is felt and no hand was ordered anywhere: the stage does nothing, and the pose passes as it
is. It goes over to working, and back, from the very pose that stands.

Units and frames: columns of the layout; radians, metres, seconds; base frame of the body.
Threading: one owner, the engine.
Safety: joints stay within their ends, the centre of mass above the support; the motion filter
comes after. Joints that the profile does not name, such as legs, are never moved by it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.animation.channels import OWN_SET
from sera.animation.engine.seams import move_s
from sera.animation.engine.second_stage import SecondStage, StageFrame
from sera.animation.expression.gestures import GestureWatch
from sera.animation.expression.hands import LET_GO_S, HandEnd, HandOrder, WorkingHand
from sera.animation.signals import Fade
from sera.emotion import Felt
from sera.emotion.features import Features, features_of
from sera.emotion.gaze import Side, head_target, look_at
from sera.emotion.generator import ExpressiveMotion
from sera.emotion.profile import NullSpaceProfile
from sera.kinematics._quaternions import Vector, cross, rotate
from sera.kinematics.priority import (
    Damping,
    GazeTask,
    OrientationTask,
    PositionTask,
    PostureTask,
    PriorityController,
    Report,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sera.animation.body import Body
    from sera.animation.frame import Blend, ChannelLayout

FloatArray = NDArray[np.float64]
LONGEST_STEP_S = 0.02
"""Longer frames are taken in several steps: a hand that is followed in leaps is followed badly."""
BUSY_STEP_S = 0.01
"""The same while a hand works: held against the end of a joint, it trembles in longer steps."""
AT_REST_RAD = 2e-4
"""Nearer than this to the wanted pose, with nothing felt, the stage steps aside."""
FAINT = 1e-3
"""Less of an emotion is not seen: one that fades by halves would never be over otherwise."""
GAZE_CHANNELS = ("Gazing.Horizontal", "Gazing.Vertical")
_HERE, _FORWARDS = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


class NullSpaceStage(SecondStage):
    """Emotion while the body works."""

    def __init__(self, profile: NullSpaceProfile) -> None:
        self.name = "emotion"
        self.profile = profile
        self._felt: Felt | None = None
        self._shown = 0.0
        """How much of what is felt shows, 0-1."""
        self.hands = {hand.name: WorkingHand(hand.name) for hand in profile.hands}
        self._leaving: dict[str, tuple[FloatArray, Fade]] = {}
        """Arms that are let go: the pose from which they come, and how much of it counts."""
        self._motion = ExpressiveMotion(profile)
        self._engaged = False
        self._time_s = 0.0
        self._side: Side = "left"
        self._look: Vector | None = None
        self._posture: FloatArray | None = None

    def bind(self, body: Body, layout: ChannelLayout) -> None:
        """Lay out tasks and columns.

        Raises:
            ValueError: the body has no such end point or joint.
        """
        tree, profile = body.tree, self.profile
        self._tree = tree
        names = tree.joint_names
        self._columns = layout.indices(f"{OWN_SET}.{name}" for name in names)
        place = {name: number for number, name in enumerate(profile.joints)}
        self._order = np.array([place[name] for name in names], dtype=np.intp)
        self._neutral = np.array([body.own[name].neutral for name in names])
        part = profile.takes_part[self._order]
        armed = {joint for hand in profile.hands for joint in hand.joints}
        self._free = np.array([part[i] or names[i] in armed for i in range(len(names))])
        self._part = part.astype(np.float64)
        self._arms = {
            hand.name: np.array([name in hand.joints for name in names], dtype=np.float64)
            for hand in profile.hands
        }
        self._carried_by = {
            hand.name: np.isin(names, tree.chain(hand.end_point).joint_names).astype(np.float64)
            for hand in profile.hands
        }
        """Joints between base and hand: the trunk leans for a hand that goes far."""
        self._gestures = {
            hand.name: GestureWatch(body, layout, hand.joints, hand.name) for hand in profile.hands
        }
        self._gaze_columns = [c for c in map(layout.find, GAZE_CHANNELS) if c is not None]
        self._controller = self._made_controller()
        self._speeds = profile.gains.velocity_share * np.minimum(tree.velocity_limits, 1e9)
        self._last = self._neutral.copy()

    def _made_controller(self) -> PriorityController:
        profile, gains = self.profile, self.profile.gains
        places = [
            PositionTask(name=f"{hand.name} place", end_point=hand.end_point, gain=gains.hand_per_s)
            for hand in profile.hands
        ]
        turns = [
            OrientationTask(
                name=f"{hand.name} turn", end_point=hand.end_point, gain=gains.hand_per_s
            )
            for hand in profile.hands
        ]
        levels: list[list[PositionTask] | list[OrientationTask] | list[GazeTask]] = []
        dampings = []
        if places:
            levels += [places, turns]
            dampings += [Damping(), Damping(damping=0.1, near=0.1)]
        if profile.head is not None:
            head = profile.head
            task = GazeTask(
                name="gaze", end_point=head.end_point, axis=head.axis, gain=gains.head_per_s
            )
            levels.append([task])
            dampings.append(Damping(damping=gains.head_damping, near=gains.head_damping))
        return PriorityController(
            self._tree,
            levels,
            posture=PostureTask(name="posture", gain=gains.posture_per_s),
            damping=dampings,
            speed_share=gains.velocity_share,
            support=profile.support if self._tree.mass_kg > 0.0 else None,
            locked=[
                name
                for name, free in zip(self._tree.joint_names, self._free, strict=True)
                if not free
            ],
        )

    # -- orders -----------------------------------------------------------------------------

    def move_hand(self, name: str, order: HandOrder | None) -> float:
        """Bring a hand to a place, or let go of it; how long its way takes.

        Raises:
            LookupError: there is no such hand; with the nearest name.
        """
        hand = self.profile.hand(name)
        if order is None:
            self.hands[hand.name].drop()
            return 0.0
        angles = self._controller.angles_rad if self._engaged else self._last
        return self.hands[hand.name].order(order, self._tree.pose(angles, hand.end_point))

    def drop_hands(self) -> None:
        """Give up every order to a hand."""
        for hand in self.hands.values():
            hand.drop()

    def ended(self) -> list[HandEnd]:
        """Orders to hands that have ended since this was last asked."""
        found = [end for hand in self.hands.values() for end in hand.ended]
        for hand in self.hands.values():
            hand.ended.clear()
        return found

    @property
    def report(self) -> Report | None:
        """What the controller did in the last frame; None while the stage does nothing."""
        return self._controller.report if self._engaged else None

    # -- frames -----------------------------------------------------------------------------

    def step(self, frame: StageFrame) -> None:
        wanted = frame.posed[self._columns]
        before, self._last = self._last, wanted
        felt = self._felt = frame.felt
        intensity = 0.0 if felt is None else felt.intensity
        self._shown = max(0.0, (intensity - FAINT) / (1.0 - FAINT))
        shows = self._shown > 0.0
        if not self._engaged and not shows and all(hand.idle for hand in self.hands.values()):
            return
        gestures = {name: watch.share(frame) for name, watch in self._gestures.items()}
        if not self._engaged:
            self._engage(before, gestures)
        works = any(not hand.idle or gestures[hand.name] > 0.0 for hand in self.hands.values())
        longest_s = BUSY_STEP_S if works else LONGEST_STEP_S
        steps = max(1, math.ceil(frame.dt_s / longest_s - 1e-9))
        dt_s = frame.dt_s / steps
        looking = self._looking(frame.blend)
        for number in range(1, steps + 1):
            pose = before + (number / steps) * (wanted - before)
            self._small_step(pose, (wanted - before) / steps, dt_s, gestures, looking)
        angles = self._controller.angles_rad
        frame.posed[self._columns] = angles
        at_rest = not shows and all(hand.idle for hand in self.hands.values())
        if at_rest and float(np.abs(angles - wanted).max()) < AT_REST_RAD:
            self._engaged = False

    def _engage(self, pose: FloatArray, gestures: Mapping[str, float]) -> None:
        """Begin to work, from the pose that stands: gestures under way are on their paths."""
        self._engaged = True
        self._controller.start_from(pose)
        for hand in self.profile.hands:
            if gestures[hand.name] > 0.0:
                now = self._tree.pose(pose, hand.end_point)
                self.hands[hand.name].join(gestures[hand.name], now)
        self._look = self._posture = None
        features = Features() if self._felt is None else features_of(self._felt.target)
        self._time_s = self._motion.start_offset(features).still_at_s
        self._side = "left"

    def _small_step(
        self,
        pose: FloatArray,
        moved: FloatArray,
        dt_s: float,
        gestures: Mapping[str, float],
        looking: float,
    ) -> None:
        """Go on to a wanted pose: every target as it was, and how it moves until then."""
        controller, tree = self._controller, self._tree
        self._time_s += dt_s
        controller.place(pose, ~self._free)
        working = np.zeros(len(pose))
        busy = [
            hand
            for hand in self.profile.hands
            if not self.hands[hand.name].idle or gestures[hand.name] > 0.0
        ]
        ends = [hand.end_point for hand in busy]
        wanted = tree.poses(pose, ends) if busy else []
        now = tree.poses(controller.angles_rad, ends) if busy else []
        for hand in self.profile.hands:
            place, turn = controller[f"{hand.name} place"], controller[f"{hand.name} turn"]
            if hand not in busy:
                self.hands[hand.name].rest()
                place.activation = turn.activation = 0.0
                continue
            number = busy.index(hand)
            wish = self.hands[hand.name].step(
                dt_s, gestures[hand.name], wanted[number], now[number]
            )
            place.set(wish.place_m, velocity_m_s=wish.velocity_m_s)
            turn.set(orientation_wxyz=wish.orientation_wxyz, spin_rad_s=wish.spin_rad_s)
            place.activation, turn.activation = wish.place_share, wish.turn_share
            working += wish.arm_share * self._arms[hand.name]
        led = self._led(pose, dt_s)
        posture = tree.clamp(led + self._emotional() * (1.0 - working))
        if self.profile.head is not None:
            self._aim_gaze(pose, posture, looking, dt_s)
        before, self._posture = posture - moved if self._posture is None else self._posture, posture
        speed = (posture - before) / dt_s
        start = controller.angles_rad
        controller.wish(before, speed)
        controller.step(dt_s)
        self._move_idle_arms(start, before, speed, dt_s)

    def _led(self, pose: FloatArray, dt_s: float) -> FloatArray:
        """The wanted pose, with hands whose orders have ended on their way back to it."""
        for hand in self.profile.hands:
            name, arm = hand.name, self._carried_by[hand.name]
            if self.hands[name].left:
                now = self._controller.angles_rad.copy()
                back = now + arm * (pose - now)
                lasts_s = move_s(self._tree, [hand.end_point], now, back, LET_GO_S)
                self._leaving[name] = now, (fade := Fade(1.0))
                fade.go(0.0, lasts_s)
                self.hands[name].let_go(lasts_s)
            if name in self._leaving:
                start, fade = self._leaving[name]
                pose = pose + fade.step(dt_s) * arm * (start - pose)
                if not fade.moving:
                    del self._leaving[name]
        return pose

    def _move_idle_arms(
        self, start: FloatArray, before: FloatArray, speed: FloatArray, dt_s: float
    ) -> None:
        """Let arms that no task needs follow their posture whatever the others do.

        A level that is too fast for one joint is slowed down as a whole, and the posture is one:
        an arm at the end of its speed would bring the other one to a halt. Where the balance is
        held, every joint has its share in that, and stays with the controller.
        """
        idle = [name for name, hand in self.hands.items() if hand.idle]
        if not idle or self._controller.edges_held:
            return
        which = sum((self._arms[name] for name in idle), np.zeros(len(start))) > 0.0
        wanted = speed + self.profile.gains.posture_per_s * (before - start)
        moved = start + dt_s * np.clip(wanted, -self._speeds, self._speeds)
        self._controller.place(self._tree.clamp(moved), which & self._free)

    def _emotional(self) -> FloatArray:
        """What the emotion adds to the wanted pose."""
        felt = self._felt
        if felt is None or self._shown <= 0.0:
            return np.zeros(len(self._part))
        theta = self._motion.pose(self._time_s, features_of(felt.pad))
        return self._shown * (theta[self._order] - self._neutral) * self._part

    def _aim_gaze(self, pose: FloatArray, posture: FloatArray, looking: float, dt_s: float) -> None:
        part = self.profile.head
        assert part is not None
        head = self._tree.pose(pose, part.end_point)
        task = self._controller["gaze"]
        if looking <= 0.0:
            task.activation = 0.0
            self._look = None
            return
        ahead = _seen(head.orientation_wxyz, part.axis)
        felt = self._felt
        look = ahead
        if felt is not None and self._shown > 0.0:
            direct = look_at(_HERE, ahead)
            away = self._shown * (1.0 - features_of(felt.pad).gaze)
            posed = direct
            if self.profile.gaze.mode == "document":
                moved = self._tree.pose(posture, part.end_point)
                posed = look_at(_HERE, _seen(moved.orientation_wxyz, part.axis))
            if away < 0.05:  # looking straight at somebody: the side may change unseen
                self._side = "left" if ahead[0] <= 0.0 else "right"
            target = head_target(self.profile.gaze, posed, direct, 1.0 - away, self._side)
            look = _seen(target, _FORWARDS)
        before, self._look = look if self._look is None else self._look, look
        task.set_direction(before, spin_rad_s=np.array(cross(before, look)) / dt_s)
        task.activation = looking

    def _looking(self, blend: Blend) -> float:
        columns = [column for column in self._gaze_columns if blend.mask[column]]
        if not columns:
            return 0.0
        return min(1.0, float(blend.block.weights[:, columns].max()))

    def start_from(self, own: Mapping[str, float]) -> None:
        angles = np.array([own.get(name, 0.0) for name in self._tree.joint_names])
        self._last = angles
        self._leaving.clear()
        for hand in self.hands.values():
            hand.left = False
        if self._engaged:
            self._controller.start_from(angles)


def _seen(orientation_wxyz: FloatArray, direction: Vector) -> Vector:
    """A direction of a frame, in the base frame; on plain floats, since it runs in every frame."""
    w, x, y, z = orientation_wxyz.tolist()
    return rotate((w, x, y, z), direction)
