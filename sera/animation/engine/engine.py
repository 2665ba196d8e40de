"""The engine: one body, its layers, and what comes out of them frame by frame.

Design overview: a frame is begun, every layer with weight steps its controllers, the rows are
blended, generic channels are handed down to the body's own ones, chains that aim are solved, and
the motion filter brings everything within the limits. Nothing is allocated on the way but what the
solver needs.

    layers → blend → enslave → aim → filter → own channels

Units and frames: values in the channels' own units; Y up, the body faces +Z.
Threading: one owner steps it; settings of layers are changed by the same one.
Safety: what leaves is within range, velocity, acceleration and jerk of every own channel, whatever
the controllers produce (`sera.kinematics.filter`). A controller at fault is muted and reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.animation.channels import OWN_SET
from sera.animation.engine.aiming import Aiming
from sera.animation.engine.enslaving import compile_rules
from sera.animation.engine.layers import Controller, Layer, Row
from sera.animation.frame import Blend, ChannelLayout, FrameBlock
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter
from sera.runtime.located import nearest_name

FloatArray = NDArray[np.float64]
FaultReport = Callable[[str, str, str], None]
"""Layer, controller, one plain sentence."""

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


class Engine:
    """A body in motion."""

    def __init__(
        self,
        body: Body,
        layers: Sequence[Layer],
        *,
        start: Mapping[str, float] | None = None,
        character: FilterCharacter = QUICK,
        on_fault: FaultReport = lambda _layer, _controller, _sentence: None,
    ) -> None:
        """Compile the layers for the body; `start` is where its own channels are now."""
        self.body = body
        self.layers = {layer.name: layer for layer in layers}
        if len(self.layers) != len(layers):
            raise ValueError("two layers have the same name; each needs its own")
        self.layout = ChannelLayout(tuple(body.channels.values()))
        self._on_fault = on_fault
        self._block = FrameBlock(self.layout, max(1, len(layers)), body.name)
        self._blend = Blend(self._block)
        self._careful: set[str] = set()
        for row, layer in enumerate(layers):
            view = Row(self._block, row)
            self._block.layer_masks[row] = layer.mask(self.layout)
            self._blend.set_mode(row, layer.mode)
            for controller in layer.controllers:
                controller.bind(view)
        self._rules = compile_rules(self.layout, body.rules)
        self._names = tuple(body.own)
        self._own_columns = self.layout.indices(f"{OWN_SET}.{name}" for name in self._names)
        self._posed = self.layout.neutral.copy()
        self._aims = [Aiming(body, chain) for chain in body.chains]
        self._aim_columns = [
            tuple(
                self.layout.find(f"{aim.chain.aims}.{axis}") for axis in ("Horizontal", "Vertical")
            )
            for aim in self._aims
        ]
        self._filter = self._make_filter(start or {}, character)
        self.frame = 0

    def _make_filter(self, start: Mapping[str, float], character: FilterCharacter) -> MotionFilter:
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
            positions, limits, character, rate_hz=self.body.rate_hz, order=3, names=self._names
        )

    @property
    def step_s(self) -> float:
        return self._filter.step_s

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
        self._block.begin_frame(dt_s)
        for row, layer in enumerate(self.layers.values()):
            layer.fade(dt_s)
            self._block.layer_weights[row] = layer.weight
            if layer.weight > 0.0:
                self._step_layer(row, layer, dt_s)
        if self._blend.run():
            rows = {entry.row for entry in self._blend.ignored() if entry.row is not None}
            names = list(self.layers)
            self._careful |= {names[row] for row in rows}
        self._blend.clamp()
        self._pose()
        self._filter.set_point(self._posed[self._own_columns])
        self.frame += 1
        return self._filter.step()

    def _step_layer(self, row: int, layer: Layer, dt_s: float) -> None:
        careful = layer.name in self._careful
        for controller in layer.controllers:
            if controller.muted:
                continue
            try:
                controller.step(dt_s)
            except Exception as error:
                self._mute(layer, controller, f"it failed: {error}")
                continue
            if careful and not np.isfinite(self._block.values[row]).all():
                self._mute(layer, controller, "it wrote what is no number")
                self._block.values[row][~np.isfinite(self._block.values[row])] = 0.0

    def _mute(self, layer: Layer, controller: Controller, sentence: str) -> None:
        controller.muted = True
        self._on_fault(layer.name, controller.name or type(controller).__name__, sentence)

    def _pose(self) -> None:
        """Own channels as layers, rules and aims want them, before the filter."""
        values, mask = self._blend.values, self._blend.mask
        np.copyto(self._posed, values)
        if not self._aims:
            self._rules.apply(values, mask, self._posed)
            return
        handed_down = mask.copy()
        for columns in self._aim_columns:
            for column in columns:
                if column is not None:
                    handed_down[column] = 0  # the chain aims by itself
        self._rules.apply(values, handed_down, self._posed)
        for aim, (horizontal, vertical) in zip(self._aims, self._aim_columns, strict=True):
            self._aim(aim, horizontal, vertical)

    def _aim(self, aim: Aiming, horizontal: int | None, vertical: int | None) -> None:
        values, mask = self._blend.values, self._blend.mask
        wanted = [
            float(values[column]) if column is not None and mask[column] else math.nan
            for column in (horizontal, vertical)
        ]
        if all(math.isnan(angle) for angle in wanted):
            return  # nobody looks anywhere: the posture stands as it is
        h_rad, v_rad = (0.0 if math.isnan(angle) else angle for angle in wanted)
        columns = {name: self.layout.index(f"{OWN_SET}.{name}") for name in aim.joints}
        posture = {name: float(self._posed[column]) for name, column in columns.items()}
        for name, angle in aim.aim(posture, h_rad, v_rad).items():
            self._posed[columns[name]] = angle

    def owners(self, channel: str) -> dict[str, float]:
        """Which layers made a channel what it is in this frame, and how much of it."""
        names = list(self.layers)
        return {names[owner.row]: owner.share for owner in self._blend.owners(channel)}
