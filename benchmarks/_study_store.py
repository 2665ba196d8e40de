"""Results of simulated studies on disk, so that an hour's benchmark can be stopped and resumed.

    store = Store(path)
    store.put("as published", 7, results)
    store.get("as published", 7)

The file says of each participant the condition, the wrong guesses and the time. What was kept
counts as long as the first participants, played again, come to the same: whatever in the program
has an effect on them makes the file worthless, and what has none does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sera.study.data import Participation


class Result(NamedTuple):
    """What one participant came to."""

    condition: str
    wrong: float
    time_s: float


def results_of(rows: Iterable[Participation]) -> list[Result]:
    """The two measures of rows; who gave up before the end has none and is left out."""
    found = []
    for row in rows:
        wrong, time_s = row.measures["WrongTotal"], row.measures["Time"]
        if wrong is not None and time_s is not None:
            found.append(Result(row.condition, float(wrong), float(time_s)))
    return found


class Store:
    """Studies by variant and seed, one line each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._studies: dict[tuple[str, int], list[Result]] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                study = json.loads(line)
                results = [Result(*row) for row in study["results"]]
                self._studies[study["variant"], study["seed"]] = results

    def get(self, variant: str, seed: int) -> list[Result] | None:
        return self._studies.get((variant, seed))

    def put(self, variant: str, seed: int, results: list[Result]) -> None:
        self._studies[variant, seed] = results
        line = json.dumps({"variant": variant, "seed": seed, "results": results})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def forget(self) -> None:
        """Begin anew."""
        self._studies.clear()
        self.path.unlink(missing_ok=True)
