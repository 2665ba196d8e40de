"""What every module that sees does alike: take pictures from its source, and show them on a page.

Threading: the module's event loop.
Safety: a page that cannot be served is one warning; the module goes on without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.vision.preview import PreviewError, PreviewServer
from sera.vision.source import choose_source
from sera.vision.steady import SteadySource

if TYPE_CHECKING:
    from sera.runtime.module import Module


def steady_source(module: Module, source: str | int, *, repeat: bool) -> SteadySource:
    """The pictures of a module's source, on the clock of its run; opened again when lost.

    Args:
        module: who sees; files lie beside its scenario.
        source: webcam by number, network camera by address, or a video file.
        repeat: whether a video file begins again at its end.
    """
    chosen = choose_source(
        source,
        module.clock,
        module.blocking,
        folder=module.context.folder,
        repeat=repeat,
        live_allowed=module.clock.kind != "virtual",
    )
    return SteadySource(chosen, module.clock)


async def open_preview(module: Module, title: str, port: int | None) -> PreviewServer | None:
    """A page with what a module sees; None where nobody wants one, or it cannot be served."""
    if port is None or module.clock.kind == "virtual":
        return None
    preview = PreviewServer(f"{title} ({module.source})", port=port)
    try:
        await preview.start()
    except PreviewError as error:
        module.fault(str(error), warning=True)
        return None
    module.log.info("what the camera sees: %s", preview.url)
    return preview
