"""`sera messages`: the vocabulary, in short, in full, and as schema files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sera.cli._options import JsonOption

_KIND_STYLES = {"perception": "cyan", "action": "magenta", "event": "", "state": "blue"}


def messages(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show this message type in full.")
    ] = None,
    *,
    schema: Annotated[
        bool, typer.Option("--schema", help="Write JSON Schema, AsyncAPI and a page about them.")
    ] = False,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where --schema writes to.")
    ] = Path("docs"),
    as_json: JsonOption = False,
) -> None:
    """List all message types by family, those of this workspace's own modules included."""
    from sera.cli._text import print_json
    from sera.cli._workspace import load_own_messages, message_type_named
    from sera.messages import describe_messages, write_schema_files

    if schema:
        written = [str(path) for path in write_schema_files(folder)]
        if as_json:
            print_json(written)
        else:
            for path in written:
                print(path)
        return
    if name is not None:
        message_type = message_type_named(name)
        (described,) = describe_messages({message_type.__name__: message_type})
        if as_json:
            print_json(described)
        else:
            _show_one(described)
        return
    load_own_messages()
    all_described = describe_messages()
    if as_json:
        print_json(all_described)
    else:
        _show_all(all_described)


def _show_all(all_described: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from sera.cli._text import clean, standard_console

    console = standard_console()
    families: dict[str, list[dict[str, Any]]] = {}
    for described in all_described:
        families.setdefault(described["family"], []).append(described)
    # What a laboratory added comes last, where the eye is.
    for family in sorted(families, key=lambda name: (name == "own", name)):
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(min_width=22)
        table.add_column(min_width=10)
        table.add_column()
        for described in families[family]:
            kind = described["kind"]
            table.add_row(
                Text(f"  {described['name']}", style="bold"),
                Text(kind, style=_KIND_STYLES[kind]),
                Text(clean(described["summary"])),
            )
        console.print(Text(family, style="bold underline"))
        console.print(table)
    print("`sera messages NAME` shows one in full")


def _show_one(described: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from sera.cli._text import clean, standard_console

    console = standard_console()
    console.print(Text(f"{described['name']} ({', '.join(_traits(described))})", style="bold"))
    console.print(Text(described["description"]))
    if not described["fields"]:
        console.print(Text("It has no fields."))
        return
    table = Table("field", "type", "default", "what it is", box=None, pad_edge=False)
    for each in described["fields"]:
        kind = ", ".join(part for part in (each["type"], each["limits"]) if part)
        default = "required" if each["required"] else str(each["default"])
        personal = " (personal)" if each["personal"] else ""
        table.add_row(
            Text(each["name"], style="bold"),
            Text(kind, style="dim"),
            Text(default, style="yellow" if each["required"] else "dim"),
            Text(clean(f"{each['description']}{personal}")),
        )
    console.print(table)
    needed = " ".join(f"{each['name']}=…" for each in described["fields"] if each["required"])
    console.print(Text(f"sera send {described['name']} {needed}".rstrip(), style="dim"))


def _traits(described: dict[str, Any]) -> list[str]:
    traits = [str(described["kind"])]
    if described["kind"] == "action":
        worth_s = described["valid_for_s"]
        traits.append("without limit in time" if worth_s is None else f"worth doing {worth_s:g} s")
        if described["channel"]:
            traits.append(f"channel {described['channel']}")
    if described["stream"]:
        traits.append("stream")
    if described["world"]:
        traits.append("of the world")
    traits.append(f"family {described['family']}")
    return traits
