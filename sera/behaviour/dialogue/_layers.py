"""Layers of a layout: who stands beside whom, so that few ways cross, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

SWEEPS = 12


@dataclass(slots=True, eq=False)
class Item:
    """A state, a label, or the bend of a long way."""

    key: str
    width: float
    height: float
    layer: int
    is_label: bool = False
    x: float = 0.0
    y: float = 0.0
    span: float = 0.0
    """Height of its layer: ways cross it straight, so that none runs behind a label."""
    state_width: float = 0.0
    """Width of the box alone, without the label of a way that leads back to itself."""
    above: list[Item] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state_width = self.width


def layers_of(items: dict[str, Item]) -> list[list[Item]]:
    """The items layer by layer, ordered so that few ways cross."""
    count = max((item.layer for item in items.values()), default=-1) + 1
    layers: list[list[Item]] = [[] for _ in range(count)]
    for item in items.values():
        layers[item.layer].append(item)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        ordered = layers[1:] if down else layers[-2::-1]
        for layer in layers:
            for place, item in enumerate(layer):
                item.x = float(place)
        for layer in ordered:
            places = {item.key: _mean(item.above if down else item.below, item.x) for item in layer}
            layer.sort(key=lambda item: places[item.key])
            for place, item in enumerate(layer):
                item.x = float(place)
    return layers


def arrange(layers: list[list[Item]], gap: float) -> None:
    """Give every item its x: near its neighbours above and below, and apart from those beside."""
    for layer in layers:
        place = 0.0
        for item in layer:
            item.x = place + item.width / 2
            place += item.width + gap
        middle = place / 2
        for item in layer:
            item.x -= middle
    for sweep in range(2 * SWEEPS):
        ordered = layers if sweep % 2 == 0 else layers[::-1]
        for layer in ordered:
            wanted = [_mean([*item.above, *item.below], item.x) for item in layer]
            _place(layer, wanted, gap)


def _place(layer: list[Item], wanted: list[float], gap: float) -> None:
    """The places nearest to the wanted ones without overlap: the mean of two greedy passes."""
    count = len(layer)
    left, right = list(wanted), list(wanted)
    for number in range(1, count):
        apart = (layer[number - 1].width + layer[number].width) / 2 + gap
        left[number] = max(left[number], left[number - 1] + apart)
    for number in range(count - 2, -1, -1):
        apart = (layer[number + 1].width + layer[number].width) / 2 + gap
        right[number] = min(right[number], right[number + 1] - apart)
    for item, one, other in zip(layer, left, right, strict=True):
        item.x = (one + other) / 2


def _mean(items: list[Item], otherwise: float) -> float:
    return sum(item.x for item in items) / len(items) if items else otherwise
