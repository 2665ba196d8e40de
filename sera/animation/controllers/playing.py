"""Plays animations: the key frames that an animator made.

Design overview: `play` starts one, several may run at once. Each fades in and out over its own
time, or a longer one if a hand has far to go (`_going_over`); an additive one adds to what the
layer has, one that is not takes over its channels, by as much as it has faded in. A newer one takes
the limbs over that it moves (`engine.limbs`), and the one before goes on with the others; the same
one goes on from what it shows. Time runs with the speed of the order times the wired `speed`.
Moments that have a name (anchors) can be asked to come at given times, so that a stroke meets a
word.

In a program it is the documented `Animate`: the wired trigger `start_stop` starts `animation` from
its beginning or stops it, `loop` lets it run on, `pause` holds the frame. While nothing plays, the
chain passes unchanged.

Units and frames: seconds; values in the channels' own units.
Threading: one owner.
Safety: an animation that ends or stops fades out, so that nothing jumps; `drop` alone is at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sera.animation.assets import Animation
from sera.animation.assets.sides import without_side
from sera.animation.controllers._going_over import (
    contribution,
    entry_s,
    fade_in_s,
    fade_out_s,
)
from sera.animation.controllers._rows import lay_over
from sera.animation.controllers._swinging import Swing, changes_of, swings_of
from sera.animation.controllers.meeting import Meeting
from sera.animation.controllers.playback import FOREVER, Ended, Playback
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.signals import Fade, Trigger
from sera.runtime.located import nearest_name

SEEN_S = 0.3
"""A look that was ordered together with a nod, or just after, goes first."""
CROSS_S = 1.4
"""How long a limb that is taken over takes at least: the newer gesture moves it meanwhile."""


class Animate(Controller):
    """Plays animations by order, or one by its wires."""

    moves_hands = True

    class Parameters(ControllerParameters):
        """What to play, and how."""

        animation: str = ""
        """What the trigger starts."""
        speed: float = 1.0
        """Factor on the speed of everything that it plays."""
        loop: bool = False
        """Begin again at the end, until the trigger comes again."""
        start_stop: bool = False
        """A trigger: each rise starts the animation, or stops it."""
        pause: bool = False
        """Hold the frame of everything that it plays."""

    wires = frozenset({"animation", "speed", "loop", "start_stop", "pause"})

    def __init__(self, animations: Mapping[str, Animation]) -> None:
        """Know the animations by name."""
        self.animation, self.speed = "", 1.0
        self.loop = self.start_stop = self.pause = False
        self.ended: list[Ended] = []
        """What has ended since somebody last emptied the list."""
        self._animations = animations
        self._playing: list[Playback] = []
        self._swings: dict[Playback, Swing] = {}
        """Nods and shakes that are playing."""
        self._rates: dict[tuple[str, float, float], float] = {}
        """How fast the body can do which nod, by name, speed and amplitude."""
        self.refused: list[str] = []
        """What a wire asked for that cannot be done, since somebody last emptied the list."""
        self._trigger = Trigger()
        self._triggered: Playback | None = None

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(making.animations)
        if parameters.animation:
            made.known(parameters.animation)
        for name in type(parameters).model_fields:
            setattr(made, name, getattr(parameters, name))
        return made

    def bind(self, row: Row) -> None:
        self._row = row

    def known(self, name: str) -> Animation:
        """The animation of that name; LookupError with the nearest one.

        `wave_left` is `wave` where that is made for no side.
        """
        name = without_side(name, self._animations)
        if name in self._animations:
            return self._animations[name]
        near = nearest_name(name, self._animations)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"there is no animation '{name}'{hint}")

    @property
    def playing(self) -> tuple[str, ...]:
        """Names of what is playing, fading out included."""
        return tuple(playback.animation.name for playback in self._playing)

    def play(
        self,
        name: str,
        *,
        token: str = "",
        repeats: int | None = 1,
        speed: float = 1.0,
        amplitude: float = 1.0,
        fade_s: float | None = None,
        anchors: Mapping[str, float] | None = None,
    ) -> Playback:
        """Start an animation; the same one goes on from what it shows of itself.

        `anchors` are seconds from now on, whatever the speed.

        Raises:
            LookupError: there is no such animation or anchor.
            ValueError: the anchors cannot come at these times.
        """
        animation = self.known(name)
        if anchors:
            animation = animation.warped({each: at_s * speed for each, at_s in anchors.items()})
        if amplitude != 1.0:
            animation = animation.scaled(amplitude)
        find, limbs = self._row.layout.find, self._row.seams.limbs
        columns = tuple(find(channel) for channel in animation.names)
        playback = Playback(
            animation,
            token,
            speed,
            FOREVER if animation.loop and repeats == 1 else repeats,
            animation.fade_s if fade_s is None else fade_s,
            columns,
            tuple(limbs.limb(channel) for channel in animation.names),
            limbs.take(animation.name, limbs.moved_by(animation)),
        )
        self._begin(playback)
        self._playing.append(playback)
        swings = swings_of(animation)
        if swings:
            self._swings[playback] = swing = Swing(self._row, swings)
            key = (animation.name, speed, amplitude)
            if key not in self._rates:
                lasts_s = animation.duration_s / max(abs(speed), 1e-3)
                at = changes_of(self._row, animation)
                self._rates[key] = swing.rate(lambda time_s: at(time_s * speed), lasts_s)
            playback.speed *= self._rates[key]
        return playback

    @property
    def nods(self) -> bool:
        """Whether a nod or a shake of the head is under way, and people have seen it begin."""
        return any(
            not playback.stopping and playback.played_s > SEEN_S and playback.time_s < swing.ends_s
            for playback, swing in self._swings.items()
        )

    def _begin(self, playback: Playback) -> None:
        """From nothing, or from what an older life of the same animation shows."""
        animation = playback.animation
        same = [each for each in self._playing if each.animation.name == animation.name]
        if not same or not animation.additive:
            reach_s = fade_in_s(self._row, animation, playback.columns, playback.fade_s)
            playback.fade.go(1.0, reach_s)
            return
        shown = [sum(values) for values in zip(*map(contribution, same), strict=True)]
        playback.time_s = entry_s(animation, same)
        playback.fade = Fade(1.0)
        playback.beside = [
            before - after for before, after in zip(shown, playback.values(), strict=True)
        ]
        there = zip(playback.columns, playback.beside, strict=True)
        beside = {column: away for column, away in there if column is not None}
        playback.joining = Fade(1.0)
        playback.joining.go(0.0, self._row.seams.changed_s(beside, playback.fade_s))
        for each in same:
            each.interrupted = True
            self._end(each)
        self._playing = [each for each in self._playing if each not in same]

    def retime(self, token: str, anchors: Mapping[str, float]) -> None:
        """Have a moment of what is playing come so many seconds from now; the first of several.

        Raises:
            LookupError: the animation has no such anchor.
        """
        for playback in self._playing:
            if playback.token == token and not playback.stopping:
                name, in_s = next(iter(anchors.items()))
                moment_s = playback.animation.anchor_s(name)
                pace = 1.0 if playback.meeting is None else playback.meeting.pace
                playback.meeting = Meeting(moment_s, in_s, pace)

    def stop(self, name: str | None = None, *, fade_s: float | None = None) -> int:
        """Fade out one animation, or all of them; how many were playing."""
        name = None if name is None else without_side(name, self._animations)
        chosen = [p for p in self._playing if name is None or p.animation.name == name]
        for playback in chosen:
            self._stop(playback, fade_s)
        return len(chosen)

    def drop(self) -> None:
        """End everything at once: in an emergency, or if nobody steps it any more."""
        for playback in self._playing:
            playback.stop(0.0)
            self._end(playback)
        self._playing = []
        self._swings.clear()

    def _stop(self, playback: Playback, fade_s: float | None = None) -> None:
        """Fade out, at least as slowly as it was asked for; one that does so already goes on."""
        if not playback.stopping or (fade_s is not None and fade_s < playback.fade.remaining_s):
            at_least_s = playback.fade_s if fade_s is None else fade_s
            playback.stop(fade_out_s(self._row, playback, at_least_s))

    def _end(self, playback: Playback) -> None:
        self._row.seams.limbs.let_go(playback.grip)
        self.ended.append(playback.ended)

    @property
    def rests(self) -> bool:
        busy = self._playing or self._swings or self._triggered
        return not (busy or self.start_stop or self._trigger.stirs)

    def step(self, dt_s: float) -> None:
        self._follow_wires(dt_s)
        for playback, swing in list(self._swings.items()):
            on = playback in self._playing and not playback.stopping
            swing.step(dt_s, on=on)
            if not (on or swing.gives_way):
                del self._swings[playback]
        going_on = []
        for playback in self._playing:
            if playback.at_end:
                self._stop(playback)  # the last frame was shown
            self._give_up_limbs(playback)
            over = playback.advance(dt_s, self.speed, paused=self.pause)
            self._write(playback)
            if over:
                self._end(playback)
            else:
                going_on.append(playback)
        self._playing = going_on

    def _give_up_limbs(self, playback: Playback) -> None:
        """Let newer gestures have what they took; the rest goes on, if there is any."""
        lost = [
            limb
            for limb in playback.grip.lost
            if limb not in playback.parting and not self._is_coming_over(limb)
        ]
        if not lost:
            return
        if self._row.seams.limbs.is_over(playback.grip):
            playback.stop(self._cross_s(playback, None))
            playback.parting |= {limb: Fade(1.0) for limb in lost}
            return
        for limb in lost:
            playback.parting[limb] = fade = Fade(1.0)
            fade.go(0.0, self._cross_s(playback, [limb]))

    def _cross_s(self, playback: Playback, limbs: list[str] | None) -> float:
        """How long limbs take to go over to a newer gesture; unseen, they take its own time."""
        lasts_s = fade_out_s(self._row, playback, playback.fade_s, limbs)
        return max(CROSS_S, lasts_s) if lasts_s > playback.fade_s else lasts_s

    def _is_coming_over(self, limb: str) -> bool:
        """Whether one that sets the limb's channels still fades in, over whatever had them."""
        owner = self._row.seams.limbs.owners.get(limb)
        return any(
            each.grip is owner and not each.animation.additive and each.weight < 1.0
            for each in self._playing
        )

    def _follow_wires(self, dt_s: float) -> None:
        mine = self._triggered
        if mine is not None and (mine.stopping or mine not in self._playing):
            self._triggered = mine = None  # it has come to its end by itself, or by an order
            self._trigger.active = False
        wanted = self._trigger.step(dt_s, self.start_stop)
        if mine is not None:
            if not wanted:
                self._stop(mine)
                self._triggered = None
            elif self.loop is not (mine.repeats is FOREVER):
                mine.repeat(forever=self.loop or mine.animation.loop)
        elif wanted:
            self._start_as_wired()

    def _start_as_wired(self) -> None:
        """Play what the wire names; no name, or one that there is not, plays nothing."""
        try:
            repeats = FOREVER if self.loop else 1
            self._triggered = self.play(self.animation, repeats=repeats) if self.animation else None
        except LookupError as error:
            self.refused.append(str(error.args[0]))
        self._trigger.active = self._triggered is not None

    def _write(self, playback: Playback) -> None:
        row = self._row
        additive = playback.animation.additive
        shown = zip(playback.columns, playback.values(), playback.weights(), strict=True)
        for column, value, weight in shown:
            if column is None:
                continue
            if additive:
                row.add(column, weight * value)
            else:
                lay_over(row, column, value, weight)

    def adopt(self, old: Self) -> None:
        """Go on with what is playing, as it was when it began."""
        self._playing, old._playing = old._playing, []
        self._swings = {}  # a nod goes on; what room it had comes back by the engine's arrival
        for playback in self._playing:
            self._row.seams.limbs.adopt(playback.grip)
        self.ended, old.ended = old.ended, []
        self._triggered, self._trigger = old._triggered, old._trigger
