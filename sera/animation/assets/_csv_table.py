"""A CSV file on its way to keys: a column of times, and one a channel."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from sera.animation.assets._fields import MOST
from sera.animation.assets._keys import CLOSEST_S, LONGEST_S
from sera.animation.assets.tangents import Key
from sera.animation.assets.units import FACTORS, usual_unit
from sera.animation.body.sets import GENERIC
from sera.animation.channels import ChannelSpec, Unit
from sera.runtime.located import FileProblem, nearest_name

TIME = "time_s"
_HEADING = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[(?P<unit>[^\[\]]*)\])?")


class CsvTable:
    """A CSV file on its way to keys."""

    def __init__(self, path: Path, specs: Mapping[str, ChannelSpec] | None) -> None:
        self.path, self.specs = path, specs
        self.problems: list[FileProblem] = []
        self.columns: list[tuple[str, Unit, float]] = []
        self.keys: list[list[Key]] = []
        self._line = 1

    def read(self, text: str) -> None:
        heading = text.partition("\n")[0]
        delimiter = ";" if heading.count(";") > heading.count(",") else ","
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        last_s = -1.0
        try:
            for row in reader:
                self._line = reader.line_num
                if not self.columns:
                    self._read_heading([cell.strip() for cell in row])
                    if self.problems:
                        return
                elif any(cell.strip() for cell in row):
                    last_s = self._read_row([cell.strip() for cell in row], last_s)
        except csv.Error as error:
            self._wrong(f"this is no row of a CSV file: {error}")
        if not self.columns and not self.problems:
            self._wrong("the file is empty", fix=f"begin with {TIME},Gazing.Vertical [deg]")
        for (name, *_), keys in zip(self.columns, self.keys, strict=True):
            if len(keys) < 2 and not self.problems:
                self._wrong(f"'{name}' has fewer than two values", key=name)

    def _read_heading(self, cells: list[str]) -> None:
        if len(cells) < 2 or cells[0] != TIME:
            found = cells[0][:40] if cells else ""
            fix = f"begin with {TIME},Gazing.Vertical [deg]"
            self._wrong(f"the first column is {TIME}, not '{found}'; then the channels", fix=fix)
            return
        for cell in cells[1:]:
            match = _HEADING.fullmatch(cell)
            name = match["name"] if match else cell
            unit = (match and match["unit"]) or usual_unit(name, self.specs)
            if unit not in FACTORS:
                near = nearest_name(unit, FACTORS)
                self._wrong(f"there is no unit '{unit[:40]}'", key=name, nearest=near)
                continue
            if not name.partition(".")[2] or any(name == known for known, *_ in self.columns):
                self._wrong(f"'{name[:40]}' is no channel name, or stands here twice", key=name)
                continue
            if self.specs is not None and name not in self.specs and name not in GENERIC:
                near = nearest_name(name, self.specs)
                self._wrong(f"there is no channel '{name[:40]}'", key=name, nearest=near)
            self.columns.append((name, *FACTORS[unit]))
        self.keys = [[] for _ in self.columns]

    def _read_row(self, cells: list[str], last_s: float) -> float:
        if len(cells) != len(self.columns) + 1:
            self._wrong(f"the row has {len(cells)} cells, the first row {len(self.columns) + 1}")
            return last_s
        time_s = self._number(cells[0], TIME, LONGEST_S)
        if time_s is None:
            return last_s
        if time_s < max(last_s + CLOSEST_S, 0.0):
            self._wrong(f"the time goes backwards or stands still at {time_s:g} s", key=TIME)
            return last_s
        for (name, _, factor), cell, keys in zip(self.columns, cells[1:], self.keys, strict=True):
            value = self._number(cell, name, MOST) if cell else None
            if value is not None:
                keys.append(Key(time_s, value * factor))
        return time_s

    def _number(self, cell: str, key: str, most: float) -> float | None:
        try:
            value = float(cell)
        except ValueError:
            fix = "decimals have a point" if "," in cell else None
            self._wrong(f"'{cell[:40]}' is no number", key=key, fix=fix)
            return None
        if not -most <= value <= most:
            self._wrong(f"{cell[:40]} is no number from {-most:g} to {most:g}", key=key)
            return None
        return value

    def _wrong(
        self, message: str, key: str = "", *, nearest: str | None = None, fix: str | None = None
    ) -> None:
        problem = FileProblem(
            self.path, message, line=self._line, key=key, nearest=nearest, fix=fix
        )
        self.problems.append(problem)
