"""The animator: takes the messages that move a body and keeps its program running.

Design overview: what a module does is only carrying messages. Orders are followed by `_orders`, and
every message reaches the inputs that wait for its type. An order that cannot be followed raises one
sentence; nothing else changes by it.

Units and frames: messages are in degrees where people write them, controllers in radians.
Threading: one owner; orders come between two frames.
Safety: motion leaves the engine within limits whatever is ordered. A program that is exchanged
while the body moves goes on from the same pose and velocity.
"""

from __future__ import annotations

from collections.abc import Mapping

from sera.animation._orders import ORDERS, Orders
from sera.animation.channels import OWN_SET
from sera.animation.controllers import Animate, Ended, FaceController, Posture, WriteToChannel
from sera.animation.engine import ClearanceStage, Engine, ErikStage, FaultReport, Layer
from sera.animation.expression import HandEnd
from sera.animation.gaze_report import GazeReport
from sera.animation.program import Program
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    BlendReport,
    ChannelBlend,
    GazeState,
    HandMoved,
    HandOutcome,
    Message,
)

__all__ = ["ORDERS", "Animator"]

BY_HAND = "by hand"
"""What holds joints in a BlendReport, beside the layers of the program."""

_WiredByName = Animate | FaceController | Posture | WriteToChannel
"""What a wire may ask for something by a name that there is not."""


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
        self._hands_ended: list[HandEnd] = []
        """Orders to hands that went away with the program before."""
        self._rate_hz, self._on_fault = rate_hz, on_fault
        self.engine: Engine = program.engine(start=start, rate_hz=rate_hz, on_fault=on_fault)
        self._orders = Orders(program, self.engine)
        self._gaze_report = GazeReport(program, self.engine)

    def step(self) -> dict[str, float]:
        """The next frame: value by own channel, in its unit."""
        self._orders.advance(self.engine.step_s)
        values = self.engine.step().tolist()
        for layer, controller in self._wired_by_name:
            if controller.refused:
                self._report(layer, controller)
        return dict(zip(self.program.body.own, values, strict=True))

    def gaze_news(self, now_s: float) -> GazeState | None:
        """Where the face is and looks now, where that differs from what this told last."""
        return self._gaze_report.news(now_s)

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
            if isinstance(controller, _WiredByName)
        ]

    def _report(self, layer: Layer, controller: _WiredByName) -> None:
        for sentence in controller.refused:
            self.refused += 1
            self._on_refused(layer.name, controller.name, sentence)
        controller.refused.clear()

    def handle(self, message: Message, message_id: str = "") -> None:
        """Do what a message asks for.

        Raises:
            LookupError, ValueError: it cannot be done; in one sentence, with the nearest name.
        """
        try:
            self._orders.follow(message, message_id)
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
            player.drop()
            self._ended += player.ended
        hands = self._orders.hands
        if hands is not None:
            hands.drop_hands()
            self._hands_ended += hands.ended()
        self.program, self.engine = program, engine
        self._orders = Orders(program, engine)
        self._gaze_report = GazeReport(program, engine)

    def remarks(self) -> list[str]:
        """Orders that were followed, but not to the letter, since this was last asked."""
        found = list(self._orders.remarks)
        self._orders.remarks.clear()
        return found

    def hands_moved(self) -> list[HandMoved]:
        """Orders to hands that have arrived or ended since this was last asked."""
        hands = self._orders.hands
        if hands is None and not self._hands_ended:
            return []
        ended, self._hands_ended = self._hands_ended, []
        if hands is not None:
            ended += hands.ended()
        return [_hand_moved(each) for each in ended if each.token]

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
    def face(self) -> str | None:
        """The face that is shown, or coming; None where nothing shows faces."""
        found = self.program.find(FaceController)
        return found[0][1].shown if found else None

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

    @property
    def branch_change(self) -> str | None:
        """Why aiming chains changed their branch the last time; None if none did."""
        stages = [s for s in self.engine.stages if isinstance(s, ErikStage)]
        return "; ".join(reason for s in stages for reason in s.last_switches) or None

    @property
    def kept_clear(self) -> int:
        """In how many frames the body was kept off something, or touched it if that only tells."""
        return sum(s.held_back for s in self.engine.stages if isinstance(s, ClearanceStage))

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
        layers = self.weights
        held = self.engine.hand.weights
        if held:
            layers[BY_HAND] = round(max(held.values()), 4)
            channels |= {
                f"{OWN_SET}.{joint}": self._held(joint, weight, channels)
                for joint, weight in held.items()
            }
        owners = self.engine.seams.limbs.owners
        return BlendReport(
            frame=self.engine.frame,
            layers=layers,
            channels=channels,
            limbs={limb: grip.holder for limb, grip in owners.items()},
        )

    def _held(
        self, joint: str, weight: float, channels: Mapping[str, ChannelBlend]
    ) -> ChannelBlend:
        """A channel of which a hand has its part; the others share what it leaves."""
        name = f"{OWN_SET}.{joint}"
        others = channels[name].layers if name in channels else {}
        shares = {layer: round((1.0 - weight) * share, 4) for layer, share in others.items()}
        return ChannelBlend(
            value=round(self.engine.pose[joint], 6),
            layers={**shares, BY_HAND: min(1.0, round(weight, 4))},
        )


def _adopt_signals(program: Program, before: Program) -> None:
    """Shared signals of the same name and type go on where they were."""
    known = {signal.name: signal for signal in before.signals}
    for signal in program.signals:
        match = known.get(signal.name)
        if type(match) is type(signal):
            signal.adopt(match)


def _hand_moved(end: HandEnd) -> HandMoved:
    return HandMoved(
        hand=end.hand,
        action=end.token,
        outcome=HandOutcome(end.outcome),
        distance_m=round(end.distance_m, 4),
    )


def _finished(end: Ended) -> AnimationFinished:
    outcome = AnimationOutcome.COMPLETED if end.completed else AnimationOutcome.INTERRUPTED
    return AnimationFinished(
        animation=end.animation, action=end.token, outcome=outcome, duration_s=end.duration_s
    )
