"""Where the face really is and looks, what it lacks of its target, and why it is elsewhere.

Design overview: forward kinematics of the frame that goes out say where the face is; the wanted
pose says what the body cannot do: where the look has arrived, a joint of the face's chain is at its
end, and the face is still off, the rest is the shortfall; so is what a joint at full speed is
behind. What other layers and stages add to where the gaze controller looks is on purpose, and is
called by the name of whoever does it. Nothing is computed more often than `EVERY_S`, and told only
where it differs noticeably.

Units and frames: degrees and metres, along the body's axes.
Threading: one owner, beside the frames. Safety: reads only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sera.animation.controllers import Animate, EmotionGaze, EmotionPosture, Gaze, NodController
from sera.animation.engine._turns import Vector, between, looks, towards, way
from sera.animation.engine.way import CAREFUL_SHARE
from sera.animation.expression import NullSpaceStage
from sera.animation.frame import BlendMode
from sera.messages import Direction, GazeState, Position

if TYPE_CHECKING:
    from sera.animation.engine import Engine, Layer, Sight
    from sera.animation.program import Program

EVERY_S = 0.1
_CHANNELS = ("Gazing.Horizontal", "Gazing.Vertical")
_ON_PURPOSE_RAD = math.radians(2.5)
"""Idle darts of the eyes go less far."""
_WHOLE = 0.95
"""A gaze layer with less weight does not decide alone."""
_LASTS_S = 0.4
"""The body follows what is wanted a little later, and so what is said of it."""
_LEAST_DEG, _BEHIND_DEG = 0.5, 2.0
_NOTICEABLE_M, _NOTICEABLE_DEG = 0.02, 2.5


class GazeReport:
    """Tells of one engine and its program."""

    def __init__(self, program: Program, engine: Engine) -> None:
        self._engine = engine
        self._sight = engine.sights.find("Gazing")
        found = program.find(Gaze)
        self._layer: Layer | None = found[0][0] if found else None
        self._gaze: Gaze | None = found[0][1] if found else None
        find = engine.layout.find
        self._columns = [c for c in map(find, _CHANNELS) if c is not None]
        self._by_rules = not any(chain.aims == "Gazing" for chain in program.body.chains)
        self._players = [player for _layer, player in program.find(Animate)]
        self._next_s = -math.inf
        self._because, self._because_s = "", -math.inf
        self._told: GazeState | None = None

    def news(self, now_s: float) -> GazeState | None:
        """What is the case, where it differs noticeably from what was told last."""
        sight = self._sight
        if sight is None or now_s < self._next_s:
            return None
        self._next_s = now_s + EVERY_S - 1e-6
        state = self._state(sight, now_s)
        if self._told is not None and not _differs(state, self._told):
            return None
        self._told = state
        return state

    def _state(self, sight: Sight, now_s: float) -> GazeState:
        face_m, axis = sight.seen_at(self._engine.positions)
        across, up = looks(axis)
        gaze = self._gaze
        because = self._reason(sight, now_s)
        short_deg, why = (0.0, "") if because else self._shortfall(sight, face_m, axis)
        return GazeState(
            target=None if gaze is None else gaze.label,
            position=Position(
                x_m=round(face_m[0], 3), y_m=round(face_m[1], 3), z_m=round(face_m[2], 3)
            ),
            direction=Direction(
                horizontal_deg=round(math.degrees(across), 1),
                vertical_deg=round(math.degrees(up), 1),
            ),
            off_deg=round(math.degrees(between(axis, self._wanted(face_m, axis))), 1),
            shortfall_deg=round(short_deg, 1),
            shortfall_why=why,
            because=because,
        )

    def _wanted(self, face_m: Vector, axis: Vector) -> Vector:
        """Towards what is looked at, from there."""
        gaze = self._gaze
        if gaze is None or gaze.target is None:
            return axis
        place = gaze.place_m
        if place is None:
            return towards(*gaze.target)
        return way(face_m, place)

    def _commanded(self) -> Vector:
        """Where all layers together want the face to look."""
        values = self._engine.blend.values
        horizontal, vertical = (float(values[column]) for column in self._columns)
        return towards(horizontal, max(-0.5 * math.pi, min(0.5 * math.pi, vertical)))

    def _sent(self) -> Vector:
        """Where the gaze alone sends it, as far as the channels go."""
        assert self._gaze is not None
        layout = self._engine.layout
        horizontal, vertical = (
            min(max(angle, float(layout.lower[column])), float(layout.upper[column]))
            for column, angle in zip(self._columns, self._gaze.direction, strict=True)
        )
        return towards(horizontal, vertical)

    # -- what the body cannot do ------------------------------------------------------------

    def _shortfall(self, sight: Sight, face_m: Vector, axis: Vector) -> tuple[float, str]:
        gaze = self._gaze
        if gaze is None or gaze.target is None:
            return 0.0, ""
        meant = sight.axis
        short_deg = math.degrees(between(meant, self._wanted(sight.position_m, meant)))
        behind_deg = math.degrees(between(axis, self._wanted(face_m, axis))) - short_deg
        behind = self._hurry(sight) if behind_deg > _BEHIND_DEG else ""
        at_end, kept_off = sight.at_end(), self._engine.kept_off
        short_deg -= math.degrees(between(self._commanded(), self._sent()))
        explained = gaze.arrived and (at_end or gaze.nearest_only or kept_off)
        if short_deg < _LEAST_DEG or not explained:
            return (behind_deg, f"{behind_deg:.0f}° behind: {behind}") if behind else (0.0, "")
        why = f"{_listed(at_end)} at {'its' if len(at_end) == 1 else 'their'} end"
        if gaze.nearest_only and not at_end:
            why = "too near for any pose to face it"
        if kept_off:
            why = kept_off
        eyes_deg = math.degrees(gaze.eyes_rad)
        helped = f", the eyes turn on by {eyes_deg:.0f}°" if eyes_deg >= 1.0 else ""
        if behind:
            return short_deg + behind_deg, f"{short_deg + behind_deg:.0f}° short: {why}, {behind}"
        return short_deg, f"{short_deg:.0f}° short: {why}{helped}"

    def _hurry(self, sight: Sight) -> str:
        """What goes as fast as it may; empty if nothing does."""
        careful = self._engine.careful
        names = sight.at_full_speed(self._engine.velocities, CAREFUL_SHARE if careful else 1.0)
        how = "as fast as is safe beside what is in the way" if careful else "at full speed"
        return f"{_listed(names)} {how}" if names else ""

    # -- what is on purpose -----------------------------------------------------------------

    def _reason(self, sight: Sight, now_s: float) -> str:
        """Who has the face elsewhere; said a little longer than it lasts, as the body lags."""
        found = self._why_elsewhere(sight)
        if found:
            self._because, self._because_s = found, now_s
        elif now_s - self._because_s > _LASTS_S:
            self._because = ""
        return self._because

    def _why_elsewhere(self, sight: Sight) -> str:
        engine, gaze = self._engine, self._gaze
        held = engine.hand.weights
        if any(joint in held for joint in sight.joints):
            return "held by hand"
        if gaze is None or gaze.target is None:
            return ""
        playing = self._playing()
        if self._layer is not None and self._layer.weight < _WHOLE:
            return f"owned by animation '{playing}'" if playing else "its layer rests"
        commanded = self._commanded()
        if between(commanded, self._sent()) > _ON_PURPOSE_RAD:
            return self._by_layer()
        if between(sight.axis, commanded) > _ON_PURPOSE_RAD:
            return self._after_layers(playing)
        return ""

    def _after_layers(self, playing: str | None) -> str:
        """Who turns a face elsewhere than all layers together sent it."""
        engine = self._engine
        felt = engine.affect.felt.intensity > 0.0
        if any(isinstance(stage, NullSpaceStage) for stage in engine.stages):
            return "averted by emotion" if felt else ""
        if not self._by_rules:
            return ""
        if playing:
            return f"owned by animation '{playing}'"
        return "averted by emotion" if felt else "leans with its posture"

    def _by_layer(self) -> str:
        """Who moves the gaze the most, beside the layer that sends it."""
        blend, layers = self._engine.blend, list(self._engine.layers.values())
        best, most = "", 0.0
        for channel, column in zip(_CHANNELS, self._columns, strict=True):
            for row, share in blend.owners(channel):
                adds = blend.modes[row] == BlendMode.ADD
                swing = abs(float(blend.block.values[row, column])) if adds else math.pi
                if layers[row] is not self._layer and share * swing > most:
                    best, most = self._named(layers[row]), share * swing
        return best

    def _named(self, layer: Layer) -> str:
        for controller in layer.controllers:
            if isinstance(controller, EmotionGaze | EmotionPosture):
                return "averted by emotion"
            if isinstance(controller, Animate) and controller.playing:
                return f"owned by animation '{controller.playing[0]}'"
            if isinstance(controller, NodController):
                return "nods"
        return f"moved by layer '{layer.name}'"

    def _playing(self) -> str | None:
        return next((name for player in self._players for name in player.playing), None)


def _listed(names: list[str]) -> str:
    return " and ".join(names)


def _differs(now: GazeState, before: GazeState) -> bool:
    if (now.target, now.because) != (before.target, before.because):
        return True
    if bool(now.shortfall_why) != bool(before.shortfall_why):
        return True
    here, there, a, b = now.position, before.position, now.direction, before.direction
    moved_m = math.dist((here.x_m, here.y_m, here.z_m), (there.x_m, there.y_m, there.z_m))
    aside_deg = math.remainder(a.horizontal_deg - b.horizontal_deg, 360.0)
    turned_deg = max(abs(aside_deg), abs(a.vertical_deg - b.vertical_deg))
    return (
        moved_m > _NOTICEABLE_M
        or turned_deg > _NOTICEABLE_DEG
        or abs(now.off_deg - before.off_deg) > _NOTICEABLE_DEG
        or abs(now.shortfall_deg - before.shortfall_deg) > 0.5 * _NOTICEABLE_DEG
    )
