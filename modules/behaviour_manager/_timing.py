"""How long this character's body takes until a step says what it is to say.

Design overview: strokes of gestures come from the animation files, how long gaze and arm travel
from the body's limits; the engine need not be asked. `reach_of` is asked before a step, `fit` makes
the order that meets a moment: the preparation is stretched or quickened, and where even that is too
late the gesture is smaller and its lateness is told.

Units and frames: seconds, radians inside. Threading: reading the files blocks, the rest is pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from sera.animation.body import load_body
from sera.animation.channels import ChannelSpec
from sera.animation.strokes import QUICKEST, STROKE, Stroke, load_strokes, shortest_s
from sera.behaviour.gaze import travel_s
from sera.behaviour.markup import Step, VerbRegistry
from sera.behaviour.performing import Reach
from sera.messages import PlayAnimation
from sera.runtime.robot import RobotCard
from sera.runtime.workspace import Workspace, scenario_folders

from ._eyes import Eyes, Pace
from ._steps import message_of

STROKE_AHEAD_S = 0.08
"""How long before its word a stroke comes: hands are a little ahead of what they go with."""
GAZE_AHEAD_S = 0.1
POINT_AHEAD_S = -0.02
EYES_BEFORE_HAND_S = 0.29
LONGEST_STROKE_S = 1.5
"""What has its moment later is no gesture that goes with a word: it begins with it."""
SLOWEST = 1.25
SIZES = (1.0, 0.9, 0.8, 0.7, 0.6)
"""How large a gesture is that would be too late otherwise: the largest that is in time."""
_HAIR_S, _UNSEEN_S = 1e-3, 0.02
_ORDERED_BEFORE_S = 0.08
_THERE_RAD = math.radians(3.0)
_DRAWN_RAD = math.radians(30.0)
"""How far a look goes of which only chance knows where to."""
_LIMITED_SEEN = 0.92
# How the shipped arm travels (Point), seen as arrived within a tenth of the way.
_ARM_S, _ARM_SEEN = 0.5, 0.7


class Timing:
    """Knows one body's strokes and lead times.

    Args:
        robot: None: a character without a body, whose steps take no time.
        scenario: folder of the scenario.
        verbs: in use.
        eyes: who knows where the gaze is.
    """

    def __init__(
        self, robot: RobotCard | None, scenario: Path | None, verbs: VerbRegistry, eyes: Eyes
    ) -> None:
        self._verbs, self._eyes = verbs, eyes
        self._specs: Mapping[str, ChannelSpec] = {}
        self._strokes: Mapping[str, Stroke] = {}
        if robot is not None:
            self._specs = load_body(robot.folder).channels
            roots = Workspace.discover(scenario or robot.folder).roots
            shared = (root / "robots" / "shared" for root in reversed(roots))
            places = [*shared, robot.folder, *scenario_folders(scenario, robot.folder)]
            self._strokes = load_strokes((each / "animations" for each in places), self._specs)

    def reach_of(self, step: object) -> Reach | None:
        """How long a step takes to be seen; None: it is seen at once, or nobody knows."""
        assert isinstance(step, Step)
        if step.verb in {"GAZE", "GLANCE"}:
            return self._look_of(step) if self._specs else None
        if step.verb == "POINT":
            return Reach(self._arm_s(step), POINT_AHEAD_S) if self._specs else None
        stroke = self._stroke_of(step)
        if stroke is None:
            return None
        usual_s, least_s = (stroke[0].reached_s(pace) / stroke[1] for pace in (1.0, QUICKEST))
        return Reach(usual_s, STROKE_AHEAD_S, least_s)

    def _look_of(self, step: Step) -> Reach:
        travel_s = self._gaze_s(step)
        if travel_s is None:
            return Reach(0.0, is_look=True)
        least_s, ahead_s, free_in_s = QUICKEST * travel_s, GAZE_AHEAD_S, self._eyes.held_s
        if step.leads_hand:
            # It is ordered before the hand, so that nobody has the hand wait for it once more.
            first_s = self._arm_s(step) - EYES_BEFORE_HAND_S + _ORDERED_BEFORE_S
            travel_s, least_s = max(travel_s, first_s), max(least_s, first_s)
            ahead_s = EYES_BEFORE_HAND_S + POINT_AHEAD_S
        return Reach(travel_s, ahead_s, least_s, free_in_s, is_look=True)

    def is_there(self, step: Step) -> bool:
        """Whether the gaze is where a step looks."""
        return self._gaze_s(step) is None

    def quickened(self, step: Step, in_s: float) -> Pace:
        """How quick a look must be to arrive in that time."""
        usual, least = self._speed_of(step), 0.5 if step.leads_hand else 1.0 / SLOWEST

        def speed_of(way_rad: float, speed: float) -> float:
            speed = max(speed, usual)
            lacks = self._travel_s(way_rad, speed) / max(in_s, 0.01)
            return speed * min(max(least, lacks), 1.0 / QUICKEST)

        return speed_of

    def fit(self, order: PlayAnimation, in_s: float) -> tuple[PlayAnimation, float]:
        """The order with which the stroke comes in that time, and how late it is at best."""
        stroke = self._strokes.get(order.animation)
        if stroke is None:
            return order, 0.0
        wanted_s = in_s * order.speed
        pace = self._pace_for(stroke, wanted_s)
        late_by = {size: stroke.reached_s(pace, size) - wanted_s for size in SIZES}
        amplitude = next((size for size in SIZES if late_by[size] <= _UNSEEN_S), SIZES[-1])
        late_s = late_by[amplitude] / order.speed
        changed: dict[str, object] = {"amplitude": order.amplitude * amplitude}
        if abs(pace - 1.0) > 0.02:
            changed["anchors"] = {**order.anchors, STROKE: pace * stroke.at_s / order.speed}
        return order.model_copy(update=changed), max(0.0, late_s)

    def _pace_for(self, stroke: Stroke, wanted_s: float) -> float:
        """How much the preparation is stretched or quickened."""
        usual_s = stroke.reached_s()
        if wanted_s >= usual_s - _HAIR_S:
            return min(1.0 + max(0.0, wanted_s - usual_s) / stroke.at_s, SLOWEST)
        for pace in (1.0 - 0.04 * n for n in range(11)):
            if stroke.reached_s(pace) <= wanted_s:
                return pace
        return QUICKEST

    def _stroke_of(self, step: Step) -> tuple[Stroke, float] | None:
        """The stroke of a step's animation, and the speed at which it is played."""
        try:
            message = message_of(step, self._verbs)
        except ValueError:
            return None
        if not isinstance(message, PlayAnimation):
            return None
        stroke = self._strokes.get(message.animation)
        if stroke is None or stroke.reached_s() > LONGEST_STROKE_S:
            return None
        return stroke, message.speed

    def _gaze_s(self, step: Step) -> float | None:
        """How long the gaze travels; None: it is there, or will not go."""
        way_rad = self._eyes.way_rad(step.target or "", if_drawn=_DRAWN_RAD)
        if way_rad is None or way_rad < _THERE_RAD or "Gazing.Horizontal" not in self._specs:
            return None
        return self._travel_s(way_rad, self._speed_of(step))

    def _speed_of(self, step: Step) -> float:
        """A look that leads a hand is no passing glance."""
        return self._eyes.speed_of("GAZE" if step.leads_hand else step.verb)

    def _travel_s(self, way_rad: float, speed: float) -> float:
        limited_s = _LIMITED_SEEN * shortest_s(way_rad, self._specs["Gazing.Horizontal"])
        return max(travel_s(way_rad, speed), limited_s)

    def _arm_s(self, step: Step) -> float:
        """How long an arm takes from where it hangs."""
        angles = self._eyes.angles_if_fixed(step.target or "")
        spec = self._specs.get("Arms.RightRaise")
        if angles is None or spec is None:
            return _ARM_S
        way_rad = math.radians(math.hypot(90.0 + angles.vertical_deg, 0.3 * angles.horizontal_deg))
        return max(_ARM_S, shortest_s(_ARM_SEEN * way_rad, spec))
