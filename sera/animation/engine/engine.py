"""The engine: one body, its layers, and what comes out of them frame by frame.

Design overview: a frame is begun, shared signals and every layer with weight step their
controllers, the rows are blended, generic channels are handed down to the body's own ones, the
second stage works on the whole body, and the motion filter brings everything within the limits.

    signals, layers → blend → enslave → arrival → second stage → hand → filter → own channels

Where the body is elsewhere than they want it (at a start, after a release, with another program) it
arrives there within a time that grows with the way (`seams`); its face looks meanwhile.

Controllers are plain objects that write floats into the row of their layer; everything after them
is a kernel over all rows. `Program` makes the layers from a file; tests and tools may make them by
hand.

Units and frames: values in the channels' own units; Y up, the body faces +Z.
Threading: one owner steps it; settings of layers are changed by the same one.
Safety: what leaves is within range, velocity, acceleration and jerk of every own channel, whatever
the controllers produce (`sera.kinematics.filter`). A controller at fault is muted and reported, and
what it moved holds (`_watch`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.animation.channels import OWN_SET
from sera.animation.engine._watch import FaultReport, Watch
from sera.animation.engine.affect import Affect
from sera.animation.engine.clearance import ClearanceStage
from sera.animation.engine.controller import Controller, Output, Row, Signal
from sera.animation.engine.enslaving import compile_rules
from sera.animation.engine.hand import Hand
from sera.animation.engine.layers import Layer
from sera.animation.engine.plain_look import plain_look_of
from sera.animation.engine.seams import Seams
from sera.animation.engine.second_stage import ErikStage, SecondStage, StageFrame
from sera.animation.engine.sight import Sights
from sera.animation.engine.temper import MannerOf, Temper
from sera.animation.engine.way import Way
from sera.animation.frame import Blend, ChannelLayout, FrameBlock
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter
from sera.runtime.located import nearest_name

FloatArray = NDArray[np.float64]

QUICK = FilterCharacter(
    smoothness=0.0,
    responsiveness=0.0,
    edge=1000.0,
    overshoot=0.0,
    limiter=Limiter.HARD,
    eased=False,
)
"""As fast as the limits allow, without swinging over; the guard alone minds the ends."""
_UNLIMITED = 1e9
MOVING = 1.5
"""A layer that comes or goes takes so much longer, because what it does goes on meanwhile."""


class Engine:
    """A body in motion."""

    def __init__(
        self,
        body: Body,
        layers: Sequence[Layer],
        *,
        signals: Sequence[Signal] = (),
        stages: Sequence[SecondStage] | None = None,
        start: Mapping[str, float] | None = None,
        character: FilterCharacter = QUICK,
        rate_hz: float | None = None,
        on_fault: FaultReport = lambda _layer, _controller, _sentence: None,
        affect: Affect | None = None,
        manner: MannerOf | None = None,
    ) -> None:
        """Compile the layers for the body.

        Args:
            body: whose channels there are.
            layers: bottom first.
            signals: shared by all layers, stepped before them in this order.
            stages: the second stage; None: expressive IK where the body has chains for it.
            start: where its own channels are now, by own name; neutral where left out.
            character: of the motion filter.
            rate_hz: frames a second; None: what the body wants.
            on_fault: told of what was muted.
            affect: what the character feels; nothing until told otherwise.
            manner: how features change the filter's character; None: not at all.
        """
        self.body = body
        self.affect = affect or Affect()
        self.layers = {layer.name: layer for layer in layers}
        self._in_order = tuple(layers)
        self._seen: list[tuple[int, Layer, bool]] = []
        """Rows and layers with weight, and whether they ever rest."""
        if len(self.layers) != len(layers):
            raise ValueError("two layers have the same name; each needs its own")
        self.layout = ChannelLayout(tuple(body.channels.values()))
        self.signals = tuple(signals)
        self.sights = Sights(body)
        """Where the ends that aim are in the wanted pose."""
        self._rules = compile_rules(self.layout, body.rules)
        self.seams = Seams(body, self.layout, self._rules)
        self._bind(layers)
        self._weighed: FloatArray | None = None
        """Weights of the rows before somebody switched layers, in the frame after that."""
        self._plain_look = plain_look_of(body, self.layout, self._rules)
        self._watch = Watch(self._block, on_fault, self._own_row_numbers)
        self._names = tuple(body.own)
        self._own_columns = _compact(
            self.layout.indices(f"{OWN_SET}.{name}" for name in self._names)
        )
        self._posed = self.layout.neutral.copy()
        self._handed_down = np.zeros(len(self.layout), dtype=np.uint8)
        default = [ErikStage()] if body.chains else []
        self.stages = tuple(default if stages is None else stages)
        for stage in self.stages:
            stage.bind(body, self.layout)
        self._taken = np.array([c for stage in self.stages for c in stage.takes], dtype=np.intp)
        self._working_rows = tuple(
            row
            for row, layer in enumerate(layers)
            if any(each.moves_hands for each in layer.controllers)
        )
        self.hand = Hand(body)
        """Joints that somebody holds, over whatever else moves them."""
        self._arrival = Hand(body)
        """The pose from which the body comes, until it has arrived."""
        rate_hz = rate_hz or body.rate_hz
        self._filter = self._make_filter(start or {}, character, rate_hz)
        self.seams.filter_from = lambda own: self._make_filter(
            dict(zip(self._names, own.tolist(), strict=True)), QUICK, rate_hz
        )
        self._comes_from: FloatArray | None = self._filter.positions
        """Where the body is, or was wanted, before the first frame of this engine."""
        self._temper = None if manner is None else Temper(manner, character)
        self.sights.start(self._filter.positions)
        self._way = self._make_way()
        if start:
            self.start_from(start)
        self.frame = 0

    def _bind(self, layers: Sequence[Layer]) -> None:
        """Give every layer, and every frame controller off the main chain, its row."""
        off_chain = [c for layer in layers for c in layer.controllers if c.off_chain]
        rows = max(1, len(layers) + len(off_chain))
        self._block = FrameBlock(self.layout, rows, self.body.name)
        self._blend = self.seams.blend = Blend(self._block, range(len(layers)))
        self._measured = self.layout.neutral.copy()
        self._own_row_numbers = {
            id(controller): len(layers) + number for number, controller in enumerate(off_chain)
        }
        own_rows = {
            key: Row(self._block, number, self._measured, self.affect, self.sights, self.seams)
            for key, number in self._own_row_numbers.items()
        }
        self._below: list[Blend | None] = [None] * len(layers)
        for number, layer in enumerate(layers):
            row = Row(self._block, number, self._measured, self.affect, self.sights, self.seams)
            self._block.layer_masks[number] = layer.mask(self.layout)
            self._blend.set_mode(number, layer.mode)
            if any(each.reads_below or each.looks_below for each in layer.controllers):
                row.below = self._below[number] = Blend(self._block, range(number))
                row.below.modes = self._blend.modes
            for controller in layer.controllers:
                controller.bind(own_rows.get(id(controller), row))
                self._connect_frames(controller, own_rows)
        for signal in self.signals:
            signal.bind(Row(self._block, 0, self._measured, self.affect, self.sights, self.seams))

    @staticmethod
    def _connect_frames(controller: Controller, own_rows: Mapping[int, Row]) -> None:
        for attribute, source in controller.pulls:
            if source.output is Output.FRAME:
                setattr(controller, attribute, own_rows[id(source)])
        controller.pulls = tuple(
            pull for pull in controller.pulls if pull[1].output is not Output.FRAME
        )

    def _make_filter(
        self, start: Mapping[str, float], character: FilterCharacter, rate_hz: float
    ) -> MotionFilter:
        specs = [self.body.own[name] for name in self._names]
        limits = FilterLimits(
            velocity=[min(spec.max_velocity, _UNLIMITED) for spec in specs],
            acceleration=[min(spec.max_acceleration, _UNLIMITED) for spec in specs],
            jerk=[min(spec.max_jerk, _UNLIMITED) for spec in specs],
            lower=[spec.lower for spec in specs],
            upper=[spec.upper for spec in specs],
        )
        positions = [spec.clamp(start.get(spec.own_name, spec.neutral)) for spec in specs]
        return MotionFilter(
            positions, limits, character, rate_hz=rate_hz, order=3, names=self._names
        )

    def _make_way(self) -> Way | None:
        """What keeps the way clear, where a stage keeps poses clear."""
        stage = next((each for each in self.stages if isinstance(each, ClearanceStage)), None)
        if stage is None or not stage.moves:
            return None
        self.seams.touches = stage.meets
        return Way(stage, self._filter, {name: place for place, name in enumerate(self._names)})

    @property
    def kept_off(self) -> str:
        """What the wanted pose is kept off, in a few words; empty if nothing is in its way."""
        return next((each.note for each in self.stages if isinstance(each, ClearanceStage)), "")

    @property
    def careful(self) -> bool:
        """Whether joints go in step, or brake, because something is in their way."""
        return self._way is not None and self._way.careful

    @property
    def step_s(self) -> float:
        return self._filter.step_s

    @property
    def blend(self) -> Blend:
        """What the layers made in the last frame."""
        return self._blend

    @property
    def positions(self) -> FloatArray:
        """The same in the order of `body.own`. A copy."""
        return self._filter.positions

    @property
    def velocities(self) -> FloatArray:
        """How fast they move, per second, in the same order."""
        return self._filter.velocities

    @property
    def pose(self) -> dict[str, float]:
        """Where the engine has its own channels now, by own name."""
        return dict(zip(self._names, self._filter.positions.tolist(), strict=True))

    @property
    def wanted(self) -> dict[str, float]:
        """Where layers, rules and stages wanted them in the last frame, before the filter."""
        return dict(zip(self._names, self._posed[self._own_columns].tolist(), strict=True))

    def layer(self, name: str) -> Layer:
        """A layer by name; LookupError with the nearest one."""
        if name in self.layers:
            return self.layers[name]
        near = nearest_name(name, self.layers)
        hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(self.layers)}"
        raise LookupError(f"the program has no layer '{name}'{hint}")

    def step(self) -> FloatArray:
        """The next frame: values of the body's own channels, in the order of `body.own`."""
        dt_s = self.step_s
        block, watch = self._block, self._watch
        watch.remember()
        self.affect.advance(dt_s)
        block.begin_frame(dt_s)
        for signal in self.signals:
            watch.step(None, signal, dt_s)
        self._fade_layers(dt_s)
        for row, layer, may_rest in self._seen:
            if not (may_rest and layer.rests):
                below = self._below[row]
                if below is not None:
                    below.run()
                watch.step_layer(row, layer, dt_s)
        if self._weighed is not None:
            self._settle_layers(self._weighed)
        if self._blend.run():
            watch.hold(self._blend, tuple(self.layers))
        self._blend.clamp()
        self._pose(dt_s)
        wanted = self._posed[self._own_columns].copy()
        self.hand.step(wanted, dt_s)
        if self._temper is not None:
            self._temper.step(self._filter, self.affect.felt)
        self.sights.show(wanted)
        self.frame += 1
        before = self._filter.positions
        after = self._move(wanted)
        self._measured[self._own_columns] += after - before
        return after

    def _fade_layers(self, dt_s: float) -> None:
        """Weigh the layers anew where one of them comes or goes."""
        fading = [layer for layer in self._in_order if layer.fading]
        if not fading:
            return
        if any(layer.asked for layer in fading):
            self._weighed = self._block.layer_weights.copy()
        for layer in fading:
            layer.fade(dt_s)
        self._weigh()

    def _weigh(self) -> None:
        weights = [layer.weight for layer in self._in_order]
        self._block.layer_weights[: len(weights)] = weights
        self._seen = [
            (row, layer, layer.may_rest)
            for row, layer in enumerate(self._in_order)
            if weights[row] > 0.0 or layer.asked
        ]

    def _settle_layers(self, before: FloatArray) -> None:
        """Let layers that were switched take as long as the hands need, now that they stepped."""
        weights = self._block.layer_weights
        weights[:] = before
        was = self.seams.blended()
        weights[: len(self._in_order)] = [layer.goal for layer in self._in_order]
        least_s = MOVING * self.seams.between_s(was, self.seams.blended(), 0.0)
        for layer in self._in_order:
            if layer.asked:
                layer.settle(least_s)
        self._weighed = None
        self._weigh()

    def _arrive(self, dt_s: float) -> None:
        """Come from where the body is to its posture, as slowly as its hands need."""
        start, posture = self._comes_from, self._posed[self._own_columns].copy()
        if start is not None:
            self._comes_from = None
            before = self._posed.copy()
            before[self._own_columns] = start
            pose = dict(zip(self._names, start.tolist(), strict=True))
            self._arrival.hold({name: pose[name] for name in self.body.joints}, 0.0)
            self._arrival.hold({}, self.seams.between_s(before, self._posed, 0.0))
        self._arrival.step(posture, dt_s)
        self._posed[self._own_columns] = posture

    def hold(self, joints: Mapping[str, float], blend_s: float) -> None:
        """Hold joints by hand and let go of all others; see `Hand.hold`."""
        let_go = set(self.hand.holding) - joints.keys()
        before, after = self._posed.copy(), self._posed.copy()
        before[self._own_columns] = self._filter.positions
        after[self._own_columns] = self._filter.positions
        for name in let_go:
            column = self.layout.index(f"{OWN_SET}.{name}")
            after[column] = self._posed[column]
        self.hand.hold(joints, blend_s, self.seams.between_s(before, after, blend_s))

    def _pose(self, dt_s: float) -> None:
        """Own channels as layers, rules and stages want them, before the filter."""
        blend = self._blend
        np.copyto(self._posed, blend.values)
        if self._plain_look is not None:
            self._plain_look.step(self._posed, blend, self.affect.felt.intensity)
        np.copyto(self._handed_down, blend.mask)
        self._handed_down[self._taken] = 0  # a stage sees to these
        self._rules.apply(blend.values, self._handed_down, self._posed)
        self._arrive(dt_s)
        frame = StageFrame(
            self._posed, blend, dt_s, self.frame, self.affect.felt, self._working_rows, self.sights
        )
        for stage in self.stages:
            self._watch.step_stage(stage, frame)

    def _move(self, wanted: FloatArray) -> FloatArray:
        """A step of the filter towards what is wanted, on a clear way."""
        way = self._way
        if way is not None:
            moved = self._watch.step_way(way, wanted)
            if moved is not None:
                return moved
            self._way = None
        self._filter.set_point(wanted)
        return self._filter.step()

    def start_from(self, own: Mapping[str, float]) -> None:
        """The body is there now and at rest: go on from there, without a jump."""
        positions = self._filter.positions
        for place, name in enumerate(self._names):
            if name in own:
                positions[place] = self.body.own[name].clamp(own[name])
        self._filter.reset(positions)
        self.sights.start(positions)
        self._arrival.drop()
        self._comes_from = positions
        if self._way is not None:
            self._way.start()
        pose = dict(zip(self._names, positions.tolist(), strict=True))
        for stage in self.stages:
            stage.start_from(pose)
        self.heartbeat(pose)

    def heartbeat(self, measured: Mapping[str, float]) -> None:
        """What the body measured, by own name; in between it is taken to move as it was told."""
        for name, value in measured.items():
            column = self.layout.find(f"{OWN_SET}.{name}")
            if column is not None:
                self._measured[column] = value

    def take_over(self, old: Engine) -> None:
        """Go on where another engine of the same body was: pose, velocity, layers, controllers."""
        if old.step_s != self.step_s:
            raise ValueError("the frame rate cannot change while a body moves; start anew")
        character, self._filter = self._filter.character, old._filter
        self._filter.set_character(character)
        if self._way is not None:
            self._way.follow(self._filter)
        self._measured[:] = old._measured
        self.frame = old.frame
        self.hand.adopt(old.hand)
        self._arrival.adopt(old._arrival)
        self._comes_from = old._posed[self._own_columns].copy()
        self.sights.adopt(old.sights)
        self.affect.adopt(old.affect)
        for stage in self.stages:
            stage.start_from(self.pose)
        for name, layer in self.layers.items():
            before = old.layers.get(name)
            if before is None:
                continue
            layer.adopt(before)
            known = {controller.name: controller for controller in before.controllers}
            for controller in layer.controllers:
                match = known.get(controller.name)
                if type(match) is type(controller):
                    controller.adopt(match)

    def owners(self, channel: str) -> dict[str, float]:
        """Which layers made a channel what it is in this frame, and how much of it."""
        names = list(self.layers)
        return {names[owner.row]: owner.share for owner in self._blend.owners(channel)}


def _compact(columns: NDArray[np.intp]) -> NDArray[np.intp] | slice:
    """The same columns as a slice where they lie side by side, which is quicker to read."""
    first = int(columns[0]) if len(columns) else 0
    if np.array_equal(columns, np.arange(first, first + len(columns))):
        return slice(first, first + len(columns))
    return columns
