"""Which sheets the characters of a scenario speak from, by its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def sheets_in(tables: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Characters and the sheets that they speak from, in the order of a scenario's file.

    Those of every condition: a list of the run's own would tell operators which one it is.
    """
    found: dict[tuple[str, str], None] = {}
    for variant in (tables, *_tables(tables.get("conditions"))):
        characters = variant.get("characters")
        for character, table in characters.items() if isinstance(characters, dict) else ():
            for module in _tables(table.get("modules") if isinstance(table, dict) else None):
                for name in _named(module):
                    found[character, name] = None
    return list(found)


def _tables(value: object) -> list[dict[str, Any]]:
    values = value.values() if isinstance(value, dict) else ()
    return [one for one in values if isinstance(one, dict)]


def _named(module: dict[str, Any]) -> list[str]:
    libraries = module.get("libraries")
    listed = libraries if isinstance(libraries, list) else []
    return [name for name in (*listed, module.get("sheet")) if isinstance(name, str) and name]
