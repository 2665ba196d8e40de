"""The operator's console: pages in a browser from which a Wizard, an observer or an animator works.

`console_routes` adds them to the page server; `Console` is what they know of the run. The pages
themselves are plain ES modules under `pages/`, without a build step; `vendor/` holds three.js and
urdf-loader with their licences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sera.console._console import Console, Tell

if TYPE_CHECKING:
    from sera.console._routes import console_routes

__all__ = ["Console", "Tell", "console_routes"]


def __getattr__(name: str) -> Any:
    """Import the routes only when pages are served: checking a scenario does not need them."""
    if name == "console_routes":
        from sera.console._routes import console_routes

        return console_routes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
