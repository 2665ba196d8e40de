"""What a scenario file names in any of its conditions, read without loading a module.

A layout is for the scenario in all its conditions: whoever checks it against the condition of one
run would call a button wrong that another condition needs, and tell operators which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sera.runtime._scenario_check import merge
from sera.runtime.located import FileProblem, LocatedToml


def variants_of(scenario_file: Path) -> list[dict[str, Any]]:
    """The file as it stands and with each condition laid over it; nothing where it is no TOML."""
    try:
        data = LocatedToml.load(scenario_file).data
    except FileProblem:
        return []
    base = {key: value for key, value in data.items() if key != "conditions"}
    return [base, *(merge(base, overlay) for _, overlay in _tables(data.get("conditions")))]


def characters_of(scenario_file: Path) -> list[str] | None:
    """Names of the characters; None where the file cannot be read."""
    variants = variants_of(scenario_file)
    if not variants:
        return None
    return list(dict.fromkeys(name for one in variants for name, _ in _characters(one)))


def libraries_of(scenario_file: Path) -> list[str]:
    """The sheets of lines that some character has, as the file writes them."""
    found = [
        sheet
        for variant in variants_of(scenario_file)
        for _, character in _characters(variant)
        for _, module in _tables(character.get("modules"))
        if isinstance(module.get("libraries"), list)
        for sheet in module["libraries"]
        if isinstance(sheet, str)
    ]
    return list(dict.fromkeys(found))


def _characters(variant: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from _tables(variant.get("characters"))


def _tables(value: Any) -> list[tuple[str, dict[str, Any]]]:
    items = value.items() if isinstance(value, dict) else ()
    return [(key, one) for key, one in items if isinstance(one, dict)]
