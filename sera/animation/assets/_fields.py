"""Reads fields of an asset file one by one, and notes what is wrong with each by line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from sera.animation.assets._document import Document
from sera.animation.assets.units import FACTORS, fits
from sera.animation.body.sets import GENERIC, GENERIC_SETS
from sera.animation.channels import OWN_SET, ChannelSpec
from sera.runtime.located import FileProblem, KeyPath, nearest_name

MOST = 1e6
"""The largest number that a value may have: beyond it stands a slip of the pen."""


class Fields:
    """The document, and what was found wrong in it so far."""

    def __init__(self, document: Document, specs: Mapping[str, ChannelSpec] | None) -> None:
        self.document = document
        self.specs = specs
        self.problems: list[FileProblem] = []
        self.warnings: list[FileProblem] = []

    def wrong(self, path: KeyPath, message: str, **more: str | None) -> None:
        self.problems.append(self.document.problem(path, message, **more))

    def warn(self, path: KeyPath, message: str, **more: str | None) -> None:
        self.warnings.append(self.document.problem(path, message, **more))

    # One value each; the default where the key is absent or wrong

    def table(self, holder: Any, path: KeyPath) -> dict[str, Any]:
        """The table at the end of `path`, which is a key of `holder`."""
        value = holder.get(path[-1], {})
        if isinstance(value, dict):
            return value
        self.wrong(path, f"must be a table, not {_shown(value)}")
        return {}

    def text(self, holder: dict[str, Any], path: KeyPath, default: str = "") -> str:
        value = holder.get(str(path[-1]), default)
        if isinstance(value, str):
            return value.strip()
        self.wrong(path, f"must be a text in quotes, not {_shown(value)}")
        return default

    def flag(self, holder: dict[str, Any], path: KeyPath, *, default: bool) -> bool:
        value = holder.get(str(path[-1]), default)
        if isinstance(value, bool):
            return value
        self.wrong(path, f"must be true or false, not {_shown(value)}")
        return default

    def number(self, value: Any, path: KeyPath, what: str = "it") -> float | None:
        """A finite number of sensible size, None where it is none."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(path, f"{what} must be a number, not {_shown(value)}")
            return None
        # Compared before it is turned into a float, which very large integers cannot be.
        if not -MOST <= value <= MOST:
            self.wrong(path, f"{what} must be a number from {-MOST:g} to {MOST:g}")
            return None
        return float(value)

    def seconds(self, holder: dict[str, Any], path: KeyPath, default: float) -> float:
        """A time that is not below zero."""
        value = self.number(holder.get(str(path[-1]), default), path)
        if value is None:
            return default
        if value < 0.0:
            self.wrong(path, f"a time of {value:g} s lies in the past", fix="0 or more seconds")
            return default
        return value

    def known_keys(self, holder: dict[str, Any], path: KeyPath, known: Iterable[str]) -> None:
        """Complain of every key that nobody reads: it is a misspelt one."""
        names = list(known)
        for key in holder:
            if key not in names:
                near = nearest_name(key, names)
                listed = f"known here: {', '.join(names)}"
                self.wrong((*path, key), f"unknown key '{key}'", nearest=near, fix=listed)

    # What both animations and postures have

    def channel(self, name: str, path: KeyPath) -> None:
        """Complain of a channel that neither the body nor the generic sets have."""
        body_set, _, own = name.partition(".")
        if not body_set or not own:
            fix = "such as Gazing.Vertical or Body.neck"
            self.wrong(path, f"'{name}' is no channel name: it is Set.Channel", fix=fix)
            return
        if self.specs is not None and name in self.specs:
            return
        if name in GENERIC:
            if self.specs is not None:
                self.warn(path, f"this body has no '{name}': it is left out there")
            return
        if body_set == OWN_SET and self.specs is None:
            return  # whose body it is, nobody has said
        known = [*(self.specs or ()), *GENERIC]
        near = nearest_name(name, known)
        sets = None if near else f"sets are {', '.join((*GENERIC_SETS, OWN_SET))}"
        self.wrong(path, f"there is no channel '{name}'", nearest=near, fix=sets)

    def unit(self, unit: str, path: KeyPath, name: str) -> str | None:
        """The unit if there is such a one and the channel takes it."""
        if unit not in FACTORS:
            near = nearest_name(unit, FACTORS)
            fix = f"units are {', '.join(FACTORS)}"
            self.wrong(path, f"there is no unit '{unit}'", nearest=near, fix=fix)
            return None
        spec = None if self.specs is None else self.specs.get(name)
        if spec is not None and not fits(FACTORS[unit][0], spec):
            self.wrong(path, f"'{name}' is in {spec.unit.value}: '{unit}' does not fit")
            return None
        return unit

    def range(self, name: str, path: KeyPath, lowest: float, highest: float, factor: float) -> None:
        """Warn of values (inside units) that the body cannot reach; `factor` writes them."""
        spec = None if self.specs is None else self.specs.get(name)
        if spec is None:
            return
        slack = 1e-9 * max(1.0, abs(spec.lower), abs(spec.upper))
        for value, beyond in (
            (lowest, lowest < spec.lower - slack),
            (highest, highest > spec.upper + slack),
        ):
            if beyond and math.isfinite(value):
                ends = f"{spec.lower * factor:.4g} to {spec.upper * factor:.4g}"
                self.warn(path, f"{value * factor:.4g} lies beyond the range {ends} of '{name}'")


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer with thousands of digits
        return "a very large number"
    return text if len(text) <= 60 else f"{text[:57]}..."
