"""Orders of conditions that are balanced, as rows of indices; pure combinatorics.

`balanced_orders` are Williams designs (Williams 1949): every condition comes equally often at
every place, and equally often right after every other one. One square of n rows does it where n is
even; where n is odd it takes a square and its mirror image, 2 n rows.
"""

from __future__ import annotations

Order = tuple[int, ...]
"""Indices of conditions in the order in which a participant meets them."""


def balanced_orders(count: int) -> list[Order]:
    """Orders of `count` conditions, balanced for place and for what comes right before.

    Raises:
        ValueError: there is nothing to order.
    """
    if count < 1:
        raise ValueError("a Latin square needs at least one condition")
    # 0, 1, n - 1, 2, n - 2 …: neighbours differ by every number once.
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((place + row) % count for place in zigzag) for row in range(count)]
    if count % 2 == 0 or count == 1:
        return square
    return square + [tuple(reversed(row)) for row in square]


def rotated_orders(count: int) -> list[Order]:
    """Orders of `count` conditions, balanced for place alone."""
    if count < 1:
        raise ValueError("orders need at least one condition")
    return [tuple((place + row) % count for place in range(count)) for row in range(count)]
