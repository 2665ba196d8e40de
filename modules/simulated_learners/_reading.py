"""How a learner reads a map: follows a way over the grid, and now and then goes wrong.

The usual mistakes: east and west exchanged, north and south exchanged, a step too many or too
few, a bend forgotten. Pure; chance is injected.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random

Cell = tuple[int, int]
Leg = tuple[str, int]

STEPS: Mapping[str, Cell] = {
    "north": (0, -1),
    "north-east": (1, -1),
    "east": (1, 0),
    "south-east": (1, 1),
    "south": (0, 1),
    "south-west": (-1, 1),
    "west": (-1, 0),
    "north-west": (-1, -1),
}


def end_of(cells: Mapping[str, Cell], start: str, legs: Sequence[Leg]) -> str | None:
    """The place where a way ends; None where it ends at none."""
    column, row = cells[start]
    for direction, steps in legs:
        across, down = STEPS.get(direction, (0, 0))
        column, row = column + steps * across, row + steps * down
    return next((name for name, cell in cells.items() if cell == (column, row)), None)


def read_map(
    cells: Mapping[str, Cell],
    start: str,
    legs: Sequence[Leg],
    *,
    skill: float,
    random: Random,
    not_again: Collection[str] = (),
) -> str | None:
    """Which place a learner takes for the end of a way; None where there is no idea.

    Args:
        cells: all places on the map with column and row.
        start: where the way begins.
        legs: direction and number of steps, one after the other.
        skill: how often it is read rightly, from 0 to 1.
        random: the only source of chance.
        not_again: places that were tried already.
    """
    if start not in cells:
        return None
    right = end_of(cells, start, legs)
    if right is not None and right not in not_again and random.random() < skill:
        return right
    mistaken = [end_of(cells, start, wrong) for wrong in _mistakes(legs)]
    if right is not None:
        # Where the usual mistakes lead out of the map, the finger comes down beside the place.
        mistaken += [end_of(cells, right, [(direction, 1)]) for direction in STEPS]
    ideas = [
        place
        for place in dict.fromkeys(mistaken)
        if place is not None and place not in not_again and place not in (start, right)
    ]
    if ideas:
        return random.choice(ideas)
    return right if right not in not_again else None


def _mistakes(legs: Sequence[Leg]) -> list[list[Leg]]:
    ways: list[list[Leg]] = []
    for index, (direction, steps) in enumerate(legs):
        before, after = legs[:index], legs[index + 1 :]
        others = [(other, steps) for other in _confused_with(direction)]
        others += [(direction, count) for count in (steps - 1, steps + 1) if count > 0]
        ways += [[*before, other, *after] for other in others]
    if len(legs) > 1:
        ways.append(list(legs[:-1]))
    return ways


def _confused_with(direction: str) -> list[str]:
    swapped = {"east": "west", "west": "east", "north": "south", "south": "north"}
    parts = direction.split("-")
    return [
        "-".join([*parts[:index], swapped.get(part, part), *parts[index + 1 :]])
        for index, part in enumerate(parts)
    ]
