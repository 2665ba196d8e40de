"""What controllers do with a row beside writing: lay values over what is there, look who moves."""

from __future__ import annotations

from collections.abc import Mapping

from sera.animation.engine.controller import Row


def columns_of(row: Row, amounts: Mapping[str, float]) -> list[tuple[int, float]]:
    """Amounts by column, without channels that the body lacks."""
    return [
        (column, amount)
        for channel, amount in amounts.items()
        if (column := row.layout.find(channel)) is not None
    ]


def lay_over(row: Row, column: int, value: float, opacity: float) -> None:
    """Set a channel by as much as `opacity` says, over what the chain so far has for it.

    What the chain has shows through, and where it has nothing, what the layers below made does:
    so that one of two that follow each other can fade without the other being seen to give way.
    """
    opacity = min(max(opacity, 0.0), 1.0)
    if not row.masks[column]:
        row.write(column, value)
        row.passthrough[column] = opacity
        return
    kept = (1.0 - opacity) * float(row.passthrough[column])
    together = opacity + kept
    if together > 0.0:
        share = opacity / together
        row.write(column, (1.0 - share) * float(row.values[column]) + share * value)
        row.passthrough[column] = together


def is_animated(row: Row, column: int) -> bool:
    """Whether the chain so far, or a layer below, moves a channel in this frame."""
    return bool(row.masks[column] or (row.below is not None and row.below.mask[column]))
