"""Keeps a fault in one controller from reaching the body.

Design overview: controllers are stepped through here. One that raises is muted at once. One that
writes what is no number is found in two frames: the blend leaves the entry out and says so, the
channel holds, and in the next frame the layer's controllers are looked at one by one. Whatever a
muted controller moved before keeps its last value in the layer's row, so that the joint holds.

Threading: one owner, the engine.
Safety: nothing that a controller does raises out of here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sera.animation.engine.controller import Controller, Output
from sera.animation.engine.layers import Layer
from sera.animation.engine.second_stage import FloatArray, SecondStage, StageFrame
from sera.animation.engine.way import Way
from sera.animation.frame import Blend, FrameBlock

FaultReport = Callable[[str, str, str], None]
"""Layer, controller, one plain sentence."""


class Watch:
    """Steps controllers and mutes those at fault."""

    def __init__(
        self, block: FrameBlock, on_fault: FaultReport, own_rows: Mapping[int, int] | None = None
    ) -> None:
        """Watch the rows of a block; `own_rows` has those of controllers off the main chain."""
        self._block = block
        self._own_rows = dict(own_rows or {})
        self._on_fault = on_fault
        self._careful: set[str] = set()
        self._last_values = block.values.copy()
        self._last_masks = block.masks.copy()
        self._last_blend = block.layout.neutral.copy()
        self._held: dict[int, dict[int, float]] = {}

    def remember(self) -> None:
        """Keep the rows of the frame before; called before they are emptied."""
        np.copyto(self._last_values, self._block.values)
        np.copyto(self._last_masks, self._block.masks)

    def step_layer(self, row: int, layer: Layer, dt_s: float) -> None:
        """One layer's controllers, in their order."""
        careful = layer.name in self._careful
        muted_one = False
        for controller in layer.controllers:
            if controller.muted:
                continue
            self.step(layer, controller, dt_s)
            if controller.off_chain:
                self._look_at_own_row(layer, controller)
            if careful and not controller.muted and not _is_finite(self._block, row):
                self._mute(layer, controller, "it gave what is no number")
                _forget_no_numbers(self._block, row)
            muted_one = muted_one or controller.muted
        if muted_one:
            self._hold_row(row)
        if row in self._held:
            self._write_held(row)

    def _look_at_own_row(self, layer: Layer, controller: Controller) -> None:
        """One beside the main chain is found at once, before whoever it feeds is blamed for it."""
        row = self._own_rows[id(controller)]
        if not controller.muted and not _is_finite(self._block, row):
            self._mute(layer, controller, "it gave what is no number")
        if controller.muted:
            _forget_no_numbers(self._block, row)

    def step(self, layer: Layer | None, controller: Controller, dt_s: float) -> None:
        """One controller: its wired parameters, then itself."""
        if controller.muted:
            return
        if controller.output is Output.FLOAT:
            self._step_signal(layer, controller, dt_s)
            return
        try:
            for attribute, source in controller.pulls:
                setattr(controller, attribute, source.result)
            controller.step(dt_s)
        except Exception as error:
            self._mute(layer, controller, f"it failed: {error}")

    def _step_signal(self, layer: Layer | None, controller: Controller, dt_s: float) -> None:
        """One that gives a float: the last one stands where the next is none."""
        before = controller.result
        try:
            for attribute, source in controller.pulls:
                setattr(controller, attribute, source.result)
            controller.step(dt_s)
            # In here, because a plug-in may give what is not even of the right type.
            sound = math.isfinite(controller.result)  # type: ignore[arg-type]
        except Exception as error:
            controller.result = before
            self._mute(layer, controller, f"it failed: {error}")
            return
        if not sound:
            controller.result = before
            self._mute(layer, controller, "it gave what is no number")

    def step_stage(self, stage: SecondStage, frame: StageFrame) -> None:
        """One step over the whole body; one that fails is left out from then on."""
        if stage.failed:
            return
        try:
            stage.step(frame)
        except Exception as error:
            stage.failed = True
            self._on_fault("second stage", stage.name, f"it failed: {error}; it is left out")

    def step_way(self, way: Way, wanted: FloatArray) -> FloatArray | None:
        """The filter's step on a clear way; None: that failed, and is left out from then on."""
        try:
            return way.step(wanted)
        except Exception as error:
            self._on_fault("second stage", "clearance", f"its way failed: {error}; it is left out")
            return None

    def hold(self, blend: Blend, layers: Sequence[str]) -> None:
        """The blend left entries out: their channels keep their last values in this frame."""
        for entry in blend.ignored():
            column = blend.block.layout.index(entry.channel)
            if entry.row is not None and entry.row < len(layers):
                self._careful.add(layers[entry.row])
                last = self._last_values[entry.row, column]
                if self._last_masks[entry.row, column] and math.isfinite(last):
                    self._held.setdefault(entry.row, {})[column] = float(last)
                    self._block.values[entry.row, column] = last
                else:
                    self._block.masks[entry.row, column] = 0
        blend.run()

    def _mute(self, layer: Layer | None, controller: Controller, sentence: str) -> None:
        controller.muted = True
        name = controller.name or type(controller).__name__
        self._on_fault("signals" if layer is None else layer.name, name, sentence)

    def _hold_row(self, row: int) -> None:
        """What was moved in the frame before and is no longer keeps its value."""
        block = self._block
        gone = (self._last_masks[row] != 0) & (block.masks[row] == 0)
        for column in np.flatnonzero(gone).tolist():
            value = float(self._last_values[row, column])
            if math.isfinite(value):
                self._held.setdefault(row, {}).setdefault(column, value)

    def _write_held(self, row: int) -> None:
        values, masks = self._block.values[row], self._block.masks[row]
        for column, value in self._held[row].items():
            if not masks[column] or not math.isfinite(values[column]):
                values[column] = value
                masks[column] = 1


def _is_finite(block: FrameBlock, row: int) -> bool:
    return bool(np.isfinite(block.values[row]).all())


def _forget_no_numbers(block: FrameBlock, row: int) -> None:
    wrong = ~np.isfinite(block.values[row])
    block.values[row][wrong] = 0.0
    block.masks[row][wrong] = 0
