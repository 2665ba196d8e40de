"""Animations from other programs: BVH (motion capture, Blender, Maya) and CSV (spreadsheets).

BVH: a mapping says which rotation of which joint moves which channel. Rotations are taken apart
anew in the mapping's own order (turn, nod, tilt: YXZ), so that files of any order give the
same channels. Without a mapping each rotation becomes `Body.<joint>_<x|y|z>` as it stands.

    [[map]]
    from = "Head.Xrotation"
    to = "Gazing.Vertical"
    scale = -1

CSV: a column `time_s`, and one for each channel with its unit, `Gazing.Vertical [deg]`. An empty
cell is no key. Commas or semicolons part the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sera.animation.assets._bvh import CHANNELS, BvhClip, read_bvh
from sera.animation.assets._csv_table import CsvTable
from sera.animation.assets._document import read_document
from sera.animation.assets._fields import Fields
from sera.animation.assets.animation import AnimatedChannel, Animation
from sera.animation.assets.curve import Curve
from sera.animation.assets.tangents import Key
from sera.animation.channels import OWN_SET, ChannelSpec, Unit
from sera.kinematics._arrays import FloatArray
from sera.runtime.located import FileProblem, FileProblems, nearest_name, read_text

DEFAULT_ORDER = "YXZ"
_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


class ImportFailed(FileProblems):
    """A motion file that cannot be used, with everything that is wrong in it."""

    what = "motion file"


@dataclass(frozen=True, slots=True)
class BvhSource:
    """What moves a channel: `Head.Xrotation` or `Hips.Yposition`, times a factor."""

    source: str
    channel: str
    scale: float = 1.0
    order: str = DEFAULT_ORDER


def import_bvh(
    path: Path,
    mapping: Sequence[BvhSource] | None = None,
    *,
    metres_per_unit: float = 0.01,
    additive: bool = False,
    text: str | None = None,
) -> Animation:
    """The motion of a BVH file.

    Args:
        path: the file.
        mapping: which rotation moves which channel; None: each its own.
        metres_per_unit: of positions; centimetres by default.
        additive: values are offsets to the posture, not the posture itself.
        text: what stands in the file, where it need not be read.

    Raises:
        ImportFailed: the file or the mapping is wrong; with the line of the file.
    """
    try:
        clip = read_bvh(path, text)
    except FileProblem as problem:
        raise ImportFailed([problem]) from None
    sources = list(mapping) if mapping is not None else _own_names(clip)
    problems = [problem for each in sources for problem in _wrong_source(path, clip, each)]
    if not sources:
        problems.append(FileProblem(path, "no joint has a channel that could move anything"))
    if problems:
        raise ImportFailed(problems)
    times_s = np.arange(len(clip.frames)) * clip.frame_s
    channels = []
    for each in sources:
        values, unit = _values(clip, each, metres_per_unit)
        keys = [Key(float(t), float(v)) for t, v in zip(times_s, values, strict=True)]
        channels.append(AnimatedChannel(each.channel, unit, Curve.through(keys)))
    return _animation(path, channels, additive=additive)


def load_mapping(path: Path, text: str | None = None) -> list[BvhSource]:
    """The mapping of a TOML file.

    Raises:
        ImportFailed: with every problem, by line.
    """
    try:
        document = read_document(path, text)
    except FileProblem as problem:
        raise ImportFailed([problem]) from None
    fields = Fields(document, None)
    fields.known_keys(document.data, (), ("map",))
    tables = document.data.get("map")
    sources: list[BvhSource] = []
    if not isinstance(tables, list) or not tables:
        fields.wrong(("map",), "there is no mapping", fix="write [[map]], and from and to below it")
        tables = []
    for number, table in enumerate(tables):
        place = ("map", number)
        if not isinstance(table, dict):
            fields.wrong(place, "a mapping must be a table")
            continue
        fields.known_keys(table, place, ("from", "to", "scale", "order"))
        source, channel = fields.text(table, (*place, "from")), fields.text(table, (*place, "to"))
        fields.channel(channel, (*place, "to"))
        if not source:
            fields.wrong((*place, "from"), "the joint is missing", fix='from = "Head.Xrotation"')
        scale = fields.number(table.get("scale", 1.0), (*place, "scale"))
        order = fields.text(table, (*place, "order"), DEFAULT_ORDER)
        if order not in _ORDERS:
            fix = f"orders are {', '.join(_ORDERS)}"
            fields.wrong((*place, "order"), f"there is no order '{order}'", fix=fix)
        sources.append(BvhSource(source, channel, 1.0 if scale is None else scale, order))
    if fields.problems:
        raise ImportFailed(fields.problems)
    return sources


def import_csv(
    path: Path,
    specs: Mapping[str, ChannelSpec] | None = None,
    *,
    additive: bool = True,
    text: str | None = None,
) -> Animation:
    """The motion of a CSV file.

    Raises:
        ImportFailed: with every problem, by line.
    """
    try:
        text = read_text(path) if text is None else text
    except FileProblem as problem:
        raise ImportFailed([problem]) from None
    table = CsvTable(path, specs)
    table.read(text)
    if table.problems:
        raise ImportFailed(table.problems)
    channels = [
        AnimatedChannel(name, unit, Curve.through(keys))
        for (name, unit, _), keys in zip(table.columns, table.keys, strict=True)
    ]
    return _animation(path, channels, additive=additive)


def _animation(path: Path, channels: list[AnimatedChannel], *, additive: bool) -> Animation:
    sets = tuple(dict.fromkeys(channel.name.partition(".")[0] for channel in channels))
    return Animation(path.stem, tuple(channels), title=path.stem, additive=additive, body_sets=sets)


def _own_names(clip: BvhClip) -> list[BvhSource]:
    return [
        BvhSource(
            f"{joint.name}.{channel}",
            f"{OWN_SET}.{joint.name}_{channel[0].lower()}",
            order=joint.rotation_order(),
        )
        for joint in clip.joints.values()
        for channel in joint.channels
        if channel.endswith("rotation")
    ]


def _wrong_source(path: Path, clip: BvhClip, each: BvhSource) -> list[FileProblem]:
    name, _, channel = each.source.rpartition(".")
    if name not in clip.joints:
        near = nearest_name(name, clip.joints)
        return [FileProblem(path, f"there is no joint '{name}'", key=each.source, nearest=near)]
    present = clip.joints[name].channels
    # Three rotations can be taken apart in any order; fewer only as they are.
    if channel not in CHANNELS or (channel not in present):
        near = nearest_name(channel, present)
        message = f"the joint '{name}' has no '{channel}'"
        return [FileProblem(path, message, key=each.source, nearest=near)]
    return []


def _values(clip: BvhClip, each: BvhSource, metres_per_unit: float) -> tuple[FloatArray, Unit]:
    name, _, channel = each.source.rpartition(".")
    if channel.endswith("position"):
        return clip.column(name, channel) * (each.scale * metres_per_unit), Unit.METRE
    order = clip.joints[name].rotation_order()
    if len(order) < 3 or order == each.order:
        return np.radians(clip.column(name, channel)) * each.scale, Unit.RADIAN
    from sera.animation.assets._euler import taken_apart

    angles_rad = np.radians(
        np.stack([clip.column(name, f"{axis}rotation") for axis in order], axis=-1)
    )
    turned_rad = taken_apart(angles_rad, order, each.order)
    return turned_rad[:, each.order.index(channel[0])] * each.scale, Unit.RADIAN
