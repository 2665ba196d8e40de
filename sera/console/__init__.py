"""The operator's console: pages in a browser from which a Wizard, an observer or an animator works.

`console_routes` adds them to the page server; `Console` is what they know of the run. The pages
themselves are plain ES modules under `pages/`, without a build step; `vendor/` holds three.js and
urdf-loader with their licences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sera.console._console import Console, Tell
    from sera.console._locks import LayoutLocks
    from sera.console._routes import console_routes

__all__ = ["Console", "LayoutLocks", "Tell", "console_routes"]

_LATE = {
    "Console": "_console",
    "LayoutLocks": "_locks",
    "Tell": "_console",
    "console_routes": "_routes",
}


def __getattr__(name: str) -> Any:
    """Import what serves pages only when pages are served: children and checks need it not."""
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(f"sera.console.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
