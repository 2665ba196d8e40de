"""The words for a piece of JSON Schema: its type as Python or JavaScript has it, its limits."""

from __future__ import annotations

import json
from typing import NamedTuple

from sera.messages._schema import JsonSchema


class Dialect(NamedTuple):
    """How a language writes types."""

    plain: dict[str, str]
    """Name of each plain JSON type."""
    list_of: str
    """Form of a list."""
    dict_of: str
    """Form of a dictionary with text keys."""
    anything: str
    union: str
    """What stands between alternatives."""


PYTHON = Dialect(
    plain={
        "string": "str",
        "number": "float",
        "integer": "int",
        "boolean": "bool",
        "null": "None",
        "object": "dict",
        "array": "list",
    },
    list_of="list[{}]",
    dict_of="dict[{}, {}]",
    anything="Any",
    union=" | ",
)
JAVASCRIPT = Dialect(
    plain={
        "string": "string",
        "number": "number",
        "integer": "number",
        "boolean": "boolean",
        "null": "null",
        "object": "object",
        "array": "Array<*>",
    },
    list_of="Array<{}>",
    dict_of="Object<{}, {}>",
    anything="*",
    union="|",
)


def type_text(schema: JsonSchema, dialect: Dialect) -> str:
    """The type of a value, such as `list[HeardWord]` or `(string|null)`."""
    if "$ref" in schema:
        # Two classes of one name are told apart as `module__Name`: people know the last part.
        text = str(schema["$ref"]).rsplit("/", 1)[1].rsplit("__", 1)[-1]
    elif "const" in schema:
        text = json.dumps(schema["const"])
    elif "enum" in schema:
        text = dialect.union.join(json.dumps(value) for value in schema["enum"])
    elif "anyOf" in schema:
        # Integers and numbers are one type in JavaScript, so alternatives can repeat.
        options = dict.fromkeys(type_text(option, dialect) for option in schema["anyOf"])
        text = dialect.union.join(options)
    elif schema.get("type") == "array" and "items" in schema:
        text = dialect.list_of.format(_grouped(type_text(schema["items"], dialect), dialect))
    elif schema.get("type") == "object" and "additionalProperties" in schema:
        text = _dict_text(schema, dialect)
    else:
        text = dialect.plain[schema["type"]] if "type" in schema else dialect.anything
    return text


def _dict_text(schema: JsonSchema, dialect: Dialect) -> str:
    values = schema["additionalProperties"]
    of_values = dialect.anything if values is True else type_text(values, dialect)
    keys = schema.get("propertyNames", {})
    of_keys = type_text(keys, dialect) if "$ref" in keys else dialect.plain["string"]
    return dialect.dict_of.format(of_keys, _grouped(of_values, dialect))


def _grouped(text: str, dialect: Dialect) -> str:
    """JSDoc wants alternatives in brackets wherever they stand inside another type."""
    return f"({text})" if dialect is JAVASCRIPT and dialect.union in text else text


def limits_text(schema: JsonSchema) -> str:
    """What a value must keep to, such as `0 to 1`, or nothing."""
    for option in schema.get("anyOf", []):
        if text := limits_text(option):
            return text
    found: list[str] = []
    if "minimum" in schema and "maximum" in schema:
        found.append(f"{schema['minimum']:g} to {schema['maximum']:g}")
    else:
        signs = {"minimum": "≥", "exclusiveMinimum": ">", "exclusiveMaximum": "<", "maximum": "≤"}
        found += [f"{sign} {schema[key]:g}" for key, sign in signs.items() if key in schema]
    if schema.get("minLength", 0) > 0 or schema.get("minItems", 0) > 0:
        found.append("not empty")
    if not found:
        inner = schema.get("items", schema.get("additionalProperties"))
        if isinstance(inner, dict) and (text := limits_text(inner)):
            return f"each {text}"
    return ", ".join(found)


def one_line(text: str) -> str:
    """A description without its line breaks."""
    return " ".join(text.split())
