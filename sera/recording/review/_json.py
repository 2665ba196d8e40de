"""JSON that every browser reads, whatever a damaged log holds: no NaN, no half characters."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


def safe_json(value: Any) -> bytes:
    """Compact JSON in ASCII; numbers that are none become null."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(value), separators=(",", ":"))
    return text.encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
