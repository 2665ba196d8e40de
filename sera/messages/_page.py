"""The page `docs/messages.md`, and the writing of all generated files."""

from __future__ import annotations

import inspect
import json
import sys
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

import sera.messages
from sera.messages._asyncapi import asyncapi
from sera.messages._describe import describe_fields, describe_messages
from sera.messages._parts import Part
from sera.messages._schema import ENVELOPE, built_in_types, definitions, json_schema
from sera.messages._schema_text import one_line

_INTRODUCTION = """\
# Messages

Written from the models by `sera messages --schema`: change the docstrings in `sera/messages/`,
not this page. `messages.schema.json` and `messages.asyncapi.json` say the same to programs.

Four kinds of message travel differently:

- **Perception**: a fact about people or things around the robot.
- **Action**: an order. It is delivered end to end, performed once, and worth doing for a limited
  time after it was given; later it is reported as ActionExpired. Its channel is what the autonomy
  dial must allow.
- **Event**: something that happened inside the system.
- **State**: what is the case now; the last one of each source is kept for late-comers.

A *stream* drops its oldest values when a receiver is slow. *World* messages belong to no character
and reach all of them. Fields marked *personal* are kept apart by the recorder, with a pseudonym in
their place. A field with no default must be given.
"""


def messages_page() -> str:
    """The text of `docs/messages.md`: the built-in vocabulary, a chapter for each family."""
    described = sorted(describe_messages(built_in_types()), key=lambda one: one["family"])
    chapters = [_INTRODUCTION]
    for family, members in groupby(described, key=lambda one: str(one["family"])):
        chapters.append(_family_chapter(family, list(members)))
    chapters.append(_pieces_chapter())
    return "\n".join(chapters)


def write_schema_files(folder: Path) -> list[Path]:
    """Write JSON Schema, AsyncAPI and the page about messages into a folder; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in schema_files().items():
        path = folder / name
        # Always \n, so that the files are the same whichever system wrote them.
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def schema_files() -> dict[str, str]:
    """The text of each generated file by its name."""
    return {
        "messages.schema.json": _json_text(json_schema()),
        "messages.asyncapi.json": _json_text(asyncapi()),
        "messages.md": messages_page(),
    }


def _json_text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _family_chapter(family: str, members: list[dict[str, Any]]) -> str:
    about = inspect.cleandoc(sys.modules[f"sera.messages.{family}"].__doc__ or "")
    lines = [f"## {family.capitalize()}", "", about, ""]
    lines += _table(
        ["message", "kind", "says"],
        [
            [f"[{one['name']}](#{one['name'].lower()})", _travel(one), one["summary"]]
            for one in members
        ],
    )
    for one in members:
        lines += ["", f"### {one['name']}", "", f"*{_travel(one)}*", "", one["description"]]
        lines += ["", *_field_table(one["fields"])] if one["fields"] else []
    return "\n".join([*lines, ""])


def _travel(one: dict[str, Any]) -> str:
    """How a message travels, in words."""
    words = [str(one["kind"]).capitalize()]
    if one["kind"] == "action":
        limit = one["valid_for_s"]
        words.append("without limit" if limit is None else f"{limit:g} s")
    if one["channel"]:
        words.append(f"channel {one['channel']}")
    if one["stream"]:
        words.append("stream")
    if one["world"]:
        words.append("world")
    return " · ".join(words)


def _field_table(fields: list[dict[str, Any]]) -> list[str]:
    rows = []
    for field in fields:
        meaning = field["description"]
        if field["personal"]:
            meaning += f" *Personal ({field['personal']}).*"
        default = "" if field["required"] else f"`{field['default']!r}`"
        rows.append([f"`{field['name']}`", f"`{field['type']}`", field["limits"], default, meaning])
    return _table(["field", "type", "limits", "default", "meaning"], rows)


def _pieces_chapter() -> str:
    """Nested pieces and enumerations that the messages use."""
    types = built_in_types()
    lines = ["## Nested pieces and choices", ""]
    for name, schema in definitions(types, "#/$defs/").items():
        if name in types or name in (ENVELOPE, "JsonValue"):
            continue
        piece = getattr(sera.messages, name)
        lines += [f"### {name}", "", inspect.cleandoc(piece.__doc__ or ""), ""]
        if issubclass(piece, StrEnum):
            lines += [", ".join(f"`{choice.value}`" for choice in piece), ""]
        elif issubclass(piece, Part):
            lines += [*_field_table(describe_fields(piece, schema)), ""]
    return "\n".join(lines)


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table; a bar inside a cell would end it."""
    lines = [head, ["---"] * len(head), *rows]
    return [
        "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in line) + " |"
        for line in lines
    ]
