"""JSDoc typedefs of the vocabulary, so that an editor helps whoever writes a page in JavaScript."""

from __future__ import annotations

from sera.messages._schema import ENVELOPE, JsonSchema, built_in_types, definitions
from sera.messages._schema_text import JAVASCRIPT, one_line, type_text

_REFS = "#/$defs/"


def jsdoc_typedefs() -> str:
    """Source text: one typedef for the envelope, each built-in message, each nested piece.

    `MessageData` at the end maps the name of a message type to the type of its data.
    """
    types = built_in_types()
    schemas = definitions(types, _REFS)
    blocks = [_typedef(name, schema) for name, schema in schemas.items()]
    by_name = [f"@property {{{name}}} {name}" for name in types]
    blocks.append(
        _block(
            [
                "The data of each message type, by the name of the type.",
                "@typedef {object} MessageData",
                *by_name,
            ]
        )
    )
    return "\n\n".join(blocks) + "\n"


def _typedef(name: str, schema: JsonSchema) -> str:
    lines = [one_line(schema.get("description", name))]
    if "properties" not in schema:
        return _block([*lines, f"@typedef {{({type_text(schema, JAVASCRIPT)})}} {name}"])
    lines.append(f"@typedef {{object}} {name}")
    required = schema.get("required", [])
    for field, field_schema in schema["properties"].items():
        kind = "MessageData[keyof MessageData]" if (name, field) == (ENVELOPE, "data") else None
        text = kind or type_text(field_schema, JAVASCRIPT)
        shown = field if field in required else f"[{field}]"
        meaning = one_line(field_schema.get("description", ""))
        lines.append(f"@property {{{text}}} {shown} - {meaning}")
    return _block(lines)


def _block(lines: list[str]) -> str:
    """A comment block; a description must not end it early."""
    safe = [line.replace("*/", "* /") for line in lines]
    return "\n".join(["/**", *(f" * {line}" for line in safe), " */"])
