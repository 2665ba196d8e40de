"""Whether a policy asks for what messages have: a feature that is never there always says no.

Threading: pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sera.messages import Message
from sera.runtime.located import nearest_name
from sera.study.policy.features import Feature

_KINDS = {
    "number": frozenset({"number", "integer", "boolean"}),
    "is": frozenset({"string"}),
    "count": frozenset({"array"}),
}
_IN_WORDS = {"number": "a number", "is": "a word", "count": "a list"}
Schema = dict[str, Any]


def misfit(feature: Feature, message: type[Message]) -> str | None:
    """A sentence where a message cannot give a feature; None where it can."""
    if feature.kind in ("age", "seen"):
        return None
    whole = message.model_json_schema()
    at = [whole]
    for place, key in enumerate(feature.field.split(".")):
        inside = [one for outer in at for one in _meanings(outer, whole)]
        if any(_is_open(one) for one in inside):
            return None  # it takes whatever a laboratory puts there
        known = {name: inner for one in inside for name, inner in one.get("properties", {}).items()}
        if key not in known:
            near = nearest_name(key, list(known))
            hint = f"; did you mean '{near}'?" if near else ""
            before = ".".join((feature.type, *feature.field.split(".")[:place]))
            return f"the policy asks for '{key}' of {before}, which has no such field{hint}"
        at = [one["properties"][key] for one in inside if key in one.get("properties", {})]
    return _of_value(feature, [one for outer in at for one in _meanings(outer, whole)])


def _of_value(feature: Feature, values: list[Schema]) -> str | None:
    if any("type" not in one and "enum" not in one and "const" not in one for one in values):
        return None
    fitting = [one for one in values if one.get("type", "string") in _KINDS[feature.kind]]
    name = f"{feature.type}.{feature.field}"
    if not fitting:
        return f"the policy takes {name} for {_IN_WORDS[feature.kind]}, which it is not"
    words = [word for one in fitting for word in one.get("enum", [one.get("const")])]
    if feature.kind == "is" and None not in words and feature.word not in words:
        near = nearest_name(str(feature.word), [str(word) for word in words])
        hint = f"; did you mean '{near}'?" if near else ""
        return f"the policy asks whether {name} is '{feature.word}', which it never is{hint}"
    return None


def _meanings(schema: Schema, whole: Schema) -> Iterator[Schema]:
    """What a schema may mean, references and alternatives followed."""
    if "$ref" in schema:
        yield from _meanings(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole)
        return
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    if not inner:
        yield schema
    for one in inner:
        yield from _meanings(one, whole)


def _is_open(schema: Schema) -> bool:
    """Whether anything may stand in it: a table of free keys, or a value of any kind."""
    if schema.get("type") == "object":
        return "properties" not in schema
    return "type" not in schema and "enum" not in schema and "const" not in schema
