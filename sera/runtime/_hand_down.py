"""Settings for a module in another process: as JSON, with the secrets that JSON forms hide."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic_core import to_jsonable_python


def settings_as_json(settings: BaseModel) -> dict[str, Any]:
    """Everything the module's Settings are made from again; for a pipe, never for a log."""
    revealed: dict[str, Any] = to_jsonable_python(_revealed(settings.model_dump()))
    return revealed


def _revealed(value: Any) -> Any:
    if isinstance(value, SecretStr | SecretBytes):
        return value.get_secret_value()
    if isinstance(value, dict):
        return {key: _revealed(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_revealed(inner) for inner in value]
    return value
