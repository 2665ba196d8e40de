"""The fields of a message as they may stand in a log.

Walks a message together with its JSON form: the message knows which field is marked personal and
which key is the name of a field, the JSON form is what will be written.

What is hidden: every string in a marked field, and numbers that are the value of a marked field
(numbers inside a nested model, such as the time of a heard word, stay). In all other strings, and
in the keys of dictionaries, known names are hidden. Words of an enumeration stay: they are the
same for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from math import isfinite
from typing import Any

from pydantic import BaseModel, ValidationError

from sera.messages import Message, PersonalKind, UnknownMessageType, find_message_type
from sera.recording._marks import holds_an_action, personal_of
from sera.recording._pseudonyms import Pseudonyms

_WORD_FIELDS = frozenset({"text", "word"})
"""Fields that may hold one single word of something longer."""


class Anonymiser:
    """Replaces what is personal in messages of one participant after another."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms

    def data(self, message: Message, owner: str) -> dict[str, Any]:
        """The fields of a message, ready for JSON, without anything personal."""
        fields = message.model_dump(mode="json")
        where = type(message).__name__
        # Names first: the text before the tag that fills it in must be without the name too.
        self._learn_names(message, fields, owner, where)
        return self._model(message, fields, owner, where)

    def _learn_names(self, value: Any, data: Any, owner: str, where: str) -> None:
        if isinstance(value, BaseModel) and isinstance(data, dict):
            marks = personal_of(type(value))
            for key, inner, field_data in _fields(value, data):
                if marks.get(key) == "name":
                    self._hide(inner, field_data, "name", owner, f"{where}.{key}")
                elif key not in marks:
                    self._learn_names(inner, field_data, owner, f"{where}.{key}")
        elif isinstance(data, dict | list):
            for _, inner, item in _items(value, data):
                self._learn_names(inner, item, owner, where)

    def _model(
        self, model: BaseModel, data: dict[str, Any], owner: str, where: str
    ) -> dict[str, Any]:
        marks = personal_of(type(model))
        hidden: dict[str, Any] = {}
        for key, inner, field_data in _fields(model, data):
            field = f"{where}.{key}"
            known_key = key if key in type(model).model_fields else self._key(key, where)
            kind = marks.get(key)
            if kind is not None:
                hidden[known_key] = self._hide(inner, field_data, kind, owner, field)
            else:
                hidden[known_key] = self._value(inner, field_data, owner, field)
        return hidden

    def _value(self, value: Any, data: Any, owner: str, field: str) -> Any:
        if isinstance(data, str):
            return data if isinstance(value, Enum) else self._text(data, field)
        if isinstance(data, float):
            return data if isfinite(data) else None
        if isinstance(data, dict | list):
            return self._container(value, data, owner, field)
        return data

    def _container(
        self, value: Any, data: dict[str, Any] | list[Any], owner: str, field: str
    ) -> Any:
        if isinstance(value, _UnknownAction):
            return self._hide(None, data, "text", owner, field)
        if isinstance(data, list):
            return [self._value(one, item, owner, field) for _, one, item in _items(value, data)]
        if isinstance(value, BaseModel):
            return self._model(value, data, owner, field)
        return {
            self._key(key, field): self._value(one, item, owner, f"{field}.{key}")
            for key, one, item in _items(value, data)
        }

    def _text(self, text: str, field: str) -> str:
        is_word = field.rpartition(".")[2] in _WORD_FIELDS
        return self._pseudonyms.without_names(text, field, is_word=is_word)

    def _hide(self, value: Any, data: Any, kind: PersonalKind, owner: str, field: str) -> Any:
        if data is None or isinstance(value, Enum):
            return data
        if isinstance(data, dict):
            is_model = isinstance(value, BaseModel)
            return {
                key if is_model else self._key(key, field): item
                if is_model and isinstance(item, int | float)
                else self._hide(inner, item, kind, owner, f"{field}.{key}")
                for key, inner, item in _items(value, data)
            }
        if isinstance(data, list):
            items = _items(value, data)
            return [self._hide(inner, item, kind, owner, field) for _, inner, item in items]
        if isinstance(data, str) and kind == "name":
            return self._pseudonyms.name(data, owner, field)
        return self._pseudonyms.text(data, owner, field)

    def _key(self, key: str, where: str) -> str:
        return self._pseudonyms.without_names(key, where)


class _UnknownAction:
    """Stands for proposed fields of which nobody can say whether they are personal."""


def _fields(model: BaseModel, data: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Key, value and JSON form of each field; fields of a proposed Action count as its own."""
    proposes = holds_an_action(type(model))
    for key, item in data.items():
        value = getattr(model, key, None)
        if proposes and key == "action" and isinstance(item, dict):
            value = _proposed(str(data.get("action_type")), item)
        yield key, value, item


def _proposed(action_type: str, fields: dict[str, Any]) -> BaseModel | _UnknownAction:
    try:
        return find_message_type(action_type).model_validate(fields, extra="ignore")
    except (UnknownMessageType, ValidationError):
        return _UnknownAction()


def _items(value: Any, data: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Key, value and JSON form of each item, where the value is built like its JSON form."""
    inner: Sequence[Any] = ()
    if isinstance(value, BaseModel) and isinstance(data, dict):
        yield from _fields(value, data)
        return
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, list | tuple):
        inner = value
    if len(inner) != len(data):
        inner = [None] * len(data)
    if isinstance(data, dict):
        for (key, item), one in zip(data.items(), inner, strict=True):
            yield key, one, item
    else:
        for item, one in zip(data, inner, strict=True):
            yield "", one, item
