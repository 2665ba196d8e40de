"""Orders: what the messages that move a body mean to the controllers of its program.

Design overview: each order goes to the controllers that can follow it, wherever the program has
them: `Gaze` to every gaze controller, `PlayAnimation` to the layer that fits the animation, words
of the voice to the speech controllers.

Units and frames: messages are in degrees where people write them, controllers in radians.
Threading: one owner; orders come between two frames.
Safety: an order that cannot be followed raises one sentence and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from sera.animation._yielding import YieldingGaze
from sera.animation.controllers import (
    Animate,
    EyesLight,
    FaceController,
    Gaze,
    NodController,
    Point,
    Posture,
    SpeechController,
)
from sera.animation.engine import Engine, Layer
from sera.animation.expression import HandOrder, NullSpaceStage
from sera.animation.frame import BlendMode
from sera.animation.program import Program
from sera.messages import (
    EmergencyStop,
    EmotionState,
    HoldJoints,
    Message,
    MoveHand,
    PlayAnimation,
    RetimeAnimation,
    SetEmotion,
    SetEyesLight,
    SetFace,
    SetLayer,
    SetMood,
    SetPosture,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
)
from sera.messages import Gaze as GazeOrder
from sera.messages import Point as PointOrder
from sera.runtime.located import nearest_name

ORDERS: tuple[type[Message], ...] = (
    GazeOrder,
    PointOrder,
    PlayAnimation,
    RetimeAnimation,
    StopAnimation,
    SetPosture,
    SetFace,
    SetEyesLight,
    SetLayer,
    HoldJoints,
    MoveHand,
    SetEmotion,
    SetMood,
    EmotionState,
    SpeechStarted,
    SpeechWord,
    SpeechFinished,
    EmergencyStop,
)
"""Messages that mean something to every program."""

_HAND_SEEN = 0.72
"""Part of a hand's time after which nearly all of its way is gone."""
_SEEN_RAD = 1.4
"""Eyes do not follow a hand to a place farther off, such as straight overhead or behind."""
_STAYS_S = 1.0
"""How long the eyes stay with a hand that stays until the next order."""


class Orders:
    """Follows orders with one program."""

    def __init__(self, program: Program, engine: Engine) -> None:
        self._program, self._engine = program, engine
        self._yielding = YieldingGaze()
        self.remarks: list[str] = []
        """What was followed, but not to the letter, since somebody last emptied the list."""
        meanings: tuple[Callable[[Any, str], None], ...] = (
            self._look,
            self._point,
            self._play,
            self._retime,
            self._stop,
            self._take_posture,
            self._show_face,
            self._light_eyes,
            self._set_layer,
            self._hold_joints,
            self._move_hand,
            self._feel,
            self._feel,
            self._follow_feeling,
            self._begin_speech,
            self._say,
            self._fall_silent,
            self._drop_everything,
        )
        self._meanings = dict(zip(ORDERS, meanings, strict=True))

    def follow(self, message: Message, message_id: str) -> None:
        """Do what a message asks for; one that is no order asks for nothing.

        Raises:
            LookupError, ValueError: it cannot be done; in one sentence, with the nearest name.
        """
        follow = self._meanings.get(type(message))
        if follow is not None:
            follow(message, message_id)

    def _look(self, order: GazeOrder, _id: str) -> None:
        if not self._program.find(Gaze):
            raise LookupError(self._lacks("Gaze", "looks anywhere"))
        if not self._yielding.holds(order, nods=self._nods):
            self._turn_gaze(order)

    @property
    def _nods(self) -> bool:
        return any(player.nods for _layer, player in self._program.find(Animate)) or any(
            nod.active for _layer, nod in self._program.find(NodController)
        )

    def advance(self, dt_s: float) -> None:
        """Let time pass: a gaze that waited for a nod goes on."""
        if self._yielding.waits:
            order = self._yielding.due(dt_s, nods=self._nods)
            if order is not None:
                self._turn_gaze(order)

    def _turn_gaze(self, order: GazeOrder) -> None:
        horizontal = math.radians(order.direction.horizontal_deg)
        vertical = math.radians(order.direction.vertical_deg)
        for _layer, gaze in self._program.find(Gaze):
            gaze.look(horizontal, vertical, order.speed, place_m=_place(order), label=order.target)

    def _point(self, order: PointOrder, _id: str) -> None:
        found = self._program.find(Point)
        if not found:
            raise LookupError(self._lacks("Point", "points"))
        horizontal = math.radians(order.direction.horizontal_deg)
        vertical = math.radians(order.direction.vertical_deg)
        for _layer, point in found:
            if order.hold_s == 0.0:
                point.stop()
            else:
                hold_s = point.holds_s(order.hold_s)
                point.point(
                    horizontal,
                    vertical,
                    arm=order.arm,
                    hold_s=hold_s,
                    place_m=_place(order),
                    after_s=self._eyes_first(horizontal, vertical, point.arrives_s, hold_s),
                )

    def _eyes_first(
        self, horizontal_rad: float, vertical_rad: float, hand_s: float, hold_s: float
    ) -> float:
        """Look where a hand goes, a moment before it is there; how long the hand waits for it."""
        found = (gaze for _layer, gaze in self._program.find(Gaze))
        waits_s = [gaze.lead(horizontal_rad, vertical_rad, hand_s, hold_s) for gaze in found]
        return max(waits_s, default=0.0)

    def _play(self, order: PlayAnimation, message_id: str) -> None:
        self._player(order).play(
            order.animation,
            token=message_id,
            repeats=order.repeats,
            speed=order.speed,
            amplitude=order.amplitude,
            fade_s=order.fade_s,
            anchors=order.anchors,
        )

    def _retime(self, order: RetimeAnimation, _id: str) -> None:
        for _layer, player in self._program.find(Animate):
            player.retime(order.action, order.anchors)

    def _player(self, order: PlayAnimation) -> Animate:
        """Who plays it: the layer that is asked for, the animation's own, or one that fits."""
        found = self._program.find(Animate)
        if not found:
            raise LookupError(self._lacks("Animate", "plays animations"))
        animation = found[0][1].known(order.animation)
        wanted = order.layer or animation.layer
        if wanted is not None:
            players = {layer.name: player for layer, player in found}
            if wanted in players:
                return players[wanted]
            if order.layer is not None:
                near = nearest_name(wanted, players)
                hint = f"did you mean '{near}'?" if near else f"those that do: {', '.join(players)}"
                raise LookupError(f"no layer '{wanted}' plays animations; {hint}")
        return next((p for layer, p in found if _fits(layer, animation.additive)), found[0][1])

    def _stop(self, order: StopAnimation, _id: str) -> None:
        found = self._program.find(Animate)
        name = order.animation
        stopped = sum(player.stop(name, fade_s=order.fade_s) for _layer, player in found)
        if found and name is not None and not stopped:
            found[0][1].known(name)

    def _take_posture(self, order: SetPosture, _id: str) -> None:
        found = self._program.find(Posture)
        if not found:
            raise LookupError(self._lacks("Posture", "takes postures"))
        found[0][1].take(order.posture, weight=order.weight, blend_s=order.blend_s)

    def _show_face(self, order: SetFace, _id: str) -> None:
        found = self._program.find(FaceController)
        if not found:
            raise LookupError(self._lacks("Face", "shows faces"))
        for _layer, face in found:
            face.show(order.face, hold_s=order.hold_s, weight=order.weight, blend_s=order.blend_s)

    def _light_eyes(self, order: SetEyesLight, _id: str) -> None:
        """It comes with every glance that is met: a program that does without is no fault."""
        for _layer, eyes in self._program.find(EyesLight):
            eyes.light(order.level)

    def _set_layer(self, order: SetLayer, _id: str) -> None:
        layer = self._engine.layer(order.layer)
        layer.set(active=order.active, weight=order.weight, fade_s=order.fade_s)

    def _hold_joints(self, order: HoldJoints, _id: str) -> None:
        self._engine.hold(order.joints_rad, order.blend_s)

    def _move_hand(self, order: MoveHand, message_id: str) -> None:
        stage = self.hands
        if stage is None:
            body = self._program.body.name
            raise LookupError(
                f"'{body}' has no hands to move; emotion.toml beside a body names them"
            )
        if order.place is None:
            stage.move_hand(order.hand, None)
            return
        turn, place_m = order.orientation, (order.place.x_m, order.place.y_m, order.place.z_m)
        way_s = stage.move_hand(
            order.hand,
            HandOrder(
                place_m=place_m,
                orientation_wxyz=None if turn is None else (turn.w, turn.x, turn.y, turn.z),
                carries=order.carries,
                duration_s=order.duration_s,
                hold_s=order.hold_s,
                token=message_id,
            ),
        )
        sight = self._engine.sights.find("Gazing")
        if sight is not None:
            right_m, up_m, ahead_m = (b - a for a, b in zip(sight.position_m, place_m, strict=True))
            across = math.atan2(-right_m, ahead_m)
            up = math.atan2(up_m, math.hypot(right_m, ahead_m))
            if max(abs(across), abs(up)) > _SEEN_RAD:
                return
            stays_s = _STAYS_S if order.hold_s is None else order.hold_s
            stage.hands[order.hand].wait(self._eyes_first(across, up, _HAND_SEEN * way_s, stays_s))

    @cached_property
    def hands(self) -> NullSpaceStage | None:
        """The stage that moves hands, where the body has any."""
        stages = (each for each in self._engine.stages if isinstance(each, NullSpaceStage))
        return next(stages, None)

    def _feel(self, order: SetEmotion | SetMood, _id: str) -> None:
        clipped = self._engine.affect.order(order)
        if clipped is not None:
            self.remarks.append(f"{type(order).__name__}: {clipped}")

    def _follow_feeling(self, state: EmotionState, _id: str) -> None:
        self._engine.affect.follow(state)

    def _begin_speech(self, message: SpeechStarted, _id: str) -> None:
        points = [(point.time_s, point.opening) for point in message.mouth]
        for _layer, speech in self._program.find(SpeechController):
            speech.begin(points, message.speech)

    def _say(self, word: SpeechWord, _id: str) -> None:
        for _layer, speech in self._program.find(SpeechController):
            speech.word(word.text, word.speech)

    def _fall_silent(self, message: SpeechFinished, _id: str) -> None:
        for _layer, speech in self._program.find(SpeechController):
            speech.silence(message.speech)

    def _drop_everything(self, _message: EmergencyStop, _id: str) -> None:
        """What was under way is over: nothing must go on by itself after a release."""
        for _layer, player in self._program.find(Animate):
            player.drop()
        for _layer, point in self._program.find(Point):
            point.drop()
        for _layer, nod in self._program.find(NodController):
            nod.stop()
        self._yielding = YieldingGaze()
        for _layer, face in self._program.find(FaceController):
            face.end_moment()
        for _layer, speech in self._program.find(SpeechController):
            speech.silence()
        self._engine.hand.drop()
        if self.hands is not None:
            self.hands.drop_hands()

    def _lacks(self, controller: str, does: str) -> str:
        return (
            f"nothing in the program '{self._program.title}' {does}; add a controller of type "
            f"{controller} to a layer of {self._program.path.name}"
        )


def _place(order: GazeOrder | PointOrder) -> tuple[float, float, float] | None:
    place = order.place
    return None if place is None else (place.x_m, place.y_m, place.z_m)


def _fits(layer: Layer, additive: bool) -> bool:
    return (layer.mode is BlendMode.ADD) == additive
