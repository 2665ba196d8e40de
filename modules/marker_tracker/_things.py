"""Which things of the scenario carry which markers."""

from __future__ import annotations

from typing import Any

from sera.vision.markers import MarkerError, MarkerId


def marked_things(space: Any) -> tuple[dict[MarkerId, str], list[str]]:
    """The names of things and seats by their markers, and what is wrong with the others.

    Args:
        space: the scenario's `[space]`; None where a module runs without a scenario.
    """
    things: dict[MarkerId, str] = {}
    complaints: list[str] = []
    if space is None:
        return things, complaints
    for group in ("objects", "seats"):
        for name, thing in getattr(space, group).items():
            written = getattr(thing, "marker", None)
            if written is None:
                continue
            place = f"[space.{group}.{name}]"
            try:
                marker = MarkerId.parse(written)
            except MarkerError as error:
                complaints.append(f"{place} has no marker that can be seen: {error}")
                continue
            if marker in things:
                complaints.append(
                    f"{place} has the marker {marker} of '{things[marker]}': give it another"
                )
                continue
            things[marker] = name
    return things, complaints
