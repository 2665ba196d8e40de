"""Reads animation files, and says by line what is wrong in them.

A nod, as an animator writes it:

    [animation]
    title = "Nod"

    [[channels]]
    name = "Gazing.Vertical"
    keys = [[0.0, 0], [0.25, -14], [0.55, 4], [0.8, 0]]     # seconds, degrees

A key is `[time_s, value]`, `[time_s, value, tangent]` or `[time_s, value, arriving, leaving]`; a
tangent is a name (smooth, flat, linear, anticipate, hold) or a slope in units a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.animation.assets._document import Document, read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets._keys import read_keys
from sera.animation.assets.animation import (
    DEFAULT_FADE_S,
    SIDES,
    AnimatedChannel,
    Animation,
    Side,
)
from sera.animation.assets.curve import Curve
from sera.animation.assets.tangents import SMOOTH, TANGENTS
from sera.animation.assets.units import DEGREE, FACTORS, usual_unit, written_factor
from sera.animation.body.sets import GENERIC_SETS
from sera.animation.channels import OWN_SET, ChannelSpec
from sera.animation.strokes import STROKE, apex_s
from sera.runtime.located import FileProblem, FileProblems, KeyPath, nearest_name

SUFFIXES = (".toml", ".json")
_ABOUT = (
    *("name", "title", "layer", "fade_s", "loop", "additive"),
    *("body_sets", "anchors", "side"),
)
_CHANNEL = ("name", "unit", "keys", "tangent")


class AnimationError(FileProblems):
    """An animation file that cannot be used, with everything that is wrong in it."""

    what = "animation file"


@dataclass(frozen=True)
class AnimationReading:
    """What came of reading a file: an animation, or problems; warnings in both cases."""

    animation: Animation | None
    problems: tuple[FileProblem, ...] = ()
    warnings: tuple[FileProblem, ...] = ()


def load_animation(path: Path, specs: Mapping[str, ChannelSpec] | None = None) -> Animation:
    """The animation in a file; its name is the file's unless it says another.

    Args:
        path: a .toml or .json file.
        specs: channels of the body that is to play it, where that is known.

    Raises:
        AnimationError: with every problem of the file, by line.
    """
    reading = read_animation(path, specs)
    if reading.animation is None:
        raise AnimationError(reading.problems)
    return reading.animation


def load_animations(
    folder: Path, specs: Mapping[str, ChannelSpec] | None = None
) -> tuple[dict[str, Animation], list[FileProblem]]:
    """All animations of a folder by name, and what is wrong with those that cannot be used."""
    animations: dict[str, Animation] = {}
    problems: list[FileProblem] = []
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in files:
        if path.suffix not in SUFFIXES:
            continue
        reading = read_animation(path, specs)
        problems += reading.problems
        if reading.animation is None:
            continue
        name = reading.animation.name
        if name in animations:
            problems.append(FileProblem(path, f"another file has the animation '{name}' already"))
        animations.setdefault(name, reading.animation)
    return animations, problems


def read_animation(
    path: Path, specs: Mapping[str, ChannelSpec] | None = None, text: str | None = None
) -> AnimationReading:
    """Read a file, or a text that stands for it; never raises for what a person wrote."""
    try:
        document = read_document(path, text)
    except FileProblem as problem:
        return AnimationReading(None, (problem,))
    fields = Fields(document, specs)
    animation = _read(fields, document)
    in_order = [
        tuple(sorted(found, key=lambda problem: problem.line or 0))
        for found in (fields.problems, fields.warnings)
    ]
    return AnimationReading(None if fields.problems else animation, in_order[0], in_order[1])


def _read(fields: Fields, document: Document) -> Animation:
    data = document.data
    fields.known_keys(data, (), ("animation", "channels"))
    about = fields.table(data, ("animation",))
    fields.known_keys(about, ("animation",), _ABOUT)
    name = fields.text(about, ("animation", "name"), document.path.stem) or document.path.stem
    loop = fields.flag(about, ("animation", "loop"), default=False)
    additive = fields.flag(about, ("animation", "additive"), default=True)
    body_sets = _body_sets(fields, about)
    channels = _channels(fields, data, body_sets, loop=loop, additive=additive)
    last_s = max((channel.curve.last_s for channel in channels), default=0.0)
    return Animation(
        name=name,
        title=fields.text(about, ("animation", "title"), name),
        layer=fields.text(about, ("animation", "layer")) or None,
        fade_s=fields.seconds(about, ("animation", "fade_s"), DEFAULT_FADE_S),
        loop=loop,
        additive=additive,
        channels=tuple(channels),
        body_sets=body_sets or tuple(dict.fromkeys(c.name.partition(".")[0] for c in channels)),
        anchors=_with_stroke(_anchors(fields, about, last_s), channels, loop=loop),
        side=_side(fields, about),
    )


def _with_stroke(
    anchors: dict[str, float], channels: Sequence[AnimatedChannel], *, loop: bool
) -> dict[str, float]:
    """The anchors, with the stroke as it can be seen in the motion where the file does not say."""
    if loop or STROKE in anchors:
        return anchors
    keys = {}
    for channel in channels:
        knots, factor = channel.curve.knots, written_factor(channel.unit)
        keys[channel.name] = list(
            zip(knots.times_s.tolist(), (knots.values * factor).tolist(), strict=True)
        )
    at_s = apex_s(keys)
    return anchors if at_s is None else {**anchors, STROKE: at_s}


def _side(fields: Fields, about: dict[str, Any]) -> Side | None:
    side = fields.text(about, ("animation", "side"))
    if side and side not in SIDES:
        near = nearest_name(side, SIDES)
        fix = "leave it out where the animation is made for no side"
        fields.wrong(("animation", "side"), 'must be "left" or "right"', nearest=near, fix=fix)
    return next((each for each in SIDES if each == side), None)


def _body_sets(fields: Fields, about: dict[str, Any]) -> tuple[str, ...]:
    sets = about.get("body_sets", [])
    if not isinstance(sets, list) or not all(isinstance(each, str) for each in sets):
        fields.wrong(("animation", "body_sets"), 'must be a list of texts such as ["Gazing"]')
        return ()
    known = (*GENERIC_SETS, OWN_SET)
    for number, each in enumerate(sets):
        if each not in known:
            path = ("animation", "body_sets", number)
            near = nearest_name(each, known)
            fix = f"sets are {', '.join(known)}"
            fields.wrong(path, f"there is no body set '{each}'", nearest=near, fix=fix)
    return tuple(sets)


def _anchors(fields: Fields, about: dict[str, Any], last_s: float) -> dict[str, float]:
    anchors = {}
    for name, value in fields.table(about, ("animation", "anchors")).items():
        path = ("animation", "anchors", name)
        time_s = fields.number(value, path)
        if time_s is not None and not 0.0 <= time_s <= last_s:
            fields.wrong(path, f"{time_s:g} s lies outside the animation, 0 to {last_s:g} s")
        elif time_s is not None:
            anchors[name] = time_s
    return anchors


def _channels(
    fields: Fields, data: dict[str, Any], body_sets: tuple[str, ...], *, loop: bool, additive: bool
) -> list[AnimatedChannel]:
    tables = data.get("channels", [])
    if not isinstance(tables, list) or not tables:
        fix = 'write [[channels]], and below it name = "Gazing.Vertical" and keys = [[0, 0], …]'
        fields.wrong(("channels",), "there are no channels", fix=fix)
        return []
    lines: dict[str, int] = {}
    channels = []
    for number, table in enumerate(tables):
        path: KeyPath = ("channels", number)
        if not isinstance(table, dict):
            fields.wrong(path, "a channel must be a table", fix="write [[channels]] and its keys")
            continue
        channel = _channel(fields, table, path, loop=loop, additive=additive)
        name = table.get("name")
        if not isinstance(name, str):
            continue
        if name in lines:
            fields.wrong((*path, "name"), f"'{name}' is moved on line {lines[name]} already")
        lines.setdefault(name, fields.document.line_of((*path, "name")))
        if body_sets and name.partition(".")[0] not in body_sets:
            message = f"'{name}' is of none of the animation's body_sets"
            fields.wrong((*path, "name"), message, fix="add its set to them, or leave them out")
        if channel is not None:
            channels.append(channel)
    return channels


def _channel(
    fields: Fields, table: dict[str, Any], path: KeyPath, *, loop: bool, additive: bool
) -> AnimatedChannel | None:
    fields.known_keys(table, path, _CHANNEL)
    if "name" not in table:
        fields.wrong((*path, "name"), "this key is missing", fix='add name = "Gazing.Vertical"')
    name = fields.text(table, (*path, "name"))
    if name:
        fields.channel(name, (*path, "name"))
    elif "name" in table:
        fields.wrong((*path, "name"), "the name is empty", fix="such as Gazing.Vertical")
    written = fields.text(table, (*path, "unit")) or usual_unit(name, fields.specs)
    unit = fields.unit(written, (*path, "unit"), name)
    tangent = fields.text(table, (*path, "tangent"), SMOOTH)
    if tangent not in TANGENTS:
        near = nearest_name(tangent, TANGENTS)
        fix = f"tangents are {', '.join(TANGENTS)}"
        fields.wrong((*path, "tangent"), f"there is no tangent '{tangent}'", nearest=near, fix=fix)
        tangent = SMOOTH
    inside, factor = FACTORS[unit or DEGREE]
    keys = read_keys(fields, table, (*path, "keys"), factor, tangent)
    if keys is None or unit is None:
        return None
    channel = AnimatedChannel(name, inside, Curve.through(keys, closed=loop))
    if loop and keys[0].value != keys[-1].value:
        message = "the loop jumps: the last value is not the first one"
        fields.warn((*path, "keys"), message, fix="end with the value of the first key")
    _warn_of_range(fields, channel, (*path, "keys"), additive=additive)
    return channel


def _warn_of_range(
    fields: Fields, channel: AnimatedChannel, path: KeyPath, *, additive: bool
) -> None:
    spec = None if fields.specs is None else fields.specs.get(channel.name)
    if spec is None or fields.problems:
        return
    single = Animation("", (channel,), additive=additive).for_channels({spec.name: spec})
    lowest, highest = single.channels[0].curve.value_range()
    base = spec.neutral if additive else 0.0
    fields.range(channel.name, path, lowest + base, highest + base, written_factor(spec.unit))
