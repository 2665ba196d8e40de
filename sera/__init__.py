"""SERA: asynchronous modules, messages and scenarios for social robots.

The names below are what a laboratory's own modules import. They are looked up on first use, so
that `import sera` costs nothing: the broker's child process and the command line's help start
without pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sera.runtime.module import Module, on

__all__ = ["Module", "__version__", "on"]

__version__ = "0.1.0"

_HOME_OF = {"Module": "sera.runtime.module", "on": "sera.runtime.module"}


def __getattr__(name: str) -> object:
    """Fetch a public name from its home the first time somebody asks for it."""
    if name not in _HOME_OF:
        message = f"module 'sera' has no name '{name}'; it offers {', '.join(sorted(__all__))}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, also those that nobody has asked for yet."""
    return sorted({*globals(), *__all__})
