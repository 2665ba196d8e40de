"""Corrections of p for many tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Correction = Literal["none", "bonferroni", "holm", "benjamini_hochberg"]
CORRECTION_TITLES: dict[Correction, str] = {
    "none": "not corrected for the number of tests",
    "bonferroni": "corrected by Bonferroni",
    "holm": "corrected by Holm",
    "benjamini_hochberg": "corrected by Benjamini and Hochberg (false discovery rate)",
}


def corrected(p_values: Sequence[float | None], how: Correction) -> list[float | None]:
    """The corrected p of each test; tests without p stay so and do not count."""
    order = sorted(
        (place for place, p in enumerate(p_values) if p is not None),
        key=lambda place: p_values[place] or 0.0,
    )
    found: list[float | None] = [None] * len(p_values)
    many = len(order)
    if how == "benjamini_hochberg":
        limit = 1.0
        for rank in range(many, 0, -1):
            place = order[rank - 1]
            limit = min(limit, (p_values[place] or 0.0) * many / rank)
            found[place] = limit
        return found
    floor = 0.0
    for rank, place in enumerate(order):
        p = p_values[place] or 0.0
        factor = {"none": 1, "bonferroni": many, "holm": many - rank}[how]
        step = min(1.0, p * factor)
        floor = max(floor, step)
        found[place] = floor if how == "holm" else step
    return found
