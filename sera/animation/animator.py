"""The animator: takes the messages that move a body and keeps its program running.

Design overview: what a module does is only carrying messages; what they mean is here. Each order
goes to the controllers that can follow it, wherever the program has them: `Gaze` to every gaze
controller, `PlayAnimation` to the layer that fits the animation, words of the voice to the speech
controllers, and every message to the inputs that wait for its type. An order that cannot be
followed raises one sentence; nothing else changes by it.

Units and frames: messages are in degrees where people write them, controllers in radians.
Threading: one owner; orders come between two frames.
Safety: motion leaves the engine within limits whatever is ordered. A program that is exchanged
while the body moves goes on from the same pose and velocity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from sera.animation.controllers import (
    Animate,
    Ended,
    Gaze,
    NodController,
    Point,
    Posture,
    SpeechController,
    WriteToChannel,
)
from sera.animation.engine import Engine, ErikStage, FaultReport, Layer
from sera.animation.frame import BlendMode
from sera.animation.program import Program
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    BlendReport,
    ChannelBlend,
    EmergencyStop,
    Message,
    PlayAnimation,
    SetLayer,
    SetPosture,
    SpeechFinished,
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
    StopAnimation,
    SetPosture,
    SetLayer,
    SpeechWord,
    SpeechFinished,
    EmergencyStop,
)
"""Messages that mean something to every program."""


class Animator:
    """A program at work."""

    def __init__(
        self,
        program: Program,
        *,
        start: Mapping[str, float] | None = None,
        rate_hz: float | None = None,
        on_fault: FaultReport = lambda _layer, _controller, _sentence: None,
        on_refused: FaultReport = lambda _layer, _controller, _sentence: None,
    ) -> None:
        """Begin where the body is.

        Args:
            program: what it does; used by this animator alone.
            start: where its own channels are, by name; neutral where left out.
            rate_hz: frames a second; None: what the body wants.
            on_fault: told of what was muted, by layer and controller.
            on_refused: told of names that came over a wire and are unknown; the controller goes on.
        """
        self.program = program
        self.refused = 0
        """How many orders and wired names could not be followed."""
        self._on_refused = on_refused
        self._ended: list[Ended] = []
        """Animations whose player went away with the program before."""
        self._rate_hz, self._on_fault = rate_hz, on_fault
        self.engine: Engine = program.engine(start=start, rate_hz=rate_hz, on_fault=on_fault)
        self._follow: dict[type[Message], Callable[[Any, str], None]] = {
            GazeOrder: self._look,
            PointOrder: self._point,
            PlayAnimation: self._play,
            StopAnimation: self._stop,
            SetPosture: self._take_posture,
            SetLayer: self._set_layer,
            SpeechWord: self._say,
            SpeechFinished: self._fall_silent,
            EmergencyStop: self._drop_everything,
        }

    def step(self) -> dict[str, float]:
        """The next frame: value by own channel, in its unit."""
        values = self.engine.step().tolist()
        for layer, controller in self._wired_by_name:
            if controller.refused:
                self._report(layer, controller)
        return dict(zip(self.program.body.own, values, strict=True))

    @property
    def program(self) -> Program:
        """What is running."""
        return self._program

    @program.setter
    def program(self, program: Program) -> None:
        self._program = program
        self._wired_by_name = [
            (layer, controller)
            for layer in program.layers
            for controller in layer.controllers
            if isinstance(controller, Animate | Posture | WriteToChannel)
        ]

    def _report(self, layer: Layer, controller: Animate | Posture | WriteToChannel) -> None:
        for sentence in controller.refused:
            self.refused += 1
            self._on_refused(layer.name, controller.name, sentence)
        controller.refused.clear()

    def handle(self, message: Message, message_id: str = "") -> None:
        """Do what a message asks for.

        Raises:
            LookupError, ValueError: it cannot be done; in one sentence, with the nearest name.
        """
        follow = self._follow.get(type(message))
        if follow is not None:
            try:
                follow(message, message_id)
            except (LookupError, ValueError):
                self.refused += 1
                raise
        self.program.receive(message)

    def compiled(self, program: Program) -> Engine:
        """An engine for another program; takes a while, and may be done in another thread.

        Raises:
            ValueError, LookupError: it cannot be compiled.
        """
        return program.engine(rate_hz=self._rate_hz, on_fault=self._on_fault)

    def exchange(self, program: Program, engine: Engine | None = None) -> None:
        """Go on with another program (and its engine), from the same pose and velocity.

        What both have goes on: postures, gaze, animations, signals, and layers as they were
        switched, unless the new file says something new about them.

        Raises:
            ValueError: it is for another body or frame rate; nothing changes then.
        """
        before = self.program
        if tuple(program.body.own) != tuple(before.body.own):
            raise ValueError(
                f"a program for '{program.body.name}' cannot move '{before.body.name}'"
            )
        engine = engine or self.compiled(program)
        engine.take_over(self.engine)
        _adopt_signals(program, before)
        for name, (weight, active) in program.switched.items():
            if before.switched.get(name, (weight, active)) != (weight, active):
                engine.layers[name].set(weight=weight, active=active)
        for _layer, player in before.find(Animate):
            player.abandon()
            self._ended += player.ended
        self.program, self.engine = program, engine

    def ended(self) -> list[AnimationFinished]:
        """Animations that have ended since this was last asked."""
        ended, self._ended = self._ended, []
        for _layer, player in self.program.find(Animate):
            ended += player.ended
            player.ended.clear()
        # Those that a wire started have nobody who waits.
        return [_finished(each) for each in ended if each.token]

    # -- what is the case -------------------------------------------------------------------

    @property
    def posture(self) -> str | None:
        """The posture that was asked for last."""
        found = self.program.find(Posture)
        return found[0][1].taken or None if found else None

    @property
    def playing(self) -> list[str]:
        return [name for _layer, player in self.program.find(Animate) for name in player.playing]

    @property
    def muted(self) -> list[str]:
        """Controllers that were muted for a fault."""
        return [each.name for each in self.program.controllers if each.muted]

    @property
    def weights(self) -> dict[str, float]:
        """Weight by layer, fades included."""
        return {name: layer.weight for name, layer in self.engine.layers.items()}

    @property
    def branch_changes(self) -> int:
        """How often an aiming chain had to change its branch."""
        return sum(s.switches for s in self.engine.stages if isinstance(s, ErikStage))

    def blend_report(self) -> BlendReport:
        """Who owns what in the last frame."""
        blend = self.engine.blend
        names = self.engine.layout.names
        channels = {
            name: ChannelBlend(
                value=round(float(blend.values[column]), 6),
                layers={
                    layer: min(1.0, round(share, 4))
                    for layer, share in self.engine.owners(name).items()
                },
            )
            for column, name in enumerate(names)
            if blend.mask[column]
        }
        return BlendReport(frame=self.engine.frame, layers=self.weights, channels=channels)

    # -- orders -----------------------------------------------------------------------------

    def _look(self, order: GazeOrder, _id: str) -> None:
        found = self.program.find(Gaze)
        if not found:
            raise LookupError(self._lacks("Gaze", "looks anywhere"))
        horizontal = math.radians(order.direction.horizontal_deg)
        vertical = math.radians(order.direction.vertical_deg)
        for _layer, gaze in found:
            gaze.look(horizontal, vertical, order.speed)

    def _point(self, order: PointOrder, _id: str) -> None:
        found = self.program.find(Point)
        if not found:
            raise LookupError(self._lacks("Point", "points"))
        horizontal = math.radians(order.direction.horizontal_deg)
        vertical = math.radians(order.direction.vertical_deg)
        for _layer, point in found:
            if order.hold_s == 0.0:
                point.stop()
            else:
                point.point(horizontal, vertical, arm=order.arm, hold_s=order.hold_s)

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

    def _player(self, order: PlayAnimation) -> Animate:
        """Who plays it: the layer that is asked for, the animation's own, or one that fits."""
        found = self.program.find(Animate)
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
        found = self.program.find(Animate)
        if order.animation is not None and order.animation not in self.playing and found:
            found[0][1].known(order.animation)
        for _layer, player in found:
            player.stop(order.animation, fade_s=order.fade_s)

    def _take_posture(self, order: SetPosture, _id: str) -> None:
        found = self.program.find(Posture)
        if not found:
            raise LookupError(self._lacks("Posture", "takes postures"))
        found[0][1].take(order.posture, weight=order.weight, blend_s=order.blend_s)

    def _set_layer(self, order: SetLayer, _id: str) -> None:
        layer = self.engine.layer(order.layer)
        layer.set(active=order.active, weight=order.weight, fade_s=order.fade_s)

    def _say(self, word: SpeechWord, _id: str) -> None:
        for _layer, speech in self.program.find(SpeechController):
            speech.word(word.text)

    def _fall_silent(self, _message: SpeechFinished, _id: str) -> None:
        for _layer, speech in self.program.find(SpeechController):
            speech.silence()

    def _drop_everything(self, _message: EmergencyStop, _id: str) -> None:
        """What was under way is over: nothing must go on by itself after a release."""
        for _layer, player in self.program.find(Animate):
            player.stop(fade_s=0.0)
        for _layer, point in self.program.find(Point):
            point.stop()
        for _layer, nod in self.program.find(NodController):
            nod.stop()
        for _layer, speech in self.program.find(SpeechController):
            speech.silence()

    def _lacks(self, controller: str, does: str) -> str:
        return (
            f"nothing in the program '{self.program.title}' {does}; add a controller of type "
            f"{controller} to a layer of {self.program.path.name}"
        )


def _adopt_signals(program: Program, before: Program) -> None:
    """Shared signals of the same name and type go on where they were."""
    known = {signal.name: signal for signal in before.signals}
    for signal in program.signals:
        match = known.get(signal.name)
        if type(match) is type(signal):
            signal.adopt(match)


def _finished(end: Ended) -> AnimationFinished:
    outcome = AnimationOutcome.COMPLETED if end.completed else AnimationOutcome.INTERRUPTED
    return AnimationFinished(
        animation=end.animation, action=end.token, outcome=outcome, duration_s=end.duration_s
    )


def _fits(layer: Layer, additive: bool) -> bool:
    return (layer.mode is BlendMode.ADD) == additive
