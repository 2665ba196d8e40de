"""JSON Schema, AsyncAPI, the page and the typedefs: true to the models, and as committed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import create_model

from sera.messages import (
    Event,
    Gaze,
    MarkerLost,
    Part,
    asyncapi,
    describe_messages,
    jsdoc_typedefs,
    json_schema,
    personal_fields,
    write_schema_files,
)
from sera.messages._page import messages_page, schema_files
from sera.messages._schema import built_in_types
from sera.messages._schema_text import JAVASCRIPT, PYTHON, limits_text, type_text

DOCS = Path(__file__).parents[2] / "docs"
BUILT_IN = built_in_types()


class BellRung(Event):
    """A message of a laboratory."""

    times: int = 1
    """How often."""


def own_piece(name: str) -> type[Part]:
    """A nested piece of a laboratory that has the name of something built in."""
    return create_model(name, __base__=Part, __module__="modules.table", plates=(int, 4))


class TableSet(Event):
    """A message of a laboratory with such pieces."""

    direction: own_piece("Direction")  # type: ignore[valid-type]
    """A piece named like a built-in piece."""
    lost: own_piece("MarkerLost")  # type: ignore[valid-type]
    """A piece named like a built-in message."""


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def resolve(document: Any, reference: str) -> Any:
    root, *steps = reference.split("/")
    assert root == "#"
    for step in steps:
        document = document[step]
    return document


@pytest.mark.parametrize("name", ["messages.schema.json", "messages.asyncapi.json", "messages.md"])
def test_the_committed_file_is_what_the_models_say(name: str) -> None:
    committed = (DOCS / name).read_text(encoding="utf-8")
    assert committed == schema_files()[name], f"docs/{name} is old: run `sera messages --schema`"


def test_the_files_are_written_with_the_same_bytes_on_every_system(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "docs"
    paths = write_schema_files(folder)
    assert [path.name for path in paths] == list(schema_files())
    for path in paths:
        assert path.parent == folder
        content = path.read_bytes()
        assert b"\r" not in content
        assert content.decode() == schema_files()[path.name]
        assert content.endswith(b"\n")


def test_another_hash_seed_gives_the_same_documents() -> None:
    program = """
from sera.messages import jsdoc_typedefs
from sera.messages._page import schema_files
import hashlib
texts = [*schema_files().values(), jsdoc_typedefs()]
print(hashlib.sha256("".join(texts).encode()).hexdigest())
"""
    sums = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert sums[0] == sums[1]
    assert len(sums[0].strip()) == 64


@pytest.mark.parametrize("document", [json_schema(), asyncapi()], ids=["json_schema", "asyncapi"])
def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    found = set(references(document))
    assert len(found) > 60
    for reference in found:
        assert resolve(document, reference), reference


def test_the_schema_defines_the_envelope_and_every_built_in_message_in_order() -> None:
    definitions = json_schema()["$defs"]
    assert list(definitions) == sorted(definitions)
    assert {"Envelope", *BUILT_IN} <= set(definitions)
    for name, message_type in BUILT_IN.items():
        assert list(definitions[name].get("properties", {})) == list(message_type.model_fields)
        assert definitions[name]["x-kind"] == message_type.kind
        assert definitions[name]["description"].strip()


def test_every_field_of_the_schema_has_its_description_and_its_personal_mark() -> None:
    definitions = json_schema()["$defs"]
    for name, definition in definitions.items():
        for field, schema in definition.get("properties", {}).items():
            assert schema.get("description"), f"{name}.{field}"
    for name, message_type in BUILT_IN.items():
        marked = {
            field: schema["personal"]
            for field, schema in definitions[name].get("properties", {}).items()
            if "personal" in schema
        }
        assert marked == personal_fields(message_type)


def test_objects_of_the_schema_are_open_because_readers_skip_what_they_do_not_know() -> None:
    text = json.dumps(json_schema())
    assert '"additionalProperties": false' not in text
    assert '"additionalProperties": {' in text


def test_a_laboratorys_messages_stay_out_of_the_built_in_documents_unless_asked_for() -> None:
    for text in (*schema_files().values(), jsdoc_typedefs()):
        assert "BellRung" not in text
    own = json_schema({"BellRung": BellRung})
    assert list(own["$defs"]) == ["BellRung", "Envelope"]
    assert list(asyncapi({"BellRung": BellRung})["channels"]) == ["BellRung"]


def test_the_asyncapi_document_has_a_channel_an_operation_and_a_message_for_each_type() -> None:
    document = asyncapi()
    assert document["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= set(document["info"])
    assert list(document["channels"]) == list(BUILT_IN)
    assert list(document["components"]["messages"]) == list(BUILT_IN)
    assert list(document["operations"]) == [f"publish{name}" for name in BUILT_IN]
    for name in BUILT_IN:
        operation = document["operations"][f"publish{name}"]
        channel = resolve(document, operation["channel"]["$ref"])
        assert channel is document["channels"][name]
        (message,) = operation["messages"]
        resolved = resolve(document, resolve(document, message["$ref"])["$ref"])
        assert resolved is document["components"]["messages"][name]
        assert resolved["payload"]["properties"]["type"] == {"const": name}
        tags = [tag["name"] for tag in resolved["tags"]]
        assert len(set(tags)) == len(tags), "AsyncAPI wants tags that differ"


def test_addresses_of_asyncapi_declare_their_parameters_and_name_the_world_where_it_speaks() -> (
    None
):
    channels = asyncapi()["channels"]
    for channel in channels.values():
        in_address = re.findall(r"{(\w+)}", channel["address"])
        assert in_address == list(channel["parameters"])
    assert channels["PersonMoved"]["address"] == "sera/{run}/world/PersonMoved/{source}"
    assert channels["GazeAt"]["address"] == "sera/{run}/{character}/GazeAt/{source}"


@pytest.mark.parametrize(
    ("name", "qos", "retained", "extensions"),
    [
        ("PersonMoved", 0, False, {"x-kind": "perception", "x-stream": True}),
        ("GazeAt", 1, False, {"x-kind": "action", "x-valid-for-s": 1.0, "x-channel": "gaze"}),
        ("EmergencyStop", 1, False, {"x-valid-for-s": None, "x-channel": None}),
        ("ModulePresence", 1, True, {"x-kind": "state", "x-family": "system"}),
        ("SpeechWord", 1, False, {"x-kind": "event", "x-belongs-to-world": False}),
    ],
)
def test_asyncapi_says_how_each_message_travels(
    name: str, qos: int, retained: bool, extensions: dict[str, Any]
) -> None:
    document = asyncapi()
    channel = document["channels"][name]
    mqtt = document["operations"][f"publish{name}"]["bindings"]["mqtt"]
    assert (mqtt["qos"], mqtt["retain"]) == (qos, retained)
    assert (channel["x-qos"], channel["x-retained"]) == (qos, retained)
    for key, value in extensions.items():
        assert channel[key] == value
    assert ("x-valid-for-s" in channel) == (channel["x-kind"] == "action")


def test_typedefs_define_every_type_that_they_mention() -> None:
    text = jsdoc_typedefs()
    defined = set(re.findall(r"@typedef \{.*\} (\w+)$", text, re.MULTILINE))
    types = re.findall(r"@(?:property|typedef) \{(.*)\} (?:\[?\w+\]?)(?: -|$)", text, re.MULTILINE)
    mentioned = set(re.findall(r"\b[A-Z]\w*", re.sub(r'"[^"]*"', "", " ".join(types))))
    assert mentioned - {"Array", "Object"} <= defined
    assert {"Envelope", "MessageData", *BUILT_IN} <= defined
    assert text.count("/**") == text.count("*/") == len(defined)


def test_typedefs_tell_required_from_optional_and_spell_out_choices() -> None:
    text = jsdoc_typedefs()
    assert " * @property {string} person - Id of the tracker for this person." in text
    assert " * @property {Position|null} [position] - " in text
    assert ' * @typedef {("autonomous"|"suggest"|"wizard")} AutonomyMode' in text
    assert " * @property {Object<Channel, AutonomyMode>} [modes] - " in text
    assert " * @property {PersonMoved} PersonMoved" in text


def test_a_description_of_each_message_is_ready_for_a_table_and_for_json() -> None:
    described = {one["name"]: one for one in describe_messages()}
    assert json.loads(json.dumps(described)) == described
    assert set(BUILT_IN) <= set(described)
    gaze = described["GazeAt"]
    assert (gaze["kind"], gaze["family"], gaze["valid_for_s"], gaze["channel"]) == (
        *("action", "behaviour", 1.0, "gaze"),
    )
    assert gaze["fields"] == [
        {
            "name": "target",
            "type": "str",
            "limits": "not empty",
            "required": True,
            "default": None,
            "description": "Whom or what to look at.",
            "personal": None,
        }
    ]
    heard = described["SpeechHeard"]
    assert heard["world"]
    assert heard["personal"] == {"text": "text", "words": "text"}
    assert {field["name"]: field["type"] for field in heard["fields"]} == {
        "text": "str",
        "words": "list[HeardWord]",
        "person": "str | None",
        "confidence": "float",
        "language": "str | None",
        "final": "bool",
    }
    assert described["JointFrame"]["stream"]
    assert described["BellRung"]["family"] == "own"


def test_a_message_without_fields_of_its_own_is_described_too() -> None:
    class CurtainFell(Event):
        """The end."""

    (described,) = describe_messages({"CurtainFell": CurtainFell})
    assert described["fields"] == []
    assert described["summary"] == "The end."
    assert json_schema({"CurtainFell": CurtainFell})["$defs"]["CurtainFell"]["type"] == "object"


def test_a_laboratorys_nested_piece_may_have_the_name_of_a_built_in_piece_or_message() -> None:
    described = describe_messages({"TableSet": TableSet, "Gaze": Gaze, "MarkerLost": MarkerLost})
    assert [one["name"] for one in described] == ["Gaze", "MarkerLost", "TableSet"]
    assert described[0]["fields"][0]["type"] == "Direction"
    assert [field["type"] for field in described[2]["fields"]] == ["Direction", "MarkerLost"]
    document = json_schema({"TableSet": TableSet, "Gaze": Gaze, "MarkerLost": MarkerLost})
    for reference in references(document):
        assert resolve(document, reference), reference
    assert document["$defs"]["MarkerLost"]["x-kind"] == "perception"


def test_the_page_shows_every_message_and_its_fields_under_its_family() -> None:
    chapters = re.split(r"^## ", messages_page(), flags=re.MULTILINE)[1:]
    by_title = {chapter.splitlines()[0].lower(): chapter for chapter in chapters}
    for name, message_type in BUILT_IN.items():
        chapter = by_title[message_type.family]
        section = re.split(rf"^### {name}$", chapter, flags=re.MULTILINE)[1].split("\n### ")[0]
        for field in message_type.model_fields:
            assert f"| `{field}` |" in section
    assert "*Personal (name).*" in by_title["perception"]
    assert "*Action · without limit · world*" in by_title["study"]


def test_every_row_of_the_pages_tables_has_as_many_cells_as_its_head() -> None:
    columns = 0
    rows = 0
    for line in messages_page().splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1
        columns = columns or cells
        rows += 1
        assert cells == columns, line
    assert rows > 300


@pytest.mark.parametrize(
    ("schema", "python", "javascript"),
    [
        ({"type": "string"}, "str", "string"),
        ({}, "Any", "*"),
        ({"const": 3}, "3", "3"),
        ({"$ref": "#/$defs/Position"}, "Position", "Position"),
        ({"enum": ["a", "b"]}, '"a" | "b"', '"a"|"b"'),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, 'list["a" | "b"]', 'Array<("a"|"b")>'),
        ({"type": "object", "additionalProperties": True}, "dict[str, Any]", "Object<string, *>"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "int | float", "number"),
        ({"type": "array"}, "list", "Array<*>"),
        ({"type": "object"}, "dict", "object"),
    ],
)
def test_a_type_is_written_as_each_language_has_it(
    schema: dict[str, Any], python: str, javascript: str
) -> None:
    assert type_text(schema, PYTHON) == python
    assert type_text(schema, JAVASCRIPT) == javascript


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "number"}, ""),
        ({"minimum": 0, "maximum": 1}, "0 to 1"),
        ({"exclusiveMinimum": 0, "maximum": 10}, "> 0, ≤ 10"),
        ({"anyOf": [{"minimum": 0.5}, {"type": "null"}]}, "≥ 0.5"),
        ({"type": "array", "items": {"minimum": 2}}, "each ≥ 2"),
        ({"type": "array", "minItems": 1, "items": {"minimum": 2}}, "not empty"),
    ],
)
def test_limits_are_written_in_few_signs(schema: dict[str, Any], text: str) -> None:
    assert limits_text(schema) == text
