"""What is written under the fields of messages, read when somebody asks for a schema.

pydantic can do this when a class is made, which would double the time that every process takes to
know the vocabulary, although only pages and schemas show the words.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel

_read: set[type[BaseModel]] = set()


def read_docstrings(models: Iterable[type[BaseModel]]) -> None:
    """Give the fields of models, and of all they contain, the words under them."""
    for model in models:
        _learn(model)


def _learn(model: type[BaseModel]) -> None:
    if model in _read:
        return
    _read.add(model)
    for field in model.model_fields.values():
        # Nested pieces first: what contains them takes their schema over.
        for nested in _models_in(field.annotation):
            _learn(nested)
    words: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            words |= _words_under_fields(each)
    for name, field in model.model_fields.items():
        if field.description is None:
            field.description = words.get(name)
    model.model_rebuild(force=True)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _words_under_fields(model: type[BaseModel]) -> dict[str, str]:
    try:
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}  # made by a program, so that there is no file to read
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in zip(body.body, body.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
