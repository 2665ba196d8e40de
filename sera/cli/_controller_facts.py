"""What there is to know about controllers: from the registry, for people, scripts and documents.

`sera list controllers` and the table in docs/animation.md come from here, so that neither can say
anything that the registry does not.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sera.animation.engine import Controller
    from sera.animation.program import Registry

_WORDS: dict[Any, str] = {float: "float", int: "int", str: "string", bool: "bool"}
_PLURALS = {"float": "floats", "int": "ints", "string": "strings", "bool": "bools"}
ANY = "any"
"""The output of a controller whose kind is known only when it is made."""


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """One key of a controller in a program file."""

    name: str
    type: str
    required: bool
    default: Any
    wired: bool
    """A wire may drive it."""
    meaning: str

    @property
    def default_text(self) -> str:
        return "required" if self.required else in_toml(self.default)


@dataclass(frozen=True, slots=True)
class ControllerFacts:
    """One type of controller."""

    type: str
    output: str
    summary: str
    parameters: tuple[ParameterFacts, ...]
    file: Path | None
    """Where a plug-in stands; None for those that are built in."""

    def as_data(self) -> dict[str, Any]:
        """The same for `--json`."""
        return {**asdict(self), "file": None if self.file is None else str(self.file)}


def facts_of(registry: Registry) -> list[ControllerFacts]:
    """Everything that a program file can use, in the registry's order."""
    return [
        _facts(name, kind, registry.plug_ins.get(name))
        for name, kind in registry.controllers.items()
    ]


def markdown_table(all_facts: Iterable[ControllerFacts]) -> str:
    """The table of a document: what wires may drive is in bold type."""
    lines = ["| type | gives | what it does | parameters |", "|---|---|---|---|"]
    for facts in all_facts:
        names = [f"**{each.name}**" if each.wired else each.name for each in facts.parameters]
        cells = (facts.type, facts.output, _in_cell(facts.summary), ", ".join(names))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def in_toml(value: Any) -> str:  # noqa: PLR0911 - one for each kind
    """A value as one would write it into a program file; `-` where there is none."""
    if value is None:
        return "-"
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {in_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(in_toml, value))}]"
    return str(value)


def _key(name: object) -> str:
    text = str(name)
    bare = text.replace("-", "_").isidentifier()
    return text if bare else f'"{text}"'


def _facts(name: str, kind: type[Controller], file: Path | None) -> ControllerFacts:
    from sera.animation.controllers import Message

    model = kind.Parameters
    parameters = tuple(
        ParameterFacts(
            name=key,
            type=_type_text(field.annotation),
            required=field.is_required(),
            default=None if field.is_required() else _plain(field.get_default()),
            wired=key in kind.wires,
            meaning=_one_line(field.description or ""),
        )
        for key, field in model.model_fields.items()
    )
    output = ANY if issubclass(kind, Message) else kind.output.value
    summary = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return ControllerFacts(name, output, _one_line(summary), parameters, file)


def _type_text(annotation: Any) -> str:  # noqa: PLR0911 - one for each kind
    """A type in the words of program files."""
    from sera.animation.engine import FrameWire

    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type_text(arguments[0])
    if origin in (typing.Union, types.UnionType):
        members = [_type_text(each) for each in arguments if each is not type(None)]
        return " or ".join(dict.fromkeys(members))
    if origin is typing.Literal:
        return " or ".join(in_toml(each) for each in arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(in_toml(each) for each in annotation)
    if origin is dict:
        return f"table of {_plural(_type_text(arguments[1]))} by channel"
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"[{', '.join(map(_type_text, arguments))}]"
    if origin in (list, tuple):
        return f"list of {_plural(_type_text(arguments[0]))}"
    if annotation is FrameWire:
        return "frame"
    return _WORDS.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _plural(word: str) -> str:
    return _PLURALS.get(word, word)


def _plain(value: Any) -> Any:
    """A default as JSON can hold it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")
