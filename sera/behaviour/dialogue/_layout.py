"""A layered layout: states from top to bottom, and room for every label between them.

Each way between two states is cut in two by its label, which is laid out like a state, so that
no two labels overlap. Ways that lead back are turned round for the layout and drawn upwards.
Coordinates are in pixels, x to the right, y downwards.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from sera.behaviour.dialogue._layers import Item, arrange, layers_of
from sera.behaviour.dialogue.graph import DialogueGraph, GraphEdge, GraphNode

STATE_FONT_PX = 15.0
LABEL_FONT_PX = 11.5
LINE_PX = 15.0
GAP_X_PX = 26.0
GAP_Y_PX = 30.0
MARGIN_PX = 24.0
_PADDING_PX = 12.0
_LETTER = 0.56
"""Mean width of a letter, in sizes of its font."""
_WIDE_LETTER = 1.05


@dataclass(slots=True)
class Box:
    """A state, with its centre."""

    node: GraphNode
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Label:
    """The lines of text beside a way, with their centre."""

    lines: list[tuple[str, bool]]
    """Each with whether it is what the robot says."""
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Curve:
    """A way from one state to another: points of cubic curves, three for each after the first."""

    points: list[tuple[float, float]]
    back: bool = False


@dataclass(slots=True)
class Drawing:
    """Everything to draw."""

    width: float = 0.0
    height: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)


def text_width(text: str, font_px: float) -> float:
    """About how wide a text is."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    capitals = sum(letter.isupper() or letter in "mwMW@" for letter in text)
    narrow = (len(text) - wide) * _LETTER + capitals * 0.14
    return (narrow + wide * _WIDE_LETTER) * font_px


def laid_out(graph: DialogueGraph) -> Drawing:
    """Give everything its place."""
    items, ways, loops = _items(graph)
    layers = layers_of(items)
    for layer in layers:
        for item in layer:
            loop = loops.get(item.key)
            if loop is not None:
                item.width += 2 * (_label_size(loop)[0] + 2 * GAP_X_PX)
                item.height = max(item.height, _label_size(loop)[1])
    arrange(layers, GAP_X_PX)
    top = MARGIN_PX
    for layer in layers:
        height = max((item.height for item in layer), default=0.0)
        for item in layer:
            item.y = top + height / 2
            item.span = height
        top += height + GAP_Y_PX
    drawing = Drawing(height=top - GAP_Y_PX + MARGIN_PX)
    _draw_states(graph, items, loops, drawing)
    for edge, path, back in ways:
        _draw_way(edge, path, drawing, back=back)
    _fit(drawing)
    return drawing


def _items(
    graph: DialogueGraph,
) -> tuple[dict[str, Item], list[tuple[GraphEdge, list[Item], bool]], dict[str, GraphEdge]]:
    """States and labels as items of layers; the way of each edge through them."""
    items: dict[str, Item] = {}
    for key, node in graph.nodes.items():
        width = text_width(node.name, STATE_FONT_PX) + 2 * _PADDING_PX
        items[key] = Item(key, width, LINE_PX + 2 * _PADDING_PX, layer=0)
    loops = {edge.source: edge for edge in graph.edges if edge.source == edge.target}
    depth = _depths(graph)
    for key, item in items.items():
        item.layer = 2 * depth[key]
    ways: list[tuple[GraphEdge, list[Item], bool]] = []
    for number, edge in enumerate(graph.edges):
        if edge.source == edge.target:
            continue
        back = depth[edge.source] > depth[edge.target]
        upper, lower = (edge.target, edge.source) if back else (edge.source, edge.target)
        path = [items[upper]]
        # Beside the state that the way leaves, where a reader looks for it.
        label_at = items[upper].layer + 1 if not back else items[lower].layer - 1
        for layer in range(items[upper].layer + 1, items[lower].layer):
            is_label = layer == label_at
            width, height = _label_size(edge) if is_label else (8.0, LINE_PX)
            bend = Item(f"\0{number}/{layer}", width, height, layer, is_label=is_label)
            items[bend.key] = bend
            path.append(bend)
        path.append(items[lower])
        for above, below in pairwise(path):
            above.below.append(below)
            below.above.append(above)
        ways.append((edge, path if not back else path[::-1], back))
    return items, ways, loops


def _depths(graph: DialogueGraph) -> dict[str, int]:
    """How many steps each state is below the start, without ways that lead back."""
    onward: dict[str, list[str]] = {key: [] for key in graph.nodes}
    for edge in graph.edges:
        onward[edge.source].append(edge.target)
    starts = [key for key, node in graph.nodes.items() if node.is_start]
    order, back = _searched(onward, [*starts, *graph.nodes])
    depth: dict[str, int] = {}
    for key in reversed(order):
        depth.setdefault(key, 0)
        for target in onward[key]:
            if (key, target) not in back:
                depth[target] = max(depth.get(target, 0), depth[key] + 1)
    return depth


def _searched(
    onward: dict[str, list[str]], roots: list[str]
) -> tuple[list[str], set[tuple[str, str]]]:
    """The states in the order in which a search in depth leaves them; the ways that lead back."""
    left: dict[str, None] = {}
    back: set[tuple[str, str]] = set()
    entered: set[str] = set()
    for root in roots:
        stack = [] if root in entered else [(root, iter(onward[root]))]
        entered.add(root)
        while stack:
            key, following = stack[-1]
            target = next(following, None)
            if target is None:
                left[key] = None
                stack.pop()
            elif target not in entered:
                entered.add(target)
                stack.append((target, iter(onward[target])))
            elif target not in left:
                back.add((key, target))
    return list(left), back


def _lines(edge: GraphEdge) -> list[tuple[str, bool]]:
    parts = (((when, False), (said, True)) for when, said in edge.labels)
    return [line for pair in parts for line in pair if line[0]]


def _label_size(edge: GraphEdge) -> tuple[float, float]:
    lines = _lines(edge)
    width = max((text_width(text, LABEL_FONT_PX) for text, _ in lines), default=0.0)
    return width + 8.0, LINE_PX * len(lines) + 6.0


def _draw_states(
    graph: DialogueGraph, items: dict[str, Item], loops: dict[str, GraphEdge], drawing: Drawing
) -> None:
    for key, node in graph.nodes.items():
        item = items[key]
        width = text_width(node.name, STATE_FONT_PX) + 2 * _PADDING_PX
        height = LINE_PX + 2 * _PADDING_PX
        drawing.boxes.append(Box(node, item.x, item.y, width, height))
        loop = loops.get(key)
        if loop is None:
            continue
        right, reach = item.x + width / 2, GAP_X_PX * 1.6
        upper, lower = item.y - height / 4, item.y + height / 4
        points = [(right, upper), (right + reach, upper - 12), (right + reach, lower + 12)]
        drawing.curves.append(Curve([*points, (right, lower)]))
        label_width, label_height = _label_size(loop)
        x = right + 0.8 * reach + label_width / 2
        drawing.labels.append(Label(_lines(loop), x, item.y, label_width, label_height))


def _draw_way(edge: GraphEdge, path: list[Item], drawing: Drawing, *, back: bool) -> None:
    """From state to state, straight through the label, in smooth curves between the layers."""
    points: list[tuple[float, float]] = []
    for before, here in pairwise(path):
        down = here.y > before.y
        start = _port(before, here, down=down)
        end = _port(here, before, down=not down)
        if points and points[-1] != start:  # through a label or a bend, vertically
            points += [points[-1], start, start]
        elif not points:
            points.append(start)
        half = (end[1] - start[1]) / 2
        points += [(start[0], start[1] + half), (end[0], end[1] - half), end]
        if here.is_label:
            label = Label(_lines(edge), here.x, here.y, here.width, here.height)
            drawing.labels.append(label)
    drawing.curves.append(Curve(points, back))


def _port(item: Item, towards: Item, *, down: bool) -> tuple[float, float]:
    """Where a way leaves or enters; several at one side of a state keep apart."""
    if item.key.startswith("\0"):
        return item.x, item.y + (item.span / 2 if down else -item.span / 2)
    height = LINE_PX + 2 * _PADDING_PX
    side = sorted(item.below if down else item.above, key=lambda each: each.x)
    room = min(item.state_width * 0.7, 22.0 * (len(side) - 1))
    place = next((n for n, each in enumerate(side) if each is towards), 0)
    share = 0.0 if len(side) < 2 else place / (len(side) - 1) - 0.5
    return item.x + share * room, item.y + (height / 2 if down else -height / 2)


def _fit(drawing: Drawing) -> None:
    """Move everything so that it begins at the margin."""
    left = min((p for p in _lefts(drawing)), default=0.0)
    shift = MARGIN_PX - left
    for box in drawing.boxes:
        box.x += shift
    for label in drawing.labels:
        label.x += shift
    for curve in drawing.curves:
        curve.points = [(x + shift, y) for x, y in curve.points]
    rights = [box.x + box.width / 2 for box in drawing.boxes]
    rights += [label.x + label.width / 2 for label in drawing.labels]
    rights += [x for curve in drawing.curves for x, _ in curve.points]
    drawing.width = max(rights, default=0.0) + MARGIN_PX
    bottoms = [y for curve in drawing.curves for _, y in curve.points]
    drawing.height = max([drawing.height, *(y + MARGIN_PX for y in bottoms)])


def _lefts(drawing: Drawing) -> Iterable[float]:
    yield from (box.x - box.width / 2 for box in drawing.boxes)
    yield from (label.x - label.width / 2 for label in drawing.labels)
    yield from (x for curve in drawing.curves for x, _ in curve.points)
